// Tests addresses in text, and their locations. Some cases come from linkify-it, Presidio, scrubadub and get-emails.

import fc from "fast-check";
import { expect, it } from "vitest";
import { sampleSize } from "../../../helpers/sampling.ts";
import { scanText } from "../../../helpers/scan-text.ts";

const findAddresses = (text: string | Uint8Array): string[] =>
  scanText(text).map((location) => location.replace(/^\S+ /, ""));

it.each([
  // linkify-it
  ["<user@domain.com>.", ["user@domain.com"]],
  ["<mailto:user@domain.com>", ["user@domain.com"]],
  [">>name@example.com", ["name@example.com"]],
  ["MAILTO:NAME@EXAMPLE.COM", ["NAME@EXAMPLE.COM"]],
  ["mailto:foo_bar@example.com", ["foo_bar@example.com"]],
  ["192.168.1.1@gmail.com", ["192.168.1.1@gmail.com"]],
  ["(foobar email@example.com)", ["email@example.com"]],
  ["｜test@google.com｜bar", ["test@google.com"]],
  ["http://user:pass@example.com:8080", []],
  ["http://user@example.com", []],
  ["&lt;a href=&quot;https://corp.example&quot;&gt;jane@corp.example", ["jane@corp.example"]],
  ["https%3A%2F%2Fcorp.example%2F%3Fmail%3Djane%40corp.example", ["jane@corp.example"]],
  ["https://jane%2Bnews@gmail.com", ["jane+news@gmail.com"]],
  ["[https](https://www.ibm.com)[mailto](mailto:someone@ibm.com)", ["someone@ibm.com"]],
  ["https://www.google.ru/maps/@59.9393895,30.3165389,15z?hl=ru", []],
  ["foo@bar", []],
  // Presidio
  ["my email is info@presidio.site", ["info@presidio.site"]],
  ["my email is info@presidio.", []],
  // scrubadub and get-emails
  ["aaa foo@bar.co.uk      f", ["foo@bar.co.uk"]],
  ["asdf unicorn@unicorn.unicorn ~~~~", ["unicorn@unicorn.unicorn"]],
  ["cake@cake.cake. asdfdsa", ["cake@cake.cake"]],
])("--scan finds the expected addresses in a test case of another scanner: %s", (text, expected) => {
  expect(findAddresses(text)).toEqual(expected);
});

it.each([
  ["const a = 'jane@example.org', b = `joe@example.org`;", ["jane@example.org", "joe@example.org"]],
  ["b'jane@example.org'", ["jane@example.org"]],
  ["o'brien@example.org and d'arcy@example.org", ["o'brien@example.org", "d'arcy@example.org"]],
  [
    '"a\\njane@example.org\\t\\u003cjoe@example.org\\u003e\\x22eve@example.org"',
    ["jane@example.org", "joe@example.org", "eve@example.org"],
  ],
  ['{"q":"\\"jane doe\\"@example.org"}', ['"jane doe"@example.org']],
  ['To: "jane doe"@example.org', ['"jane doe"@example.org']],
  ['"a" + "@example.org"', []],
  ["&lt;jane@example.org&gt;&nbsp;joe@example.org&nbsp;", ["jane@example.org", "joe@example.org"]],
  ["?to=jane@example.org&cc=joe@example.org", ["jane@example.org", "joe@example.org"]],
  ["%3Cjane@example.org%3E", ["jane@example.org"]],
  ["To: Jane =3Cjane@example.org=3E=2Cjoe@example.org", ["jane@example.org", "joe@example.org"]],
  ["?id=3Cjane@example.org", ["3Cjane@example.org"]],
  // An --allow-file can't have these characters there.
  ["<*jane@example.org> <#joe@example.org> <j***@example.org>", ["jane@example.org", "joe@example.org"]],
  [
    "**jane@example.org**, _joe@example.org_, \\fBeve@example.org\\fR",
    ["jane@example.org", "joe@example.org", "eve@example.org"],
  ],
  ["邮箱：jane@example.org。联系joe@example.org的", ["jane@example.org", "joe@example.org"]],
  ["grüße@bücher.example дима@почта.рф", ["grüße@bücher.example", "дима@почта.рф"]],
  ["wait...jane@example.org...", ["jane@example.org"]],
  ["write to jane@example.org.Thanks", ["jane@example.org"]],
  ["<bounce+joe=example.com@example.org>", ["bounce+joe=example.com@example.org"]],
  ["From jane@example.org Mon May  2 16:07:05 2005", ["jane@example.org"]],
  ["id <1a2b3c@example.org>\nWrite to <jane@example.org>", ["jane@example.org"]],
  [`message_id = <1a2b3c@example.org>${" ".repeat(200)}jane@example.org`, ["jane@example.org"]],
  // A handle of the Fediverse is not at a mail service.
  [
    "@jane@gmail.com ([R](@ralph@hotmail.com)) '@joe@outlook.com'",
    ["jane@gmail.com", "ralph@hotmail.com", "joe@outlook.com"],
  ],
  ["https://corp.example/u/jane.doe85@corp.example/edit", ["jane.doe85@corp.example"]],
])("--scan finds the addresses in %s", (text, expected) => {
  expect(findAddresses(text)).toEqual(expected);
});

it.each([
  "lodash@4.17.21 react@18.2.0-rc.dev pkg@v1.2.3-beta.io npm:fdir@1.2.0 @scope/pkg@1.0.0",
  "git@github.com:org/repo.git git@github.com/org ssh://git@example.org/x me@host.example.org:dir/file",
  "postgresql://joe:word@db.example.org/mail joe:word@db.example.org:5432/mail",
  "postgres://app:s3%2Fcret@db.example.org/x?u=postgres%3A%2F%2Fapp%3As3cret%40db.example.org redis://:a%26b%3Dc@db.example.org",
  '{"url":"https:\\/\\/joe:word@db.example.org","db":"postgres:\\/\\/joe:s3%2Fcret@db.example.org"} smtp://joe:s3%2Fcret@gmail.com',
  "logo@2x.png icon@3x.ai @media @import url(a.css) @Override @param jane@ doe",
  "user@host @jane@social.example.org @jane.doe x@y.to(device)",
  "[a-z]+@example.org \\w+@example.org .*@example.org *@example.org",
  "$user@example.org #{user}@example.org %s@example.org {0}@example.org j***e@example.org",
  "x@jane@gmail.com @@jane@gmail.com",
  "https://lore.example.org/all/CAHk-=wiVabCdx2@mail.gmail.com/ [1] https://lore.example.org/r/87h6x4k2.fsf@example.org",
  "this@MainActivity.name langpack/extensions/pt-BR@firefox.example.org/chrome",
  "Message-ID: <20260105.1@example.org>",
  "['19980507220459.5655.qmail@example.org']",
  "References: <a1b2c3d@example.org>\n <87h6x4.fsf@example.org>\n\t<CAH=9x-8_7@mail.gmail.com>",
  "In-Reply-To:\n <b2.1.7c@example.org>",
  "by mx.example.org with ESMTP id <T5a0b1@example.org>; src=cid:image001.png@example.org",
  "m.message_id = '<4567@example.org>', '<4568@example.org>'",
])("--scan finds no address in %s", (text) => {
  expect(findAddresses(text)).toEqual([]);
});

it.each([
  "git@corp.example:owner/repo.git repo.git@corp.example:a+b.git me@corp.example:/var/www me@corp.example:~/x,",
  "git\\@corp.example:owner/repo.git 'https://corp.example\\\\@host.example'",
  "me@corp.example:dir/*.txt me@corp.example:./a; (me@corp.example:src/) me@corp.example:2222/src",
  "imap://jane@corp.example/INBOX smtp://jane@corp.example:word@smtp.gmail.com:587",
])("--scan finds no address in a path on a host that is not a mail service: %s", (text) => {
  expect(findAddresses(text)).toEqual([]);
});

it.each(["12/05/1990", "qL0/xYz8+Q==", "ab/c=", "sue/x,1", "$2b$12$LQv3/x", " 12/05", "2222", "a;b/c"])(
  "--scan finds an address before a colon if no path follows: jane@corp.example:%s",
  (value) => expect(findAddresses(`jane@corp.example:${value}`)).toEqual(["jane@corp.example"]),
);

it("--scan finds an address at a mail service whatever follows it, and in URLs", () => {
  const services = ["gmail.com", "yahoo.com", "Outlook.com", "hotmail.com", "web.de", "mailinator.com", "duck.com"];
  const values = fc.oneof(
    fc.constantFrom("12/05/1990", "/home/kim", "~/x", "owner/repo.git", "993/x", "word@smtp.gmail.com:587"),
    fc.string({ unit: fc.constantFrom(..."aZ09/+=.,:;~-_$#!@*( ") }),
  );
  const before = fc.constantFrom("", "17:", "root:", "a/b/", "smtp://", "imap://", "'", "jane,", "<");
  fc.assert(
    fc.property(fc.constantFrom(...services), fc.constantFrom(..."::/|;,(@?"), values, before, (...parts) => {
      const [service, separator, value, prefix] = parts;
      expect(findAddresses(`${prefix}bob.jones@${service}${separator}${value}`)[0]).toBe(`bob.jones@${service}`);
    }),
    { numRuns: sampleSize(2000) },
  );
});

it.each([
  `https://shop.example/confirm?utm_source=newsletter&session=${"8f14e45fceea167a".repeat(10)}&email=jane@example.org`,
  `https://shop.example/${"path/".repeat(40)}?e=jane@example.org`,
  `${"お問い合わせはこちらまで".repeat(10)}jane@example.org`,
  `${"联系我们请写信到".repeat(12)}jane@example.org`,
  ...["=", "-", "_", "*", "#", "~", ".", "═", "+-", "=-", "<>", "%20"].map(
    (ruler) => `${ruler.repeat(161)}jane@example.org`,
  ),
  `${"x".repeat(200)}|jane@example.org`,
  `${"x".repeat(200)}ä/jane@example.org`,
])("--scan finds the address after a long run of characters: %s", (text) => {
  expect(findAddresses(text)).toEqual(["jane@example.org"]);
  for (let more = 1; more < 8; more += 1) expect(findAddresses("x".repeat(more) + text)).toEqual(["jane@example.org"]);
});

it.each([`${"QUJD".repeat(60)}@example.org`, `https://joe:${"a".repeat(200)}@example.org`])(
  "--scan finds no address with an overlong local part: %s",
  (text) => {
    expect(findAddresses(text)).toEqual([]);
  },
);

it("--scan locates addresses by line and character, not by byte", () => {
  expect(scanText("a\n\nÄÖ 👍 <jane@example.org> joe@example.org\r\n")).toEqual([
    "3:7 jane@example.org",
    "3:25 joe@example.org",
  ]);
});

it("--scan counts the characters of a line in Latin-1 by byte", () => {
  const text = "\xa7 \xb0\xb0 jos\xe9@orange.example; \xbf ann@orange.example";
  expect(scanText(Buffer.from(text, "latin1"))).toEqual(["1:6 josé@orange.example", "1:29 ann@orange.example"]);
});

it("--scan skips allowed addresses, domains, subdomains and local parts, and lines with an allow comment", () => {
  const text =
    "a@b.example # addrsift: allow\nb@b.example Addrsift:Allow\nc@b.example addrsift:  allow\nx@b.example addrsift: allowed\nJane@Example.org joe@example.org x@Team.example y@a.b.team.example\n" +
    "NoReply@shop.example noreply2@shop.example\n";
  const skipped: string[] = [];
  const allowed = ["jane@example.org", "@team.example", "noreply@"];
  expect(scanText(text, { allowed, skipped })).toEqual([
    "4:1 x@b.example",
    "5:18 joe@example.org",
    "6:22 noreply2@shop.example",
  ]);
  expect(skipped).toEqual(["allow_mark", "allow_mark", "allow_mark", ...Array.from({ length: 4 }, () => "allow_file")]);
});

it.each(["@müller.de", "@mu\u0308ller.de", "@XN--MLLER-KVA.DE"])(
  "the allowed domain %s matches its Unicode form, its A-labels and its subdomains",
  (entry) => {
    const text = "a@müller.de b@xn--mller-kva.de\nc@MÜLLER.de d@mu\u0308ller.de e@a.müller.de\nf@muller.de\n";
    expect(scanText(text, { allowed: [entry] })).toEqual(["3:1 f@muller.de"]);
  },
);

it.each(["jörg@müller.de", "JO\u0308RG@xn--mller-kva.de"])(
  "the allowed address %s matches all spellings of its domain and letters",
  (entry) => {
    const text = "jörg@müller.de\nJÖRG@xn--mller-kva.de\njorg@müller.de\n";
    expect(scanText(text, { allowed: [entry] })).toEqual(["3:1 jorg@müller.de"]);
  },
);

it("allowed paths may have an @ after their first slash", () => {
  const diff = ["node_modules/@types/a.ts", "img/logo@2x.svg", "img/logo.svg"]
    .map((name) => `diff --git a/${name} b/${name}\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+joe@gmail.com\n`)
    .join("");
  const allowed = ["node_modules/@types/", "./img/logo@2x.svg"];
  expect(scanText(diff, { diff: true, allowed })).toEqual(["img/logo.svg:1:1 joe@gmail.com"]);
});

it.each([
  ["References: Jane Doe <jane@example.org>", ["jane@example.org"], 0],
  ["references:\n  - jane@example.org\n  - joe@example.org", ["jane@example.org", "joe@example.org"], 0],
  ['{"references": ["jane@example.org"], "content-id": "joe@example.org"}', ["jane@example.org", "joe@example.org"], 0],
  ["References: <1.a.23.b@d.example> <12b3@d.example>\n\t<3c.45d@d.example>\nTo: d@example.org", ["d@example.org"], 3],
  ["References: <1.a.23@localhost> <2b.34@example.org>", [], 1],
  ["References: <1.a.23@example.org>\n  jane@example.org", ["jane@example.org"], 1],
  ["> X-Message-ID:\n> \n Content-ID: <image001.png@example.org>", [], 1],
  ["m.message_id = '<4567@example.org>', '<4568@example.org>', jane@example.org", ["jane@example.org"], 2],
  // An address that a person may have is found, whatever is before it.
  ...[
    "jane.doe1985@corp.example",
    "ivan.petrov@gmail.com",
    "1984.5b6c@gmail.com",
    "o'brien.jr19850105@corp.example",
  ].flatMap((address): [string, string[], number][] => [
    [`msgid "${address}"`, [address], 0],
    [`{"message_id": "${address}"}\n<message id="${address}">`, [address, address], 0],
    [`In-Reply-To: ${address}\nReferences: <${address}> <1.a.23@example.org>`, [address, address], 1],
    [`id <${address}> mid:${address} MessageId = '<4567@example.org>', ${address}`, [address, address, address], 1],
  ]),
  ["20240101.jane1985@corp.example 20260102030405.GA1234@corp.example", ["20240101.jane1985@corp.example"], 1],
])("--scan skips and counts message identifiers, but reports addresses: %s", (text, expected, identifiers) => {
  const skipped: string[] = [];
  expect(scanText(text, { skipped }).map((location) => location.replace(/^\S+ /, ""))).toEqual(expected);
  expect(skipped).toEqual(Array(identifiers).fill("message_id"));
});

it.each([
  ["jos\xe9@orange.example \xabren\xe9e@orange.example\xbb", ["josé@orange.example", "renée@orange.example"]],
  ["x\xe9 Andr\xe9.marin@orange.example, ann@caf\xe9.example", ["André.marin@orange.example", "ann@café.example"]],
  ["\x93ann@orange.example\x94 \xa0joe@orange.example", ["ann@orange.example", "joe@orange.example"]],
  ["jos\xe9%40orange.example", ["josé@orange.example"]],
  // UTF-8 with a truncated character.
  ["jos\xc3\xa9@orange.example \xc3", ["josé@orange.example"]],
  // GBK and Windows-1251: letters of other encodings are no part of an address.
  [
    "\xc1\xaa\xcf\xb5ann@orange.example \xef\xee\xf7\xf2\xe0:joe@orange.example",
    ["ann@orange.example", "joe@orange.example"],
  ],
])("--scan finds whole addresses in a line that is in Latin-1: %j", (text, expected) => {
  expect(findAddresses(Buffer.from(text, "latin1"))).toEqual(expected);
});

// Tests which addresses the page's Check view finds in pasted text.

import fc from "fast-check";
import { expect, it } from "vitest";
import { findAddresses, replaceAddresses, replaceLines } from "../../../src/page/check/find-addresses.ts";
import { mayHaveAddress } from "../../../src/page/check/read-unit.ts";
import { runInProcess } from "../../helpers/in-process.ts";
import { objectsOf } from "../../helpers/run.ts";

async function addressesIn(text: string): Promise<string[]> {
  const { places } = await findAddresses(text);
  return places.flatMap(({ address, isRepeated = false }) => (isRepeated ? [] : [address]));
}

async function skippedIn(text: string): Promise<string[]> {
  const { skipped } = await findAddresses(text);
  return skipped.map(({ address }) => address);
}

it.each([
  ["a@gmail.com, b@mailinator.com; c@web.de", ["a@gmail.com", "b@mailinator.com", "c@web.de"]],
  ["a@x.com b@x.com", ["a@x.com", "b@x.com"]],
  ["a@b, c@d", ["a@b", "c@d"]],
  [";a@gmail.com;\r\n\n\tb@yahoo.com,", ["a@gmail.com", "b@yahoo.com"]],
  ["\u00a0a@x.com\u00a0\nJane \u202ab@x.com\u202c", ["a@x.com", "b@x.com"]],
  ["To: Jane <a@x.com>,\n Bob <b@x.com>", ["a@x.com", "b@x.com"]],
  ['Jane <a@b.com>; Joe X <c@d.com>; "Doe, Ann" <e@f.com>', ["a@b.com", "c@d.com", "e@f.com"]],
  ["Jane<a@x.com>Bob (Sales) <b@x.com>", ["a@x.com", "b@x.com"]],
  ["jane@b.com <jane@b.com>; Doe, Joe <joe@b.com>", ["jane@b.com", "joe@b.com"]],
  ["jane@old.com <jane@new.com>", ["jane@old.com", "jane@new.com"]],
  ['"Jane, jane@old.com" <jane@new.com>', ["jane@old.com", "jane@new.com"]],
  ["Jane <a@x.com<mailto:a@x.com>>, b@x.com [mailto:b@x.com]", ["a@x.com", "b@x.com"]],
  ["On Mon, Jane Doe <jane@x.com> wrote:", ["jane@x.com"]],
  ["mailto:a@x.com?subject=hi", ["a@x.com"]],
  ["<a@x.com>,\n'b@x.com'", ["a@x.com", "b@x.com"]],
  ['[\n"a@x.com",\n"b@x.com"\n]', ["a@x.com", "b@x.com"]],
  ["Please write to a@x.com. Thanks!\nOr b@x.com.", ["a@x.com", "b@x.com"]],
  ["1. a@x.com\n- b@x.com\n> c@x.com", ["a@x.com", "b@x.com", "c@x.com"]],
  ['{"name": "Jane", "email": "a@x.com"}', ["a@x.com"]],
  [`["a@x.com","b@x.com"]\n('c@x.com', 'd@x.com')`, ["a@x.com", "b@x.com", "c@x.com", "d@x.com"]],
  ['"a@b.com, c@d.com"@e.com "a b"@x.com', ['"a@b.com, c@d.com"@e.com', '"a b"@x.com']],
  ["'o'dowd@x.com', o'dowd@y.com", ["o'dowd@x.com", "o'dowd@y.com"]],
  ["Jane|b@x.com | c@x.com|d@x.com", ["b@x.com", "c@x.com", "d@x.com"]],
  ["contact max@web.de\nélodie elodie@web.de\nann ann@x.com", ["max@web.de", "elodie@web.de", "ann@x.com"]],
  ["Hi, my mail is bob@hotmail,com thanks", ["bob@hotmail,com"]],
  ["my mail is jane.doe @ gmail.com, thanks", ["jane.doe @ gmail.com"]],
  [
    "Bob Meier bob@hotmail,com\nJane Doe <jane@@gmail,com>\nFritz fritz@gmail",
    ["bob@hotmail,com", "jane@@gmail,com", "fritz@gmail"],
  ],
  [
    "cleo@web.de bob@hotmail,com or bob (at) hotmail (dot) com",
    ["cleo@web.de", "bob@hotmail,com", "bob (at) hotmail (dot) com"],
  ],
  ["john (dot) smith (at) yahoo (dot) com. Thanks", ["john (dot) smith (at) yahoo (dot) com"]],
  ["Hallo,\nmeine Adresse ist tom.koch.gmail.com, bitte prüfen.\nViele Grüße\nTom Koch", ["tom.koch.gmail.com"]],
  ["bob＠web.de or joe＠gmail .com and ann@x.co uk", ["bob＠web.de", "joe＠gmail .com", "ann@x.co uk"]],
  [
    "jane@yahoo,co.uk; ann@yahoo. co.uk\n<joe@x.com\nsue@x.com>",
    ["jane@yahoo,co.uk", "ann@yahoo. co.uk", "joe@x.com", "sue@x.com"],
  ],
  ["<joe@x.com", ["joe@x.com"]],
  ["bob@hotmail, com; ann@gmail. com\njoe@gmail. Come here", ["bob@hotmail, com", "ann@gmail. com", "joe@gmail"]],
  ["Please refund jane.doe@x.com today.", ["jane.doe@x.com"]],
  ["Jane Doe jane@x.com\njoe@x.com Joe Doe", ["jane@x.com", "joe@x.com"]],
  ["Subject: Re: refund\nDate: Mon, 2 Nov 2026\nFrom: a@x.com", ["a@x.com"]],
  ["<a@[192.0.2.1]> <b@x.com", ["a@[192.0.2.1]", "b@x.com"]],
  ["Old (see joe@web.de)", ["joe@web.de"]],
  ["Ask a@b.de, and ann@gmx.de or joe@x.com", ["a@b.de", "ann@gmx.de", "joe@x.com"]],
  ["a@x.com jane doe@x.com", ["a@x.com", "doe@x.com"]],
  ["Either bob@gmial and ann@x.de, or\nwrite to c@x.com or\nd@x.com", ["bob@gmial", "ann@x.de", "c@x.com", "d@x.com"]],
  ["<b>jane@x.com</b> or &lt;joe@x.com&gt;, &quot;ann@x.com&quot;", ["jane@x.com", "joe@x.com", "ann@x.com"]],
  ["https://x.com/@jane", ["https://x.com/@jane"]],
  ["a@x.com\nFollow us @acme\nTwitter: @acme\nmedium.com/@acme, b@x.com, @acme", ["a@x.com", "b@x.com"]],
  ["Follow @acme and jane@x.com\njane @acme\njoe @acme, b@x.com", ["jane@x.com", "b@x.com"]],
  ["Hallo @all,\nHey @channel, please add marie@free.fr, thanks!\nParty @ Berghain, RSVP", ["marie@free.fr"]],
  ["•anna@gmx.de\n–joe@x.com\n- ann@x.com\n1. sue@x.com", ["anna@gmx.de", "joe@x.com", "ann@x.com", "sue@x.com"]],
  ["a@x.com/b@y.com", ["a@x.com", "b@y.com"]],
  ["a/b@x.com, https://x.com/b@y.com", ["a/b@x.com"]],
  ['{"email":"a@x.com"}\n{"email":"b@x.com"}', ["a@x.com", "b@x.com"]],
  ['Jane\t"a@x.com\nb@x.com"\nBob\t"c@x.com\r\nd@x.com"', ["a@x.com", "b@x.com", "c@x.com", "d@x.com"]],
  ["Jane, https://x.com/@jane, jane@x.com, https://jane@x.com/", ["jane@x.com"]],
  [
    "From: a@x.com\nMessage-ID: <CA+1@mail.gmail.com>\nReferences: <1@x.com>\n <2@x.com>\nCc: b@x.com",
    ["a@x.com", "b@x.com"],
  ],
  ["Message-ID:\n <1@x.com>\nIn-Reply-To: <2@x.com>\n\n a@x.com", ["a@x.com"]],
  ["Dear all,\nthese are mistyped:\njoe.x.com\na@x.com", ["joe.x.com", "a@x.com"]],
])("findAddresses() splits a list: %j", async (text, addresses) => {
  expect(await addressesIn(text)).toEqual(addresses);
});

it.each([
  ["name,email\njane,doe@x.com\nJane,joe@gmail,com", ["doe@x.com", "joe@gmail"]],
  ["| Name | E-Mail |\n|---|---|\n| jane | doe@x.com |", ["doe@x.com"]],
  ["Name|Email\nJane|jane@x.com\nJoe|joe doe@x.com", ["jane@x.com", "joe doe@x.com"]],
  ["Email\njane doe@x.com\na|b@x.com", ["jane doe@x.com", "a|b@x.com"]],
  [
    "Name,Email,Notes\nAnn,ann@gmail.com,ask boss@acme.com\nBob,,call\nEve,eve(at)web.de,",
    ["ann@gmail.com", "eve(at)web.de"],
  ],
  ["Email\tName\r\na@x.com\tAnn\r\n\tBob\r\n", ["a@x.com"]],
  ['Email;Name\n"a@x.com";"Doe; Jane"\n""" b""@x.com";"two\nlines c@x.com"', ["a@x.com", '" b"@x.com']],
  ["Customers 2026\nName,Email,Notes\nAnn,a@x.com,\nBob,bob(at)x.com,", ["a@x.com", "bob(at)x.com"]],
  ["Name,Customer email\nAnn,a@x.com\nBob,bob(at)x.com", ["a@x.com", "bob(at)x.com"]],
  ["Please email me, thanks\nWrite to Ann (ann@y.com) or joe@x.com", ["ann@y.com", "joe@x.com"]],
  ["Email\na@x.com, b@x.com\nc@x.com", ["a@x.com", "b@x.com", "c@x.com"]],
  ['Name,Email\n"Ann,a@x.com\nBob,b@x.com', ["a@x.com", "b@x.com"]],
  ["jane@gmail.com,Jane", ["jane@gmail.com"]],
  ["Jane,jdoe@gmail.com", ["jdoe@gmail.com"]],
  ["jane,jane@gmail.com", ["jane@gmail.com"]],
  ["1;jane;jane@gmail.com;joe@b.com", ["jane@gmail.com", "joe@b.com"]],
  ["Jane\tjane@gmail.com\t \tjane@b.com", ["jane@gmail.com", "jane@b.com"]],
  ['"Doe, Jane","jane@x.com",2026-01-31', ["jane@x.com"]],
])("findAddresses() leaves out the other cells and the header of a table: %j", async (text, addresses) => {
  expect(await addressesIn(text)).toEqual(addresses);
});

it.each(["csv", "tsv"])(
  "findAddresses() checks what addrsift detect --%s would check in the same table",
  async (kind) => {
    const address = fc.constantFrom(
      "",
      " ",
      "a@x.com",
      "aa@x.com",
      " b@x.com ",
      "eve(at)web.de",
      "é@bücher.de",
      ...(kind === "csv" ? ['"a b"@x.com'] : []),
    );
    const quoted = fc.constantFrom("doe, joe@x.com", "a@b;c|d@e", "c@x.com\td@x.com", "line\nj@x.com");
    const other = fc.oneof(
      fc.constantFrom("", "Jane", "ask boss@acme.com", "a@x.com", "😀"),
      kind === "csv" ? quoted : fc.constant(""),
    );
    const rows = fc.array(fc.tuple(other, address, other), { maxLength: 6 });
    const delimiters = fc.constantFrom(...(kind === "csv" ? [",", ";", "\t", "|"] : ["\t"]));
    const headers = fc.constantFrom("email", "E-Mail", "Mail", "Customer email");
    await fc.assert(
      fc.asyncProperty(
        rows,
        headers,
        delimiters,
        fc.constantFrom("\n", "\r\n"),
        async (rows, header, delimiter, newline) => {
          const formatCell = (cell: string): string =>
            kind === "csv" && /[",;|\t\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
          const formatTable = (rows: readonly (readonly string[])[]): string =>
            [["Name", header, "Notes"], ...rows].map((row) => row.map(formatCell).join(delimiter) + newline).join("");
          const text = formatTable(rows);
          const { stdout } = await runInProcess(["detect", `--${kind}`, "--dns", "off", "--format", "ndjson"], {
            stdin: text,
          });
          const checked = objectsOf(stdout)
            .map(({ email }) => email)
            .filter((email) => email !== "");
          expect(await addressesIn(text)).toEqual(checked);
          for (const email of checked) {
            const corrected = rows.map(([name, cell, note]) => [name, cell.replace(email, "new@x.com"), note] as const);
            const isCorrected = (i: number): boolean => rows[i]?.[1].trim() === email;
            const expected = formatTable(rows.map((row, i) => (isCorrected(i) ? (corrected[i] as typeof row) : row)));
            // A corrected cell keeps its quotes.
            const unquote = (text: string): string => text.replaceAll('"new@x.com"', "new@x.com");
            expect(unquote(await replaceAddresses(text, new Map([[email, "new@x.com"]])))).toBe(expected);
          }
        },
      ),
      { numRuns: 50 },
    );
  },
);

const MISTYPED = [
  "jane@gmail,com",
  "jane@gmail, com",
  "jane@gmail.co,uk",
  "jane@gmail.co uk",
  "jane @x.com",
  "jane@x .com",
  "jane@@x.com",
  "jane@doe@x.com",
];

it.each([...MISTYPED, "jane:doe@x.com", "jane.x.com", "Jane Doe"])(
  "findAddresses() keeps a mistyped address whole: %j",
  async (text) => {
    expect(await addressesIn(text)).toEqual([text]);
  },
);

it("findAddresses() finds every address in every usual format of a list, and keeps a mistyped line whole", async () => {
  const local = fc.oneof(fc.stringMatching(/^[a-z0-9][\w.'+-]{0,9}\w$/), fc.constantFrom('"a, b"', '"a@b; c"', "{x}"));
  const address = fc.tuple(local, fc.stringMatching(/^[a-z]{2,8}$/)).map(([local, name]) => `${local}@${name}.com`);
  const formats: readonly ((address: string) => string)[] = [
    (address) => address,
    (address) => `<${address}>`,
    (address) => `Jane Doe <${address}>`,
    (address) => `"Doe, Jane" <${address}>`,
    (address) => `Jane (Sales) <${address}>`,
    (address) => `${address} <${address}>`,
    (address) => `${address}<mailto:${address}>`,
    (address) => `Jane [mailto:${address}]`,
    (address) => `Jane (${address})`,
    (address) => `mailto:${address}`,
    (address) => `'${address}'`,
    (address) => `“${address}”`,
  ];
  const separators = [", ", ",", "; ", ";", "\t", " | ", "\n", ",\n", ";\r\n", "\u00a0\n", "\n- "];
  const line = fc.oneof(address, fc.constantFrom(...MISTYPED));
  const listOf = (item: fc.Arbitrary<string>) => fc.array(item, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      listOf(address),
      listOf(line),
      fc.constantFrom(...formats),
      fc.constantFrom(...separators),
      async (addresses, lines, format, separator) => {
        const items = separator.includes("\n") ? lines : addresses;
        const isPlain = (text: string): boolean => text.includes('"') || MISTYPED.includes(text);
        const parts = items.map((item) => (isPlain(item) ? item : format(item)));
        expect(await addressesIn(parts.join(separator))).toEqual(items);
      },
    ),
    { numRuns: 500 },
  );
});

it.each([
  ["Ann\tann@gmail.com\nBob\tbob.gmail.com\tx", ["ann@gmail.com", "bob.gmail.com"], []],
  ["jane@x.com, ann.gmail.com", ["jane@x.com"], ["ann.gmail.com"]],
  ["Hi,\nplease ask ann@x.com!\nSales @\nBest,\nAnn Smith", ["ann@x.com"], ["Hi", "Sales @", "Best", "Ann Smith"]],
  ["jane,doe@x.com\njane|roe@x.com", ["doe@x.com", "roe@x.com"], ["jane"]],
  ["Hi @lena please add tom@gmx.de\nHi @lena", ["tom@gmx.de"], ["Hi @lena"]],
  ["Email\nmailto:ann@x.com\nann doe@x.com", ["ann@x.com", "ann doe@x.com"], []],
  ["jane doe@x.com\nJane joe@x.com\nwrite to ann@x.com", ["doe@x.com", "joe@x.com", "ann@x.com"], ["jane"]],
  ["Email: jane@@gmail.com, Tel 123", ["jane@@gmail.com"], ["Tel 123"]],
  ["Jane Doe <evagmail.com>; bob@gmail.com", ["bob@gmail.com"], ["Jane Doe <evagmail.com>"]],
  [
    "Is jane@x.com? `joe@x.com`… or 5 @ 1.20\n5 @ 1.20",
    ["jane@x.com", "joe@x.com"],
    ["Is jane@x.com? `joe@x.com`… or 5 @ 1.20", "5 @ 1.20"],
  ],
  [
    "jane(at)gmail.com, or write to x@y\nAsk joe (at) web.de or ann@x.com",
    ["jane(at)gmail.com", "x@y", "joe (at) web.de", "ann@x.com"],
    [],
  ],
  ["ann@x.com\n<!, ＠", ["ann@x.com"], ["<!, ＠"]],
  ["1. jane@gmial,com\nE-Mail: joe @x.com\nE-mail: ann@x.com", ["jane@gmial,com", "joe @x.com", "ann@x.com"], []],
  [
    "Joe Roe\tn/a\t2\nSue\tsue @gmail.com\nJane\tjane@gmial,com\tBonn",
    ["sue @gmail.com", "jane@gmial,com"],
    ["Joe Roe\tn/a\t2"],
  ],
  ["Jane;jane@gmial,com;Bonn\nJane|jane@gmial,com|Bonn", ["jane@gmial,com", "jane@gmial,com"], ["Jane", "Bonn"]],
  ["Email\nhans@x.de; evagmail.com", ["hans@x.de"], ["evagmail.com"]],
  ["hans@x,de; evagmail.com", ["hans@x,de"], ["evagmail.com"]],
  ["hans@x.de evagmail.com bob@gmail.com", ["hans@x.de", "bob@gmail.com"], ["evagmail.com"]],
  ["Hans <hans@x.de>; Eva Müller; Bob <bob@x.de>;", ["hans@x.de", "bob@x.de"], ["Eva Müller"]],
  ['Name\tMail\nA\tHans <hans@x.de>\nB\t"""Eva"" <eva@x.de>"', ["hans@x.de", "eva@x.de"], []],
  [
    "jane@web.de\njane @ gmial.com\njoe (at) web.de\nfoo",
    ["jane@web.de", "jane @ gmial.com", "joe (at) web.de"],
    ["foo"],
  ],
  ["jane@gmial,com, joe@x.com", ["jane@gmial,com", "joe@x.com"], []],
  ["Jane Mary Q. Doe <jane@gmial,com>; <joe @x.com>", ["jane@gmial,com", "joe @x.com"], []],
  ["Work email\tPrivate email\njane@x.com\tjane@y.com\n\tjoe@y.com", ["jane@x.com", "jane@y.com", "joe@y.com"], []],
  ["Email;Email subject;Notes\na@x.com;Hello;see b@x.com\n;Bye;", ["a@x.com"], ["see b@x.com", ";Bye;"]],
  [
    'Name,Email\nJane,jane@x.com; jane2@x.com\nAnn,"a@x.com, b@x.com"',
    ["jane@x.com", "jane2@x.com", "a@x.com", "b@x.com"],
    [],
  ],
  ["Name,Email\nAnn,n/a\nBob,#N/A\nEve,-\nJane,jane", ["jane"], ["Ann,n/a", "Bob,#N/A", "Eve,-"]],
  ["jane @ x.com", ["jane @ x.com"], []],
  ["jane@ gmail.com\nSales @ gmail.com, b@x.com", ["jane@ gmail.com", "Sales @ gmail.com", "b@x.com"], []],
  ["jane@ com\nSee a@x.com?cc=b@x.com or <a=b@x.com>", ["jane@ com", "a@x.com", "b@x.com", "a=b@x.com"], []],
  [
    "Authentication-Results: mx.google.com;\n\tdkim=pass header.i=@gmail.com;\n spf=pass smtp.mailfrom=jane@gmail.com\n" +
      "From: jane.doe@gmail.com\nX-Original-To: joe@web.de\n\nWrite to d=joe@x.com, or spf=pass header.i=@gmail.com.",
    ["jane.doe@gmail.com", "joe@web.de", "joe@x.com"],
    [
      "Write to d=joe@x.com, or spf=pass header.i=@gmail.com",
      "Authentication-Results: mx.google.com;",
      "dkim=pass header.i=@gmail.com;",
      "spf=pass smtp.mailfrom=jane@gmail.com",
    ],
  ],
  [
    "Von: Jane <jane@gmial.com>\nAn: <joe@x.com>\nCc: 'bob@web.de' <bob@web.de>\nBetreff: x\nReceived: for <ann@x.com>",
    ["jane@gmial.com", "joe@x.com", "bob@web.de"],
    ["Betreff: x", "Received: for <ann@x.com>"],
  ],
  ["Doe, Jane <jane@x.com>; Li, Bo <bo@x.com>; Roe, Joe", ["jane@x.com", "bo@x.com"], ["Roe, Joe"]],
  ['"a,@b"@x.com, joe@x.com', ['"a,@b"@x.com', "joe@x.com"], []],
  ["https://user@gmail.com\njane@x.com", ["https://user@gmail.com", "jane@x.com"], []],
  [
    "See https://user@gmail.com for more, or write to jane@x.com",
    ["jane@x.com"],
    ["See https://user@gmail.com for more, or write to jane@x.com"],
  ],
  ["Is jane@x.com’s mail or joe@y.com's. gone? (ann@z.de’s)", ["jane@x.com", "joe@y.com", "ann@z.de"], []],
  ["Name: Jane\nEmail: jane@x.com\nContact: joe@x.com", ["jane@x.com", "joe@x.com"], ["Name: Jane"]],
] as const)("findAddresses() checks or skips each part: %j", async (text, addresses, skipped) => {
  expect(await addressesIn(text)).toEqual(addresses);
  expect(await skippedIn(text)).toEqual(skipped);
});

it.each([
  ["carlos,gomez@gmail.com", ["carlos"]],
  ["anna kowalski@gmail.com", ["anna"]],
  ["E-mail : paul,durand@free.fr", ["paul"]],
  ["E-Mail-Adresse: anna kowalski@web.de", ["anna"]],
  ["ann@x.com\n- j.r_2-x roe@x.com", ["", "j.r_2-x"]],
  ["Name;Email\nOtto;otto,quast@web.de", ["otto"]],
  ['Name,Email\nOtto,"otto,quast@web.de"', ["otto"]],
  // Names, sentences, lists and other cells.
  ["Anna kowalski@gmail.com", [""]],
  ["carlos, gomez@gmail.com", [""]],
  ["anna\tkowalski@gmail.com", [""]],
  ["anna <kowalski@gmail.com>", [""]],
  ["write to kowalski@gmail.com", [""]],
  ["anna kowalski@gmail.com today", [""]],
  ["hi @lena tom@gmx.de", [""]],
  ["anna kowalski@gmail.com, joe@x.com", ["", ""]],
  ["1 kowalski@gmail.com", [""]],
  // Rows of a table.
  ["name,email\njane,jane@gmail.com", [""]],
  ["jane,jane@gmail.com\nJoe,joe@gmail.com\nanna kowalski@x.com", ["", "", "anna"]],
] as const)(
  "findAddresses() names the only other word of a unit, if it may be the start of the address: %j",
  async (text, words) => {
    const { places } = await findAddresses(text);
    expect(places.map(({ wordBefore = "" }) => wordBefore)).toEqual(words);
  },
);

it("mayHaveAddress() tells a skipped mistyped address from a mail's signature", async () => {
  const names = ["Best regards,", "Jane Doe", "Dr. Joe Roe", "+49 30 1234567", "www.x.com", "Bob,,"];
  const mistyped = ["Mail: evagmail.com today", "ann@x.com or 5 @ 1.20 or", "Eve <eve#x.de>"];
  const { skipped } = await findAddresses(["ann@x.com", ...names, ...mistyped].join("\n"));
  expect(skipped.filter(mayHaveAddress).map(({ address }) => address)).toEqual(mistyped);
});

it("findAddresses() reads each line of a list as addrsift detect does, and lists the others as skipped", async () => {
  const local = fc.constantFrom("jane", "joe.roe", "a=b", "_x", "o'dowd");
  const at = fc.constantFrom("@", " @ ", "@@", " @", "@ ", "(at)", " (at) ", "[at]");
  const domain = fc.constantFrom("web.de", "gmial.com", "mailinator.com", "gmail,com", "web", "x .de");
  // `@web` is a handle.
  const address = fc
    .tuple(local, at, domain)
    .map((parts) => parts.join(""))
    .filter((text) => !text.endsWith(" @web"));
  const other = fc.constantFrom("foo", "Jane Doe", "n/a", "Best regards, Ann and Joe");
  await fc.assert(
    fc.asyncProperty(
      fc.array(address, { minLength: 1, maxLength: 6 }),
      fc.array(other, { maxLength: 3 }),
      async (addresses, others) => {
        const { stdout } = await runInProcess(["detect", "--lines", "--dns", "off", "--format", "ndjson"], {
          stdin: addresses.join("\n"),
        });
        expect(await addressesIn(addresses.join("\n"))).toEqual(objectsOf(stdout).map(({ email }) => email));
        const text = others.flatMap((line, i) => [line, addresses[i] ?? ""]).join("\n");
        const checked = addresses.slice(0, others.length);
        if (checked.length > 0 && others.length > 0) {
          expect(await addressesIn(text)).toEqual(checked);
          expect(await skippedIn(text)).toEqual(others);
        }
      },
    ),
    { numRuns: 200 },
  );
});

it("findAddresses() checks or skips each @, and each line without one", async () => {
  const words = ["jane@x.com", "joe@", "@x.com", "ann@gmail,com", "Ann", "5", "Best,", "Name", "x.com", "@"];
  const others = [
    "eve(at)web.de",
    "<bob@x.com>",
    "https://x.com/@bob",
    "X-Tag: a@b",
    "To:",
    "or write to",
    "(see a@b.de)",
  ];
  const separators = [" ", "\t", ", ", ";", " | ", "\n", "\n\n"];
  const part = fc.tuple(fc.constantFrom(...words, ...others), fc.constantFrom(...separators));
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
      const text = parts.flat().join("");
      const { places } = await findAddresses(text);
      const skipped = await skippedIn(text);
      for (const { index } of text.matchAll(/(?<![\s/,;|]|^)@|@(?!\w+(?![\w@-]|[.,]\w))|\(at\)/g)) {
        const near = text.slice(Math.max(0, index - 1), index + 2).replace(/^[\s,;]+|[\s,;]+$/g, "");
        const isChecked = places.some(({ start, end }) => start <= index && index < end);
        expect(isChecked || skipped.some((line) => line.includes(near))).toBe(true);
      }
      const hasSkippedLine = text.split("\n").some((line) => /\w/.test(line) && !/@|\(at|x\.com/.test(line));
      if (hasSkippedLine && text.includes("jane")) expect(skipped).not.toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

// Parts of a line that people may type or paste around an address.
const MARKS = ["", ".", ";", ",", "!", "\u202a", "*", "..", "}", "?"];

it("findAddresses() checks a line or cell of one word as written", async () => {
  const mark = fc.constantFrom(...MARKS);
  const address = fc.constantFrom("maria@gmail.com", "joe@gmial", "eve(at)web.de", "o'dowd@x.com", "'ann@x.com");
  await fc.assert(
    fc.asyncProperty(mark, mark, address, mark, mark, async (first, second, address, third, fourth) => {
      const word = first + second + address + third + fourth;
      expect(await addressesIn(` ${word}\t`)).toEqual([word]);
      const line = word.replace(/^[,;]+|[,;]+$/g, "");
      expect(await addressesIn(`${word},\na@x.com`)).toEqual([line, "a@x.com"]);
      const cell = `"${word.replaceAll('"', '""')}"`;
      const table = `Name,Email\nMaria,${cell}\n`;
      expect(await addressesIn(table)).toEqual([word]);
      expect(await replaceAddresses(table, new Map([[word, "b@x.com"]]))).toBe('Name,Email\nMaria,"b@x.com"\n');
    }),
    { numRuns: 500 },
  );
});

it("findAddresses() reads cells of a table like lines, skips no item silently, and replaces only addresses", async () => {
  const addresses = [
    "hans@x.de",
    "Hans <hans@x.de>",
    '"Roe, Hans" <hans@x.de>',
    "<hans@x,de>",
    "bob@gmail,com",
    "eve (at) x.de",
  ];
  const others = ["evagmail.com", "Eva Müller", "eva.x.de", "Tom"];
  const item = fc.constantFrom(...addresses, ...others);
  const separator = fc.constantFrom("; ", ", ");
  await fc.assert(
    fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 5 }), separator, async (items, separator) => {
      const line = items.join(separator);
      const table = `Name,Email\n"A","${line.replaceAll('"', '""')}"\n`;
      const { places } = await findAddresses(line);
      const skipped = await skippedIn(line);
      if (items.some((item) => !others.includes(item))) {
        expect(await addressesIn(table)).toEqual(await addressesIn(line));
        expect(await skippedIn(table)).toEqual(skipped);
      }
      const results = places.map(({ address }) => address);
      for (const item of items)
        expect([...results, ...skipped].some((text) => text.includes(item) || item.includes(text))).toBe(true);
      const replacements = new Map(results.map((address) => [address, "new@x.com"]));
      let expected = line;
      for (const { start, end } of [...places].reverse())
        expected = `${expected.slice(0, start)}new@x.com${expected.slice(end)}`;
      expect(await replaceAddresses(line, replacements)).toBe(expected);
      for (const item of items.filter(
        (item) => others.includes(item) && !results.some((result) => result.includes(item)),
      ))
        expect(expected).toContain(item);
    }),
    { numRuns: 500 },
  );
});

it("a correction replaces only a mistyped address, not the words around it", async () => {
  const before = fc.constantFrom(
    "",
    "contact ",
    "élodie ",
    "Bob Meier ",
    "Hi, my mail is ",
    "Tel 123, ",
    "E-Mail: ",
    "“",
  );
  const mistyped = [
    "bob@hotmail,com",
    "bob@@web.de",
    "bob @ web.de",
    "bob (at) web.de",
    "bob@web .de",
    "bob＠web.de",
    "b@gmial.com",
  ];
  const after = fc.constantFrom(
    "",
    " thanks",
    ", Tel 123",
    "; bye",
    " (home)",
    ".",
    "”",
    " – Ann",
    "\tBonn",
    " or ann@x.com",
  );
  await fc.assert(
    fc.asyncProperty(before, fc.constantFrom(...mistyped), after, async (before, address, after) => {
      // A line of one word is checked as written.
      fc.pre(/\s/.test(before + after));
      const text = before + address + after;
      expect((await addressesIn(text))[0]).toBe(address);
      expect(await replaceAddresses(text, new Map([[address, "new@x.com"]]))).toBe(`${before}new@x.com${after}`);
    }),
    { numRuns: 500 },
  );
});

it("replaceLines() reverts a correction also after other lines have changed", () => {
  const before = "a@gmail.com\na@gmial.com\n\nb@x.com";
  const corrected = "a@gmail.com\na@gmail.com\n\nb@x.com";
  expect(replaceLines(corrected, corrected, before)).toBe(before);
  expect(replaceLines(`new\n${corrected}!`, corrected, before)).toBe(`new\n${before}!`);
  expect(replaceLines("other", corrected, before)).toBe("other");
  const multiline = 'email\n"jane\n@gmial.com"\nb@x.com';
  const joined = 'email\n"jane@gmail.com"\nb@x.com';
  expect(replaceLines(joined, joined, multiline)).toBe(multiline);
  expect(replaceLines(`${joined}m`, joined, multiline)).toBe(`${joined}m`);
});

const MILLION = 1_000_000;

// Quadratic time would be many minutes.
it.each([
  ...Array.from("'\"<@.;:“\n", (mark) => ["", mark]),
  ...[", ", "a@b ", "a@[", "[a@", "a'", "a|", "&gt", "a@x.com\n", "a＠b;", "a(at)b;", "a (dot) ", "'s"].map((part) => [
    "",
    part,
  ]),
  ["a@b", ",com"],
  ["a", "{at}"],
  ["<", "(at)"],
  ["a @", "b"],
] as [string, string][])(
  "findAddresses() takes linear time: it ends for %j and a million characters of %j",
  async (start, part) => {
    const { places } = await findAddresses(`${start}${part.repeat(MILLION / part.length)} x@x.com`);
    expect(places.at(-1)?.address).toMatch(/x@x\.com$/);
  },
);

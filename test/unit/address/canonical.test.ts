// Tests canonical forms: by provider, for all variants of a mailbox, and as properties over random text.

import fc from "fast-check";
import { expect, it } from "vitest";
import { PROVIDER_RULES } from "../../../src/address/providers.ts";
import { maintainedLists } from "../../helpers/build-inputs.ts";
import { classify, classifyValid, createDetect } from "../../helpers/classify.ts";
import { sampleSize, sampleTwentieth } from "../../helpers/sampling.ts";

const detect = createDetect();

type Row = readonly [address: string, canonical: string, hasTag: boolean];

const LARGE_PROVIDERS: readonly Row[] = [
  ["Anna.Beck@gmail.com", "annabeck@gmail.com", false],
  ["a.n.n.a+news@GoogleMail.com", "anna@gmail.com", true],
  ["anna+a+b@gmail.com", "anna@gmail.com", true],
  ["anna.+news@gmail.com", "anna@gmail.com", true],
  ["+anna@gmail.com", "+anna@gmail.com", false],
  ["an-na_b@gmail.com", "an-na_b@gmail.com", false],
  ["anna+@gmail.com", "anna@gmail.com", true],
  ["anna+x@mail.gmail.com", "anna@mail.gmail.com", true],
  ["Anna.Beck+x@outlook.com", "anna.beck@outlook.com", true],
  ["anna.beck@hotmail.co.uk", "anna.beck@hotmail.co.uk", false],
  ["anna+x@live.nl", "anna@live.nl", true],
  ["anna-x@msn.com", "anna-x@msn.com", false],
  ["anna-shop@yahoo.com", "anna@yahoo.com", true],
  ["anna-a-b@yahoo.co.uk", "anna@yahoo.co.uk", true],
  ["anna.b-x@ymail.com", "anna.b@ymail.com", true],
  ["anna+x@rocketmail.com", "anna+x@rocketmail.com", false],
  ["-anna@yahoo.de", "-anna@yahoo.de", false],
  ["anna+x@me.com", "anna@icloud.com", true],
  ["Anna.B@mac.com", "anna.b@icloud.com", false],
  ["anna@icloud.com", "anna@icloud.com", false],
  ["anna-x@icloud.com", "anna-x@icloud.com", false],
];

const OTHER_PROVIDERS: readonly Row[] = [
  ["anna+x@fastmail.com", "anna@fastmail.com", true],
  ["shop@anna.fastmail.com", "anna@fastmail.com", true],
  ["Shop+x@ANNA.fastmail.fm", "anna@fastmail.fm", true],
  ['"any thing"@anna.fastmail.com', "anna@fastmail.com", true],
  ["shop@a.anna.fastmail.com", "shop@a.anna.fastmail.com", false],
  ["anna.b@sent.com", "anna.b@sent.com", false],
  ["An.na_B-c+x@proton.me", "annabc@protonmail.com", true],
  ["annabc@pm.me", "annabc@protonmail.com", false],
  ["anna.bc@protonmail.ch", "annabc@protonmail.com", false],
  ["-_-@proton.me", "-_-@protonmail.com", false],
  ["e.\u0301x@gmail.com", "éx@gmail.com", false],
  ["_\u0301x@proton.me", "_\u0301x@protonmail.com", false],
  ["anna-beck+x@ya.ru", "anna.beck@yandex.ru", true],
  ["anna.beck@yandex.com", "anna.beck@yandex.ru", false],
  ["anna-@yandex.kz", "anna-@yandex.ru", false],
  ["an--na@yandex.by", "an--na@yandex.ru", false],
  ["anna-b+x@narod.ru", "anna.b@yandex.ru", true],
  ["anna.b+x@zoho.com", "anna.b@zoho.com", true],
  ["anna.b+x@runbox.com", "anna.b@runbox.com", true],
  ["anna.b+x@pobox.com", "anna.b@pobox.com", true],
  ["anna.b+x@posteo.de", "anna.b@posteo.de", true],
  ["anna.b+x@mail.ru", "anna.b@mail.ru", true],
  ["anna.b+x@list.ru", "anna.b@list.ru", true],
  ["anna-x@gmx.net", "anna-x@gmx.net", false],
  ["reply+TOKEN@reply.github.com", "reply+token@reply.github.com", false],
  ["ra+token@simplelogin.co", "ra+token@simplelogin.co", false],
  ["support+idA1B2@shop.zendesk.com", "support+ida1b2@shop.zendesk.com", false],
  ["anna+x@github.com", "anna@github.com", true],
  ["Anna.B+x@Example.com", "anna.b@example.com", true],
  ["+x@example.com", "+x@example.com", false],
  ["anna.+x@example.com", "anna.+x@example.com", false],
  ["anna-x@example.com", "anna-x@example.com", false],
];

// Providers without tags: `+` is part of the name.
const NO_TAG_DOMAINS = [
  ["gmx", "gmx.de gmx.com gmx.pt caramail.com turboprinz.de"],
  ["web_de", "web.de email.de"],
  ["mail_com", "mail.com email.com engineer.com acdcfan.com"],
  ["t_online", "t-online.de magenta.de"],
  ["tuta", "tuta.com tutanota.com keemail.me"],
  ["netease", "163.com 126.com yeah.net vip.163.com"],
  ["tencent", "qq.com vip.qq.com foxmail.com"],
  ["libero", "libero.it iol.it"],
  ["la_poste", "laposte.net"],
  ["rediff", "rediffmail.com rediff.com"],
  ["aol", "aol.com aim.com aol.fr netscape.net"],
] as const;
const NO_TAG_ROWS = NO_TAG_DOMAINS.flatMap(([provider, domains]) =>
  domains.split(" ").map((domain) => [domain, provider] as const),
);

const WRITTEN_FORMS: readonly Row[] = [
  ['"anna"@example.com', "anna@example.com", false],
  ['"Anna.B+x"@gmail.com', "annab@gmail.com", true],
  ['"\\a\\n\\n\\a"@example.com', "anna@example.com", false],
  ['"A b"@example.com', '"a b"@example.com', false],
  ['"a\\ b"@example.com', '"a b"@example.com', false],
  ['"a+b c"@gmail.com', '"a+b c"@gmail.com', false],
  ['"a\\"b"@example.com', '"a\\"b"@example.com', false],
  ['".a"@example.com', '".a"@example.com', false],
  ["JOSÉ@example.com", "josé@example.com", false],
  ["jose\u0301@example.com", "josé@example.com", false],
  ["ΣΑΣ@example.com", "σασ@example.com", false],
  ["σας@example.com", "σασ@example.com", false],
  ["ﬁ@example.com", "ﬁ@example.com", false],
  ["\u212aelvin@example.com", "kelvin@example.com", false],
  ["anna@BÜCHER.com", "anna@xn--bcher-kva.com", false],
  ["anna@ｇｍａｉｌ.com", "anna@gmail.com", false],
  ["a.\u0301b@gmail.com", "\u00e1b@gmail.com", false],
  ["用.户+x@gmail.com", "用户@gmail.com", true],
  ["anna+用@example.com", "anna@example.com", true],
  ["anna@gmial.com", "anna@gmial.com", false],
  ['"Anna+x"@web.de', "anna+x@web.de", false],
];

/** Local parts whose canonical form was once invalid at some domain, or had another canonical form. */
const UNSTABLE = [
  ...["a.\u0301b", "a-\u0308", "\u1100.\u1161", "-\u0301a"],
  // Letters with more bytes in lower case.
  ...["\u023a".repeat(22), "\u0130".repeat(32)],
].map((localPart): [string] => [localPart]);

const ROWS = [...LARGE_PROVIDERS, ...OTHER_PROVIDERS, ...WRITTEN_FORMS];

// Domains of each provider, aliases, and one without a provider.
const DOMAINS = [
  ...NO_TAG_DOMAINS.map(([, domains]) => domains.split(" ")[0] as string),
  ...`gmail.com googlemail.com outlook.com yahoo.com icloud.com me.com fastmail.com anna.fastmail.com
    proton.me pm.me yandex.ru ya.ru zoho.com runbox.com pobox.com posteo.de mail.ru example.com BÜCHER.com`.split(
    /\s+/,
  ),
];

it.each(ROWS)("the canonical form of %s is %s", (address, canonical, hasTag) => {
  expect(classifyValid(address)).toMatchObject({ normalized: canonical, subaddressing: hasTag });
  expect(classifyValid(canonical).normalized).toBe(canonical);
});

it.each([
  ["a.n+x@GoogleMail.com", "gmail", ["tag_removed", "ignored_characters_removed", "domain_alias"], "x"],
  ["Anna@gmail.com", "gmail", ["lower_case"], undefined],
  ["a-b@yandex.ru", "yandex", ["hyphen_is_dot"], undefined],
  ["shop@anna.fastmail.com", "fastmail", ["user_subdomain"], "shop"],
  ['"a"@example.com', "generic", ["unquoted"], undefined],
  ["a@example.com", "generic", [], undefined],
  ["é@example.com", "generic", [], undefined],
  ["---@proton.me", "proton", ["domain_alias"], undefined],
  ["a-b-c@yahoo.com", "yahoo", ["tag_removed"], "b-c"],
])("the evidence of %s lists the canonicalization rules that were applied", (address, provider, rules, tag) => {
  expect(classify(address).explanation.canonicalization).toEqual({
    provider,
    rules,
    ...(tag === undefined ? {} : { tag }),
  });
});

it.each(NO_TAG_ROWS)("the canonical form at %s (provider %s, without tags) keeps the plus", (domain, provider) => {
  const { detection, explanation } = classify(`Anna.B+x-y@${domain}`);
  expect(detection).toMatchObject({ normalized: `anna.b+x-y@${domain}`, subaddressing: false });
  expect(explanation.canonicalization).toEqual({ provider, rules: ["lower_case"] });
});

it("each public domain is normalized by the rule that providers.tsv assigns to its operator", () => {
  const { providers, public: publicDomains } = maintainedLists();
  const wrong = sampleTwentieth([...publicDomains.values()]).filter(([domain, operator]) => {
    const expected = providers.get(operator as string)?.[1] ?? "generic";
    return classify(`a@${domain}`).explanation.canonicalization?.provider !== expected;
  });
  expect(wrong).toEqual([]);
  const used = [...providers.values()].map(([, id]) => id);
  expect(new Set([...used, "reply_address"])).toEqual(new Set(PROVIDER_RULES.map(({ id }) => id)));
});

// By provider: aliases, tag separator, ignored characters.
const VARIANTS: readonly (readonly [canonicalDomain: string, domains: string[], separator: string, ignored: string])[] =
  [
    ["gmail.com", ["gmail.com", "googlemail.com", "GMAIL.com"], "+", "."],
    ["outlook.com", ["outlook.com", "OutLook.Com"], "+", ""],
    ["yahoo.fr", ["yahoo.fr", "Yahoo.FR"], "-", ""],
    ["icloud.com", ["icloud.com", "me.com", "mac.com"], "+", ""],
    ["fastmail.fm", ["fastmail.fm"], "+", ""],
    ["protonmail.com", ["proton.me", "protonmail.com", "protonmail.ch", "pm.me"], "+", ".-_"],
    ["yandex.ru", ["yandex.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.ua", "ya.ru"], "+", ""],
    ["zohomail.eu", ["zohomail.eu"], "+", ""],
    ["runbox.no", ["runbox.no"], "+", ""],
    ["pobox.com", ["pobox.com"], "+", ""],
    ["posteo.net", ["posteo.net"], "+", ""],
    ["bk.ru", ["bk.ru"], "+", ""],
    ["example.org", ["example.org", "EXAMPLE.org", "ｅxample.org"], "+", ""],
  ];

it.each(VARIANTS)(
  "all spellings of a mailbox at %s have the same canonical form",
  (canonicalDomain, domains, separator, ignored) => {
    const user = fc.string({ unit: fc.constantFrom(..."abz09"), minLength: 1, maxLength: 8 });
    const variant = fc.record({
      domain: fc.constantFrom(...domains),
      tag: fc.option(fc.string({ unit: fc.constantFrom(..."xY1-"), minLength: 1, maxLength: 5 })),
      capitals: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      marks: fc.array(fc.constantFrom("", ...ignored), { minLength: 8, maxLength: 8 }),
      quoted: fc.boolean(),
    });
    fc.assert(
      fc.property(user, variant, (name, { domain, tag, capitals, marks, quoted }) => {
        const letters = Array.from(
          name,
          (char, i) => (i > 0 ? marks[i] : "") + (capitals[i] ? char.toUpperCase() : char),
        );
        const localPart = letters.join("") + (tag === null ? "" : separator + tag);
        const address = `${quoted ? `"${localPart}"` : localPart}@${domain}`;
        expect(classifyValid(address)).toMatchObject({
          normalized: `${name}@${canonicalDomain}`,
          subaddressing: tag !== null,
        });
      }),
      { numRuns: sampleSize(60) },
    );
  },
);

// Letters whose other case is longer or shorter, composing and reordering marks, jamo, final sigma, ignored characters.
const UNUSUAL_CHAR = fc.constantFrom(
  ..."aAiIkKzZ09.+-_",
  ..."İȺȾⱥⱦẞßÅåΣσςΑιЖжԱ用👍",
  "\u212a",
  "\u212b",
  "\u0958",
  "\u1100",
  "\u1161",
  "\u0301",
  "\u0307",
  "\u0323",
  "\u030a",
  "\u0345",
);
const UNUSUAL_LOCAL_PART = fc.oneof(
  fc.string({ unit: UNUSUAL_CHAR, minLength: 1, maxLength: 12 }),
  fc.string({ unit: UNUSUAL_CHAR, minLength: 20, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(..."İȺi.a", "i\u0307"), minLength: 20, maxLength: 64 }),
  fc.string({ unit: UNUSUAL_CHAR, minLength: 1, maxLength: 12 }).map((text) => `"${text} "`),
  fc
    .string({ unit: fc.constantFrom(...'aA.+-_ "\\é'), maxLength: 10 })
    .map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`),
);

/** Calls `expect` only to report a failure, because passing calls are slow. */
function expectSame(actual: string | undefined, expected: string): void {
  if (actual !== expected) expect(actual).toBe(expected);
}

const normalizedOf = (address: string): string | undefined => {
  const detection = detect(address);
  return detection.syntax_validation ? detection.normalized : undefined;
};

/** Swaps the case of the chosen letters, except those that don't map back. */
function swapCase(text: string, choose: (index: number) => boolean): string {
  return Array.from(text, (char, i) => {
    const capital = char.toUpperCase();
    const other = capital === char ? char.toLowerCase() : capital;
    const mappedBack = capital === char ? other.toUpperCase() : other.toLowerCase();
    return choose(i) && mappedBack === char ? other : char;
  }).join("");
}

it.each(DOMAINS)("a canonical form at %s has no tag, and normalizing it changes nothing", (domain) => {
  const check = (localPart: string): void => {
    const normalized = normalizedOf(`${localPart}@${domain}`);
    if (normalized === undefined) return;
    const again = detect(normalized);
    if (again.syntax_validation && again.normalized === normalized && !again.subaddressing) return;
    expect(again).toMatchObject({ syntax_validation: true, normalized, subaddressing: false });
  };
  fc.assert(fc.property(UNUSUAL_LOCAL_PART, check), { numRuns: 6 + sampleSize(200), examples: UNSTABLE });
});

it.each(DOMAINS)("addresses at %s that differ only in letter case have the same canonical form", (domain) => {
  const check = (localPart: string, choices: readonly boolean[]): void => {
    const [one, other] = [localPart, swapCase(localPart, (i) => choices[i % 16] as boolean)].map((text) =>
      normalizedOf(`${text}@${domain}`),
    );
    if (one !== undefined && other !== undefined) expectSame(other, one);
  };
  fc.assert(fc.property(UNUSUAL_LOCAL_PART, fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }), check), {
    numRuns: sampleSize(200),
  });
});

it.each([
  ["gmail.com", "+", "."],
  ["protonmail.com", "+", ".-_"],
  ["example.com", "+", ""],
  ["yahoo.com", "-", ""],
])("tags and ignored characters do not change the canonical form at %s", (domain, separator, ignored) => {
  const user = UNUSUAL_LOCAL_PART.filter((text) => !text.includes(separator) && /[^.\-_"]$/u.test(text));
  const ignoredMarks = fc.array(fc.constantFrom("", "", ...ignored), { minLength: 16, maxLength: 16 });
  const tag = fc.constantFrom("", `${separator}x`, `${separator}İ`, `${separator}X${separator}y`);
  fc.assert(
    fc.property(user, ignoredMarks, tag, (text, marks, tagText) => {
      const markedText = Array.from(text, (char, i) => (i > 0 ? (marks[i % 16] as string) : "") + char).join("");
      const [one, other] = [text, markedText + tagText].map((local) => normalizedOf(`${local}@${domain}`));
      if (one !== undefined && other !== undefined) expectSame(other, one);
    }),
    { numRuns: sampleSize(400) },
  );
});

it.each([
  ["a long name with more bytes in lower case", `İ${".a".repeat(30)}@gmail.com`, `İ${"a".repeat(30)}@gmail.com`],
  ["a name of the maximum length", `${"Ⱥ".repeat(32)}@example.com`, `${"Ⱥ".repeat(32)}@EXAMPLE.com`],
  ["a combining mark on an ignored character", "-\u0301.a@proton.me", "-\u0301a@proton.me"],
])("two spellings of an address have the same canonical form: %s", (_, one, other) => {
  expect(normalizedOf(one)).toBeDefined();
  expect(normalizedOf(one)).toBe(normalizedOf(other));
});

it("an address is not converted to lower case if that would exceed the maximum length", () => {
  const domain = `${"a".repeat(63)}.`.repeat(3).concat(`${"b".repeat(55)}.com`);
  const address = `İ@${domain}`;
  expect(new TextEncoder().encode(address).length).toBe(254);
  expect(normalizedOf(address)).toBe(address);
  expect(normalizedOf(`İ@${domain.slice(1)}`)).toBe(`i\u0307@${domain.slice(1)}`);
});

it("only the capitals İ, Ⱥ and Ⱦ have fewer UTF-8 bytes than their lower-case forms", () => {
  const bytes = (text: string): number => new TextEncoder().encode(text).length;
  const longerInLowercase: string[] = [];
  // Higher planes have no cased letters.
  for (let codePoint = 0x80; codePoint <= 0x1ffff; codePoint += 1) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    const char = String.fromCodePoint(codePoint).normalize("NFC");
    if (char.toLowerCase() === char) continue;
    if (bytes(char.toLowerCase().normalize("NFC")) > bytes(char)) longerInLowercase.push(char);
  }
  expect(longerInLowercase).toEqual(["İ", "Ⱥ", "Ⱦ"]);
});

// Tests Unicode domains and A-labels: mapping, bidirectional and joiner rules, round trip; and address literals.

import fc from "fast-check";
import { expect, it } from "vitest";
import { scanDomain } from "../../../../src/address/domain/domain.ts";
import { isUnchangedByUts46 } from "../../../../src/address/domain/idna.ts";
import { parseMailbox } from "../../../../src/address/mailbox.ts";
import { MailboxScan } from "../../../../src/address/scan.ts";
import { domainWarnings } from "../../../../src/address/warnings.ts";
import { lists, verdictOf } from "../../../helpers/classify.ts";
import { sampleSize, sampleTwentieth } from "../../../helpers/sampling.ts";

const literal = (text: string): string => verdictOf(`a@${text}`, { allowDomainLiteral: true });
const asciiOf = (domain: string): string => {
  const parsed = parseMailbox(`a@${domain}`, {}, lists);
  return parsed.ok ? parsed.value.domain.ascii : parsed.fault.code;
};

// "ɓ" is not in the fast path, so the label is mapped by tr46.
it("isUnchangedByUts46 is true only for characters that UTS #46 does not change", () => {
  const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  const letters = all.filter(isUnchangedByUts46).join("");
  expect(letters.length).toBeGreaterThan(30_000);
  for (const label of sampleTwentieth(letters.match(/.{1,10}/gs) ?? [])) {
    expect(asciiOf(`${label}.ɓ.example.com`).replace(".xn--mna", ""), label).toBe(asciiOf(`${label}.example.com`));
    expect(
      domainWarnings(`ɓ${label}`, () => false),
      label,
    ).not.toContain("idna2008_disallowed");
  }
});

const MAPPED: readonly (readonly [unicode: string, ascii: string])[] = [
  ["bücher.com", "xn--bcher-kva.com"],
  ["BÜCHER.COM", "xn--bcher-kva.com"],
  ["bu\u0308cher.com", "xn--bcher-kva.com"],
  ["XN--BCHER-KVA.com", "xn--bcher-kva.com"],
  ["xn--BCHER-kva.com", "xn--bcher-kva.com"],
  ["straße.de", "xn--strae-oqa.de"],
  ["xn--strae-oqa.de", "xn--strae-oqa.de"],
  ["βόλος.com", "xn--nxasmm1c.com"],
  ["例え.jp", "xn--r8jz45g.jp"],
  ["ｅｘａｍｐｌｅ.com", "example.com"],
  ["ＥＸＡＭＰＬＥ.ＣＯＭ", "example.com"],
  ["example．com", "example.com"],
  ["example。com", "example.com"],
  ["example｡com", "example.com"],
  ["ⓔxample.com", "example.com"],
  ["пример.рф", "xn--e1afmkfd.xn--p1ai"],
  ["💌.la", "xn--rr8h.la"],
  ["mail.bücher.com", "mail.xn--bcher-kva.com"],
];

const JOINED_AND_BIDI: readonly (readonly [why: string, domain: string, verdict: string])[] = [
  ["ZWJ after a virama", "क्\u200dष.com", "xn--11b2ezcw70k.com"],
  ["ZWNJ between joining letters", "نامه\u200cای.com", "xn--mgba3gch31f060k.com"],
  ["ZWNJ between Latin letters", "a\u200cb.com", "idna_invalid"],
  ["ZWNJ at the end", "نامه\u200c.com", "idna_invalid"],
  ["only a joiner", "\u200d.com", "idna_invalid"],
  ["a Hebrew label", "אב.com", "xn--4dbc.com"],
  ["an Arabic label that ends in digits", "اب12.com", "xn--12-btde.com"],
  ["a right-to-left label that begins with a digit", "1אב.com", "idna_invalid"],
  ["a Latin letter in a right-to-left label", "אaב.com", "idna_invalid"],
  ["European and Arabic digits in one label", "ا1١.com", "idna_invalid"],
  ["a label of digits next to a right-to-left label", "1a.אב.com", "idna_invalid"],
];

const REJECTED: readonly (readonly [why: string, domain: string, verdict: string])[] = [
  ["a slash", "a/b.com", "domain_character"],
  ["a code point that maps to a slash", "a\u2100.com", "idna_invalid"],
  ["a full-width underscore", "a＿b.com", "idna_invalid"],
  ["a full-width percent sign", "a％b.com", "idna_invalid"],
  ["a digit with a full stop", "a\u2488com", "idna_invalid"],
  ["a full-width hyphen at the end", "a－.com", "label_hyphen"],
  ["a hyphen at the end of a Unicode label", "bücher-.com", "label_hyphen"],
  ["two full-width dots", "a．．com", "domain_dot"],
  ["an ideographic dot at the end", "example.com。", "domain_dot"],
  ["an A-label with a bad digit", "xn--\u00fc.com", "idna_invalid"],
  ["an A-label of a control character", "xn--a.com", "idna_invalid"],
  ["an A-label of a capital letter", "xn--BCHER-KVA9999999.com", "a_label_invalid"],
  ["a bad A-label as the second label", "mail.xn--zzzzzz.com", "a_label_invalid"],
  ["a bad A-label as the last label", "mail.example.xn--zzzzzz", "a_label_invalid"],
  ["a bad A-label in capitals after a dot", "mail.XN--ZZZZZZ.com", "a_label_invalid"],
  ["an A-label of a code point that mapping removes", "xn--ab-m1t.com", "idna_invalid"],
];

const GOOD_LITERALS = `[192.0.2.1] [0.0.0.0] [255.255.255.255] [IPv6:2001:db8:0:0:0:0:0:1] [IPv6:2001:db8::1]
  [IPv6:2001:0db8:0000:0000:0000:ffff:192.168.100.200] [ipv6:2001:DB8::1] [IPv6:::1] [IPv6:::] [IPv6:1::]
  [IPv6:1:2:3:4:5:6::] [IPv6:::ffff:192.0.2.1] [IPv6:1:2:3:4:5:6:192.0.2.1]`.split(/\s+/);

const BAD_LITERALS = [
  "[ 192.0.2.1]",
  ...`[] [192.0.2] [192.0.2.1.5] [192.0.2.256] [192.0.2.] [192.0.2.1a] [0x7f.0.0.1] [192.0.2.1 [192.0.2.15
    [IPv6:::15 [192.0.2.1]x [[192.0.2.1]] [2001:db8::1] [IPv6:] [IPv6:1:2:3:4:5:6:7]
    [IPv6:1:2:3:4:5:6:7:8:9] [IPv6:1:2:3:4:5:6:7::] [IPv6:1::2::3] [IPv6::::] [IPv6:12345::] [IPv6:g::]
    [IPv6:::1%eth0] [IPv6:192.0.2.1::] [IPv6:::192.0.2.256] [IPv4:192.0.2.1] [example.com] [tag:content]`.split(/\s+/),
];

it.each(MAPPED)("the parser maps the domain %s to %s", (unicode, ascii) => {
  expect(asciiOf(unicode)).toBe(ascii);
});

it.each(JOINED_AND_BIDI)("the parser's result for a domain with %s, %s, is %s", (_, domain, verdict) => {
  expect(asciiOf(domain)).toBe(verdict);
});

it.each(REJECTED)("the parser rejects a domain with %s", (_, domain, verdict) => {
  expect(asciiOf(domain)).toBe(verdict);
});

it("parsing the A-labels or U-labels of a parsed domain returns the same A-labels", () => {
  const label = fc.string({ unit: fc.constantFrom(..."abz019-éßüœжяλ用户ñあア한ãक"), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(label, (written) => {
      const parsed = parseMailbox(`a@${written}.com`, {}, lists);
      fc.pre(parsed.ok);
      const { ascii, unicode } = parsed.value.domain;
      expect(asciiOf(ascii)).toBe(ascii);
      expect(asciiOf(unicode)).toBe(ascii);
    }),
    { numRuns: sampleSize(500) },
  );
});

// Offsets in a mapped domain don't apply to the input, except for A-labels, which keep their length.
const LONG_LABEL = "a".repeat(64);
const OFFSETS: readonly (readonly [domain: string, code: string, offset: number])[] = [
  [`xn--bcher-kva.${LONG_LABEL}.com`, "label_too_long", 14 + 63],
  [`bücher.${LONG_LABEL}.com`, "label_too_long", 0],
  ["xn--bcher-kva.-a.com", "label_hyphen", 14],
  ["xn--bcher-kva.a-.com", "label_hyphen", 15],
  ["bücher.-a.com", "label_hyphen", 0],
  ["bücher.a-.com", "label_hyphen", 0],
  ["xn--bcher-kva..com", "domain_dot", 14],
  ["xn--bcher-kva.com.", "domain_dot", 17],
  ["bücher..com", "domain_dot", 0],
];

it.each(OFFSETS)("the fault in %s is %s at byte %i of the domain", (domain, code, offset) => {
  for (const localPart of ["a", "anna.b"]) {
    expect(parseMailbox(`${localPart}@${domain}`, {}, lists)).toMatchObject({
      ok: false,
      fault: { code, offset: localPart.length + 1 + offset },
    });
  }
});

it("an address literal is converted to lower case", () => {
  const parsed = parseMailbox("a@[IPv6:ABCD::1]", { allowDomainLiteral: true }, lists);
  expect(parsed.ok && parsed.value.domain.ascii).toBe("[ipv6:abcd::1]");
});

it.each(GOOD_LITERALS)("the parser accepts the address literal %s", (text) => {
  expect(literal(text)).toBe("ok");
});

it.each(BAD_LITERALS)("the parser rejects the address literal %s", (text) => {
  expect(literal(text)).toBe("domain_literal_invalid");
});

it.each<[string, boolean]>([
  ["xn--bcher-kva.com", true],
  ["a.XN--bcher-kva.com", true],
  ["axn--b.com", false],
  ["a.yn--b.com", false],
  ["a.xm--b.com", false],
  ["xn-a-b.com", false],
  ["xn-.a--b.com", false],
  ["example.com", false],
])("scanDomain of %s sets isMapped to %s", (text, isMapped) => {
  const bytes = Buffer.from(text);
  const scan = new MailboxScan();
  scanDomain(bytes, 0, bytes.length, scan);
  expect(scan.domain.isMapped).toBe(isMapped);
});

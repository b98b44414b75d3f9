// Tests that hostile input (huge, nested, malformed) gets a verdict and evidence in linear time.

import fc from "fast-check";
import { expect, it } from "vitest";
import { parseMailbox } from "../../../src/address/mailbox.ts";
import type { SyntaxOptions } from "../../../src/address/options.ts";
import { classify, lists } from "../../helpers/classify.ts";
import { sampleSize } from "../../helpers/sampling.ts";

// Linear work takes milliseconds, quadratic work a minute or more.
const LONG = Math.max(240_000, sampleSize(1_000_000));
const LINEAR_TIMEOUT = { timeout: 20_000 };

const PERMISSIVE: SyntaxOptions = { allowDomainLiteral: true, allowReserved: true, allowUnknownTld: true };

const HOSTILE: readonly (readonly [description: string, address: string | Uint8Array, code: string])[] = [
  ["very many letters", "a".repeat(LONG), "missing_at"],
  ["very many letters before the @", `${"a".repeat(LONG)}@example.com`, "local_part_too_long"],
  ["very many letters beyond ASCII", `${"é".repeat(LONG / 2)}@example.com`, "local_part_too_long"],
  ["very many combining marks", `a${"\u0301".repeat(LONG / 2)}@example.com`, "local_part_too_long"],
  ["very many marks in another order than NFC", `a${"\u0301\u0323".repeat(LONG / 4)}@b.com`, "local_part_too_long"],
  ["very many letters in one label", `a@${"a".repeat(LONG)}.com`, "label_too_long"],
  ["very many labels", `a@${"a.".repeat(LONG / 2)}com`, "domain_too_long"],
  ["very many labels beyond ASCII", `a@${"é.".repeat(LONG / 3)}com`, "domain_too_long"],
  ["very many A-labels", `a@${"xn--tda.".repeat(LONG / 8)}com`, "domain_too_long"],
  ["very many hyphens", `a@${"-".repeat(LONG)}`, "label_hyphen"],
  ["very many @", "@".repeat(LONG), "local_part_empty"],
  ["very many @ after a letter", `a${"@".repeat(LONG)}`, "multiple_at"],
  ["very many spaces", `${" ".repeat(LONG)}@example.com`, "white_space"],
  ["very many angle brackets", `${"<".repeat(LONG)}a@example.com`, "angle_bracket"],
  ["very many quotes", '"'.repeat(LONG), "missing_at"],
  ["very many escaped quotes", `"${'\\"'.repeat(LONG / 2)}"@example.com`, "local_part_too_long"],
  ["ten thousand nested quotes", `${'"\\'.repeat(10_000)}"@example.com`, "local_part_too_long"],
  ["ten thousand nested comments", `${"(".repeat(10_000)}a${")".repeat(10_000)}@example.com`, "comment"],
  ["ten thousand dots before the @", `a${".".repeat(10_000)}@example.com`, "local_part_dot"],
  ["ten thousand dots after the @", `a@${".".repeat(10_000)}`, "domain_dot"],
  ["an open literal of very many digits", `a@[${"1".repeat(LONG)}`, "domain_literal"],
  ["a literal of ten thousand colons", `a@[IPv6:${":".repeat(10_000)}]`, "domain_literal"],
  ["very many NULs", "\0".repeat(LONG), "missing_at"],
  ["very many continuation bytes", new Uint8Array(LONG).fill(0x80), "missing_at"],
  ["ten thousand lead bytes before an @", Uint8Array.from([...new Array(9_999).fill(0xf0), 0x40]), "invalid_utf8"],
  ["very many 0xff", new Uint8Array(LONG).fill(0xff), "missing_at"],
  ["very many lone surrogates", `${"\ud800".repeat(LONG / 3)}@example.com`, "unicode_disallowed"],
  ["very many look-alikes", "＠".repeat(LONG / 3), "lookalike_at"],
  ["very many joiners in the domain", `a@${"\u200d".repeat(LONG / 3)}.com`, "domain_too_long"],
  ["as many joiners as the parser maps", `a@${"\u200d".repeat(600)}.com`, "idna_invalid"],
  ["a long invalid A-label", `a@xn--${"9".repeat(1_900)}.com`, "idna_invalid"],
  ["very many mappable dots", `a@${"。".repeat(LONG / 3)}`, "domain_too_long"],
];

it.each(HOSTILE)("the parser rejects hostile input in linear time: %s", LINEAR_TIMEOUT, (_, address, code) => {
  const { detection, explanation, explainedJson } = classify(address);
  expect(detection.syntax_validation).toBe(false);
  expect(explanation.syntax_error?.code).toBe(code);
  expect(detection.email.length).toBeLessThanOrEqual(2 * 1024 + 1);
  expect(JSON.parse(explainedJson)).toMatchObject({ syntax_validation: false });
  expect(parseMailbox(address, PERMISSIVE, lists).ok).toBe(false);
});

it("random bytes get a verdict, never an exception", () => {
  const bytes = fc.uint8Array({ maxLength: 80 });
  fc.assert(
    fc.property(bytes, bytes, (localPart, domain) => {
      const address = Uint8Array.from([...localPart, 0x40, ...domain]);
      const parsed = parseMailbox(address, {}, lists);
      expect(JSON.parse(classify(address).json).syntax_validation).toBe(parsed.ok);
    }),
    { numRuns: sampleSize(400) },
  );
});

it("random text of significant characters gets a verdict, never an exception", () => {
  const unit = fc.constantFrom(
    ...'ab.@-_+"\\[]()<>:;, 1\0\né＠。\u200d\u0301א١😀',
    "\ud800",
    ..."xn-- .com IPv6:".split(" "),
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 30 }), (address) => {
      const parsed = parseMailbox(address, PERMISSIVE, lists);
      const { explainedJson } = classify(address, { syntax: PERMISSIVE });
      expect(JSON.parse(explainedJson).syntax_validation).toBe(parsed.ok);
    }),
    { numRuns: sampleSize(600) },
  );
});

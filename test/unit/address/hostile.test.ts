// Input that wants to hurt: huge, nested, broken. Each gets its verdict and its evidence, and soon.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMailbox } from "../../../src/address/mailbox.ts";
import type { SyntaxOptions } from "../../../src/address/options.ts";
import { classify, lists } from "../../helpers/classify.ts";
import { tries } from "../../helpers/tries.ts";

const MEGABYTE = 1_000_000;
// Linear work on a megabyte takes some milliseconds; quadratic work would take minutes.

const GENEROUS: SyntaxOptions = {
  allowBareSuffix: true,
  allowDomainLiteral: true,
  allowLongLocal: true,
  allowReserved: true,
  allowUnknownTld: true,
};

const HOSTILE: readonly (readonly [what: string, address: string | Uint8Array, code: string])[] = [
  ["a megabyte of letters", "a".repeat(MEGABYTE), "missing_at"],
  ["a megabyte before the @", `${"a".repeat(MEGABYTE)}@example.com`, "local_part_too_long"],
  ["a megabyte of letters beyond ASCII", `${"é".repeat(MEGABYTE / 2)}@example.com`, "local_part_too_long"],
  ["a megabyte of combining marks", `a${"\u0301".repeat(MEGABYTE / 2)}@example.com`, "local_part_too_long"],
  ["a megabyte in one label", `a@${"a".repeat(MEGABYTE)}.com`, "label_too_long"],
  ["a megabyte of labels", `a@${"a.".repeat(MEGABYTE / 2)}com`, "domain_too_long"],
  ["a megabyte of labels beyond ASCII", `a@${"é.".repeat(MEGABYTE / 3)}com`, "domain_too_long"],
  ["a megabyte of A-labels", `a@${"xn--tda.".repeat(MEGABYTE / 8)}com`, "domain_too_long"],
  ["a megabyte of hyphens", `a@${"-".repeat(MEGABYTE)}`, "label_hyphen"],
  ["a megabyte of @", "@".repeat(MEGABYTE), "local_part_empty"],
  ["a megabyte of @ behind a letter", `a${"@".repeat(MEGABYTE)}`, "multiple_at"],
  ["a megabyte of spaces", `${" ".repeat(MEGABYTE)}@example.com`, "white_space"],
  ["a megabyte of angle brackets", `${"<".repeat(MEGABYTE)}a@example.com`, "angle_bracket"],
  ["a megabyte of quotes", '"'.repeat(MEGABYTE), "missing_at"],
  ["a megabyte of escaped quotes", `"${'\\"'.repeat(MEGABYTE / 2)}"@example.com`, "local_part_too_long"],
  ["ten thousand nested quotes", `${'"\\'.repeat(10_000)}"@example.com`, "local_part_too_long"],
  ["ten thousand nested comments", `${"(".repeat(10_000)}a${")".repeat(10_000)}@example.com`, "comment"],
  ["ten thousand dots before the @", `a${".".repeat(10_000)}@example.com`, "local_part_dot"],
  ["ten thousand dots behind the @", `a@${".".repeat(10_000)}`, "domain_dot"],
  ["ten thousand labels", `a@${"a.".repeat(10_000)}com`, "domain_too_long"],
  ["an open literal of a megabyte", `a@[${"1".repeat(MEGABYTE)}`, "domain_literal"],
  ["a literal of ten thousand colons", `a@[IPv6:${":".repeat(10_000)}]`, "domain_literal"],
  ["a megabyte of NULs", "\0".repeat(MEGABYTE), "missing_at"],
  ["NULs around", "\0a@example.com\0", "control_character"],
  ["a NUL in the domain", "a@exam\0ple.com", "control_character"],
  ["a megabyte of continuation bytes", new Uint8Array(MEGABYTE).fill(0x80), "missing_at"],
  ["a megabyte of lead bytes before an @", Uint8Array.from([...new Array(9_999).fill(0xf0), 0x40]), "invalid_utf8"],
  ["a megabyte of 0xff", new Uint8Array(MEGABYTE).fill(0xff), "missing_at"],
  ["a megabyte of lone surrogates", `${"\ud800".repeat(MEGABYTE / 3)}@example.com`, "unicode_disallowed"],
  ["a megabyte of look-alikes", "＠".repeat(MEGABYTE / 3), "lookalike_at"],
  ["a megabyte of joiners in the domain", `a@${"\u200d".repeat(MEGABYTE / 3)}.com`, "domain_too_long"],
  ["joiners up to the limit of what is read", `a@${"\u200d".repeat(600)}.com`, "idna_invalid"],
  ["a long bad A-label", `a@xn--${"9".repeat(1_900)}.com`, "idna_invalid"],
  ["a megabyte of mappable dots", `a@${"。".repeat(MEGABYTE / 3)}`, "domain_too_long"],
];

describe("hostile input", () => {
  it.each(HOSTILE)("hostile input gets a verdict: %s", (_, address, code) => {
    const { detection, explanation, explainedJson } = classify(address);
    expect(detection.syntax_validation).toBe(false);
    expect(explanation.syntax_error?.code).toBe(code);
    expect(detection.email.length).toBeLessThanOrEqual(2 * 1024 + 1);
    expect(JSON.parse(explainedJson)).toMatchObject({ syntax_validation: false });
  });

  it.each(HOSTILE)("%s, under the most generous policy", (_, address) => {
    const parsed = parseMailbox(address, GENEROUS, lists);
    expect(parsed.ok).toBe(false);
  });

  it("a megabyte of marks in two classes, which normalization sorts in quadratic time, is not normalized", () => {
    const { detection } = classify(`a${"\u0301\u0323".repeat(MEGABYTE / 4)}@example.com`);
    expect(detection.syntax_validation).toBe(false);
  });

  it("hostile input of any bytes gets a verdict, never an exception", () => {
    const bytes = fc.uint8Array({ maxLength: 80 });
    fc.assert(
      fc.property(bytes, bytes, (left, right) => {
        const given = Uint8Array.from([...left, 0x40, ...right]);
        const parsed = parseMailbox(given, {}, lists);
        expect(JSON.parse(classify(given).json).syntax_validation).toBe(parsed.ok);
      }),
      { numRuns: tries(400) },
    );
  });

  it("hostile input of any characters that mean something gets a verdict, never an exception", () => {
    const unit = fc.constantFrom(
      ...'ab.@-_+"\\[]()<>:;, 1\0\né＠。\u200d\u0301א١😀',
      "xn--",
      "\ud800",
      ".com",
      "IPv6:",
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (address) => {
        const parsed = parseMailbox(address, GENEROUS, lists);
        const { explainedJson } = classify(address, { syntax: GENEROUS });
        expect(JSON.parse(explainedJson).syntax_validation).toBe(parsed.ok);
      }),
      { numRuns: tries(600) },
    );
  });
});

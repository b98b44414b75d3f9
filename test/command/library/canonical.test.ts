// Canonical forms that once were not addresses themselves, or changed when they were made canonical again.

import { createDetector } from "addrsift";
import { describe, expect, it } from "vitest";

const DETECTOR = createDetector();

describe("the canonical form of a canonical form is itself", () => {
  it.each([
    ["a combining mark after an ignored dot", "a.\u0301b@gmail.com"],
    ["a combining mark after an ignored hyphen", "a-\u0308@proton.me"],
    ["jamo separated by an ignored dot", "\u1100.\u1161@gmail.com"],
    ["a combining mark that would become the first character", "-\u0301a@proton.me"],
    ["letters with more bytes in lower case", `${"\u023a".repeat(22)}@b.com`],
    ["dotted capitals with more bytes in lower case", `${"\u0130".repeat(32)}@gmail.com`],
  ])("canonicalization is idempotent: %s", async (_, address) => {
    const once = await DETECTOR.detect(address);
    expect(once.syntax_validation).toBe(true);
    const { normalized } = once as { normalized: string };
    expect(await DETECTOR.detect(normalized)).toMatchObject({ syntax_validation: true, normalized });
  });

  it("two spellings that differ in an ignored dot have one canonical form", async () => {
    const [apart, joined] = await Promise.all([
      DETECTOR.detect("a.\u0301b@gmail.com"),
      DETECTOR.detect("\u00e1b@gmail.com"),
    ]);
    expect(apart).toMatchObject({ normalized: (joined as { normalized: string }).normalized });
  });
});

describe("the offset of a fault", () => {
  it.each([
    ["the start of a mapped domain", "a@\u00fc.zzzz", 2],
    ["never inside a surrogate pair", `a${"\u{1f600}".repeat(20)}@b.com`, 31],
    ["within the truncated text of a long address", "a".repeat(2000), 1025],
  ])("a fault's offset is %s", async (_, address, offset) => {
    const { explain } = await createDetector().detect(address, { explain: true });
    expect(explain?.syntax_error?.offset).toBe(offset);
  });
});

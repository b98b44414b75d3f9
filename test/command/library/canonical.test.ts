// Canonical forms that once were not addresses themselves, or changed when they were made canonical again.

import { createDetector } from "addrsift";
import { describe, expect, it } from "vitest";

const DETECTOR = createDetector();

describe("the canonical form of a canonical form is itself", () => {
  it.each([
    ["a mark behind an ignored dot", "a.\u0301b@gmail.com"],
    ["a mark behind an ignored hyphen", "a-\u0308@proton.me"],
    ["jamo apart", "\u1100.\u1161@gmail.com"],
    ["a mark that would come to stand first", "-\u0301a@proton.me"],
    ["letters that grow in lower case", `${"\u023a".repeat(22)}@b.com`],
    ["capitals with a dot that grow", `${"\u0130".repeat(32)}@gmail.com`],
  ])("canonicalization is idempotent: %s", async (_, address) => {
    const once = await DETECTOR.detect(address);
    expect(once.syntax_validation).toBe(true);
    const { normalized } = once as { normalized: string };
    expect(await DETECTOR.detect(normalized)).toMatchObject({ syntax_validation: true, normalized });
  });

  it("a removed dot doesn't leave two forms", async () => {
    const [apart, joined] = await Promise.all([
      DETECTOR.detect("a.\u0301b@gmail.com"),
      DETECTOR.detect("\u00e1b@gmail.com"),
    ]);
    expect(apart).toMatchObject({ normalized: (joined as { normalized: string }).normalized });
  });
});

describe("the offset of a fault", () => {
  it.each([
    ["at the mapped domain's start", "a@\u00fc.zzzz", 2],
    ["never inside a surrogate pair", `a${"\u{1f600}".repeat(20)}@b.com`, 31],
    ["within what is shown of a long address", "a".repeat(2000), 1025],
  ])("offset of a fault %s", async (_, address, offset) => {
    const { explain } = await createDetector().detect(address, { explain: true });
    expect(explain?.syntax_error?.offset).toBe(offset);
  });
});

// The merge of upstream lists: its order, its guards, and what it drops.

import { describe, expect, it } from "vitest";
import { type Merged, mergeDisposable, type NameRules, type SourceNames } from "../../../src/curation/merge.ts";
import { CurationError, DISPOSABLE_SOURCES, readNames } from "../../../src/curation/sources.ts";
import { LINEAGE_BIT, type Lineage, lineagesOf } from "../../../src/lists/confidence.ts";

const RULES: NameRules = {
  normalize: (name) => (/^[a-z0-9.-]+\.(com|org)$/i.test(name.trim()) ? name.trim().toLowerCase() : undefined),
  isFreeHost: (domain) => domain === "free.com" || domain === "held.com",
  isProtected: (domain) => /(^|\.)(bank|held)\.com$/.test(domain),
};

function from(
  lineage: Lineage,
  names: readonly string[],
  limits: { minimum?: number; rejected?: number } = {},
): SourceNames {
  const { minimum = 0, rejected = 0 } = limits;
  const source = {
    lineage,
    packageName: `list-${lineage}`,
    file: "f",
    minimumEntries: minimum,
    maximumRejected: rejected,
  };
  return { source, names };
}

function merge(
  sources: readonly SourceNames[],
  additions: readonly string[] = [],
  canaries: readonly string[] = [],
): Merged {
  return mergeDisposable(sources, additions, RULES, new Set(canaries));
}

const lettersOf = (merged: Merged): Record<string, string> =>
  Object.fromEntries([...merged.disposable].map(([domain, bits]) => [domain, lineagesOf(bits).join("")]));

describe("the merge", () => {
  it("notes who says what, and sorts", () => {
    const merged = merge(
      [from("D", ["b.com", "a.com"]), from("T", ["c.org", "a.com"]), from("E", ["A.COM "])],
      ["own.org"],
    );
    expect(lettersOf(merged)).toEqual({ "a.com": "DTE", "b.com": "D", "c.org": "T", "own.org": "H" });
    expect([...merged.disposable.keys()]).toEqual(["a.com", "b.com", "c.org", "own.org"]);
    expect(merged.counts).toEqual({ D: 2, F: 0, T: 2, E: 1, H: 1 });
  });

  it("gives the same, whatever the order of the names", () => {
    const names = ["z.com", "x.a.com", "a.com", "m.org", "free.com", "x.bank.com"];
    const forward = merge([from("D", names), from("T", names)]);
    const backward = merge([from("D", names.toReversed()), from("T", names.toReversed())]);
    expect([...backward.disposable]).toEqual([...forward.disposable]);
    expect(backward).toEqual(forward);
  });

  it("counts a name that a source says twice once", () => {
    expect(merge([from("D", ["a.com", "A.com"])]).counts.D).toBe(1);
  });

  it("drops hosts of free subdomains, keeps them as a list, and keeps what stands below them", () => {
    const merged = merge([from("T", ["free.com", "x.free.com"])]);
    expect(merged.freeHosts).toEqual(["free.com"]);
    expect(lettersOf(merged)).toEqual({ "x.free.com": "T" });
  });

  it("drops protected names and what stands below them", () => {
    const merged = merge([from("D", ["bank.com", "x.bank.com", "mybank.com"])]);
    expect(merged.protectedDropped).toEqual(["bank.com", "x.bank.com"]);
    expect(lettersOf(merged)).toEqual({ "mybank.com": "D" });
  });

  it("asks for hosts of free subdomains before protection", () => {
    const merged = merge([from("D", ["held.com"])]);
    expect(merged).toMatchObject({ freeHosts: ["held.com"], protectedDropped: [] });
  });

  it.each([
    ["T", "T", true],
    ["T", "D", true],
    ["T", "E", true],
    ["D", "F", true],
    ["D", "T", false],
    ["E", "T", false],
    ["F", "E", false],
  ] as const)("below a parent: entry by %s, parent by %s, covered %s", (own, parents, covered) => {
    const merged = merge([
      from(own, ["x.y.a.com"]),
      from(parents === own ? "D" : parents, parents === own ? [] : ["a.com"]),
    ]);
    const same = parents === own ? merge([from(own, ["x.y.a.com", "a.com"])]) : merged;
    expect(same.disposable.has("x.y.a.com")).toBe(!covered);
    expect(same.coveredByParent).toBe(covered ? 1 : 0);
    expect(same.disposable.has("a.com")).toBe(true);
  });

  it("does not let a dropped parent cover what stands below", () => {
    expect(lettersOf(merge([from("D", ["free.com"]), from("T", ["x.free.com"])]))).toEqual({ "x.free.com": "T" });
  });
});

describe("the guards of the merge", () => {
  it("stop at a canary in any source", () => {
    const poisoned = [from("D", ["a.com"]), from("E", ["b.com", "Gmail.com"])];
    expect(() => merge(poisoned, [], ["gmail.com"])).toThrow(
      new CurationError("list-E lists gmail.com, which is a canary"),
    );
    expect(() => merge(poisoned, [], ["x.gmail.com"])).not.toThrow();
  });

  it("stop at too many unusable names, and show some", () => {
    const names = ["a.com", "not a name", "b.com", "<script>", "x".repeat(100)];
    expect(() => merge([from("T", names, { rejected: 2 })])).toThrow(
      `list-T has 3 unusable names (limit 2), such as "not a name", "<script>", "${"x".repeat(60)}"`,
    );
    expect(merge([from("T", names, { rejected: 3 })]).disposable.size).toBe(2);
  });

  it("stop at too few entries", () => {
    expect(() => merge([from("F", ["a.com", "a.com"], { minimum: 2 })])).toThrow(
      "list-F has 1 valid names (at least 2)",
    );
    expect(merge([from("F", ["a.com", "b.com"], { minimum: 2 })]).disposable.size).toBe(2);
  });

  it("stop at an addition of our own that is protected", () => {
    expect(() => merge([], ["x.bank.com"])).toThrow("our own addition x.bank.com is protected");
  });

  it("are set for each of the four lineages", () => {
    expect(DISPOSABLE_SOURCES.map(({ lineage }) => lineage).join("")).toBe("DFTE");
    for (const { minimumEntries, maximumRejected } of DISPOSABLE_SOURCES) {
      expect(minimumEntries).toBeGreaterThan(1000);
      expect(maximumRejected).toBeLessThan(minimumEntries / 50);
    }
    expect(Object.keys(LINEAGE_BIT).slice(0, 4)).toEqual(DISPOSABLE_SOURCES.map(({ lineage }) => lineage));
  });
});

describe("an upstream list", () => {
  it.each([
    ["lines", "# comment\na.com\n\n  b.com \r\n#x\nc.com", ["a.com", "b.com", "c.com"]],
    ["a JSON array", ' ["a.com","b.com"]', ["a.com", "b.com"]],
    ["an object with an array", '{"domains":["a.com"]}', ["a.com"]],
    ["an object with keys", '{"domains":{"a.com":{},"b.com":{}}}', ["a.com", "b.com"]],
    ["nothing", "", []],
  ])("is read as %s", (_, text, names) => {
    expect(readNames(text)).toEqual(names);
  });

  it.each(['{"names":["a.com"]}', "[1,2]", '["a.com",null]', '{"domains":7}'])("%s is refused", (text) => {
    expect(() => readNames(text)).toThrow(CurationError);
  });
});

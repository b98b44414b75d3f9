// The merge of upstream lists: its order, its guards, and what it drops.

import { describe, expect, it } from "vitest";
import { type Merged, mergeDisposable, type NameRules, type SourceNames } from "../../../src/curation/merge.ts";
import { CurationError, type DisposableKey, readNames } from "../../../src/curation/sources.ts";
import { lineagesOf } from "../../../src/lists/confidence.ts";

const RULES: NameRules = {
  isInRootZone: (domain) => /\.(com|org)$/.test(domain),
  isFreeHost: (domain) => domain === "free.com" || domain === "held.com",
  isProtected: (domain) => /(^|\.)(bank|held)\.com$/.test(domain),
};

const from = (key: DisposableKey, names: readonly string[]): SourceNames => ({ key, names });

function merge(
  sources: readonly SourceNames[],
  additions: readonly string[] = [],
  canaries: readonly string[] = [],
): Merged {
  return mergeDisposable(sources, additions, RULES, canaries);
}

const lettersOf = (merged: Merged): Record<string, string> =>
  Object.fromEntries([...merged.disposable].map(([domain, bits]) => [domain, lineagesOf(bits).join("")]));

describe("the merge", () => {
  it("notes who says what, and sorts", () => {
    const merged = merge(
      [from("D", ["b.com", "a.com"]), from("T", ["c.org", "a.com"]), from("E", ["a.com", "x.zip"])],
      ["own.org"],
    );
    expect(lettersOf(merged)).toEqual({ "a.com": "DTE", "b.com": "D", "c.org": "T", "own.org": "H" });
    expect([...merged.disposable.keys()]).toEqual(["a.com", "b.com", "c.org", "own.org"]);
  });

  it("gives the same, whatever the order of the names", () => {
    const names = ["z.com", "x.a.com", "a.com", "m.org", "free.com", "x.bank.com"];
    const forward = merge([from("D", names), from("T", names)]);
    const backward = merge([from("D", names.toReversed()), from("T", names.toReversed())]);
    expect([...backward.disposable]).toEqual([...forward.disposable]);
    expect(backward).toEqual(forward);
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
  it("stop at a canary that would be disposable, itself or by way of a parent", () => {
    const poisoned = [from("D", ["a.com"]), from("E", ["b.com", "gmail.com"])];
    expect(() => merge(poisoned, [], ["gmail.com"])).toThrow(
      new CurationError("the canary gmail.com would be disposable by gmail.com"),
    );
    expect(() => merge(poisoned, [], ["x.gmail.com"])).toThrow("would be disposable by gmail.com");
    expect(() => merge(poisoned, [], ["bank.com", "x.org"])).not.toThrow();
  });

  it("stop at an addition of our own that is protected", () => {
    expect(() => merge([], ["x.bank.com"])).toThrow("our own addition x.bank.com is protected");
  });
});

describe("an upstream list", () => {
  it.each([
    ["lines", "# comment\na.com\n\n  b.com \r\n#x\nc.com", ["a.com", "b.com", "c.com"]],
    ["a JSON array", ' ["a.com","b.com"]', ["a.com", "b.com"]],
    ["an object with an array", '{"domains":["a.com"]}', ["a.com"]],
    ["an object with keys", '{"domains":{"a.com":{},"b.com":{}}}', ["a.com", "b.com"]],
    ["nothing", "", []],
  ])("an upstream list is read as %s", (_, text, names) => {
    expect(readNames(text)).toEqual(names);
  });

  it.each(['{"names":["a.com"]}', "[1,2]", '["a.com",null]', '{"domains":7}'])(
    "an upstream list %s is refused",
    (text) => {
      expect(() => readNames(text)).toThrow(CurationError);
    },
  );
});

// Tests the merge of upstream lists: its order, its guards, and what it drops.

import { expect, it } from "vitest";
import { type MergeResult, mergeDisposable, type NameRules, type SourceNames } from "../../../src/curation/merge.ts";
import { CurationError, type DisposableKey, readNames } from "../../../src/curation/sources.ts";
import {
  CONFIDENCES,
  confidenceRank,
  entryFlags,
  firstDayOf,
  formatDay,
  lastDayOf,
  sourceLettersOf,
} from "../../../src/lists/confidence.ts";

const RULES: NameRules = {
  isInRootZone: (domain) => /\.(com|org)$/.test(domain),
  isFreeHost: (domain) => domain === "free.com" || domain === "both.com" || !domain.includes("."),
  isProtected: (domain) => /(^|\.)(bank|both)\.com$/.test(domain),
  isRemovedByCommunity: (domain) => domain === "taken-off.com",
};

/**
 * Creates a source whose names were first seen on `day`, by default the first day that counts in T and E, or on an
 * unknown day if it is "". In C they were last seen on `last`.
 */
const createSource = (key: DisposableKey, names: readonly string[], day = "2025-01-01", last = day): SourceNames => {
  const days = day === "" ? [] : key === "C" ? [day, last] : [day];
  return { key, names: new Map(names.map((name) => [name, days])), history: "2025-01-01" };
};
const mergeNames = (a: SourceNames, b: SourceNames): SourceNames => ({
  ...a,
  names: new Map([...a.names, ...b.names]),
});

function merge(
  sources: readonly SourceNames[],
  additions: readonly string[] = [],
  canaries: readonly string[] = [],
): MergeResult {
  return mergeDisposable(sources, additions, RULES, canaries);
}

const lettersOf = (merged: MergeResult): Record<string, string> =>
  Object.fromEntries(
    [...merged.disposable].map(([domain, entry]) => [domain, sourceLettersOf(entryFlags(entry)).join("")]),
  );

it("the merge records the sources of each domain and sorts the domains", () => {
  const merged = merge(
    [
      createSource("D", ["b.com", "a.com"]),
      createSource("T", ["c.org", "a.com"]),
      createSource("E", ["a.com", "x.zip"]),
    ],
    ["own.org"],
  );
  expect(lettersOf(merged)).toEqual({ "a.com": "DTE", "b.com": "D", "c.org": "T", "own.org": "H" });
  expect([...merged.disposable.keys()]).toEqual(["a.com", "b.com", "c.org", "own.org"]);
});

it("the merge does not depend on the order of names in a source", () => {
  const names = ["z.com", "x.a.com", "a.com", "m.org", "free.com", "x.bank.com"];
  const forward = merge([createSource("D", names), createSource("T", names)]);
  const backward = merge([createSource("D", names.toReversed()), createSource("T", names.toReversed())]);
  expect([...backward.disposable]).toEqual([...forward.disposable]);
  expect(backward).toEqual(forward);
});

it("the merge drops and reports free-subdomain hosts, but keeps their subdomains", () => {
  const merged = merge([createSource("T", ["free.com", "x.free.com"])]);
  expect(merged.freeHosts).toEqual(["free.com"]);
  expect(lettersOf(merged)).toEqual({ "x.free.com": "T" });
});

it("the merge drops protected domains and their subdomains", () => {
  const merged = merge([createSource("D", ["bank.com", "x.bank.com", "mybank.com"])]);
  expect(lettersOf(merged)).toEqual({ "mybank.com": "D" });
});

it("the merge reports a protected free-subdomain host as a free-subdomain host", () => {
  const merged = merge([createSource("D", ["both.com"])]);
  expect(merged).toEqual({ disposable: new Map(), freeHosts: ["both.com"] });
});

it.each([
  ["T", "T", true],
  ["T", "D", true],
  ["T", "E", true],
  ["D", "F", true],
  ["D", "T", false],
  ["E", "T", true],
  ["F", "E", false],
] as const)("the merge drops an entry from source %s below a parent from source %s: %s", (own, parents, covered) => {
  const merged = merge([
    createSource(own, ["x.y.a.com"]),
    createSource(parents === own ? "D" : parents, parents === own ? [] : ["a.com"]),
  ]);
  const same = parents === own ? merge([createSource(own, ["x.y.a.com", "a.com"])]) : merged;
  expect(same.disposable.has("x.y.a.com")).toBe(!covered);
  expect(same.disposable.has("a.com")).toBe(true);
});

/** Returns confidence and first day of each domain. */
const agesOf = (merged: MergeResult): Record<string, readonly [string | undefined, string | undefined]> =>
  Object.fromEntries(
    [...merged.disposable].map(([domain, entry]) => [
      domain,
      [CONFIDENCES[confidenceRank(entryFlags(entry))], formatDay(firstDayOf(entry))],
    ]),
  );

it("lists without proof raise the confidence only of entries after the cutoff date", () => {
  const old = [
    createSource("T", ["a.com", "b.com", "c.com", "d.com"], ""),
    createSource("E", ["b.com", "c.com"], "2024-12-31"),
  ];
  const merged = merge([...old, createSource("D", ["d.com"], "")]);
  expect(agesOf(merged)).toEqual({
    "a.com": ["legacy", undefined],
    "b.com": ["legacy", "2024-12-31"],
    "c.com": ["legacy", "2024-12-31"],
    "d.com": ["confirmed", undefined],
  });
  const recent = merge([
    createSource("T", ["a.com", "b.com"], "2026-03-01"),
    createSource("E", ["b.com", "c.com"], "2025-06-07"),
  ]);
  expect(agesOf(recent)).toEqual({
    "a.com": ["single", "2026-03-01"],
    "b.com": ["corroborated", "2025-06-07"],
    "c.com": ["single", "2025-06-07"],
  });
});

it("names in the community list since before 2020 are legacy unless another source or an addition has them", () => {
  const imported = createSource("D", ["a.com", "b.com", "c.com", "d.com"], "2016-05-10");
  const later = createSource("D", ["e.com"], "2020-01-01");
  const others = [
    createSource("F", ["b.com"], ""),
    createSource("C", ["c.com"]),
    createSource("E", ["a.com", "d.com"], ""),
  ];
  expect(agesOf(merge([mergeNames(imported, later), ...others], ["d.com"]))).toEqual({
    "a.com": ["legacy", "2016-05-10"],
    "b.com": ["confirmed", "2016-05-10"],
    "c.com": ["confirmed", "2016-05-10"],
    "d.com": ["confirmed", "2016-05-10"],
    "e.com": ["confirmed", "2020-01-01"],
  });
});

it("an entry that a source had before its recorded history has no first day, unless another source has an earlier one", () => {
  const undated = createSource("T", ["a.com", "b.com", "c.com"], "");
  const days = ["2024-12-31", "2025-01-01", "2025-06-07"];
  const dated = ["a.com", "b.com", "c.com"].map((name, i) => createSource("D", [name], days[i]));
  for (const sources of [
    [undated, ...dated],
    [...dated, undated],
  ])
    expect(Object.values(agesOf(merge(sources))).map(([, since]) => since)).toEqual([
      "2024-12-31",
      undefined,
      undefined,
    ]);
});

it.each([
  [0, "confirmed"],
  [1, "confirmed"],
  [3, "confirmed"],
  [4, "single"],
  [7, "single"],
  [60, "single"],
  [90, "single"],
  [91, "legacy"],
  [200, "legacy"],
])("an entry missing from the last %i editions of a daily list has the confidence %s", (missed, confidence) => {
  const day = (number: number): string => new Date(Date.UTC(2026, 0, 1 + 3 * number)).toISOString().slice(0, 10);
  const later = Array.from({ length: missed }, (_, i) => createSource("C", [`n${i}.org`], day(i + 1)));
  const source = later.reduce(mergeNames, createSource("C", ["a.com"], "2025-02-03", day(0)));
  const entry = merge([source]).disposable.get("a.com");
  expect(CONFIDENCES[confidenceRank(entryFlags(entry as number))]).toBe(confidence);
  expect([formatDay(firstDayOf(entry as number)), formatDay(lastDayOf(entry as number))]).toEqual([
    "2025-02-03",
    day(0),
  ]);
});

it("names that source E imported in bulk are legacy unless another source has them", () => {
  const bulk = createSource("E", ["a.com", "b.com", "c.com"], "2026-06-24");
  const merged = merge([bulk, createSource("T", ["b.com"], "2026-06-24"), createSource("D", ["c.com"], "")]);
  expect(Object.values(agesOf(merged)).map(([confidence]) => confidence)).toEqual(["legacy", "single", "confirmed"]);
});

it("lists without proof don't raise the confidence of domains removed from the community list", () => {
  const merged = merge([
    createSource("T", ["taken-off.com"], "2026-03-01"),
    createSource("E", ["taken-off.com"], "2026-03-01"),
  ]);
  expect(agesOf(merged)).toEqual({ "taken-off.com": ["legacy", "2026-03-01"] });
  expect(agesOf(merge([createSource("C", ["taken-off.com"])]))).toEqual({
    "taken-off.com": ["confirmed", "2025-01-01"],
  });
});

it("a domain with three children in a daily list is disposable", () => {
  const two = merge([createSource("C", ["a.b.many.com", "c.many.com"])]);
  expect(lettersOf(two)).toEqual({ "a.b.many.com": "C", "c.many.com": "C" });
  const three = merge([createSource("C", ["a.b.many.com", "c.many.com", "d.many.com"])]);
  expect(lettersOf(three)).toEqual({ "many.com": "C" });
  expect(agesOf(three)).toEqual({ "many.com": ["confirmed", "2025-01-01"] });
});

it("a parent has the confidence of its third-best child and the first day of its oldest", () => {
  const days = Array.from({ length: 5 }, (_, i) => `2026-01-0${i + 1}`);
  const old = mergeNames(
    createSource("C", ["a.many.com"], "2025-05-01"),
    createSource("C", ["b.many.com", "c.many.com"], days[4]),
  );
  const all = days.reduce((known, day) => mergeNames(known, createSource("C", [`n${day}.org`], day)), old);
  const entry = merge([all]).disposable.get("many.com") as number;
  expect([confidenceRank(entryFlags(entry)), formatDay(firstDayOf(entry)), formatDay(lastDayOf(entry))]).toEqual([
    CONFIDENCES.indexOf("single"),
    "2025-05-01",
    days[4],
  ]);
});

it("a free-subdomain host or protected domain is not listed because of its children", () => {
  const names = ["a", "b", "c"].flatMap((label) => [`${label}.free.com`, `${label}.bank.com`, `${label}.zip`]);
  expect(lettersOf(merge([createSource("C", names)]))).toEqual({
    "a.free.com": "C",
    "b.free.com": "C",
    "c.free.com": "C",
  });
});

it("a parent is not listed because of outdated children or children in other lists", () => {
  expect(lettersOf(merge([createSource("E", ["a.many.com", "b.many.com", "c.many.com"])]))["many.com"]).toBeUndefined();
  const old = createSource("C", ["a.many.com", "b.many.com", "c.many.com"], "2025-01-01");
  const days = Array.from({ length: 91 }, (_, i) => new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10));
  const createDaily = (days: readonly string[]): SourceNames =>
    days.reduce((known, day) => mergeNames(known, createSource("C", [`n${day}.org`], day)), old);
  expect(lettersOf(merge([createDaily(days.slice(1))]))["many.com"]).toBe("C");
  expect(lettersOf(merge([createDaily(days)]))["many.com"]).toBeUndefined();
});

it("the merge fails if a canary or its parent would be disposable", () => {
  const poisoned = [createSource("D", ["a.com"]), createSource("E", ["b.com", "gmail.com"])];
  expect(() => merge(poisoned, [], ["gmail.com"])).toThrow(
    new CurationError("the canary gmail.com would be disposable by gmail.com"),
  );
  expect(() => merge(poisoned, [], ["x.gmail.com"])).toThrow("would be disposable by gmail.com");
  expect(() => merge(poisoned, [], ["bank.com", "x.org"])).not.toThrow();
});

it("the merge fails if one of our additions is protected", () => {
  expect(() => merge([], ["x.bank.com"])).toThrow("our own addition x.bank.com is protected");
});

it.each([
  ["lines of text", "# comment\na.com\n\n  b.com \r\n#x\nc.com", ["a.com", "b.com", "c.com"]],
  ["a JSON array", ' ["a.com","b.com"]', ["a.com", "b.com"]],
  ["an object with an array", '{"domains":["a.com"]}', ["a.com"]],
  ["an object with keys", '{"domains":{"a.com":{},"b.com":{}}}', ["a.com", "b.com"]],
  ["an empty text", "", []],
])("readNames reads the names in %s", (_, text, names) => {
  expect(readNames(text)).toEqual(names);
});

it.each(['{"names":["a.com"]}', "[1,2]", '["a.com",null]', '{"domains":7}'])("readNames rejects %s", (text) => {
  expect(() => readNames(text)).toThrow(CurationError);
});

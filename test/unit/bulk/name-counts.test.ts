// Tests the counts of the most frequent names: exact up to the capacity; beyond it, no frequent name is lost.

import { expect, it } from "vitest";
import { NameCounts } from "../../../src/bulk/name-counts.ts";

it("NameCounts returns exact counts of a few names, the most frequent first", () => {
  const counts = new NameCounts();
  for (const name of ["b.org", "a.org", "c.org", "a.org"]) counts.add(name);
  counts.add("c.org", 5);
  expect(counts.top(9).map(({ name, rows }) => `${name} ${rows}`)).toEqual(["c.org 6", "a.org 2", "b.org 1"]);
  expect(counts.top(1)).toHaveLength(1);
});

it("NameCounts keeps frequent names among many rare ones, with exact counts", () => {
  const counts = new NameCounts();
  for (let i = 0; i < 100_000; i += 1) {
    counts.add(`rare${i}.example`);
    if (i % 500 === 0) counts.add(`often${i % 5}.example`);
    if (i % 1000 === 0) counts.add("frequent.example");
  }
  expect(counts.top(2)).toEqual([
    { name: "often0.example", rows: 200 },
    { name: "frequent.example", rows: 100 },
  ]);
});

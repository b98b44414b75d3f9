// The most frequent names: exact while there is room, never over the truth, and no frequent name is lost among any number of rare ones.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HeavyHitters } from "../../../src/bulk/heavy-hitters.ts";

function countsOf(names: readonly string[]): HeavyHitters {
  const hitters = new HeavyHitters();
  for (const name of names) {
    const bytes = Buffer.from(`x@${name}`);
    hitters.add(bytes, 2, bytes.length);
  }
  return hitters;
}

describe("HeavyHitters", () => {
  it("counts exactly what has room, letter case apart", () => {
    const name = fc.constantFrom("a.org", "A.org", "b.org", "c.example", "d".repeat(64));
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const counted = countsOf(names).top(10);
        const truth = new Map<string, number>();
        for (const one of names) truth.set(one.toLowerCase(), (truth.get(one.toLowerCase()) ?? 0) + 1);
        expect(new Map(counted.map(({ name, rows }) => [name, rows]))).toEqual(truth);
        expect(counted.map(({ rows }) => rows)).toEqual([...truth.values()].sort((a, b) => b - a));
      }),
      { numRuns: 50 },
    );
  });

  it("returns names in UTF-8", () => {
    const hitters = countsOf(["bücher.de", "bücher.de", "gmail\u200e.com"]);
    const names = hitters.top(9).map(({ name, rows }) => [name, rows]);
    expect(names).toEqual([
      ["bücher.de", 2],
      ["gmail\u200e.com", 1],
    ]);
  });

  it("keeps frequent names among very many rare ones, and never counts too many", () => {
    const hitters = new HeavyHitters();
    const add = (name: string): void => {
      const bytes = Buffer.from(name);
      hitters.add(bytes, 0, bytes.length);
    };
    for (let i = 0; i < 100_000; i += 1) {
      add(`rare${i}.example`);
      if (i % 500 === 0) add(`often${i % 5}.example`);
      if (i % 1000 === 0) add("frequent.example");
    }
    const top = hitters.top(2);
    expect(top.map(({ name }) => name)).toEqual(["often0.example", "frequent.example"]);
    for (const { rows, name } of top) {
      const truth = name.startsWith("often") ? 200 : 100;
      expect(rows).toBeLessThanOrEqual(truth);
      expect(rows).toBeGreaterThan(0.9 * truth);
    }
  });

  it("leaves out what is too long to be a frequent domain", () => {
    expect(countsOf(["e".repeat(65), ""]).top(5)).toEqual([]);
  });
});

// The count of different names: exact while they are few, close when they are many, the same in parts as in one.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Distinct } from "../../src/bulk/distinct.ts";
import { encodeUtf8 } from "../../src/bytes/octets.ts";

function add(distinct: Distinct, name: string): void {
  const octets = encodeUtf8(name);
  distinct.add(octets, 0, octets.length);
}

describe("Distinct", () => {
  it("is exact for few names, whatever their letter case and number", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}\.[a-z]{2}$/), { maxLength: 300 }), (names) => {
        const distinct = new Distinct();
        for (const name of names) for (const shown of [name, name.toUpperCase()]) add(distinct, shown);
        expect(distinct.count).toBe(new Set(names).size);
      }),
      { numRuns: 30 },
    );
  });

  it.each([3000, 10_000, 40_000, 300_000])("is within three percent for %d names", (count) => {
    const distinct = new Distinct();
    for (let i = 0; i < count; i += 1) add(distinct, `host-${i}.example${i % 7}.com`);
    expect(Math.abs(distinct.count - count) / count).toBeLessThan(0.03);
  });

  it.each([10, 1500, 5000])("put together from parts of %d names is the count of all", (size) => {
    const [whole, merged, part] = [new Distinct(), new Distinct(), new Distinct()];
    for (let i = 0; i < 4; i += 1) {
      for (let j = 0; j < size; j += 1) {
        // Half of the names stand in two parts.
        add(whole, `n${i * (size / 2) + j}.com`);
        add(part, `n${i * (size / 2) + j}.com`);
      }
      merged.merge(structuredClone(part.take()));
      expect(part.count).toBe(0);
    }
    expect(merged.count).toBe(whole.count);
  });
});

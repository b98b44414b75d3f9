// Tests the byte cache: it may evict a key, but never returns another key's value.

import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteCache } from "../../../../src/base/bytes/byte-cache.ts";

const MAX_KEY_BYTES = 56;

/** Looks up each name, caches it if it is missing, and compares with a plain map. Returns the number of hits. */
function countHits(
  cache: ByteCache<number>,
  names: readonly Uint8Array[],
  writeKey: (name: Uint8Array) => [Uint8Array, number],
) {
  const expected = new Map<string, number>();
  let hits = 0;
  for (const name of names) {
    const key = Buffer.from(name).toString("latin1");
    const value = expected.get(key) ?? expected.size;
    expected.set(key, value);
    const [bytes, start] = writeKey(name);
    const end = start + name.length;
    const cached = cache.get(bytes, start, end);
    if (cached !== undefined) {
      hits += 1;
      expect(cached).toBe(value);
      continue;
    }
    cache.set(start, end, value);
    expect(cache.get(bytes, start, end)).toBe(name.length <= MAX_KEY_BYTES ? value : undefined);
  }
  return hits;
}

// Few letters and few lengths: many names differ in one byte.
const name = fc
  .tuple(fc.constantFrom(1, 2, 3, 4, 5, 7, 8, 9, 12, 31, 48, 55, 56, 57, 60), fc.array(fc.nat(59), { maxLength: 3 }))
  .map(([length, capitals]) => {
    const bytes = new Uint8Array(length).fill(0x61);
    for (const index of capitals) bytes[index % length] = 0x41 + (index % 3);
    return bytes;
  });
const anyName = fc.uint8Array({ minLength: 1, maxLength: 60 });

it("ByteCache never returns another key's value", () => {
  const names = fc.array(fc.oneof(name, anyName), { minLength: 1, maxLength: 120, size: "max" });
  fc.assert(
    fc.property(names, fc.constantFrom(1, 2, 3, 16, 1024), fc.nat(9), (keys, entries, offset) => {
      // Alternates between two arrays, one a view into a larger buffer, because the cache keeps views of its input.
      const one = new Uint8Array(80);
      const other = new Uint8Array(new ArrayBuffer(120), 13, 80);
      let turn = 0;
      countHits(new ByteCache<number>(entries), keys, (bytes) => {
        turn += 1;
        const target = turn % 3 === 0 ? other : one;
        target.fill(turn & 0xff);
        target.set(bytes, offset);
        return [target, offset];
      });
    }),
    { numRuns: 100 },
  );
});

it("ByteCache distinguishes keys with equal hashes", () => {
  // For each first word, computes the second one that gives the same hash: odd multiplication is invertible.
  const factor = 0x5bd1e995;
  let inverse = factor;
  for (let i = 0; i < 5; i += 1) inverse = Math.imul(inverse, 2 - Math.imul(factor, inverse));
  const step = (hash: number, word: number): number => Math.imul(hash ^ word, factor) ^ (hash >>> 15);
  const names: Uint8Array[] = [];
  for (let first = 1; first < 300; first += 1) {
    const hash = step(8, first);
    const second = Math.imul(0x1234567 ^ (hash >>> 15), inverse) ^ hash;
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setInt32(0, first, true);
    bytes.setInt32(4, second, true);
    names.push(new Uint8Array(bytes.buffer));
  }
  const hits = countHits(new ByteCache<number>(4096), [...names, ...names], (bytes) => [bytes, 0]);
  expect(hits).toBeLessThan(names.length);
});

it("ByteCache caches keys of up to 56 bytes", () => {
  const names = Array.from({ length: 100 }, (_, i) => Buffer.from(`host-${i}.example.org`));
  const cache = new ByteCache<number>(65_536);
  expect(countHits(cache, names, (bytes) => [bytes, 0])).toBe(0);
  // A key has two slots, so a few keys may have been evicted.
  expect(countHits(new ByteCache<number>(65_536), [...names, ...names], (bytes) => [bytes, 0])).toBeGreaterThan(95);
});

it("ByteCache never caches an empty key", () => {
  const cache = new ByteCache<number>(2);
  const bytes = Buffer.from("a");
  for (const end of [0, 1, 0]) {
    expect(cache.get(bytes, 0, end)).toBeUndefined();
    cache.set(0, end, 1);
  }
  expect(cache.get(bytes, 1, 1)).toBeUndefined();
});

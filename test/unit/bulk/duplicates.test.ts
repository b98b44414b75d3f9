// Tests duplicate detection: the same results as with a Map, bounded memory, and references to first rows.

import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import { Duplicates, digest, KEY_WORDS, MAILBOX_BYTES } from "../../../src/bulk/duplicates.ts";
import { Row } from "../../../src/bulk/rows/row.ts";
import type { Classifier } from "../../../src/detection/classifier.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const KEY = Int32Array.of(0x833d3433, 0x009f389f, 0x2398e64f, 0x417acf39);
const DOMAIN = encodeUtf8("Example.COM");

function mailbox(localPart: string): Classifier {
  const bytes = encodeUtf8(localPart);
  const canonicalLocalPart = { bytes, start: 0, end: bytes.length };
  return { canonicalLocalPart, domainBytes: DOMAIN, domainStart: 0, domainEnd: DOMAIN.length } as unknown as Classifier;
}

function createDuplicates(limit = 1e9): Duplicates {
  return new Duplicates(KEY, limit, (rows) => new Error(`${rows} rows were compared`));
}

// Test vectors of the reference code. The message of n bytes is 0, 1, 2 and so on.
test.each([
  [0, "792e8fe5 75ce87aa 2d1450b5 1191970b"],
  [1, "13a9307b 50e62c89 4577bd88 c0bbdc18"],
  [2, "55df8922 2c7ff577 73809ef4 4e5084c0"],
  [16, "79271ca9 d66a1c71 81ca474e 49831cad"],
])("digest of %i bytes equals the Chaskey test vector", (length, expected) => {
  const { key } = createDuplicates() as unknown as { key: Int32Array };
  // The bytes after the text must not change the digest.
  const text = Uint8Array.from({ length: 32 }, (_, i) => (i < length ? i : 0xff));
  const words = new Int32Array(KEY_WORDS);
  digest(key, new Int32Array(text.buffer), 0, length, words, 0);
  expect([...words].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join(" ")).toBe(expected);
});

test("Duplicates finds the same duplicates and largest groups as a Map", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 3000 }), fc.integer(), (names, seed) => {
      const duplicates = new Duplicates(
        Int32Array.from({ length: KEY_WORDS }, (_, i) => seed ^ i),
        1e9,
        () => new Error(),
      );
      const first = new Map<number, number>();
      const rows = new Map<number, number>();
      for (const [i, name] of names.entries()) {
        const row = i + 1;
        expect(duplicates.firstRow(mailbox(`u${name}`), row)).toBe(first.get(name));
        if (!first.has(name)) first.set(name, row);
        rows.set(first.get(name) as number, (rows.get(first.get(name) as number) ?? 0) + 1);
      }
      const groups = [...rows].filter(([, count]) => count > 1).sort(([a, m], [b, n]) => n - m || a - b);
      expect(duplicates.report()).toEqual({
        rows: groups.reduce((sum, [, count]) => sum + count, 0),
        mailboxes: groups.length,
        largest: groups.slice(0, 10).map(([row, count]) => ({ first_row: row, rows: count })),
      });
    }),
    { numRuns: 30 },
  );
});

test("Duplicates uses at most 48 bytes per mailbox while it grows, and still finds every mailbox", () => {
  const limit = Math.max(80_000, sampleSize(300_000));
  const duplicates = createDuplicates(limit);
  const { tables } = duplicates as unknown as { tables: readonly Int32Array[] };
  for (let row = 1; row <= limit; row += 1) {
    duplicates.firstRow(mailbox(`u${row}`), row);
    if (row % 500 !== 0 || row < 3500) continue;
    const bytes = tables.reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(bytes).toBeLessThanOrEqual(MAILBOX_BYTES * row);
  }
  for (let row = 1; row <= limit; row += 3) expect(duplicates.firstRow(mailbox(`u${row}`), 1e6)).toBe(row);
});

test("firstRow returns the input name and row number of a first row in an earlier input", () => {
  const duplicates = createDuplicates();
  duplicates.beginInput("a.csv");
  expect(duplicates.firstRow(mailbox("x"), 7)).toBeUndefined();
  duplicates.beginInput("b.csv");
  expect(duplicates.firstRow(mailbox("y"), 2)).toBeUndefined();
  expect(duplicates.firstRow(mailbox("x"), 3)).toBe("a.csv:7");
  expect(duplicates.firstRow(mailbox("y"), 4)).toBe(2);
  duplicates.firstRow(mailbox("z"), 5);
  duplicates.beginInput("c.csv");
  for (const name of ["z", "y", "x"]) duplicates.firstRow(mailbox(name), 1);
  const firsts = duplicates.report().largest.map((group) => [group.first_row, group.rows]);
  expect(firsts).toEqual(Object.entries({ "a.csv:7": 3, "b.csv:2": 3, "b.csv:5": 2 }));
});

test("firstRow returns the key of a --known row, and duplicates among --known rows are not counted", () => {
  const duplicates = createDuplicates();
  expect(duplicates.usesBareNumbers).toBe(true);
  duplicates.beginInput("known.csv");
  expect(duplicates.usesBareNumbers).toBe(true);
  duplicates.hasKeys = true;
  duplicates.keyOf = () => "key 7";
  expect(duplicates.usesBareNumbers).toBe(false);
  duplicates.lastKnownRow = Number.POSITIVE_INFINITY;
  for (const row of [1, 2, 3]) duplicates.firstRow(mailbox("x"), row, new Row());
  expect(duplicates.report()).toEqual({ rows: 0, mailboxes: 0, known_rows: 0, largest: [] });
  duplicates.lastKnownRow = 3;
  duplicates.keyOf = undefined;
  duplicates.beginInput("new.csv");
  expect(duplicates.usesBareNumbers).toBe(false);
  expect(duplicates.firstRow(mailbox("x"), 1)).toBe("key 7");
  duplicates.firstRow(mailbox("y"), 2);
  expect(duplicates.firstRow(mailbox("y"), 3)).toBe("new.csv:2");
  const largest = Object.entries({ "new.csv:2": 2, "known.csv:1": 1 });
  expect(duplicates.report()).toEqual({
    rows: 3,
    mailboxes: 2,
    known_rows: 1,
    largest: largest.map(([first_row, rows]) => ({ first_row, rows })),
  });
});

test("the memory limit of Duplicates counts the key of a row once, even if the row has two mailboxes", () => {
  const rowsUntilFull = (keyBytes: number): number => {
    const duplicates = createDuplicates(1000);
    duplicates.keyOf = () => "k".repeat(keyBytes);
    for (let row = 1; ; row += 1) {
      try {
        for (const name of ["a", "b"]) duplicates.firstRow(mailbox(name + row), row, new Row());
      } catch {
        return row;
      }
    }
  };
  expect(rowsUntilFull(0)).toBe(501);
  // Each row adds two mailboxes and its key, whose 250 bytes plus text are subtracted from the limit.
  for (const keyBytes of [1, 1000])
    expect(rowsUntilFull(keyBytes)).toBe(Math.ceil(1001 / (2 + (250 + 2 * keyBytes) / MAILBOX_BYTES)));
});

test("two equal addresses in one row are not duplicates", () => {
  const duplicates = createDuplicates();
  duplicates.firstRow(mailbox("x"), 1);
  expect(duplicates.firstRow(mailbox("x"), 1)).toBeUndefined();
  expect(duplicates.report()).toEqual({ unit: "addresses", rows: 0, mailboxes: 0, largest: [] });
});

test("drop needs no memory for rows between mailboxes, and none for a row without a mailbox", () => {
  const duplicates = createDuplicates();
  const before = process.memoryUsage().arrayBuffers;
  duplicates.firstRow(mailbox("x"), 1e9);
  duplicates.drop(1e9);
  duplicates.firstRow(mailbox("y"), 2e9);
  duplicates.drop(3e9);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e6);
  duplicates.firstRow(mailbox("y"), 3e9);
  expect(duplicates.isFirstRowDropped).toBe(false);
  expect(duplicates.firstRow(mailbox("x"), 3e9 + 1)).toBe(1e9);
  expect(duplicates.isFirstRowDropped).toBe(true);
});

test("isFirstRowDropped considers all mailboxes of a row, and the tables keep dropped mailboxes as they grow", () => {
  const duplicates = createDuplicates();
  for (let i = 0; i < 1000; i += 1) duplicates.firstRow(mailbox(`dropped${i}`), 1);
  duplicates.drop(1);
  for (let i = 0; i < 1000; i += 1) duplicates.firstRow(mailbox(`kept${i}`), 2);
  duplicates.firstRow(mailbox("dropped1"), 3);
  duplicates.drop(3);
  for (let i = 0; i < 1000; i += 1) {
    const row = 4 + 2 * i;
    for (const name of [`kept${i}`, "new"]) duplicates.firstRow(mailbox(name), row);
    expect(duplicates.isFirstRowDropped).toBe(false);
    for (const name of ["kept0", `dropped${i}`, "new"]) duplicates.firstRow(mailbox(name), row + 1);
    expect(duplicates.isFirstRowDropped).toBe(true);
  }
});

test("Duplicates throws an error with the number of compared rows when the limit is reached", () => {
  const duplicates = createDuplicates(2);
  for (const [i, name] of ["a", "b", "a", "b"].entries()) duplicates.firstRow(mailbox(name), i + 1);
  expect(() => duplicates.firstRow(mailbox("c"), 5)).toThrow("4 rows were compared");
});

test("Duplicates rejects more than 2^32 - 1 rows, whether they are added one by one or in batches", () => {
  const duplicates = createDuplicates();
  const last = 2 ** 32 - 1;
  expect(duplicates.firstRow(mailbox("a"), last)).toBeUndefined();
  expect(duplicates.firstRow(mailbox("b"), last - 1)).toBeUndefined();
  expect(duplicates.firstRow(mailbox("a"), last)).toBeUndefined();
  expect(() => duplicates.firstRow(mailbox("a"), last + 1)).toThrow(`${last} rows were compared`);
  const words = new Int32Array(encodeUtf8("c@example.com\0\0\0d@example.com\0\0\0").buffer);
  duplicates.digestBatch(words, 0, 2, (i) => 16 * i + 13);
  expect([0, 1].map((i) => duplicates.firstRowOf(i, last - 1 + i, false))).toEqual([last - 1, last]);
  expect([0, 1].map((i) => duplicates.firstRowOf(i, last + i, false))).toEqual([last - 1, 0]);
  expect(duplicates.createLimitError()?.message).toBe(`${last} rows were compared`);
});

test("Duplicates finds the same duplicates whether rows are added one by one or in batches", () => {
  const duplicates = createDuplicates();
  for (let row = 1; row <= 50; row += 1) duplicates.firstRow(mailbox("x".repeat(row)), row);
  let bytes: number[] = [];
  const ends: number[] = [];
  for (let length = 1; length <= 50; length += 1) {
    bytes = [...bytes, ...encodeUtf8(`${"x".repeat(length)}@example.com`)];
    ends.push(bytes.length);
    while (bytes.length % 16 !== 0) bytes.push(0xee);
  }
  const words = new Int32Array(Uint8Array.from(bytes).buffer);
  duplicates.digestBatch(words, 0, 50, (i) => ends[i] as number);
  for (let i = 0; i < 50; i += 1) expect(duplicates.firstRowOf(i, 1000 + i, false)).toBe(i + 1);
});

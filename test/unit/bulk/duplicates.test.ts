import fc from "fast-check";
import { describe, expect, test } from "vitest";
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

function duplicates(most = 1e9): Duplicates {
  return new Duplicates(KEY, most, (rows) => new Error(`${rows} rows were compared`));
}

describe("digest", () => {
  // The vectors of the reference code: the message of n bytes is 0, 1, 2 and so on.
  test.each([
    [0, "792e8fe5 75ce87aa 2d1450b5 1191970b"],
    [1, "13a9307b 50e62c89 4577bd88 c0bbdc18"],
    [2, "55df8922 2c7ff577 73809ef4 4e5084c0"],
    [16, "79271ca9 d66a1c71 81ca474e 49831cad"],
  ])("digest of %i bytes equals the Chaskey test vector", (length, expected) => {
    const { key } = duplicates() as unknown as { key: Int32Array };
    // Bytes after the text are not part of it.
    const text = Uint8Array.from({ length: 32 }, (_, i) => (i < length ? i : 0xff));
    const found = new Int32Array(KEY_WORDS);
    digest(key, new Int32Array(text.buffer), 0, length, found, 0);
    expect([...found].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join(" ")).toBe(expected);
  });
});

describe("Duplicates", () => {
  test("finds the same duplicates and largest groups as a Map", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { maxLength: 3000 }), fc.integer(), (names, seed) => {
        const compared = new Duplicates(
          Int32Array.from({ length: KEY_WORDS }, (_, i) => seed ^ i),
          1e9,
          () => new Error(),
        );
        const first = new Map<number, number>();
        const rows = new Map<number, number>();
        for (const [i, name] of names.entries()) {
          const row = i + 1;
          expect(compared.firstRow(mailbox(`u${name}`), row)).toBe(first.get(name));
          if (!first.has(name)) first.set(name, row);
          rows.set(first.get(name) as number, (rows.get(first.get(name) as number) ?? 0) + 1);
        }
        const groups = [...rows].filter(([, count]) => count > 1).sort(([a, m], [b, n]) => n - m || a - b);
        expect(compared.report()).toEqual({
          rows: groups.reduce((sum, [, count]) => sum + count, 0),
          mailboxes: groups.length,
          largest: groups.slice(0, 10).map(([row, count]) => ({ first_row: row, rows: count })),
        });
      }),
      { numRuns: 30 },
    );
  });

  test("uses at most 48 bytes per mailbox while growing, and finds all mailboxes again", () => {
    const most = Math.max(80_000, sampleSize(300_000));
    const compared = duplicates(most);
    const { tables } = compared as unknown as { tables: readonly Int32Array[] };
    for (let row = 1; row <= most; row += 1) {
      compared.firstRow(mailbox(`u${row}`), row);
      if (row % 500 !== 0 || row < 3500) continue;
      const bytes = tables.reduce((sum, { byteLength }) => sum + byteLength, 0);
      expect(bytes).toBeLessThanOrEqual(MAILBOX_BYTES * row);
    }
    for (let row = 1; row <= most; row += 3) expect(compared.firstRow(mailbox(`u${row}`), 1e6)).toBe(row);
  });

  test("names a first row in an earlier input by input name and row number", () => {
    const compared = duplicates();
    compared.beginInput("a.csv");
    expect(compared.firstRow(mailbox("x"), 7)).toBeUndefined();
    compared.beginInput("b.csv");
    expect(compared.firstRow(mailbox("y"), 2)).toBeUndefined();
    expect(compared.firstRow(mailbox("x"), 3)).toBe("a.csv:7");
    expect(compared.firstRow(mailbox("y"), 4)).toBe(2);
    compared.firstRow(mailbox("z"), 5);
    compared.beginInput("c.csv");
    for (const name of ["z", "y", "x"]) compared.firstRow(mailbox(name), 1);
    const firsts = compared.report().largest.map((group) => [group.first_row, group.rows]);
    expect(firsts).toEqual(Object.entries({ "a.csv:7": 3, "b.csv:2": 3, "b.csv:5": 2 }));
  });

  test("names rows of --known by their keys, and does not count duplicates among them", () => {
    const compared = duplicates();
    expect(compared.hasOneInput).toBe(true);
    compared.beginInput("known.csv");
    expect(compared.hasOneInput).toBe(true);
    compared.hasKeys = true;
    compared.keyOf = () => "key 7";
    expect(compared.hasOneInput).toBe(false);
    compared.countsRepeats = false;
    for (const row of [1, 2, 3]) compared.firstRow(mailbox("x"), row, new Row());
    expect(compared.report()).toEqual({ rows: 0, mailboxes: 0, largest: [] });
    compared.countsRepeats = true;
    compared.keyOf = undefined;
    compared.beginInput("new.csv");
    expect(compared.hasOneInput).toBe(false);
    expect(compared.firstRow(mailbox("x"), 1)).toBe("key 7");
    compared.firstRow(mailbox("y"), 2);
    expect(compared.firstRow(mailbox("y"), 3)).toBe("new.csv:2");
    const largest = ["known.csv:1", "new.csv:2"].map((first_row) => ({ first_row, rows: 2 }));
    expect(compared.report()).toEqual({ rows: 4, mailboxes: 2, largest });
  });

  test("counts each key's memory once", () => {
    const rowsUntilFull = (keyBytes: number): number => {
      const compared = duplicates(1000);
      compared.keyOf = () => "k".repeat(keyBytes);
      for (let row = 1; ; row += 1) {
        try {
          for (const name of ["a", "b"]) compared.firstRow(mailbox(name + row), row, new Row());
        } catch {
          return row;
        }
      }
    };
    expect(rowsUntilFull(0)).toBe(501);
    // The second mailbox of a row is one too many where two of each row, and a key of 250 bytes beside its text, fill all.
    for (const keyBytes of [1, 1000])
      expect(rowsUntilFull(keyBytes)).toBe(Math.ceil(1001 / (2 + (250 + 2 * keyBytes) / MAILBOX_BYTES)));
  });

  test("does not report two equal addresses in one row", () => {
    const compared = duplicates();
    compared.firstRow(mailbox("x"), 1);
    expect(compared.firstRow(mailbox("x"), 1)).toBeUndefined();
    expect(compared.report()).toEqual({ rows: 0, mailboxes: 0, largest: [] });
  });

  test("throws with the number of compared rows when the limit is reached", () => {
    const compared = duplicates(2);
    for (const [i, name] of ["a", "b", "a", "b"].entries()) compared.firstRow(mailbox(name), i + 1);
    expect(() => compared.firstRow(mailbox("c"), 5)).toThrow("4 rows were compared");
  });

  test("ends after 2^32 - 1 rows, one by one and in batches", () => {
    const compared = duplicates();
    const last = 2 ** 32 - 1;
    expect(compared.firstRow(mailbox("a"), last)).toBeUndefined();
    expect(compared.firstRow(mailbox("b"), last - 1)).toBeUndefined();
    expect(compared.firstRow(mailbox("a"), last)).toBeUndefined();
    expect(() => compared.firstRow(mailbox("a"), last + 1)).toThrow(`${last} rows were compared`);
    const words = new Int32Array(encodeUtf8("c@example.com\0\0\0d@example.com\0\0\0").buffer);
    const endOf = (i: number): number => 16 * i + 13;
    expect([...compared.firstRows(words, 0, last - 1, 2, endOf)]).toEqual([last - 1, last]);
    expect([...compared.firstRows(words, 0, last, 2, endOf)]).toEqual([last - 1]);
    expect(compared.limitReached().message).toBe(`${last} rows were compared`);
  });

  test("finds the same duplicates one by one and in batches", () => {
    const compared = duplicates();
    for (let row = 1; row <= 50; row += 1) compared.firstRow(mailbox("x".repeat(row)), row);
    let bytes: number[] = [];
    const ends: number[] = [];
    for (let length = 1; length <= 50; length += 1) {
      bytes = [...bytes, ...encodeUtf8(`${"x".repeat(length)}@example.com`)];
      ends.push(bytes.length);
      while (bytes.length % 16 !== 0) bytes.push(0xee);
    }
    const words = new Int32Array(Uint8Array.from(bytes).buffer);
    const firsts = compared.firstRows(words, 0, 1000, 50, (i) => ends[i] as number);
    expect([...firsts]).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });
});

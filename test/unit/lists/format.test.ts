// Tests the compiled table: reading returns what was written, and damage of every kind is detected.

import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import { AddrsiftError } from "../../../src/base/errors.ts";
import {
  hashName,
  KIND,
  type Kind,
  type TableEntry,
  TableReader,
  type TableSource,
  tableError,
  writeTable,
} from "../../../src/lists/format.ts";
import { isPacked, packTable, unpackTable } from "../../../src/lists/packed.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const META = { dataVersion: "1", note: "ünïcode" };

function inMemory(bytes: Uint8Array): TableSource {
  return {
    name: "the table",
    length: bytes.length,
    bytes,
    locate: (offset, length) => {
      if (offset + length > bytes.length) throw tableError("the table", "it is cut off");
      return offset;
    },
  };
}

function find(reader: TableReader, kind: Kind, name: Uint8Array): Uint8Array | undefined {
  const index = reader.find(kind, hashName(kind, name, 0, name.length), name, 0, name.length);
  return index < 0 ? undefined : reader.bytes.slice(index, index + reader.attributeLength);
}

const entry = (kind: Kind, name: string, attributes: number[]): TableEntry => {
  return { kind, name: encodeUtf8(name), attributes: Uint8Array.from(attributes) };
};

const ENTRIES: TableEntry[] = [];
for (let i = 0; i < 40; i += 1) ENTRIES.push(entry(KIND.domain, `name${i}.example`, [1, i]));
ENTRIES.push(entry(KIND.role, "name1.example", [7]), entry(KIND.role, "büro", []), entry(KIND.topLevel, "com", [0]));

const TABLE = writeTable(ENTRIES, META);
const HEADER_LENGTH = new DataView(TABLE.buffer).getUint32(8 + 4 * 2, true);

const ANY_ENTRIES = fc.uniqueArray(
  fc.record({
    kind: fc.constantFrom(...Object.values(KIND)),
    name: fc.string({ unit: fc.constantFrom(..."abc.-19é"), minLength: 1, maxLength: 20 }).map(encodeUtf8),
    attributes: fc.uint8Array({ maxLength: 10 }),
  }),
  { selector: ({ kind, name }) => `${kind} ${name.join()}`, maxLength: 60 },
);

/** Reads everything in a table, on demand or after verifying the whole table. */
function readAll(bytes: Uint8Array, isVerified: boolean): unknown {
  const reader = new TableReader(inMemory(bytes));
  if (isVerified) reader.verify();
  const meta = reader.readMeta();
  return [meta, [...reader.entries()].length, ENTRIES.map(({ kind, name }) => find(reader, kind, name))];
}

function flipBit(offset: number): Uint8Array {
  const bytes = TABLE.slice();
  bytes[offset] = (bytes[offset] as number) ^ 0x10;
  return bytes;
}

/** Returns the offsets, every `step` bytes, at which `read` does not detect a changed bit. */
function findUndetected(from: number, to: number, step: number, read: (bytes: Uint8Array) => unknown): number[] {
  const offsets: number[] = [];
  for (let offset = from; offset < to; offset += step) {
    try {
      read(flipBit(offset));
      offsets.push(offset);
    } catch (error) {
      if (!(error instanceof AddrsiftError)) throw error;
    }
  }
  return offsets;
}

it("a compiled table finds every written entry and no other name", () => {
  fc.assert(
    fc.property(ANY_ENTRIES, (entries) => {
      const reader = new TableReader(inMemory(writeTable(entries, META)));
      reader.verify();
      expect(reader.readMeta()).toEqual(META);
      for (const { kind, name, attributes } of entries) expect(find(reader, kind, name)).toEqual(attributes);
      expect(find(reader, KIND.domain, encodeUtf8("not.there"))).toBeUndefined();
      expect(find(reader, KIND.domain, new Uint8Array(0))).toBeUndefined();
      const format = (all: Iterable<TableEntry>): string[] =>
        Array.from(all, ({ kind, name, attributes }) => `${kind} ${name} ${attributes}`).sort();
      const written = format(reader.entries());
      expect(written).toEqual(format(entries));
      if (entries.length === 0) return;
      const packed = encodeUtf8(packTable(entries, META));
      expect([isPacked(packed), isPacked(TABLE)]).toEqual([true, false]);
      const unpacked = new TableReader(inMemory(unpackTable("a", packed)));
      expect(unpacked.readMeta()).toEqual(META);
      expect(format(unpacked.entries())).toEqual(written);
    }),
    { numRuns: sampleSize(300) },
  );
});

it("writeTable writes equal entries as equal bytes", () => {
  expect(Buffer.from(writeTable([...ENTRIES], { ...META })).equals(TABLE)).toBe(true);
});

it("a compiled table looks up names by kind, ignoring case", () => {
  const reader = new TableReader(inMemory(TABLE));
  expect(find(reader, KIND.domain, encodeUtf8("NAME1.Example"))).toEqual(Uint8Array.of(1, 1));
  expect(find(reader, KIND.role, encodeUtf8("name1.example"))).toEqual(Uint8Array.of(7));
  expect(find(reader, KIND.typo, encodeUtf8("name1.example"))).toBeUndefined();
});

it("an empty table finds nothing", () => {
  const reader = new TableReader(inMemory(writeTable([], META)));
  reader.verify();
  expect(find(reader, KIND.domain, encodeUtf8("example.com"))).toBeUndefined();
});

it.each([
  ["foreign", encodeUtf8("PK\u0003\u0004".padEnd(HEADER_LENGTH)), "not a compiled list"],
  ["empty", new Uint8Array(0), "too short"],
  ["truncated within its header", TABLE.subarray(0, HEADER_LENGTH - 1), "too short"],
  ["truncated after its header", TABLE.subarray(0, HEADER_LENGTH), "length is wrong"],
  ["truncated by one byte", TABLE.subarray(0, -1), "length is wrong"],
  ["too long by one byte", Uint8Array.of(...TABLE, 0), "length is wrong"],
  ["of another format", flipBit(8), "its format is"],
])("the reader rejects a table that is %s", (_, bytes, reason) => {
  expect(() => new TableReader(inMemory(bytes))).toThrow(AddrsiftError);
  expect(() => new TableReader(inMemory(bytes))).toThrow(reason);
});

it("the reader detects a changed bit anywhere in the header", () => {
  expect(findUndetected(0, HEADER_LENGTH, 1, (bytes) => new TableReader(inMemory(bytes)))).toEqual([]);
});

it("verify() detects a changed bit anywhere in the table", () => {
  // One hash covers the whole table, so a sample of offsets is enough.
  expect(findUndetected(0, TABLE.length, 11, (bytes) => readAll(bytes, true))).toEqual([]);
});

it("the reader returns no wrong record from a damaged table read on demand", () => {
  const header = new DataView(TABLE.buffer);
  const metaEnd = HEADER_LENGTH + header.getUint32(8 + 4 * 3, true);
  const index = header.getUint32(8 + 4 * 4, true);
  const read = (bytes: Uint8Array): unknown => readAll(bytes, false);
  // Skips padding and filters between metadata and index, which reading on demand does not use.
  expect(findUndetected(HEADER_LENGTH, metaEnd, 1, read)).toEqual([]);
  expect(findUndetected(index, TABLE.length, 1, read)).toEqual([]);
});

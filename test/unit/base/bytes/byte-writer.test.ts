// Tests that the byte writer returns the concatenated bytes, at any capacity and from any arrays.

import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteWriter } from "../../../../src/base/bytes/byte-writer.ts";

const HOST = "abcxyzABCXYZ0189-.";
const SOURCES: readonly Uint8Array[] = [
  Uint8Array.from({ length: 300 }, (_, i) => (i * 11) & 0xff),
  new Uint8Array(new ArrayBuffer(500), 7, 300).map((_, i) => 255 - (i & 0xff)),
  Buffer.from("abc").subarray(1),
];
const HOSTS: readonly Uint8Array[] = [
  Buffer.from(HOST.repeat(10)),
  new Uint8Array(Buffer.from(`\0\0\0${HOST.repeat(9)}`).buffer).subarray(0),
].map((bytes) => Uint8Array.from(bytes).filter((byte) => HOST.includes(String.fromCharCode(byte))));

type Step = readonly [
  kind: "slice" | "host" | "byte" | "text" | "bytes" | "clear",
  source: number,
  offset: number,
  length: number,
];

function apply(out: ByteWriter, written: number[], [kind, source, offset, length]: Step): void {
  const bytes = (kind === "host" ? HOSTS[source % HOSTS.length] : SOURCES[source]) as Uint8Array;
  const start = Math.min(offset, bytes.length);
  const end = Math.min(bytes.length, start + length);
  const chunk = bytes.subarray(start, end);
  if (kind === "slice") out.slice(bytes, start, end);
  else if (kind === "bytes") out.bytes(chunk);
  else if (kind === "byte") out.byte(offset & 0xff);
  else if (kind === "text") out.text("é漢".repeat(length % 5));
  else if (kind === "host") out.hostName(bytes, start, end);
  else out.clear();
  if (kind === "slice" || kind === "bytes") written.push(...chunk);
  else if (kind === "byte") written.push(offset & 0xff);
  else if (kind === "text") written.push(...Buffer.from("é漢".repeat(length % 5)));
  else if (kind === "host") written.push(...Buffer.from(Buffer.from(chunk).toString("latin1").toLowerCase()));
  else written.length = 0;
}

const kinds = fc.constantFrom("slice", "slice", "host", "host", "byte", "text", "bytes", "clear");
const anyStep = fc.tuple(
  kinds as fc.Arbitrary<Step[0]>,
  fc.nat(2),
  fc.nat(20),
  fc.oneof(fc.nat(12), fc.constantFrom(95, 96, 97, 98, 200)),
);

it("the output of ByteWriter is the concatenation of everything that was written", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 40 }), fc.constantFrom(0, 1, 2, 3, 7, 64, 5000), (steps, capacity) => {
      const out = new ByteWriter(capacity);
      const written: number[] = [];
      for (const step of steps) {
        apply(out, written, step);
        expect(out.length).toBe(written.length);
      }
      expect(Buffer.from(out.buffer.subarray(0, out.length)).equals(Uint8Array.from(written))).toBe(true);
    }),
    { numRuns: 400 },
  );
});

it("ByteWriter doesn't modify its sources or bytes after its end", () => {
  const out = new ByteWriter(8);
  const source = Buffer.from("ABCDEFGH");
  out.buffer.fill(0x2a);
  out.hostName(source, 1, 4);
  expect(Buffer.from(out.buffer).toString()).toBe("bcd*****");
  expect(source.toString()).toBe("ABCDEFGH");
});

it("ByteWriter copies the current bytes of an array that changed since the last copy", () => {
  const out = new ByteWriter(16);
  const source = Buffer.from("first.example");
  out.slice(source, 0, 5);
  source.write("other");
  out.slice(source, 0, 5);
  expect(Buffer.from(out.buffer.subarray(0, out.length)).toString()).toBe("firstother");
});

it("ByteWriter grows by doubling", () => {
  const out = new ByteWriter(16);
  const sizes = new Set<number>();
  for (let i = 0; i < 10_000; i += 1) {
    out.byte(i & 0xff);
    sizes.add(out.buffer.length);
  }
  expect(sizes.size).toBeLessThan(12);
  expect(out.buffer[9_999]).toBe(9_999 & 0xff);
});

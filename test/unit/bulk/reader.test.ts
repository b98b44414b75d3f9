// Tests the input buffer: no byte is lost or repeated, however few a source returns per read.

import fc from "fast-check";
import { expect, it } from "vitest";
import { InputBuffer, READ_BYTES } from "../../../src/bulk/reader.ts";

/** Creates a source that returns at most `size` bytes per read, and records the free bytes of each read's target. */
function source(bytes: Uint8Array, size: number) {
  let at = 0;
  const freeBytes: number[] = [];
  return {
    freeBytes,
    read: async (target: Uint8Array, to: number) => {
      freeBytes.push(target.length - to);
      const chunk = bytes.subarray(at, at + Math.min(size, target.length - to));
      target.set(chunk, to);
      at += chunk.length;
      return chunk.length;
    },
    close: () => {},
  };
}

const createBytes = (length: number): Uint8Array => new Uint8Array(length).map((_, i) => (i * 7 + (i >> 8)) & 0xff);

it("InputBuffer.fill reads once, so that a complete row is not delayed", async () => {
  const bytes = createBytes(50);
  const from = source(bytes, 7);
  const input = new InputBuffer(from);
  await input.fill();
  expect([input.unread.length, input.ended, from.freeBytes.length]).toEqual([7, false, 1]);
  input.start += 4;
  await input.fill();
  expect(Buffer.from(input.unread).equals(bytes.subarray(4, 14))).toBe(true);
  expect(from.freeBytes.length).toBe(2);
  while (!input.ended) await input.fill();
  expect(Buffer.from(input.unread).equals(bytes.subarray(4))).toBe(true);
  await input.fill();
  expect([input.unread.length, input.ended]).toEqual([46, true]);
});

it("InputBuffer returns every byte once, in order, however many bytes are consumed at a time", async () => {
  const steps = fc.array(fc.nat(600), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.nat(5000), fc.constantFrom(1, 3, 100, 4999), steps, async (length, size, consumedCounts) => {
      const bytes = createBytes(length);
      const input = new InputBuffer(source(bytes, size));
      const consumed: Buffer[] = [];
      for (let step = 0; !input.ended || input.start < input.end; step += 1) {
        await input.fill();
        const end = input.ended
          ? input.end
          : Math.min(input.end, input.start + (consumedCounts[step % consumedCounts.length] as number));
        consumed.push(Buffer.from(input.bytes.subarray(input.start, end)));
        input.start = end;
      }
      expect(Buffer.concat(consumed).equals(bytes)).toBe(true);
    }),
  );
});

it("InputBuffer grows for an unfinished row, and always has space for a read", async () => {
  const bytes = createBytes(13 * READ_BYTES + 5);
  const from = source(bytes, READ_BYTES + 77);
  const input = new InputBuffer(from);
  while (!input.ended) await input.fill();
  expect(Buffer.from(input.bytes.subarray(0, input.end)).equals(bytes)).toBe(true);
  expect(Math.min(...from.freeBytes)).toBeGreaterThanOrEqual(READ_BYTES);
});

it("InputBuffer does not grow for complete rows", async () => {
  const input = new InputBuffer(source(createBytes(12 * READ_BYTES), Number.MAX_SAFE_INTEGER));
  const capacity = input.bytes.length;
  let total = 0;
  while (!input.ended) {
    await input.fill();
    total += input.unread.length;
    input.start = input.end;
  }
  expect(total).toBe(12 * READ_BYTES);
  expect(input.bytes.length).toBe(capacity);
});

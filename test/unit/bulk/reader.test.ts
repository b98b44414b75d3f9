// Tests the input buffer: no byte is lost or repeated, however few a source returns per read.

import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { InputBuffer, READ_BYTES } from "../../../src/bulk/reader.ts";
import { chunkedSource } from "../../helpers/byte-source.ts";

const createBytes = (length: number): Uint8Array => new Uint8Array(length).map((_, i) => (i * 7 + (i >> 8)) & 0xff);

it("InputBuffer.fill reads once, so that a complete row is not delayed", async () => {
  const bytes = createBytes(50);
  const from = chunkedSource(bytes, 7);
  const read = vi.spyOn(from, "read");
  const input = new InputBuffer(from);
  await input.fill();
  expect([input.unread.length, input.ended, read.mock.calls.length]).toEqual([7, false, 1]);
  input.start += 4;
  await input.fill();
  expect(Buffer.from(input.unread).equals(bytes.subarray(4, 14))).toBe(true);
  expect(read).toHaveBeenCalledTimes(2);
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
      const input = new InputBuffer(chunkedSource(bytes, size));
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
  const from = chunkedSource(bytes, READ_BYTES + 77);
  const read = vi.spyOn(from, "read");
  const input = new InputBuffer(from);
  while (!input.ended) await input.fill();
  expect(Buffer.from(input.bytes.subarray(0, input.end)).equals(bytes)).toBe(true);
  const freeBytes = read.mock.calls.map(([target, offset]) => target.length - offset);
  expect(Math.min(...freeBytes)).toBeGreaterThanOrEqual(READ_BYTES);
});

it("InputBuffer does not grow for complete rows", async () => {
  const input = new InputBuffer(chunkedSource(createBytes(12 * READ_BYTES), Number.MAX_SAFE_INTEGER));
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

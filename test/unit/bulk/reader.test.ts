// The input buffer: nothing is lost or doubled, however little a source gives at a time; byte-order marks and UTF-16.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { takeByteOrderMark } from "../../../src/bulk/beginning.ts";
import { InputBuffer, READ_OCTETS } from "../../../src/bulk/reader.ts";

/** A source of these octets that gives at most `size` at a time, and notes the room it was offered. */
function source(octets: Uint8Array, size: number) {
  let at = 0;
  const rooms: number[] = [];
  return {
    rooms,
    read: async (target: Uint8Array, to: number) => {
      rooms.push(target.length - to);
      const piece = octets.subarray(at, at + Math.min(size, target.length - to));
      target.set(piece, to);
      at += piece.length;
      return piece.length;
    },
    close: () => {},
  };
}

const count = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 0xff);

describe("InputBuffer", () => {
  it("reads once and no more, so that a row which has arrived waits for nothing", async () => {
    const octets = count(50);
    const from = source(octets, 7);
    const input = new InputBuffer(from);
    await input.fill();
    expect([input.end - input.start, input.total, input.ended, from.rooms.length]).toEqual([7, 7, false, 1]);
    input.start += 4;
    await input.fill();
    expect(Buffer.from(input.octets.subarray(input.start, input.end)).equals(octets.subarray(4, 14))).toBe(true);
    expect(from.rooms.length).toBe(2);
    while (!input.ended) await input.fill();
    expect([input.end - input.start, input.total]).toEqual([46, 50]);
    await input.fill();
    expect([input.end - input.start, input.total, input.ended]).toEqual([46, 50, true]);
  });

  it("gives every octet once, in order, whatever is taken", async () => {
    const steps = fc.array(fc.nat(600), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.nat(5000), fc.constantFrom(1, 3, 100, 4999), steps, async (length, size, takes) => {
        const octets = count(length);
        const input = new InputBuffer(source(octets, size));
        const taken: Buffer[] = [];
        for (let turn = 0; !input.ended || input.start < input.end; turn += 1) {
          await input.fill();
          const end = input.ended
            ? input.end
            : Math.min(input.end, input.start + (takes[turn % takes.length] as number));
          taken.push(Buffer.from(input.octets.subarray(input.start, end)));
          input.start = end;
        }
        expect(Buffer.concat(taken).equals(octets)).toBe(true);
        expect(input.total).toBe(length);
      }),
    );
  });

  it("grows for a row that does not end, and always has room to read into", async () => {
    const octets = count(13 * READ_OCTETS + 5);
    const from = source(octets, READ_OCTETS + 77);
    const input = new InputBuffer(from);
    while (!input.ended) await input.fill();
    expect(Buffer.from(input.octets.subarray(0, input.end)).equals(octets)).toBe(true);
    expect(Math.min(...from.rooms)).toBeGreaterThanOrEqual(READ_OCTETS);
  });

  it("does not grow while rows end", async () => {
    const input = new InputBuffer(source(count(40 * READ_OCTETS), Number.MAX_SAFE_INTEGER));
    const room = input.octets.length;
    while (!input.ended) {
      await input.fill();
      input.start = input.end;
    }
    expect(input.total).toBe(40 * READ_OCTETS);
    expect(input.octets.length).toBe(room);
  });
});

describe("takeByteOrderMark", () => {
  const read = async (octets: Uint8Array, size: number) => {
    const input = new InputBuffer(source(octets, size));
    const mark = await takeByteOrderMark(input);
    while (!input.ended) await input.fill();
    return { mark: mark.length, rest: Buffer.from(input.octets.subarray(input.start, input.end)).toString("latin1") };
  };

  it.each([
    ["\xef\xbb\xbfada", 3, "ada"],
    ["\xef\xbb\xbf", 3, ""],
    ["\xef\xbb\xbf\xef\xbb\xbf", 3, "\xef\xbb\xbf"],
    ["\xef\xbb", 0, "\xef\xbb"],
    ["\xef", 0, "\xef"],
    ["", 0, ""],
    ["a", 0, "a"],
    ["a\0", 0, "a\0"],
    ["a\0\0\0", 0, "a\0\0\0"],
    ["ada", 0, "ada"],
  ])("of %j takes %i octets", async (text, mark, rest) => {
    for (const size of [1, 2, 99]) expect(await read(Buffer.from(text, "latin1"), size)).toEqual({ mark, rest });
  });

  it.each([
    ["\xff\xfea\0", "iconv -f UTF-16 -t"],
    ["\xfe\xff\0a", "iconv -f UTF-16 -t"],
    ["\xff\xfe", "iconv -f UTF-16 -t"],
    ["a\0d\0", "iconv -f UTF-16LE -t"],
    ["\0a\0d", "iconv -f UTF-16BE -t"],
    ["\xff\xfe\0\0a\0\0\0", "UTF-32: convert it first, for example with iconv -f UTF-32 -t"],
    ["\0\0\xfe\xff\0\0\0a", "UTF-32: convert it first, for example with iconv -f UTF-32 -t"],
    ["a\0\0\0d\0\0\0", "iconv -f UTF-32LE -t"],
    ["\0\0\0a\0\0\0d", "iconv -f UTF-32BE -t"],
    ["\x1f\x8b\x08\0", "gzip -dc FILE | addrsift detect, with the same options except --input"],
    ["\x1f\x8b", "gzip -dc FILE | addrsift detect"],
    ["PK\x03\x04\x14", "unzip -p FILE | addrsift detect"],
    ["\xfd7zXZ\0\0", "xz -dc FILE | addrsift detect"],
    ["BZh91AY&SYx", "bzip2 -dc FILE | addrsift detect"],
    ["\x28\xb5\x2f\xfd\0", "zstd -dc FILE | addrsift detect"],
  ])("refuses %j with %s", async (text, message) => {
    for (const size of [1, 99]) {
      await expect(read(Buffer.from(text, "latin1"), size)).rejects.toMatchObject({
        code: "INPUT",
        message: expect.stringContaining(message),
      });
    }
  });

  it.each(["PK", "PK\x03", "PKZ@example.org", "\x1f", "\x1fa", "BZh91@example.org", "BZh91AY&S", "(\xb5", "\xfd7zXZ"])(
    "takes %j for text",
    async (text) => {
      expect(await read(Buffer.from(text, "latin1"), 1)).toEqual({ mark: 0, rest: text });
    },
  );
});

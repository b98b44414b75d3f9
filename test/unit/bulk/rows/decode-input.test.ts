// Tests the start of an input: byte-order marks, compressed files and other encodings, for any read size.

import * as zlib from "node:zlib";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { CLI_WORDING, renderMessage } from "../../../../src/bulk/messages.ts";
import { decodeInput, resolveEncoding } from "../../../../src/bulk/rows/decode-input.ts";
import { gunzipSource } from "../../../../src/bulk/run/gunzip.ts";
import { meteredSource } from "../../../../src/bulk/streams.ts";
import { anyText } from "../../../helpers/any-text.ts";
import { chunkedSource } from "../../../helpers/byte-source.ts";
import { sampleSize } from "../../../helpers/sampling.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
const bigEndian = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

async function read(bytes: Uint8Array, size: number, encoding?: string, prefersUtf8 = false) {
  const notes: string[] = [];
  const { buffer: input, byteOrderMark } = await decodeInput(chunkedSource(bytes, size), {
    gunzip: (packed) => gunzipSource(packed, "the input", zlib),
    onNote: (note) => notes.push(renderMessage(CLI_WORDING, note)),
    encoding,
    prefersUtf8,
  });
  while (!input.ended) await input.fill();
  const rest = Buffer.from(input.unread);
  return { bomBytes: byteOrderMark.length, rest, notes };
}

it.each([
  ["\xef\xbb\xbfada", 3, "ada"],
  ["\xef\xbb\xbf", 3, ""],
  ["\xef\xbb\xbf\xef\xbb\xbf", 3, "\xef\xbb\xbf"],
  ["\xef\xbb", 0, "\xef\xbb"],
  ["", 0, ""],
  ["a\0", 0, "a\0"],
  ["a\0\0\0", 0, "a\0\0\0"],
  ["ada", 0, "ada"],
])("decodeInput: the byte-order mark of %j has %i bytes", async (text, bomBytes, rest) => {
  for (const size of [1, 2, 99]) {
    expect(await read(bytes(text), size)).toEqual({ bomBytes, rest: bytes(rest), notes: [] });
  }
});

it.each([
  ["\xff\xfe\0\0a\0\0\0", "iconv -f UTF-32 -t UTF-8 FILE | addrsift detect"],
  ["\0\0\xfe\xff\0\0\0a", "iconv -f UTF-32 -t UTF-8 FILE | addrsift detect"],
  ["a\0\0\0d\0\0\0", "iconv -f UTF-32 -t UTF-8 FILE | addrsift detect"],
  ["\0\0\0a\0\0\0d", "iconv -f UTF-32BE -t UTF-8 FILE | addrsift detect"],
  ["PK\x03\x04\x14", "unzip -p FILE | addrsift detect"],
  ["\xfd7zXZ\0\0", "xz -dc FILE | addrsift detect"],
  ["BZh91AY&SYx", "bzip2 -dc FILE | addrsift detect"],
  ["\x28\xb5\x2f\xfd\0", "zstd -dc FILE | addrsift detect"],
  ["\x1f\x8b\x08\0", "the gzip data of the input is cut off before its end: get the whole file"],
  ["\x1f\x8b", "the gzip data of the input is cut off before its end"],
  ["\x1f\x8bhello, world", "the gzip data of the input is damaged: get the file again"],
])("decodeInput rejects %j with the message %s", async (text, message) => {
  for (const size of [1, 99]) {
    await expect(read(bytes(text), size)).rejects.toMatchObject({
      code: "INPUT",
      message: expect.stringContaining(message),
    });
  }
});

it.each(["PK", "PK\x03", "PKZ@example.org", "\x1f", "\x1fa", "BZh91@example.org", "BZh91AY&S", "(\xb5", "\xfd7zXZ"])(
  "decodeInput accepts %j as text",
  async (text) => {
    expect(await read(bytes(text), 1)).toEqual({ bomBytes: 0, rest: bytes(text), notes: [] });
  },
);

// Detection stops at the first line break and needs zero bytes before it, so the first line is ASCII.
const text = anyText().map((rest) => `ada@example.org\n${rest.replaceAll("\ufffd", "")}`);

it.each([
  ["little-endian", (t: string) => Buffer.from(t, "utf16le"), "", 0],
  ["big-endian", bigEndian, "", 0],
  ["little-endian with a byte-order mark", (t: string) => Buffer.from(t, "utf16le"), "\ufeff", 3],
  ["big-endian with a byte-order mark", bigEndian, "\ufeff", 3],
])("UTF-16 input (%s) in chunks of any size is converted, with a note", async (_, encode, prefix, bomBytes) => {
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (content, size) => {
      const { rest, notes, ...found } = await read(encode(prefix + content), size);
      expect(rest.toString("utf8")).toBe(Buffer.from(content).toString());
      expect(found.bomBytes).toBe(bomBytes);
      expect(notes).toEqual(["UTF-16 is converted to UTF-8"]);
    }),
    { numRuns: 50 },
  );
});

it("an unpaired surrogate, or an odd byte at the end of UTF-16 input, becomes U+FFFD", async () => {
  const odd = Buffer.concat([Buffer.from("ada\ud800x\n", "utf16le"), Buffer.from([0x61])]);
  expect((await read(odd, 3)).rest.toString("utf8")).toBe("ada\ufffdx\n\ufffd");
});

const UMLAUTS = "Jörg,€,jörg@exämple.org\n";
it.each<[string, string, Uint8Array, string]>([
  ["windows-1252", "Latin1", bytes("J\xf6rg,\x80,j\xf6rg@ex\xe4mple.org\n"), UMLAUTS],
  ["shift_jis", "MS_Kanji", bytes("\x8e\x81\x96\xbc,a@b.org\n"), "氏名,a@b.org\n"],
  ["gb18030", "GB18030", bytes("\xd0\xd5\xc3\xfb\x81\x30\x81\x30\n"), "姓名\u0080\n"],
  ["utf-16be", "utf-16be", bigEndian("\u6f22a@b.org\n"), "漢a@b.org\n"],
  ["koi8-r", "koi8", bytes("\xf0\xcf\xde\xd4\xc1"), "Почта"],
  ["windows-1252", "latin1", bytes("a@b.org,caf\xe9"), "a@b.org,café"],
])("--encoding converts %s, plain or in gzip, in chunks of any size", async (name, label, text, expected) => {
  expect(resolveEncoding(label)).toBe(name);
  for (const [size, input] of [1, 2, 3, 99].flatMap((size) => [
    [size, text] as const,
    [size, gzipSync(text)] as const,
  ])) {
    const { rest, bomBytes, notes } = await read(input, size, name);
    expect([rest.toString(), bomBytes, notes]).toEqual([expected, 0, []]);
  }
});

it.each(["a@b.org\ncafé\n", "a@b.org\n\ufeff😀", "é"])(
  "UTF-8 input %j stays as it is if it is preferred to the encoding, in chunks of any size",
  async (text) => {
    for (const size of [1, 2, 3, 99]) {
      const { rest, notes } = await read(Buffer.from(text), size, "windows-1252", true);
      expect([rest.toString(), notes]).toEqual([text, []]);
    }
  },
);

it("a byte-order mark overrides --encoding", async () => {
  expect((await read(Buffer.from("\ufeffJörg"), 99, "windows-1252")).rest.toString()).toBe("Jörg");
  expect((await read(Buffer.from("\ufeffJörg", "utf16le"), 99, "windows-1252")).rest.toString()).toBe("Jörg");
});

it("--encoding utf-8 converts nothing", () => {
  expect([resolveEncoding("UTF8"), resolveEncoding("utf-8")]).toEqual([undefined, undefined]);
});

it.each(["", "latin-x", "utf-32", "iso-2022-kr", "utf-7"])("--encoding rejects %j in one line", (label) => {
  const message = `--encoding does not know "${label}": use a name such as windows-1252 or shift_jis`;
  expect(() => resolveEncoding(label)).toThrow(expect.objectContaining({ code: "USAGE", message }));
});

it("gzip input of one or several members is decompressed in chunks of any size", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string()), fc.integer({ min: 1, max: 50 }), async (members, size) => {
      const packed = Buffer.concat(["ada\n", ...members].map((member) => gzipSync(member)));
      const { rest } = await read(packed, size);
      expect(rest.toString("utf8")).toBe(Buffer.from(["ada\n", ...members].join("")).toString());
    }),
    { numRuns: sampleSize(200) },
  );
});

it("the text in gzip input may begin with a byte-order mark or be UTF-16", async () => {
  expect(await read(gzipSync("\ufeffada"), 5)).toMatchObject({ bomBytes: 3, rest: Buffer.from("ada") });
  expect(await read(gzipSync(bigEndian("\ufeffada")), 5)).toMatchObject({ bomBytes: 3, rest: Buffer.from("ada") });
});

it("gzip input that contains gzip again is rejected", async () => {
  await expect(read(gzipSync(gzipSync("ada")), 99)).rejects.toThrow("packed with gzip twice");
});

const headerFields = Buffer.from([0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3, 2, 0, 1, 2, 0x61, 0, 0x62, 0]);
const checksum = zlib.crc32(headerFields) & 0xffff;
const header = Buffer.concat([headerFields, Buffer.from([checksum & 0xff, checksum >> 8])]);
it("gzip input may have all header fields, and zeros between and after its members", async () => {
  const zeros = Buffer.alloc(9000);
  const packed = Buffer.concat([header, gzipSync("ada").subarray(10), zeros, gzipSync(" eve"), zeros]);
  for (const size of [1, 4096, 100_000]) expect((await read(packed, size)).rest.toString()).toBe("ada eve");
});

const ROWS = Array.from({ length: 50_000 }, (_, i) => `u${(i * 7919) % 50_000}@example.org\n`).join("");
const PACKED_ROWS = gzipSync(ROWS);

/** Reads until the expected error. Returns the text before it. */
async function readUntilError(packed: Buffer, size: number, message: string): Promise<string> {
  const { buffer: input } = await decodeInput(chunkedSource(packed, size), {
    gunzip: (from) => gunzipSource(from, "x.gz", zlib),
    onNote: () => {},
  });
  const all = async (): Promise<void> => {
    while (!input.ended) await input.fill();
  };
  await expect(all()).rejects.toThrow(`the gzip data of x.gz ${message}`);
  const before = Buffer.from(input.bytes.subarray(0, input.end)).toString();
  expect(ROWS.startsWith(before)).toBe(true);
  return before;
}

// At an error, zlib discards its unread output: the rows of at most one chunk of 4 KiB.
const LOST_MAX = 64 * 1024;
it.each<[string, (packed: Buffer) => Buffer, string, number]>([
  ["followed by other data", (packed) => Buffer.concat([packed, Buffer.from("other")]), "is followed by", LOST_MAX],
  ["followed by one byte", (packed) => Buffer.concat([packed, Buffer.from("x")]), "is cut off", 0],
  ["followed by half a header", (packed) => Buffer.concat([packed, Buffer.from([0x1f, 0x8b])]), "is cut off", 0],
  ["followed by zeros and other data", (packed) => Buffer.concat([packed, Buffer.from("\0x\n")]), "is followed by", 0],
  ["damaged at its end", (packed) => Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)]), "is damaged", LOST_MAX],
  ["truncated before its checksum", (packed) => packed.subarray(0, -7), "is cut off", 0],
])("gzip input that is %s fails after most of its text was read", async (_, damage, message, lostMax) => {
  for (const size of [1000, 1_000_000]) {
    const before = await readUntilError(damage(PACKED_ROWS), size, message);
    expect(ROWS.length - before.length).toBeLessThanOrEqual(lostMax);
  }
});

it("gzip input is decompressed only as far as it is read, with less than 1 MiB of memory", async () => {
  const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024, "a"));
  let packedBytes = 0;
  const packed = meteredSource(chunkedSource(bomb, bomb.length), (count) => {
    packedBytes += count;
  });
  const source = gunzipSource(packed, "x.gz", zlib);
  const target = new Uint8Array(1000);
  await source.read(target, 0);
  const before = process.memoryUsage().arrayBuffers;
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  expect(packedBytes).toBeLessThanOrEqual(8192);
  source.close();
  expect(await source.read(target, 0)).toBe(0);
});

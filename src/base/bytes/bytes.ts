// Bytes as text, and bytes four at a time, for work that would be slow one by one.

const encoder = new TextEncoder();
// A plain ASCII address needs none.
let decoder: InstanceType<typeof TextDecoder> | undefined;

/** The lower case of each byte; only A to Z change. */
export const LOWERCASE: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Text to UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Writes text as UTF-8 from `at` on, where three bytes for each unit have room; returns how many bytes it wrote. */
export function writeUtf8(text: string, target: Uint8Array, at: number): number {
  return encoder.encodeInto(text, target.subarray(at)).written;
}

/** UTF-8 to text; broken bytes become U+FFFD, a byte-order mark stays. */
export function decodeUtf8(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(bytes.subarray(start, end));
}

/** ASCII bytes to lower-case text. Eight at a time take half the time; a decoder costs too much for a short name. */
export function decodeAsciiLowercase(bytes: Uint8Array, start: number, end: number): string {
  const at = (i: number): number => LOWERCASE[bytes[i] as number] as number;
  let text = "";
  let i = start;
  for (; i + 8 <= end; i += 8) {
    text += String.fromCharCode(at(i), at(i + 1), at(i + 2), at(i + 3), at(i + 4), at(i + 5), at(i + 6), at(i + 7));
  }
  for (; i < end; i += 1) text += String.fromCharCode(at(i));
  return text;
}

// Words are little-endian. Rows come from one array and their rewritten parts from another, alternately: the views of
// both are kept.
let latest: Uint8Array = new Uint8Array(0);
let latestView: DataView = new DataView(latest.buffer);
let previous: Uint8Array = latest;
let previousView: DataView = latestView;

/** The bytes as words; the same view for the same array. */
export function dataViewOf(bytes: Uint8Array): DataView {
  if (bytes === latest) return latestView;
  const words = bytes === previous ? previousView : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  previous = latest;
  previousView = latestView;
  latest = bytes;
  latestView = words;
  return words;
}

/** The index of the first `byte` from `start` on, or `end` when there is none before it. */
export function findByte(bytes: Uint8Array, byte: number, start: number, end: number): number {
  const words = dataViewOf(bytes);
  const pattern = Math.imul(byte, 0x01010101);
  let i = start;
  for (; i + 4 <= end; i += 4) {
    // A byte of the difference is zero at a match. The sum below has a high bit where one is (Mycroft), and the
    // lowest such bit is exact.
    const difference = words.getInt32(i, true) ^ pattern;
    const found = (difference - 0x01010101) & ~difference & 0x80808080;
    if (found !== 0) return i + ((31 - Math.clz32(found & -found)) >> 3);
  }
  while (i < end && bytes[i] !== byte) i += 1;
  return i;
}

/** Returns how often `byte` is between `start` and `end`. */
export function countByte(bytes: Uint8Array, byte: number, start: number, end: number): number {
  const words = dataViewOf(bytes);
  const pattern = Math.imul(byte, 0x01010101);
  let count = 0;
  let i = start;
  while (i + 4 <= end) {
    // Each byte of the sum counts the matches at its place in 255 words at most.
    let sum = 0;
    for (const stop = Math.min(end - 3, i + 4 * 255); i < stop; i += 4) {
      const difference = words.getInt32(i, true) ^ pattern;
      sum += (~(((difference & 0x7f7f7f7f) + 0x7f7f7f7f) | difference) & 0x80808080) >>> 7;
    }
    count += (sum & 255) + ((sum >>> 8) & 255) + ((sum >>> 16) & 255) + (sum >>> 24);
  }
  for (; i < end; i += 1) if (bytes[i] === byte) count += 1;
  return count;
}

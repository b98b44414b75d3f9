// Converts bytes to text and back, and searches bytes four at a time.

const encoder = new TextEncoder();
// Created on first use: an ASCII address needs none.
let decoder: InstanceType<typeof TextDecoder> | undefined;

/** Maps each byte to lower case; only A to Z change. */
export const LOWERCASE: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Encodes text as UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Writes text as UTF-8 at `offset` and returns the number of bytes. `target` needs 3 bytes per UTF-16 unit left. */
export function writeUtf8(text: string, target: Uint8Array, offset: number): number {
  return encoder.encodeInto(text, target.subarray(offset)).written;
}

/** Decodes UTF-8; invalid bytes become U+FFFD, a byte-order mark stays. */
export function decodeUtf8(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(bytes.subarray(start, end));
}

/** Reports whether the bytes are UTF-8. They may end within a character. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Decodes ASCII as lower case, eight bytes at a time: faster than TextDecoder for a short name. */
export function decodeAsciiLowercase(bytes: Uint8Array, start: number, end: number): string {
  const lowercaseAt = (i: number): number => LOWERCASE[bytes[i] as number] as number;
  let text = "";
  let i = start;
  for (; i + 8 <= end; i += 8) {
    text += String.fromCharCode(
      lowercaseAt(i),
      lowercaseAt(i + 1),
      lowercaseAt(i + 2),
      lowercaseAt(i + 3),
      lowercaseAt(i + 4),
      lowercaseAt(i + 5),
      lowercaseAt(i + 6),
      lowercaseAt(i + 7),
    );
  }
  for (; i < end; i += 1) text += String.fromCharCode(lowercaseAt(i));
  return text;
}

// The views of the last two arrays: bulk work alternates between an input and an output array.
let latest: Uint8Array = new Uint8Array(0);
let latestView: DataView = new DataView(latest.buffer);
let previous: Uint8Array = latest;
let previousView: DataView = latestView;

/** Returns a DataView of the bytes, cached for the last two arrays. */
export function dataViewOf(bytes: Uint8Array): DataView {
  if (bytes === latest) return latestView;
  const view = bytes === previous ? previousView : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  previous = latest;
  previousView = latestView;
  latest = bytes;
  latestView = view;
  return view;
}

/** Returns the index of the first `byte` or `other` in the range, or `end`. */
export function findEither(bytes: Uint8Array, byte: number, other: number, start: number, end: number): number {
  const view = dataViewOf(bytes);
  const [pattern, otherPattern] = [Math.imul(byte, 0x01010101), Math.imul(other, 0x01010101)];
  let i = start;
  for (; i + 4 <= end; i += 4) {
    const word = view.getInt32(i, true);
    const [difference, otherDifference] = [word ^ pattern, word ^ otherPattern];
    // The zero-byte test of findByte(), for both patterns.
    const matchBits = ((difference - 0x01010101) & ~difference) | ((otherDifference - 0x01010101) & ~otherDifference);
    if ((matchBits & 0x80808080) !== 0) break;
  }
  while (i < end && bytes[i] !== byte && bytes[i] !== other) i += 1;
  return i;
}

/** Returns the index of the first `byte` in the range, or `end`. */
export function findByte(bytes: Uint8Array, byte: number, start: number, end: number): number {
  const view = dataViewOf(bytes);
  const pattern = Math.imul(byte, 0x01010101);
  let i = start;
  for (; i + 4 <= end; i += 4) {
    // Mycroft's zero-byte test: a match is a zero byte of `difference`. Only the lowest bit of `matchBits` is reliable;
    // higher ones may be false positives.
    const difference = view.getInt32(i, true) ^ pattern;
    const matchBits = (difference - 0x01010101) & ~difference & 0x80808080;
    if (matchBits !== 0) return i + ((31 - Math.clz32(matchBits & -matchBits)) >> 3);
  }
  while (i < end && bytes[i] !== byte) i += 1;
  return i;
}

/** Counts `byte` in the range. */
export function countByte(bytes: Uint8Array, byte: number, start: number, end: number): number {
  const view = dataViewOf(bytes);
  const pattern = Math.imul(byte, 0x01010101);
  let count = 0;
  let i = start;
  while (i + 4 <= end) {
    // Each of the sum's four bytes counts the matches in its lane, so it overflows after 255 words.
    let sum = 0;
    for (const stop = Math.min(end - 3, i + 4 * 255); i < stop; i += 4) {
      const difference = view.getInt32(i, true) ^ pattern;
      sum += (~(((difference & 0x7f7f7f7f) + 0x7f7f7f7f) | difference) & 0x80808080) >>> 7;
    }
    count += (sum & 255) + ((sum >>> 8) & 255) + ((sum >>> 16) & 255) + (sum >>> 24);
  }
  for (; i < end; i += 1) if (bytes[i] === byte) count += 1;
  return count;
}

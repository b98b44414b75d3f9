// Bytes four at a time, for work that would be slow one by one. A word is little-endian: its lowest byte comes first.

// Rows come from one array and their rewritten parts from another, alternately: the views of both are kept.
let latest: Uint8Array = new Uint8Array(0);
let latestWords: DataView = new DataView(latest.buffer);
let before: Uint8Array = latest;
let beforeWords: DataView = latestWords;

/** The bytes as words; the same view for the same array. */
export function wordsOf(bytes: Uint8Array): DataView {
  if (bytes === latest) return latestWords;
  const words = bytes === before ? beforeWords : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  before = latest;
  beforeWords = latestWords;
  latest = bytes;
  latestWords = words;
  return words;
}

/** The index of the first `byte` from `start` on, or `end` when there is none before it. */
export function findByte(bytes: Uint8Array, byte: number, start: number, end: number): number {
  const words = wordsOf(bytes);
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

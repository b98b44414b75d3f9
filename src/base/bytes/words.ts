// Octets four at a time, for work that would be slow one by one. A word is little-endian: its lowest octet comes first.

// Rows come from one array and their rewritten parts from another, alternately: the views of both are kept.
let latest: Uint8Array = new Uint8Array(0);
let latestWords: DataView = new DataView(latest.buffer);
let before: Uint8Array = latest;
let beforeWords: DataView = latestWords;

/** The octets as words; the same view for the same array. */
export function wordsOf(octets: Uint8Array): DataView {
  if (octets === latest) return latestWords;
  const words = octets === before ? beforeWords : new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
  before = latest;
  beforeWords = latestWords;
  latest = octets;
  latestWords = words;
  return words;
}

/** The index of the first `octet` from `start` on, or `end` when there is none before it. */
export function findOctet(octets: Uint8Array, octet: number, start: number, end: number): number {
  const words = wordsOf(octets);
  const pattern = Math.imul(octet, 0x01010101);
  let i = start;
  for (; i + 4 <= end; i += 4) {
    // An octet of the difference is zero at a match. The sum below has a high bit where one is (Mycroft), and the
    // lowest such bit is exact.
    const difference = words.getInt32(i, true) ^ pattern;
    const found = (difference - 0x01010101) & ~difference & 0x80808080;
    if (found !== 0) return i + ((31 - Math.clz32(found & -found)) >> 3);
  }
  while (i < end && octets[i] !== octet) i += 1;
  return i;
}

// The text that the content of a JSON string stands for, in UTF-8: its escapes resolved (RFC 8259 §7). The scan has
// checked them.

const BACKSLASH = 0x5c;
const SMALL_U = 0x75;

/**
 * Writes the bytes that a string's content between `start` and `end` stands for; gives their number. A lone surrogate
 * is U+FFFD.
 */
export function unescapeString(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  for (let i = start; i < end; ) {
    const byte = bytes[i] as number;
    if (byte !== BACKSLASH) {
      target[length++] = byte;
      i += 1;
    } else if (bytes[i + 1] !== SMALL_U) {
      target[length++] = CONTROLS.get(bytes[i + 1] as number) ?? (bytes[i + 1] as number);
      i += 2;
    } else {
      let point = hexAt(bytes, i + 2);
      i += 6;
      if (isHigh(point) && i + 6 <= end && bytes[i] === BACKSLASH && bytes[i + 1] === SMALL_U) {
        const low = hexAt(bytes, i + 2);
        if (low >= 0xdc00 && low < 0xe000) {
          point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
          i += 6;
        }
      }
      length = putUtf8(point >= 0xd800 && point < 0xe000 ? 0xfffd : point, target, length);
    }
  }
  return length;
}

const CONTROLS: ReadonlyMap<number, number> = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function hexAt(bytes: Uint8Array, at: number): number {
  return Number.parseInt(String.fromCharCode(...bytes.subarray(at, at + 4)), 16);
}

function putUtf8(point: number, target: Uint8Array, at: number): number {
  let length = at;
  if (point < 0x80) {
    target[length++] = point;
    return length;
  }
  const more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const head = more === 1 ? 0xc0 : more === 2 ? 0xe0 : 0xf0;
  target[length++] = head | (point >> (6 * more));
  for (let shift = 6 * (more - 1); shift >= 0; shift -= 6) target[length++] = 0x80 | ((point >> shift) & 0x3f);
  return length;
}

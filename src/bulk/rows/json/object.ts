// Checks a JSON object (RFC 8259). Without parsing values, finds the value at a path and where keys can be added.

import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DOT,
  HYPHEN,
  isDigit,
  isHexDigit,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  QUOTE,
  SPACE,
  ZERO,
} from "../../../base/bytes/ascii.ts";
import { dataViewOf, decodeUtf8, encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { formatNumber } from "../../../base/format-text.ts";

const SMALL_E = 0x65;
const SMALL_U = 0x75;

const MAX_KEY_BYTES = 1024;
/** Maximum keys, and maximum levels of nesting, of an object whose keys are recorded. */
const MAX_KEYS = 65_536;
const MAX_LEVELS = 1024;
// Results in place of an index, which is never negative.
const MALFORMED = -1;
const TRUNCATED = -2;

// Lookup table by byte: 1 if a string may contain the byte unescaped, so not for quote, backslash and control
// characters.
const NEEDS_NO_CHECK = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
const ESCAPE_LETTERS = new Set(encodeUtf8('"\\/bfnrt'));
const LITERALS = ["true", "false", "null"].map(encodeUtf8);

/** Scans objects. The fields describe the last object. */
export class ObjectScan {
  /** Kind of the value at the path. If a key occurs twice, the last one counts, as in other parsers. */
  kind: "missing" | "null" | "string" | "other" = "missing";
  /** Start and end of the value; of a string, without its quotes. */
  valueStart = 0;
  valueEnd = 0;
  /** True if the value is a string with escapes. */
  isEscaped = false;
  /** Index of the closing brace. */
  closeBrace = 0;
  isEmpty = false;
  /** True if the object already has one of the added keys. */
  hasTakenKey = false;
  /** True if the bytes end within an object that is valid so far. */
  isTruncated = false;
  /** If keys are recorded: which limit the object exceeds, worded to follow the row's number. */
  excess: string | undefined = undefined;

  private readonly keys: readonly Uint8Array[];
  private readonly added: readonly Uint8Array[];
  private bytes: Uint8Array = new Uint8Array(0);
  private end = 0;
  /** True if the last string or key has escapes. */
  private isStringEscaped = false;
  /** Stack of the open objects (1) and arrays (0) of a skipped value. */
  private nesting = new Uint8Array(64);
  private keyCount = 0;

  /**
   * `path`: keys, or array indexes, from the outermost. `added`: keys that will be added. `names`: if set, receives the
   * keys of the object itself, up to MAX_KEY_BYTES each, and objects are limited to MAX_KEYS and MAX_LEVELS.
   */
  constructor(
    private readonly path: readonly string[],
    added: readonly string[],
    private readonly names?: Set<string>,
  ) {
    this.keys = path.map(encodeUtf8);
    this.added = added.map(encodeUtf8);
  }

  /** Scans the line from `start` to `end`. Returns false if it is not one object. */
  scan(bytes: Uint8Array, start: number, end: number): boolean {
    this.bytes = bytes;
    this.end = end;
    this.kind = "missing";
    this.hasTakenKey = false;
    this.excess = undefined;
    this.keyCount = 0;
    const braceIndex = this.skipSpace(start);
    const after = braceIndex < end && bytes[braceIndex] === OPEN_BRACE ? this.skipContainer(braceIndex, 0) : MALFORMED;
    this.closeBrace = after - 1;
    this.isTruncated = after === TRUNCATED;
    return after >= 0 && this.skipSpace(after) === end;
  }

  // The following methods take the index of the first byte, and return the index after the last byte, MALFORMED or
  // TRUNCATED. Keeping the index in a field would double the time.

  /** Skips an object or array, and reads the value in it that the path names at `level`. */
  private skipContainer(start: number, level: number): number {
    const { bytes, end } = this;
    const isObject = bytes[start] === OPEN_BRACE;
    const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET;
    let i = this.skipSpace(start + 1);
    const empty = i < end && bytes[i] === close;
    if (level === 0) this.isEmpty = empty;
    if (empty) return i + 1;
    for (let index = 0; ; index += 1) {
      let isOnPath: boolean;
      if (isObject) {
        const keyStart = i + 1;
        i = this.skipString(i);
        if (i < 0) return i;
        isOnPath = this.isKey(this.keys[level] as Uint8Array, keyStart, i - 1);
        if (level === 0) this.recordKey(keyStart, i - 1);
        i = this.excess === undefined ? this.skipColon(i) : MALFORMED;
        if (i < 0) return i;
      } else isOnPath = String(index) === this.path[level];
      i = isOnPath ? this.readValue(i, level) : this.skipValue(i);
      if (i < 0) return i;
      i = this.skipSpace(i);
      if (i >= end) return TRUNCATED;
      if (bytes[i] !== COMMA) return bytes[i] === close ? i + 1 : MALFORMED;
      i = this.skipSpace(i + 1);
    }
  }

  /** Reads a value that the path names up to `level`. */
  private readValue(start: number, level: number): number {
    const { bytes } = this;
    this.kind = "missing";
    const first = start < this.end ? bytes[start] : undefined;
    if (level + 1 < this.path.length) {
      return isContainerStart(first) ? this.skipContainer(start, level + 1) : this.skipValue(start);
    }
    const after = this.skipValue(start);
    if (after < 0) return after;
    const isString = first === QUOTE;
    this.kind = isString ? "string" : first === 0x6e ? "null" : "other";
    this.isEscaped = isString && this.isStringEscaped;
    this.valueStart = isString ? start + 1 : start;
    this.valueEnd = isString ? after - 1 : after;
    return after;
  }

  private skipValue(start: number): number {
    const { bytes, end } = this;
    let i = start;
    let depth = 0;
    for (;;) {
      if (i >= end) return TRUNCATED;
      const byte = bytes[i] as number;
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        // `depth` does not count the object itself and this container.
        if (depth + 2 > MAX_LEVELS && this.names !== undefined) {
          this.excess = `is nested deeper than ${formatNumber(MAX_LEVELS)} levels`;
          return MALFORMED;
        }
        const isObject = byte === OPEN_BRACE;
        i = this.skipSpace(i + 1);
        if (i >= end) return TRUNCATED;
        if (bytes[i] !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
          this.pushContainer(depth, isObject);
          depth += 1;
          if (isObject) i = this.skipKey(i);
          if (i < 0) return i;
          continue;
        }
        i += 1;
      } else {
        i = byte === QUOTE ? this.skipString(i) : this.skipScalar(i);
        if (i < 0) return i;
      }
      // A value has ended: go to the next value in its container, or to the end of containers.
      for (;;) {
        if (depth === 0) return i;
        i = this.skipSpace(i);
        if (i >= end) return TRUNCATED;
        const isObject = this.nesting[depth - 1] === 1;
        if (bytes[i] === COMMA) {
          i = this.skipSpace(i + 1);
          if (isObject) i = this.skipKey(i);
          if (i < 0) return i;
          break;
        }
        if (bytes[i] !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) return MALFORMED;
        i += 1;
        depth -= 1;
      }
    }
  }

  private pushContainer(depth: number, isObject: boolean): void {
    if (depth === this.nesting.length) {
      const larger = new Uint8Array(2 * depth);
      larger.set(this.nesting);
      this.nesting = larger;
    }
    this.nesting[depth] = isObject ? 1 : 0;
  }

  private skipKey(start: number): number {
    const after = this.skipString(start);
    return after < 0 ? after : this.skipColon(after);
  }

  private skipColon(start: number): number {
    const i = this.skipSpace(start);
    if (i >= this.end) return TRUNCATED;
    return this.bytes[i] === COLON ? this.skipSpace(i + 1) : MALFORMED;
  }

  private skipString(start: number): number {
    const { bytes, end } = this;
    if (start >= end) return TRUNCATED;
    if (bytes[start] !== QUOTE) return MALFORMED;
    this.isStringEscaped = false;
    for (let i = start + 1; ; ) {
      i = findPlainEnd(bytes, i, end);
      if (i >= end) return TRUNCATED;
      const byte = bytes[i] as number;
      if (byte === QUOTE) return i + 1;
      if (byte !== BACKSLASH) return MALFORMED;
      const letter = bytes[i + 1] as number;
      const length = letter === SMALL_U ? 6 : 2;
      if (i + length > end) return TRUNCATED;
      if (!(length === 6 ? isHex(bytes, i + 2) : ESCAPE_LETTERS.has(letter))) return MALFORMED;
      this.isStringEscaped = true;
      i += length;
    }
  }

  private skipScalar(start: number): number {
    const { bytes, end } = this;
    const byte = bytes[start] as number;
    if (byte === HYPHEN || isDigit(byte)) return this.skipNumber(start);
    for (const literal of LITERALS) {
      if (start + literal.length <= end && startsWith(literal, bytes, start)) return start + literal.length;
    }
    return MALFORMED;
  }

  private skipNumber(start: number): number {
    const { bytes, end } = this;
    const first = bytes[start] === HYPHEN ? start + 1 : start;
    // No digit may follow a leading zero.
    let i = first < end && bytes[first] === ZERO ? first + 1 : this.skipDigits(first);
    if (i < 0) return MALFORMED;
    if (i < end && bytes[i] === DOT) i = this.skipDigits(i + 1);
    if (i < 0) return MALFORMED;
    if (i >= end || ((bytes[i] as number) | 0x20) !== SMALL_E) return i;
    i += 1;
    return this.skipDigits(i < end && (bytes[i] === PLUS || bytes[i] === HYPHEN) ? i + 1 : i);
  }

  private skipDigits(start: number): number {
    const { bytes, end } = this;
    let i = start;
    while (i < end && isDigit(bytes[i] as number)) i += 1;
    return i > start ? i : MALFORMED;
  }

  private skipSpace(start: number): number {
    const { bytes, end } = this;
    let i = start;
    while (i < end && (bytes[i] === SPACE || bytes[i] === 0x09 || bytes[i] === 0x0d)) i += 1;
    return i;
  }

  /** Compares a key of the outermost object with the added keys, and records it. */
  private recordKey(start: number, end: number): void {
    const { added } = this;
    for (let i = 0; i < added.length; i += 1) {
      const key = added[i] as Uint8Array;
      if ((this.isStringEscaped || key.length === end - start) && this.isKey(key, start, end)) this.hasTakenKey = true;
    }
    if (this.names === undefined) return;
    this.keyCount += 1;
    if (this.keyCount > MAX_KEYS) this.excess = `has more than ${formatNumber(MAX_KEYS)} keys`;
    if (end - start > MAX_KEY_BYTES) return;
    const unescaped = new Uint8Array(end - start);
    this.names.add(decodeUtf8(unescaped, 0, unescapeString(this.bytes, start, end, unescaped)));
  }

  private isKey(key: Uint8Array, start: number, end: number): boolean {
    if (!this.isStringEscaped) return key.length === end - start && startsWith(key, this.bytes, start);
    const unescaped = new Uint8Array(end - start);
    return unescapeString(this.bytes, start, end, unescaped) === key.length && startsWith(key, unescaped, 0);
  }
}

export function isContainerStart(byte: number | undefined): boolean {
  return byte === OPEN_BRACE || byte === OPEN_BRACKET;
}

function startsWith(key: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < key.length; i += 1) if (key[i] !== bytes[start + i]) return false;
  return true;
}

/** Returns the index of the first quote, backslash or control character; without one, `end`. Works like findByte. */
function findPlainEnd(bytes: Uint8Array, start: number, end: number): number {
  const words = dataViewOf(bytes);
  let i = start;
  for (; i + 4 <= end; i += 4) {
    const word = words.getInt32(i, true);
    const quote = word ^ 0x22222222;
    const backslash = word ^ 0x5c5c5c5c;
    const controls = (word - 0x20202020) & ~word;
    const matches = (((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | controls) & 0x80808080;
    if (matches !== 0) return i + ((31 - Math.clz32(matches & -matches)) >> 3);
  }
  while (i < end && NEEDS_NO_CHECK[bytes[i] as number] === 1) i += 1;
  return i;
}

function isHex(bytes: Uint8Array, at: number): boolean {
  for (let i = at; i < at + 4; i += 1) if (!isHexDigit(bytes[i])) return false;
  return true;
}

/** Unescapes a valid string (RFC 8259 §7) into `target`. Returns the length. A lone surrogate becomes U+FFFD. */
export function unescapeString(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  for (let i = start; i < end; ) {
    if (bytes[i] !== BACKSLASH) {
      target[length++] = bytes[i++] as number;
      continue;
    }
    // Two escapes may form one character.
    const from = i;
    while (i < end && bytes[i] === BACKSLASH) i += bytes[i + 1] === SMALL_U ? 6 : 2;
    const text = encodeUtf8(JSON.parse(`"${decodeUtf8(bytes, from, i)}"`));
    target.set(text, length);
    length += text.length;
  }
  return length;
}

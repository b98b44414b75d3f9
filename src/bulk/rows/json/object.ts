// One JSON object in bytes (RFC 8259): checks that it is well-formed, finds the value at a path, and where keys can be
// added. It copies nothing and makes no values. One class, because its methods are one grammar over the same bytes.

import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DOT,
  HYPHEN,
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

// A longer key does not say where the address is.
const NAME_MAX = 1024;
/** Keys of an object whose keys are noted, and objects and arrays around one value in it. */
const KEYS_MAX = 65_536;
const LEVELS_MAX = 1024;
// The index after what is not well-formed, and after what has no end. No other index is negative.
const FAULT = -1;
const CUT_OFF = -2;

// Bytes that may be in a string without a further look: all but quote, backslash and control characters.
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
const ESCAPED = new Set(encodeUtf8('"\\/bfnrt'));
const LITERALS = ["true", "false", "null"].map(encodeUtf8);

/** The scan of one object; its fields are the result of the last one. */
export class ObjectScan {
  /** The kind of value at the path; of equal keys the last one counts, as for other readers of JSON. */
  kind: "missing" | "null" | "string" | "other" = "missing";
  /** The value's bytes: of a string, those between its quotes. */
  valueStart = 0;
  valueEnd = 0;
  /** The string has escapes. */
  escaped = false;
  /** Index of the closing brace. */
  close = 0;
  empty = false;
  /** The object has one of the keys that are to be added. */
  taken = false;
  /** The bytes end within the object, which is well-formed so far. */
  cutOff = false;
  /** Where keys are noted: in which way the object is larger than it may be. */
  excess: string | undefined = undefined;

  private readonly keys: readonly Uint8Array[];
  private readonly added: readonly Uint8Array[];
  private bytes: Uint8Array = new Uint8Array(0);
  private end = 0;
  /** The last string or key has escapes. */
  private stringEscaped = false;
  /** The open objects (1) and arrays (0) around a value that is passed over. */
  private nesting = new Uint8Array(64);
  private keyCount = 0;

  /**
   * `path`: keys, or indexes of arrays, from the outermost on. `added`: keys that are to be added. `names` gets the
   * keys of the object itself, but for those of more than NAME_MAX bytes; then the object's size is bounded.
   */
  constructor(
    private readonly path: readonly string[],
    added: readonly string[],
    private readonly names?: Set<string>,
  ) {
    this.keys = path.map(encodeUtf8);
    this.added = added.map(encodeUtf8);
  }

  /** Scans the line between `start` and `end`; false when it is not one object. */
  scan(bytes: Uint8Array, start: number, end: number): boolean {
    this.bytes = bytes;
    this.end = end;
    this.kind = "missing";
    this.taken = false;
    this.excess = undefined;
    this.keyCount = 0;
    const open = this.space(start);
    const after = open < end && bytes[open] === OPEN_BRACE ? this.container(open, 0) : FAULT;
    this.close = after - 1;
    this.cutOff = after === CUT_OFF;
    return after >= 0 && this.space(after) === end;
  }

  // The methods below take the index of a first byte and return the index after the last one, or FAULT or CUT_OFF. As a
  // field, the index would take half of the time.

  /** An object or array; its keys or indexes are at `level` of the path. */
  private container(start: number, level: number): number {
    const { bytes, end } = this;
    const isObject = bytes[start] === OPEN_BRACE;
    const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET;
    let i = this.space(start + 1);
    const empty = i < end && bytes[i] === close;
    if (level === 0) this.empty = empty;
    if (empty) return i + 1;
    for (let index = 0; ; index += 1) {
      let isWanted: boolean;
      if (isObject) {
        const key = i + 1;
        i = this.string(i);
        if (i < 0) return i;
        isWanted = this.isKey(this.keys[level] as Uint8Array, key, i - 1);
        if (level === 0) this.note(key, i - 1);
        i = this.excess === undefined ? this.colon(i) : FAULT;
        if (i < 0) return i;
      } else isWanted = String(index) === this.path[level];
      i = isWanted ? this.wanted(i, level) : this.pass(i);
      if (i < 0) return i;
      i = this.space(i);
      if (i >= end) return CUT_OFF;
      if (bytes[i] !== COMMA) return bytes[i] === close ? i + 1 : FAULT;
      i = this.space(i + 1);
    }
  }

  /** A value that the path names up to `level`. */
  private wanted(start: number, level: number): number {
    const { bytes } = this;
    this.kind = "missing";
    const first = start < this.end ? bytes[start] : undefined;
    if (level + 1 < this.path.length) {
      const nests = first === OPEN_BRACE || first === OPEN_BRACKET;
      return nests ? this.container(start, level + 1) : this.pass(start);
    }
    const after = this.pass(start);
    if (after < 0) return after;
    const isString = first === QUOTE;
    this.kind = isString ? "string" : first === 0x6e ? "null" : "other";
    this.escaped = isString && this.stringEscaped;
    this.valueStart = isString ? start + 1 : start;
    this.valueEnd = isString ? after - 1 : after;
    return after;
  }

  private pass(start: number): number {
    const { bytes, end } = this;
    let i = start;
    let depth = 0;
    for (;;) {
      if (i >= end) return CUT_OFF;
      const byte = bytes[i] as number;
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        // The object itself and this one are not counted in `depth`.
        if (depth + 2 > LEVELS_MAX && this.names !== undefined) {
          this.excess = `is nested deeper than ${formatNumber(LEVELS_MAX)} levels`;
          return FAULT;
        }
        const isObject = byte === OPEN_BRACE;
        i = this.space(i + 1);
        if (i >= end) return CUT_OFF;
        if (bytes[i] !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
          this.open(depth, isObject);
          depth += 1;
          if (isObject) i = this.key(i);
          if (i < 0) return i;
          continue;
        }
        i += 1;
      } else {
        i = byte === QUOTE ? this.string(i) : this.scalar(i);
        if (i < 0) return i;
      }
      // After a value: the next one of its container, or the containers' ends.
      for (;;) {
        if (depth === 0) return i;
        i = this.space(i);
        if (i >= end) return CUT_OFF;
        const isObject = this.nesting[depth - 1] === 1;
        if (bytes[i] === COMMA) {
          i = this.space(i + 1);
          if (isObject) i = this.key(i);
          if (i < 0) return i;
          break;
        }
        if (bytes[i] !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) return FAULT;
        i += 1;
        depth -= 1;
      }
    }
  }

  private open(depth: number, isObject: boolean): void {
    if (depth === this.nesting.length) {
      const larger = new Uint8Array(2 * depth);
      larger.set(this.nesting);
      this.nesting = larger;
    }
    this.nesting[depth] = isObject ? 1 : 0;
  }

  /** A key with its colon and the white space before the value. */
  private key(start: number): number {
    const after = this.string(start);
    return after < 0 ? after : this.colon(after);
  }

  /** A colon with the white space around it. */
  private colon(start: number): number {
    const i = this.space(start);
    if (i >= this.end) return CUT_OFF;
    return this.bytes[i] === COLON ? this.space(i + 1) : FAULT;
  }

  private string(start: number): number {
    const { bytes, end } = this;
    if (start >= end) return CUT_OFF;
    if (bytes[start] !== QUOTE) return FAULT;
    this.stringEscaped = false;
    for (let i = start + 1; ; ) {
      i = plainEnd(bytes, i, end);
      if (i >= end) return CUT_OFF;
      const byte = bytes[i] as number;
      if (byte === QUOTE) return i + 1;
      if (byte !== BACKSLASH) return FAULT;
      const letter = bytes[i + 1] as number;
      const length = letter === SMALL_U ? 6 : 2;
      if (i + length > end) return CUT_OFF;
      if (!(length === 6 ? isHex(bytes, i + 2) : ESCAPED.has(letter))) return FAULT;
      this.stringEscaped = true;
      i += length;
    }
  }

  private scalar(start: number): number {
    const { bytes, end } = this;
    const byte = bytes[start] as number;
    if (byte === HYPHEN || isDigit(byte)) return this.number(start);
    for (const literal of LITERALS) {
      if (start + literal.length <= end && isSame(literal, bytes, start)) return start + literal.length;
    }
    return FAULT;
  }

  private number(start: number): number {
    const { bytes, end } = this;
    const first = bytes[start] === HYPHEN ? start + 1 : start;
    // No digit may follow a zero that comes first.
    let i = first < end && bytes[first] === ZERO ? first + 1 : this.digits(first);
    if (i < 0) return FAULT;
    if (i < end && bytes[i] === DOT) i = this.digits(i + 1);
    if (i < 0) return FAULT;
    if (i >= end || ((bytes[i] as number) | 0x20) !== SMALL_E) return i;
    i += 1;
    return this.digits(i < end && (bytes[i] === PLUS || bytes[i] === HYPHEN) ? i + 1 : i);
  }

  private digits(start: number): number {
    const { bytes, end } = this;
    let i = start;
    while (i < end && isDigit(bytes[i] as number)) i += 1;
    return i > start ? i : FAULT;
  }

  private space(start: number): number {
    const { bytes, end } = this;
    let i = start;
    while (i < end && (bytes[i] === SPACE || bytes[i] === 0x09 || bytes[i] === 0x0d)) i += 1;
    return i;
  }

  /** Notes a key of the object itself. */
  private note(start: number, end: number): void {
    const { added } = this;
    for (let i = 0; i < added.length; i += 1) {
      const key = added[i] as Uint8Array;
      if ((this.stringEscaped || key.length === end - start) && this.isKey(key, start, end)) this.taken = true;
    }
    if (this.names === undefined) return;
    this.keyCount += 1;
    if (this.keyCount > KEYS_MAX) this.excess = `has more than ${formatNumber(KEYS_MAX)} keys`;
    if (end - start > NAME_MAX) return;
    const plain = new Uint8Array(end - start);
    this.names.add(decodeUtf8(plain, 0, unescapeString(this.bytes, start, end, plain)));
  }

  /** True for the key that the last string, between `start` and `end`, means. */
  private isKey(key: Uint8Array, start: number, end: number): boolean {
    if (!this.stringEscaped) return key.length === end - start && isSame(key, this.bytes, start);
    const plain = new Uint8Array(end - start);
    return unescapeString(this.bytes, start, end, plain) === key.length && isSame(key, plain, 0);
  }
}

function isSame(key: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < key.length; i += 1) if (key[i] !== bytes[start + i]) return false;
  return true;
}

/**
 * The index of the first quote, backslash or control character from `start` on, or `end`. Four bytes at a time, as in
 * findByte.
 */
function plainEnd(bytes: Uint8Array, start: number, end: number): number {
  const words = dataViewOf(bytes);
  let i = start;
  for (; i + 4 <= end; i += 4) {
    const word = words.getInt32(i, true);
    const quote = word ^ 0x22222222;
    const backslash = word ^ 0x5c5c5c5c;
    const controls = (word - 0x20202020) & ~word;
    const found = (((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | controls) & 0x80808080;
    if (found !== 0) return i + ((31 - Math.clz32(found & -found)) >> 3);
  }
  while (i < end && PLAIN[bytes[i] as number] === 1) i += 1;
  return i;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHex(bytes: Uint8Array, at: number): boolean {
  for (let i = at; i < at + 4; i += 1) {
    const byte = bytes[i] as number;
    const letter = byte | 0x20;
    if (!isDigit(byte) && !(letter >= 0x61 && letter <= 0x66)) return false;
  }
  return true;
}

/**
 * Writes the bytes that a string's content between `start` and `end` means (RFC 8259 §7); returns their number. The
 * scan has checked it. A lone surrogate is U+FFFD.
 */
export function unescapeString(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  for (let i = start; i < end; ) {
    if (bytes[i] !== BACKSLASH) {
      target[length++] = bytes[i++] as number;
      continue;
    }
    // Two escapes may be one character.
    const from = i;
    while (i < end && bytes[i] === BACKSLASH) i += bytes[i + 1] === SMALL_U ? 6 : 2;
    const text = encodeUtf8(JSON.parse(`"${decodeUtf8(bytes, from, i)}"`));
    target.set(text, length);
    length += text.length;
  }
  return length;
}

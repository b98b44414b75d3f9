// One JSON object in bytes (RFC 8259): checks that it is well-formed, finds the value at a path, and where keys can be
// added. It copies nothing and makes no values. It is one class, because all its methods are one grammar over the same
// bytes.

import { decodeUtf8 } from "../../../base/bytes/bytes.ts";
import { wordsOf } from "../../../base/bytes/words.ts";
import { unescapeString } from "./string.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const SMALL_E = 0x65;
const SPACE = 0x20;

// A longer key does not say where the address is.
const NAME_MAX = 1024;
// The index of what is not well-formed.
const FAULT = -1;

// Bytes that may stand in a string without a further look: all but quote, backslash and control characters.
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
const ESCAPED = new Set(Array.from('"\\/bfnrt', (char) => char.charCodeAt(0)));
const LITERALS = ["true", "false", "null"].map((word) => Uint8Array.from(word, (char) => char.charCodeAt(0)));

/** The kind of value at the path. */
export type FoundKind = "missing" | "null" | "string" | "other";

/** The scan of one object; its fields are the result of the last one. */
export class ObjectScan {
  /** The kind of value at the path; of equal keys the last one counts, as for other readers of JSON. */
  kind: FoundKind = "missing";
  /** The value's bytes: of a string, those between its quotes. */
  valueStart = 0;
  valueEnd = 0;
  /** The string has escapes. */
  escaped = false;
  /** Index of the object's closing brace. */
  close = 0;
  /** The object has no keys. */
  empty = false;
  /** The object has one of the keys that are to be added. */
  taken = false;

  private readonly names: Set<string> | undefined;
  private readonly keys: readonly Uint8Array[];
  private readonly added: readonly Uint8Array[];
  /** 1 for each length that an added key has. */
  private readonly addedLengths: Uint8Array;
  private bytes: Uint8Array = new Uint8Array(0);
  private end = 0;
  /** The last string or key has escapes. */
  private stringEscaped = false;
  /** The open objects (1) and arrays (0) around a value that is passed over. */
  private nesting = new Uint8Array(64);

  /**
   * `path`: keys, or indexes of arrays, from the outermost on. `added`: keys that are to be added. `names` gets the
   * keys of the object itself, but for those of more than NAME_MAX bytes.
   */
  constructor(
    private readonly path: readonly string[],
    added: readonly string[],
    names?: Set<string>,
  ) {
    this.names = names;
    const encoder = new TextEncoder();
    this.keys = path.map((key) => encoder.encode(key));
    this.added = added.map((key) => encoder.encode(key));
    this.addedLengths = new Uint8Array(1 + Math.max(0, ...this.added.map(({ length }) => length)));
    for (const { length } of this.added) this.addedLengths[length] = 1;
  }

  /** Scans the line between `start` and `end`; false when it is not one object. */
  scan(bytes: Uint8Array, start: number, end: number): boolean {
    this.bytes = bytes;
    this.end = end;
    this.kind = "missing";
    this.taken = false;
    const open = this.space(start);
    if (open >= end || bytes[open] !== OPEN_OBJECT) return false;
    const after = this.object(open, 0);
    this.close = after - 1;
    return after !== FAULT && this.space(after) === end;
  }

  // The methods below take the index of something's first byte, and give the index after its last one, or FAULT. The
  // index is not a field, because storing it for each byte would take half of the time.

  /** An object; its keys are at `level` of the path. */
  private object(start: number, level: number): number {
    const { bytes, end } = this;
    let i = this.space(start + 1);
    const empty = i < end && bytes[i] === CLOSE_OBJECT;
    if (level === 0) this.empty = empty;
    if (empty) return i + 1;
    for (;;) {
      const key = i + 1;
      const keyEnd = this.string(i) - 1;
      if (keyEnd < 0) return FAULT;
      const wanted = this.isKey(this.keys[level] as Uint8Array, key, keyEnd);
      if (level === 0) this.note(key, keyEnd);
      i = this.colon(keyEnd + 1);
      if (i < 0) return FAULT;
      i = wanted ? this.wanted(i, level) : this.pass(i);
      if (i < 0) return FAULT;
      i = this.space(i);
      if (i >= end) return FAULT;
      if (bytes[i] !== COMMA) return bytes[i] === CLOSE_OBJECT ? i + 1 : FAULT;
      i = this.space(i + 1);
    }
  }

  /** An array; its indexes are at `level` of the path. */
  private array(start: number, level: number): number {
    const { bytes, end } = this;
    let i = this.space(start + 1);
    if (i < end && bytes[i] === CLOSE_ARRAY) return i + 1;
    for (let index = 0; ; index += 1) {
      i = String(index) === this.path[level] ? this.wanted(i, level) : this.pass(i);
      if (i < 0) return FAULT;
      i = this.space(i);
      if (i >= end) return FAULT;
      if (bytes[i] !== COMMA) return bytes[i] === CLOSE_ARRAY ? i + 1 : FAULT;
      i = this.space(i + 1);
    }
  }

  /** A value that the path names up to `level`. */
  private wanted(start: number, level: number): number {
    const { bytes } = this;
    this.kind = "missing";
    const first = start < this.end ? bytes[start] : undefined;
    if (level + 1 < this.path.length) {
      if (first === OPEN_OBJECT) return this.object(start, level + 1);
      return first === OPEN_ARRAY ? this.array(start, level + 1) : this.pass(start);
    }
    const after = this.pass(start);
    if (after < 0) return FAULT;
    const isString = first === QUOTE;
    this.kind = isString ? "string" : first === 0x6e ? "null" : "other";
    this.escaped = isString && this.stringEscaped;
    this.valueStart = isString ? start + 1 : start;
    this.valueEnd = isString ? after - 1 : after;
    return after;
  }

  /** Any value, however deep. */
  private pass(start: number): number {
    const { bytes, end } = this;
    let i = start;
    let depth = 0;
    for (;;) {
      if (i >= end) return FAULT;
      const byte = bytes[i] as number;
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        const isObject = byte === OPEN_OBJECT;
        i = this.space(i + 1);
        if (i >= end) return FAULT;
        if (bytes[i] !== (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
          this.open(depth, isObject);
          depth += 1;
          if (isObject) i = this.key(i);
          if (i < 0) return FAULT;
          continue;
        }
        i += 1;
      } else {
        i = byte === QUOTE ? this.string(i) : this.scalar(i);
        if (i < 0) return FAULT;
      }
      // After a value: the next one of its container, or the containers' ends.
      for (;;) {
        if (depth === 0) return i;
        i = this.space(i);
        if (i >= end) return FAULT;
        const isObject = this.nesting[depth - 1] === 1;
        if (bytes[i] === COMMA) {
          i = this.space(i + 1);
          if (isObject) i = this.key(i);
          if (i < 0) return FAULT;
          break;
        }
        if (bytes[i] !== (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return FAULT;
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
    return after < 0 ? FAULT : this.colon(after);
  }

  /** A colon with the white space around it. */
  private colon(start: number): number {
    const i = this.space(start);
    return i < this.end && this.bytes[i] === COLON ? this.space(i + 1) : FAULT;
  }

  private string(start: number): number {
    const { bytes, end } = this;
    if (start >= end || bytes[start] !== QUOTE) return FAULT;
    this.stringEscaped = false;
    for (let i = start + 1; ; ) {
      i = plainEnd(bytes, i, end);
      if (i >= end) return FAULT;
      const byte = bytes[i] as number;
      if (byte === QUOTE) return i + 1;
      if (byte !== BACKSLASH) return FAULT;
      const letter = bytes[i + 1] as number;
      const length = letter === 0x75 ? 6 : 2;
      if (i + length > end || !(length === 6 ? isHex(bytes, i + 2) : ESCAPED.has(letter))) return FAULT;
      this.stringEscaped = true;
      i += length;
    }
  }

  /** A number or a literal. */
  private scalar(start: number): number {
    const { bytes, end } = this;
    const byte = bytes[start] as number;
    if (byte === MINUS || isDigit(byte)) return this.number(start);
    for (const literal of LITERALS) {
      if (start + literal.length <= end && literal.every((letter, i) => letter === bytes[start + i])) {
        return start + literal.length;
      }
    }
    return FAULT;
  }

  private number(start: number): number {
    const { bytes, end } = this;
    const first = bytes[start] === MINUS ? start + 1 : start;
    // No digit may follow a zero that comes first.
    let i = first < end && bytes[first] === ZERO ? first + 1 : this.digits(first);
    if (i < 0) return FAULT;
    if (i < end && bytes[i] === POINT) i = this.digits(i + 1);
    if (i < 0) return FAULT;
    if (i >= end || ((bytes[i] as number) | 0x20) !== SMALL_E) return i;
    i += 1;
    return this.digits(i < end && (bytes[i] === PLUS || bytes[i] === MINUS) ? i + 1 : i);
  }

  /** One digit or more. */
  private digits(start: number): number {
    const { bytes, end } = this;
    let i = start;
    while (i < end && isDigit(bytes[i] as number)) i += 1;
    return i > start ? i : FAULT;
  }

  /** White space, or nothing. */
  private space(start: number): number {
    const { bytes, end } = this;
    let i = start;
    while (i < end && (bytes[i] === SPACE || bytes[i] === 0x09 || bytes[i] === 0x0d)) i += 1;
    return i;
  }

  /** Notes a key of the object itself. */
  private note(start: number, end: number): void {
    if (this.isAdded(start, end)) this.taken = true;
    if (this.names === undefined || end - start > NAME_MAX) return;
    const plain = new Uint8Array(end - start);
    this.names.add(decodeUtf8(plain, 0, unescapeString(this.bytes, start, end, plain)));
  }

  private isAdded(start: number, end: number): boolean {
    if (!this.stringEscaped && this.addedLengths[end - start] !== 1) return false;
    const escaped = this.stringEscaped;
    return this.added.some((key) => (escaped ? this.isEscaped(key, start, end) : this.isSame(key, start, end)));
  }

  private isKey(key: Uint8Array, start: number, end: number): boolean {
    return this.stringEscaped ? this.isEscaped(key, start, end) : this.isSame(key, start, end);
  }

  private isSame(key: Uint8Array, start: number, end: number): boolean {
    if (key.length !== end - start) return false;
    for (let i = 0; i < key.length; i += 1) if (key[i] !== this.bytes[start + i]) return false;
    return true;
  }

  /** As `isSame`, for a key with escapes; such keys are rare. */
  private isEscaped(key: Uint8Array, start: number, end: number): boolean {
    const plain = new Uint8Array(end - start);
    const length = unescapeString(this.bytes, start, end, plain);
    return length === key.length && key.every((byte, i) => byte === plain[i]);
  }
}

/**
 * The index of the first quote, backslash or control character from `start` on, or `end`. Four bytes at a time, as in
 * findByte.
 */
function plainEnd(bytes: Uint8Array, start: number, end: number): number {
  const words = wordsOf(bytes);
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

// One JSON object in octets (RFC 8259): checks that it is well-formed, finds the value at a path, and where keys can be added. It
// copies nothing and makes no values.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const MINUS = 0x2d;
const SPACE = 0x20;

// What an octet may be inside a string without a further look: all but quote, backslash and control characters.
const PLAIN = Uint8Array.from({ length: 256 }, (_, octet) =>
  octet >= SPACE && octet !== QUOTE && octet !== BACKSLASH ? 1 : 0,
);
const ESCAPED = new Set(Array.from('"\\/bfnrt', (char) => char.charCodeAt(0)));
const LITERALS = ["true", "false", "null"].map((word) => Uint8Array.from(word, (char) => char.charCodeAt(0)));

/** What stands at the path. */
export type FoundKind = "missing" | "null" | "string" | "other";

/** The scan of one object; its fields are the result of the last one. */
export class ObjectScan {
  /** What stands at the path; of equal keys the last one counts, as for other readers of JSON. */
  kind: FoundKind = "missing";
  /** The value's octets: of a string, those between its quotes. */
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

  private readonly path: readonly string[];
  private readonly keys: readonly Uint8Array[];
  private readonly added: readonly Uint8Array[];
  private readonly addedLengths: ReadonlySet<number>;
  private octets: Uint8Array = new Uint8Array(0);
  private at = 0;
  private end = 0;
  private stringEscaped = false;
  /** The open objects (1) and arrays (0) around a value that is passed over. */
  private nesting = new Uint8Array(64);

  /** `path`: keys, or indexes of arrays, from the outermost on. `added`: keys that are to be added. */
  constructor(path: readonly string[], added: readonly string[]) {
    const encoder = new TextEncoder();
    this.path = path;
    this.keys = path.map((key) => encoder.encode(key));
    this.added = added.map((key) => encoder.encode(key));
    this.addedLengths = new Set(this.added.map(({ length }) => length));
  }

  /** Scans the line between `start` and `end`; false when it is not one object. */
  scan(octets: Uint8Array, start: number, end: number): boolean {
    this.octets = octets;
    this.at = start;
    this.end = end;
    this.kind = "missing";
    this.taken = false;
    this.space();
    if (!this.is(OPEN_OBJECT) || !this.object(0)) return false;
    this.close = this.at - 1;
    this.space();
    return this.at === end;
  }

  /** An object at its opening brace; its keys are at `level` of the path. */
  private object(level: number): boolean {
    this.at += 1;
    this.space();
    if (level === 0) this.empty = this.is(CLOSE_OBJECT);
    if (this.take(CLOSE_OBJECT)) return true;
    do {
      this.space();
      const key = this.at + 1;
      if (!this.string()) return false;
      const keyEnd = this.at - 1;
      const wanted = this.isKey(this.keys[level] as Uint8Array, key, keyEnd);
      if (level === 0 && this.isAdded(key, keyEnd)) this.taken = true;
      this.space();
      if (!this.take(COLON)) return false;
      this.space();
      if (!(wanted ? this.wanted(level) : this.pass())) return false;
      this.space();
    } while (this.take(COMMA));
    return this.take(CLOSE_OBJECT);
  }

  /** An array at its opening bracket; its indexes are at `level` of the path. */
  private array(level: number): boolean {
    this.at += 1;
    this.space();
    if (this.take(CLOSE_ARRAY)) return true;
    let index = 0;
    do {
      this.space();
      if (!(String(index) === this.path[level] ? this.wanted(level) : this.pass())) return false;
      index += 1;
      this.space();
    } while (this.take(COMMA));
    return this.take(CLOSE_ARRAY);
  }

  /** A value that the path names up to `level`. */
  private wanted(level: number): boolean {
    this.kind = "missing";
    if (level + 1 < this.path.length) {
      if (this.is(OPEN_OBJECT)) return this.object(level + 1);
      return this.is(OPEN_ARRAY) ? this.array(level + 1) : this.pass();
    }
    const start = this.at;
    const isString = this.is(QUOTE);
    if (!this.pass()) return false;
    this.kind = isString ? "string" : this.octets[start] === 0x6e ? "null" : "other";
    this.escaped = isString && this.stringEscaped;
    this.valueStart = isString ? start + 1 : start;
    this.valueEnd = isString ? this.at - 1 : this.at;
    return true;
  }

  /** Any value, however deep. */
  private pass(): boolean {
    let depth = 0;
    for (;;) {
      const octet = this.octets[this.at] as number;
      if (this.at >= this.end) return false;
      if (octet === OPEN_OBJECT || octet === OPEN_ARRAY) {
        const isObject = octet === OPEN_OBJECT;
        this.at += 1;
        this.space();
        if (!this.take(isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
          this.open(depth, isObject);
          depth += 1;
          if (isObject && !this.key()) return false;
          continue;
        }
      } else if (!(octet === QUOTE ? this.string() : this.scalar())) {
        return false;
      }
      // After a value: the next one of its container, or the containers' ends.
      for (;;) {
        if (depth === 0) return true;
        this.space();
        const isObject = this.nesting[depth - 1] === 1;
        if (this.take(COMMA)) {
          this.space();
          if (isObject && !this.key()) return false;
          break;
        }
        if (!this.take(isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return false;
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

  /** A key with its colon, up to the value. */
  private key(): boolean {
    if (!this.string()) return false;
    this.space();
    if (!this.take(COLON)) return false;
    this.space();
    return true;
  }

  /** A string at its opening quote. */
  private string(): boolean {
    if (!this.take(QUOTE)) return false;
    const { octets, end } = this;
    this.stringEscaped = false;
    let i = this.at;
    for (;;) {
      while (i < end && PLAIN[octets[i] as number] === 1) i += 1;
      if (i >= end) return false;
      const octet = octets[i] as number;
      if (octet === QUOTE) break;
      if (octet !== BACKSLASH) return false;
      const letter = octets[i + 1] as number;
      const length = letter === 0x75 ? 6 : 2;
      if (i + length > end || !(length === 6 ? isHex(octets, i + 2) : ESCAPED.has(letter))) return false;
      this.stringEscaped = true;
      i += length;
    }
    this.at = i + 1;
    return true;
  }

  /** A number or a literal. */
  private scalar(): boolean {
    const octet = this.octets[this.at] as number;
    if (octet === MINUS || isDigit(octet)) return this.number();
    for (const literal of LITERALS) {
      if (this.at + literal.length <= this.end && literal.every((letter, i) => letter === this.octets[this.at + i])) {
        this.at += literal.length;
        return true;
      }
    }
    return false;
  }

  private number(): boolean {
    this.take(MINUS);
    if (!this.take(0x30) && !this.digits()) return false;
    if (this.take(0x2e) && !this.digits()) return false;
    if (this.take(0x65) || this.take(0x45)) {
      if (!this.take(0x2b)) this.take(MINUS);
      return this.digits();
    }
    return true;
  }

  /** One digit or more. */
  private digits(): boolean {
    const start = this.at;
    while (this.at < this.end && isDigit(this.octets[this.at] as number)) this.at += 1;
    return this.at > start;
  }

  private space(): void {
    const { octets, end } = this;
    let i = this.at;
    while (i < end && (octets[i] === SPACE || octets[i] === 0x09 || octets[i] === 0x0d)) i += 1;
    this.at = i;
  }

  private is(octet: number): boolean {
    return this.at < this.end && this.octets[this.at] === octet;
  }

  private take(octet: number): boolean {
    if (this.at >= this.end || this.octets[this.at] !== octet) return false;
    this.at += 1;
    return true;
  }

  private isAdded(start: number, end: number): boolean {
    if (!this.stringEscaped && !this.addedLengths.has(end - start)) return false;
    const escaped = this.stringEscaped;
    return this.added.some((key) => (escaped ? this.isEscaped(key, start, end) : this.isSame(key, start, end)));
  }

  private isKey(key: Uint8Array, start: number, end: number): boolean {
    return this.stringEscaped ? this.isEscaped(key, start, end) : this.isSame(key, start, end);
  }

  private isSame(key: Uint8Array, start: number, end: number): boolean {
    if (key.length !== end - start) return false;
    for (let i = 0; i < key.length; i += 1) if (key[i] !== this.octets[start + i]) return false;
    return true;
  }

  /** As `isSame`, for a key with escapes; such keys are rare. */
  private isEscaped(key: Uint8Array, start: number, end: number): boolean {
    const plain = new Uint8Array(end - start);
    const length = unescapeString(this.octets, start, end, plain);
    return length === key.length && key.every((octet, i) => octet === plain[i]);
  }
}

/** Writes the octets that a string's content between `start` and `end` stands for; gives their number. A lone surrogate is U+FFFD. */
export function unescapeString(octets: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  for (let i = start; i < end; ) {
    const octet = octets[i] as number;
    if (octet !== BACKSLASH) {
      target[length++] = octet;
      i += 1;
    } else if (octets[i + 1] !== 0x75) {
      target[length++] = CONTROLS.get(octets[i + 1] as number) ?? (octets[i + 1] as number);
      i += 2;
    } else {
      let point = hexAt(octets, i + 2);
      i += 6;
      if (isHigh(point) && i + 6 <= end && octets[i] === BACKSLASH && octets[i + 1] === 0x75) {
        const low = hexAt(octets, i + 2);
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

function hexAt(octets: Uint8Array, at: number): number {
  return Number.parseInt(String.fromCharCode(...octets.subarray(at, at + 4)), 16);
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

function isDigit(octet: number): boolean {
  return octet >= 0x30 && octet <= 0x39;
}

function isHex(octets: Uint8Array, at: number): boolean {
  for (let i = at; i < at + 4; i += 1) {
    const octet = octets[i] as number;
    const letter = octet | 0x20;
    if (!isDigit(octet) && !(letter >= 0x61 && letter <= 0x66)) return false;
  }
  return true;
}

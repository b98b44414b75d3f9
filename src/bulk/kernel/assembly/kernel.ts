// The kernel of bulk work, in AssemblyScript for WebAssembly: it answers rows whose answer is a copy of what is known
// already, until it meets one that it can't answer. It has no list and no rule of its own: `../kernel.ts` fills its
// tables. Bytes are looked at and copied 32 at a time, because a loop that often ends otherwise than the last time
// costs more than they do; the memory has room beyond each end. It is long because it is one pass over the bytes of a
// row.

// Settings; the host sets them.
export let form: u32 = 0, delimiter: u32 = 0;
/** Of CSV and TSV: the index of the address's column, and the number of columns. */
export let column: u32 = 0, width: u32 = 0;
/** The mask is the number of entries less one. */
export let keyCount: u32 = 0, entryMask: u32 = 0, output: u32 = 0, outputEnd: u32 = 0;
/**
 * The filter of all names of the lists: where it is, its bits less one, and the hash of a role's name without bytes.
 */
export let names: u32 = 0, namesMask: u32 = 0, roleSeed: u32 = 0;
/**
 * Where rows that are compared are noted, and how many are: the beginning of the row, where rows that are one mailbox
 * differ, the end of the mailbox, and the template's number. The mailboxes follow, each from a multiple of 16 on.
 */
export let notes: u32 = 0, noted: u32 = 0;

// Where things are in the memory. Words of 4 bytes that a run leaves: how many rows were answered, where the next one
// begins, and where the output ends.
const ANSWERED: usize = 0x240, NEXT: usize = 0x244, WRITTEN: usize = 0x248;
/**
 * Of a row that is UNKNOWN or a WORD: its domain or word in lower case, the length of that, the entry for it, and the
 * row's variant.
 */
const NAME_LENGTH: usize = 0x24c, ENTRY: usize = 0x250, VARIANT: usize = 0x254, NAME: usize = 0x260;
/** 32 bytes 0xff and 32 bytes 0: from 32 - n on, they keep the first n bytes. */
const KEPT: usize = 0x280;
/** Which bytes a local part may have, as bits by their low half, and the bit of each high half. */
const LOCAL_LOW: usize = 0x2c0, HIGH: usize = 0x2d0;
/**
 * By byte: whether a role's name may end before it, whether a backslash may stand before it in JSON, its lower case.
 */
const BREAKS: usize = 0x300, ESCAPES: usize = 0x400, LOWER: usize = 0x500;
/** Keys of JSON Lines, each after its length: that of the address, then those that are added. */
const KEYS: usize = 0x800;
// How providers read a local part, 32 bytes each: the separator, a byte that needs the whole parser, whether dots
// are ignored; from 16 on, the bytes that are ignored, as bits by their low half.
const RULES: usize = 0x2000;
/**
 * The lists' filter of how roles' names begin, and local parts that may be one, 32 bytes each: the word, and from 16
 * on what it is.
 */
const ROLES: usize = 0xc000, WORDS: usize = 0xe000, WORD_MAX: u32 = 16, WORD_MASK: u32 = 0xff;
/** Kinds of words: no role's name; odd, so that its rows are not answered; or the bit of a variant of row. */
const PLAIN: u32 = 1, STRANGE: u32 = 2, ROLE: u32 = 4;
/**
 * Where each template is: the length of its bytes, the number of its other parts, the rows that it answered, and its
 * parts.
 */
const TEMPLATES: usize = 0x20000, TEMPLATE_ROWS_AT = 8, PARTS_AT = 12;
// Parts of a template: a kind each, and where its bytes are and how many. What is between OPEN and CLOSE is the
// mailbox, which is noted.
const BYTES: u32 = 1, LINE: u32 = 2, REST: u32 = 3, ADDRESS: u32 = 4, CANONICAL: u32 = 5, DOMAIN: u32 = 6;
const OPEN: u32 = 7, CLOSE: u32 = 8;
const NOTE_BYTES: u32 = 16, NOTES_MAX: u32 = 128;
/**
 * An entry for each domain that is kept: length, number of the rule, rows, templates of the 8 variants, and the domain.
 */
const ENTRIES: usize = 0x40000;
const ENTRY_BYTES = 64, RULE_AT = 1, ROWS_AT = 4, TEMPLATES_AT = 8, DOMAIN_AT = 32;
const DOMAIN_MAX: u32 = 32, LOCAL_MAX: u32 = 64;
/** In place of a template: such rows are not answered. */
const REFUSED: u32 = 0xffff;
/** Beside the variant: the domain is not kept yet. */
const NEW: u32 = 8;

// Why a run stopped: the next row does not end here; its domain, or this variant of row at it, is not known; it needs
// the whole parser; there is no room for another row of output; it is not known whether its local part is a role's
// name.
const GO_ON: u32 = 0, INCOMPLETE: u32 = 1, UNKNOWN: u32 = 2, ODD: u32 = 3, FULL: u32 = 4, WORD: u32 = 5;
// Forms of input; TSV is between.
const LINES: u32 = 0, CSV: u32 = 1, JSONL: u32 = 3;
const TAB: u32 = 0x09, LF: u32 = 0x0a, CR: u32 = 0x0d, SPACE: u32 = 0x20, QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c, DOT: u32 = 0x2e;
const DIGIT: u32 = 0x30, COLON: u32 = 0x3a, AT: u32 = 0x40, BACKSLASH: u32 = 0x5c;
// The byte that closes each is two more.
const OPEN_ARRAY: u32 = 0x5b, OPEN_OBJECT: u32 = 0x7b;

let written: usize = 0, mailboxes: usize = 0;
// The current row: its line or record, where additions go, its address, where the next row begins, and 1 when it ends
// in CR LF.
let lineStart: usize = 0, lineEnd: usize = 0, insertAt: usize = 0;
let addressStart: usize = 0, addressEnd: usize = 0, rowEnd: usize = 0, crlf: u32 = 0;

/** Answers rows between `start` and `end` of the memory, after the output that is there; tells why it stopped. */
export function run(start: usize, end: usize): u32 {
  written = load<u32>(WRITTEN);
  if (noted == 0) mailboxes = notes + NOTES_MAX * NOTE_BYTES;
  rowEnd = start;
  let answered: u32 = 0, why: u32 = GO_ON;
  for (; why == GO_ON; answered += why == GO_ON ? 1 : 0) {
    lineStart = rowEnd;
    why = form == LINES ? line(end) : form == JSONL ? object(end) : record(end);
    if (why == GO_ON) why = answer();
  }
  store<u32>(ANSWERED, answered);
  store<u32>(NEXT, <u32>lineStart);
  store<u32>(WRITTEN, <u32>written);
  return why;
}

/** A bit for each of 32 bytes that is equal to one of two. */
@inline function equals(i: usize, one: v128, other: v128): u32 {
  const first = v128.load(i);
  const second = v128.load(i, 16);
  const low = i8x16.bitmask(v128.or(i8x16.eq(first, one), i8x16.eq(first, other)));
  return low | (i8x16.bitmask(v128.or(i8x16.eq(second, one), i8x16.eq(second, other))) << 16);
}

/** The index of the first of two bytes from `start` on; `end` or more when there is none before it. */
@inline function find(one: u32, other: u32, start: usize, end: usize): usize {
  for (let i = start; i < end; i += 32) {
    const found = equals(i, i8x16.splat(<i8>one), i8x16.splat(<i8>other));
    if (found != 0) return i + ctz(found);
  }
  return end;
}

@inline function line(end: usize): u32 {
  lineEnd = find(LF, LF, lineStart, end);
  rowEnd = lineEnd + 1;
  insertAt = lineEnd;
  crlf = 0;
  addressStart = lineStart;
  addressEnd = lineEnd > lineStart && load<u8>(lineEnd - 1) == CR ? lineEnd - 1 : lineEnd;
  return lineEnd >= end ? INCOMPLETE : GO_ON;
}

/** A record of CSV (RFC 4180), or of TSV. */
@inline function record(end: usize): u32 {
  let field: u32 = 0;
  let isOdd = false;
  addressStart = 0;
  let i = lineStart, byte: u32 = 0;
  for (; ; field += 1, i += 1) {
    const first = i;
    if (form == CSV && i < end && load<u8>(i) == QUOTE) {
      i = find(QUOTE, QUOTE, i + 1, end) + 1;
      while (i < end && load<u8>(i) == QUOTE) {
        if (field == column) isOdd = true;
        i = find(QUOTE, QUOTE, i + 1, end) + 1;
      }
      if (i >= end) return INCOMPLETE;
      if (field == column) {
        addressStart = first + 1;
        addressEnd = i - 1;
      }
    }
    const closed = i;
    i = find(delimiter, LF, i, end);
    if (i >= end) return INCOMPLETE;
    byte = load<u8>(i);
    if (field == column) {
      if (addressStart == 0) {
        addressStart = first;
        addressEnd = byte == LF && i > first && load<u8>(i - 1) == CR ? i - 1 : i;
        // Bytes behind a closing quote belong to the field.
      } else if (i > closed && !(byte == LF && i == closed + 1 && load<u8>(closed) == CR)) isOdd = true;
    }
    if (byte == LF) break;
  }
  rowEnd = i + 1;
  crlf = i > lineStart && load<u8>(i - 1) == CR ? 1 : 0;
  lineEnd = i - crlf;
  insertAt = lineEnd;
  return isOdd || field + 1 != width || addressStart == 0 ? ODD : GO_ON;
}

/** An object (RFC 8259) with the key of the address once, as a string, and none of the keys that are added. */
function object(end: usize): u32 {
  if (line(end) == INCOMPLETE) return INCOMPLETE;
  addressStart = 0;
  // A bit for each open object (1) or array (0), the innermost lowest, after a bit that is always set.
  let open = TOP;
  let i = space(lineStart);
  if (load<u8>(i) != OPEN_OBJECT) return ODD;
  i = keyEnd(space(i + 1), TOP);
  if (i == 0) return ODD;
  while (true) {
    const value = i;
    const byte: u32 = load<u8>(i);
    if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) {
      i = space(i + 1);
      if (load<u8>(i) != byte + 2) {
        if (open >> 62) return ODD;
        open = (open << 1) | (byte == OPEN_OBJECT ? 1 : 0);
        if (byte == OPEN_OBJECT) i = keyEnd(i, open);
        if (i == 0) return ODD;
        continue;
      }
      i += 1;
    } else {
      i = byte == QUOTE ? stringEnd(i + 1) + 1 : scalarEnd(i);
      if (i <= 1) return ODD;
    }
    if (open == TOP && keyNumber >= 0) {
      if (keyNumber > 0 || addressStart != 0 || byte != QUOTE || hasEscapes) return ODD;
      addressStart = value + 1;
      addressEnd = i - 1;
    }
    // After a value: the next one of what contains it, or the ends of what contains it.
    while (true) {
      i = space(i);
      const isObject = (open & 1) != 0;
      if (load<u8>(i) == COMMA) {
        i = space(i + 1);
        if (isObject) i = keyEnd(i, open);
        if (i == 0) return ODD;
        break;
      }
      if (load<u8>(i) != (isObject ? OPEN_OBJECT : OPEN_ARRAY) + 2) return ODD;
      if (open == TOP) {
        insertAt = i;
        return addressStart != 0 && space(i + 1) == lineEnd ? GO_ON : ODD;
      }
      // The value that ended here may not be the address's.
      open >>= 1;
      if (open == TOP && keyNumber >= 0) return ODD;
      i += 1;
    }
  }
  return ODD;
}

/** The value of `open` when only the line's object is. */
const TOP: u64 = 3;

// The line of an object ends in a line feed, at which each of these stops.

@inline function space(start: usize): usize {
  let i = start;
  for (let byte: u32 = load<u8>(i); byte == SPACE || byte == TAB || byte == CR; byte = load<u8>(i)) i += 1;
  return i;
}

/** The last string has escapes. */
let hasEscapes = false;

/** The index of the quote that ends a string; 0 when it is not well-formed. */
@inline function stringEnd(start: usize): usize {
  hasEscapes = false;
  let i = start;
  while (true) {
    const bytes = v128.load(i);
    const special = v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH)));
    const found = i8x16.bitmask(v128.or(special, i8x16.lt_u(bytes, i8x16.splat(<i8>SPACE))));
    i += found == 0 ? 16 : ctz(found);
    if (found == 0) continue;
    if (load<u8>(i) == QUOTE) return i;
    // \u, whose digits need a check, is left to the whole parser.
    if (load<u8>(i) != BACKSLASH || load<u8>(ESCAPES + load<u8>(i + 1)) == 0) return 0;
    hasEscapes = true;
    i += 2;
  }
  return 0;
}

/** The index after a literal, or a number without an exponent; 0 for any other value. */
function scalarEnd(start: usize): usize {
  const word = load<u32>(start);
  if (word == 0x65757274 || word == 0x6c6c756e) return start + 4;
  if (word == 0x736c6166 && load<u8>(start + 4) == 0x65) return start + 5;
  const first = (word & 0xff) == 0x2d ? start + 1 : start;
  const point = digitsEnd(first);
  if (point == first || (load<u8>(first) == DIGIT && point > first + 1)) return 0;
  const end = load<u8>(point) == DOT ? digitsEnd(point + 1) : point;
  return end == point + 1 || (load<u8>(end) | 0x20) == 0x65 ? 0 : end;
}

@inline function digitsEnd(start: usize): usize {
  let i = start;
  while (<u32>load<u8>(i) - DIGIT < 10) i += 1;
  return i;
}

/** Of the last key of the line's object: 0 for the address's, more for one that is added, -1 for any other. */
let keyNumber: i32 = -1;

/** The index after a key, its colon and the white space there; 0 when it is not well-formed, or may be any. */
@inline function keyEnd(start: usize, open: u64): usize {
  if (load<u8>(start) != QUOTE) return 0;
  const end = stringEnd(start + 1);
  if (end == 0 || (open == TOP && hasEscapes)) return 0;
  if (open == TOP) keyNumber = numberOf(start + 1, <u32>(end - start - 1));
  const i = space(end + 1);
  return load<u8>(i) == COLON ? space(i + 1) : 0;
}

function numberOf(start: usize, length: u32): i32 {
  let at = KEYS;
  for (let number: u32 = 0; number < keyCount; number += 1) {
    const size: u32 = load<u8>(at);
    if (size == length && memory.compare(at + 1, start, length) == 0) return number;
    at += 1 + size;
  }
  return -1;
}

/** Letters in lower case; other bytes stay. */
@inline function lower(bytes: v128): v128 {
  const capitals = v128.and(i8x16.ge_u(bytes, i8x16.splat(0x41)), i8x16.le_u(bytes, i8x16.splat(0x5a)));
  return v128.or(bytes, v128.and(capitals, i8x16.splat(0x20)));
}

/** Writes the answer of the current row, if it is known. */
@inline function answer(): u32 {
  const at = localPartEnd();
  if (at == 0 || <u32>(at - addressStart) > LOCAL_MAX) return ODD;
  const word = mayBeginRole() ? wordOf(at) : PLAIN;
  if (word == STRANGE || word == 0) return word == 0 ? WORD : ODD;
  const length = <u32>(addressEnd - at - 1);
  if (length - 1 >= DOMAIN_MAX) return ODD;

  // A domain that is known is well-formed.
  const kept = KEPT + 32 - length;
  const low = v128.and(lower(v128.load(at + 1)), v128.load(kept));
  const high = v128.and(lower(v128.load(at + 17)), v128.load(kept, 16));
  const first = ENTRIES + (hashOf(low, high) & entryMask) * ENTRY_BYTES;
  let entry = first;
  if (!holds(entry, length, low, high)) {
    entry = first ^ ENTRY_BYTES;
    if (!holds(entry, length, low, high)) {
      return unknown(length, low, high, roomBeside(first), (crlf << 1) | (word & ROLE) | NEW);
    }
  }
  const rule = RULES + (<usize>load<u8>(entry, RULE_AT) << 5);
  const end = userEnd(rule, at);
  const variant = (end == at ? 0 : 1) | (crlf << 1) | (word & ROLE);
  const number: u32 = load<u16>(entry + (variant << 1), TEMPLATES_AT);
  if (number == 0) return unknown(length, low, high, entry, variant);
  if (number == REFUSED || end == 0) return ODD;

  const template: usize = load<u32>(TEMPLATES + (number << 2));
  const room = load<u32>(template) + load<u32>(template, 4) * (<u32>(lineEnd - lineStart) + LOCAL_MAX + DOMAIN_MAX + 1);
  const before = written;
  let hole: usize = 0;
  if (before + room > <usize>outputEnd || noted == NOTES_MAX) return before == output ? ODD : FULL;
  for (let part = template + PARTS_AT; ; part += 12) {
    const kind = load<u32>(part);
    if (kind == BYTES) copy(load<u32>(part, 4), load<u32>(part, 8));
    else if (kind == CANONICAL) {
      // A name of ignored bytes only is its own canonical form.
      if (!writeCanonical(rule, end)) {
        written = before;
        return ODD;
      }
    } else if (kind == DOMAIN) copy(entry + DOMAIN_AT, length);
    else if (kind == LINE) copy(lineStart, insertAt - lineStart);
    else if (kind == ADDRESS) copy(addressStart, addressEnd - addressStart);
    else if (kind == REST) copy(insertAt, lineEnd - insertAt);
    else if (kind == OPEN) {
      hole = written;
      written = mailboxes;
    } else if (kind == CLOSE) {
      note(before, hole, number);
      written = hole;
    } else break;
  }
  store<u32>(template, load<u32>(template, TEMPLATE_ROWS_AT) + 1, TEMPLATE_ROWS_AT);
  store<u32>(entry, load<u32>(entry, ROWS_AT) + 1, ROWS_AT);
  return GO_ON;
}

function note(start: usize, hole: usize, template: u32): void {
  const at = notes + noted * NOTE_BYTES;
  store<u32>(at, <u32>start);
  store<u32>(at, <u32>hole, 4);
  store<u32>(at, <u32>written, 8);
  store<u32>(at, template, 12);
  mailboxes = (written + 15) & ~15;
  noted += 1;
}

/** A bit for each of 32 bytes that is in a set, by its low half; the set of bits is in `lows`. */
@inline function inSet(i: usize, lows: v128): u32 {
  const highs = v128.load(HIGH);
  return among(v128.load(i), lows, highs) | (among(v128.load(i, 16), lows, highs) << 16);
}

@inline function among(bytes: v128, lows: v128, highs: v128): u32 {
  const bits = i8x16.swizzle(lows, v128.and(bytes, i8x16.splat(0x0f)));
  const found = v128.and(bits, i8x16.swizzle(highs, i8x16.shr_u(bytes, 4)));
  return i8x16.bitmask(i8x16.ne(found, i8x16.splat(0)));
}

/** The index of the `@` after a dot-string of ASCII (RFC 5321 §4.1.2); 0 when there is none. */
@inline function localPartEnd(): usize {
  const lows = v128.load(LOCAL_LOW);
  const dot = i8x16.splat(<i8>DOT);
  // The byte before is a dot.
  let afterDot: u32 = 1;
  for (let i = addressStart; i < addressEnd; i += 32) {
    const others = ~inSet(i, lows);
    const count: u32 = ctz(others);
    const dots = equals(i, dot, dot) & <u32>((<u64>1 << count) - 1);
    if ((dots & ((dots << 1) | afterDot)) != 0) return 0;
    if (others == 0) {
      afterDot = dots >> 31;
      continue;
    }
    const end = i + count;
    const isAfterDot = count == 0 ? afterDot : (dots >> (count - 1)) & 1;
    return end < addressEnd && isAfterDot == 0 && load<u8>(end) == AT ? end : 0;
  }
  return 0;
}

@inline function hashOf(low: v128, high: v128): u32 {
  let hash = i64x2.extract_lane(low, 0) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29) ^ i64x2.extract_lane(low, 1)) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29) ^ i64x2.extract_lane(high, 0)) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29) ^ i64x2.extract_lane(high, 1)) * 0x9e3779b97f4a7c15;
  return <u32>(hash >> 32);
}

@inline function holds(entry: usize, length: u32, low: v128, high: v128): bool {
  if (load<u8>(entry) != length) return false;
  const other = v128.or(v128.xor(v128.load(entry, DOMAIN_AT), low), v128.xor(v128.load(entry, DOMAIN_AT + 16), high));
  return !v128.any_true(other);
}

let turn: usize = 0;

/**
 * The place for a new domain: of two, a free one, or each in turn, so that a new name removes at most one of two
 * frequent ones.
 */
function roomBeside(first: usize): usize {
  if (load<u8>(first) == 0) return first;
  const other = first ^ ENTRY_BYTES;
  if (load<u8>(other) == 0) return other;
  turn ^= ENTRY_BYTES;
  return first ^ turn;
}

/** Notes what is needed to make a domain, a variant of row at it, or a word known. */
function unknown(length: u32, low: v128, high: v128, entry: usize, variant: u32): u32 {
  store<u32>(NAME_LENGTH, length);
  v128.store(NAME, low);
  v128.store(NAME, high, 16);
  store<u32>(ENTRY, <u32>entry);
  store<u32>(VARIANT, variant);
  return UNKNOWN;
}

/** False when no role's name begins like the local part; true may be wrong. */
@inline function mayBeginRole(): bool {
  const word = load<u32>(addressStart) | 0x20202020;
  return ((beginsRole(word, 4) | beginsRole(word & 0xffffff, 3) | beginsRole(word & 0xffff, 2)) & 1) != 0;
}

@inline function beginsRole(beginning: u32, length: u32): u32 {
  return bitAt(ROLES, ((beginning ^ length) * 0x9e3779b1) >> 16);
}

/**
 * The kind of the local part before `at`: PLAIN where no role's name ends where one may end in it. 0: that is not known
 * yet.
 */
function wordOf(at: usize): u32 {
  let isFirst = true;
  for (let end = addressStart + 2; end <= at; end += 1) {
    if (load<u8>(BREAKS + load<u8>(end)) == 0) continue;
    let hash = roleSeed;
    for (let i = end; i > addressStart; i -= 1) hash = (hash ^ load<u8>(LOWER + load<u8>(i - 1))) * 0x01000193;
    if (bitAt(names, (hash ^ (hash >> 13)) & namesMask) == 0) continue;
    const length = <u32>(end - addressStart);
    if (length > WORD_MAX) return STRANGE;
    const name = v128.and(lower(v128.load(addressStart)), v128.load(KEPT + 32 - length));
    const entry = WORDS + ((hashOf(name, name) & WORD_MASK) << 5);
    if (v128.any_true(v128.xor(v128.load(entry), name))) {
      // One word of a row becomes known at most: two could take each other's place for ever.
      return isFirst ? unknown(length, name, name, entry, 0) - UNKNOWN : STRANGE;
    }
    isFirst = false;
    const word: u32 = load<u8>(entry, 16);
    // A name before the end of the local part may not count.
    if (word != PLAIN) return word == ROLE && end < at ? STRANGE : word;
  }
  return PLAIN;
}

@inline function bitAt(filter: usize, bit: u32): u32 {
  return (load<u8>(filter + (bit >> 3)) >> (bit & 7)) & 1;
}

/**
 * The index where the user ends: at its tag (RFC 5233), or at `at` without a tag. 0 where the local part needs the
 * whole parser.
 */
@inline function userEnd(rule: usize, at: usize): usize {
  const separators = i8x16.splat(load<i8>(rule));
  const refused = i8x16.splat(load<i8>(rule, 1));
  for (let i = addressStart; i < at; i += 32) {
    let found = equals(i, separators, refused);
    for (; found != 0; found &= found - 1) {
      const end = i + ctz(found);
      if (end >= at) return at;
      if (load<u8>(end) != load<u8>(rule)) return 0;
      if (endsUser(rule, end)) return end;
    }
  }
  return at;
}

/**
 * True when a separator stands behind a user that is complete: with a byte that is not ignored, and no dot at its end
 * that stays.
 */
function endsUser(rule: usize, end: usize): bool {
  if (end == addressStart || (load<u8>(end - 1) == DOT && load<u8>(rule, 2) == 0)) return false;
  // Where the user has ignored bytes only, nothing is written later.
  return <usize>ctz(~inSet(addressStart, v128.load(rule, 16))) < end - addressStart;
}

/** Writes the canonical local part; false when nothing is left of it. */
@inline function writeCanonical(rule: usize, end: usize): bool {
  const before = written;
  const lows = v128.load(rule, 16);
  let i = addressStart;
  while (i < end) {
    v128.store(written, lower(v128.load(i)));
    v128.store(written, lower(v128.load(i, 16)), 16);
    const ignored = inSet(i, lows);
    const count = min<usize>(ctz(ignored), end - i);
    written += count;
    // The ignored byte is passed over.
    i += count + (ignored != 0 ? 1 : 0);
  }
  return written > before;
}

/** Appends bytes to the output. Bytes beyond their end are written over later. */
@inline function copy(from: usize, length: usize): void {
  v128.store(written, v128.load(from));
  v128.store(written, v128.load(from, 16), 16);
  for (let i: usize = 32; i < length; i += 16) v128.store(written + i, v128.load(from + i));
  written += length;
}

// The kernel of the accelerator, in AssemblyScript for WebAssembly: writes the output of rows from templates, until it
// reaches a row that needs the full parser. It contains no list and no rule; `../kernel.ts` fills its tables. It finds
// fields and copies bytes 16 at a time, so the memory has slack after each region. One file: it is one pass over a row.

import {
  PROCESSED_ROWS, NEXT_ROW, OUTPUT_END, ENTRY, VARIANT, NAME_LENGTH, QUOTED_LINE_FEEDS, NAME, PREFIX_MASK, LOWERCASE_TABLE, HOST_TABLE, USER, EVICTED, KEYS, LOCAL_PART_RULES, IGNORED,
  SEPARATOR, ROLE_PREFIXES, TEMPLATE_ROWS_AT, PARTS_AT, PART_BYTES, ENTRIES, ENTRY_BYTES, RULE_AT, NOT_LEARNED, ROWS_AT, TEMPLATES_AT,
  DOMAIN_AT, NAME_MAX, LOCAL_MAX, ROW_RECORD_BYTES, ROW_RECORDS_MAX, CSV, JSONL, CONTINUE, NEED_INPUT, UNKNOWN_NAME,
  UNSUPPORTED_ROW, OUTPUT_FULL, TAGGED, ROLE, LOCAL_PART, NOT_SUPPORTED, BYTES, LINE, LINE_REST, ADDRESS, CANONICAL, DOMAIN,
  MAILBOX_START, MAILBOX_END,
} from "../layout";

// Settings, set by the host. `entryMask` is the number of entries minus one.
export let form: u32 = 0, delimiter: u32 = 0, entryMask: u32 = 0, output: u32 = 0, outputEnd: u32 = 0;
/** Index of the address column and number of columns. For JSON Lines, 0 and the number of keys. */
export let column: u32 = 0, width: u32 = 0;
/** Index of the --by column; without --by, an index that no column has. */
export let byColumn: u32 = 0;
/** Bloom filter of all names of the lists: its offset, its number of bits minus one, and the seeds of its hashes. */
export let names: u32 = 0, namesMask: u32 = 0;
export let roleSeed: u32 = 0, domainSeed: u32 = 0, namespaceSeed: u32 = 0, suffixSeed: u32 = 0;
/**
 * If not 0, all unlisted domains of a top-level domain share one entry, except those that begin with `hiddenPrefix`.
 */
export let collapseUnlisted: u32 = 0, hiddenPrefix: u32 = 0;
/** Offset and number of the row records. The mailboxes follow, each aligned to 16 bytes. */
export let rowRecords: u32 = 0, rowRecordCount: u32 = 0;

// Bit in the length of an entry whose name is a local part.
const LOCAL_PART_NAME: u32 = 0x80;
const LF: u32 = 0x0a, CR: u32 = 0x0d, SPACE: u32 = 0x20, QUOTE: u32 = 0x22, ANY: u32 = 0x2a, COMMA: u32 = 0x2c;
const MINUS: u32 = 0x2d, DOT: u32 = 0x2e, ZERO: u32 = 0x30, COLON: u32 = 0x3a, AT: u32 = 0x40, BACKSLASH: u32 = 0x5c;
const OPEN_ARRAY: u32 = 0x5b, CLOSE_ARRAY: u32 = 0x5d, SMALL_A: u32 = 0x61, OPEN_OBJECT: u32 = 0x7b, CLOSE_OBJECT: u32 = 0x7d;

// Offsets of the next output byte and of the next mailbox. While a mailbox is written, `cursor` is in the mailbox.
let cursor: usize = 0, mailboxes: usize = 0;
// The current row: its line or record, the offset where fields are added, its address, and its field in the --by
// column. A CR before the line feed belongs to the line.
let lineStart: usize = 0, lineEnd: usize = 0, insertAt: usize = 0;
let addressStart: usize = 0, addressEnd: usize = 0, fieldStart: usize = 0, fieldEnd: usize = 0;
/** Number of line feeds in quotes, in the current row. */
let quotedLineFeeds: u32 = 0;
/** ROLE or 0, and the length of the canonical user. */
let role: u32 = 0, userLength: u32 = 0;

/** Processes the rows between `start` and `end` of the memory, appends to the output, and returns why it stopped. */
export function run(start: usize, end: usize): u32 {
  cursor = load<u32>(OUTPUT_END);
  if (rowRecordCount == 0) mailboxes = rowRecords + ROW_RECORDS_MAX * ROW_RECORD_BYTES;
  lineEnd = start - 1;
  let processed: u32 = 0, lineFeeds: u32 = 0, stopReason: u32 = CONTINUE;
  while (stopReason == CONTINUE) {
    lineStart = lineEnd + 1;
    quotedLineFeeds = 0;
    stopReason = form == JSONL ? readObject(end) : readRecord(end);
    if (stopReason == CONTINUE) stopReason = writeRow();
    if (stopReason == CONTINUE) {
      processed += 1;
      lineFeeds += quotedLineFeeds;
    }
  }
  store<u32>(PROCESSED_ROWS, processed);
  store<u32>(QUOTED_LINE_FEEDS, lineFeeds);
  store<u32>(NEXT_ROW, <u32>lineStart);
  store<u32>(OUTPUT_END, <u32>cursor);
  return stopReason;
}

/**
 * Returns the index of the first occurrence of either byte from `start` on. Returns `end` or more if there is none
 * before `end`.
 */
@inline function find(byte1: u32, byte2: u32, start: usize, end: usize): usize {
  for (let i = start; i < end; i += 16) {
    const bytes = v128.load(i);
    const equal = v128.or(i8x16.eq(bytes, i8x16.splat(<i8>byte1)), i8x16.eq(bytes, i8x16.splat(<i8>byte2)));
    if (v128.any_true(equal)) return i + ctz(i8x16.bitmask(equal));
  }
  return end;
}

/** Reads a record of CSV (RFC 4180) or TSV, or a line, which is a record of one field. */
@inline function readRecord(end: usize): u32 {
  let field: u32 = 0, byte: u32 = 0;
  let i = lineStart;
  for (; byte != LF; field += 1, i += 1) {
    const start = i;
    if (form == CSV && load<u8>(i) == QUOTE) {
      i = find(QUOTE, LF, i + 1, end) + 1;
      if (load<u8>(i - 1) == LF || load<u8>(i) == QUOTE) i = quotedFieldEnd(start, end);
    }
    const quotedEnd = i;
    if (quotedEnd == start || load<u8>(i) != delimiter) i = find(delimiter, LF, i, end);
    if (i >= end) return NEED_INPUT;
    byte = load<u8>(i);
    // The scanner warns about text after a closing quote.
    if (quotedEnd > start && i > quotedEnd + (byte == LF && load<u8>(quotedEnd) == CR ? 1 : 0)) return UNSUPPORTED_ROW;
    if (field == byColumn) {
      fieldStart = start;
      fieldEnd = i;
    }
    if (field == column) {
      addressStart = start;
      addressEnd = i;
    }
  }
  lineEnd = i - 1;
  insertAt = lineEnd > lineStart && load<u8>(lineEnd - 1) == CR ? lineEnd - 1 : lineEnd;
  fieldEnd = min(fieldEnd, insertAt);
  addressEnd = min(addressEnd, insertAt);
  // An address with another quote goes to the full parser: no provider's rule has quotes.
  if (form == CSV && load<u8>(addressStart) == QUOTE) {
    addressStart += 1;
    addressEnd -= 1;
  }
  return field == width ? CONTINUE : UNSUPPORTED_ROW;
}

/**
 * Returns the index after the closing quote of the field at `start`; without one, `end`. Counts line feeds. If an @ follows
 * a line feed, returns its index, so that the scanner reads the record and checks whether it contains later rows.
 */
function quotedFieldEnd(start: usize, end: usize): usize {
  let i = start, firstLineFeed: usize = end;
  for (; i < end && load<u8>(i) == QUOTE; i += 1) {
    for (i = find(QUOTE, LF, i + 1, end); i < end && load<u8>(i) == LF; i = find(QUOTE, LF, i + 1, end)) {
      firstLineFeed = min(firstLineFeed, i);
      quotedLineFeeds += 1;
    }
  }
  return min(i, find(AT, AT, firstLineFeed, min(i, end)));
}

/**
 * Reads an object (RFC 8259) with strings without escapes and numbers without exponents. Spaces may be only before keys
 * and values. The object must not have any of the added keys. If the address key is repeated, the last one counts.
 * The functions below stop at the line feed. They return 0 if there is no value: the byte at address 0 is 0, which no
 * caller accepts.
 */
function readObject(end: usize): u32 {
  lineEnd = find(LF, LF, lineStart, end);
  if (lineEnd >= end) return NEED_INPUT;
  // Without the key, the address is empty.
  addressStart = addressEnd = lineStart;
  let i = lineStart;
  for (let expected = OPEN_OBJECT; load<u8>(i) == expected; expected = COMMA) {
    const key = spaceEnd(i + 1);
    const keyEnd = stringEnd(key);
    if (load<u8>(keyEnd) != COLON) return UNSUPPORTED_ROW;
    const value = spaceEnd(keyEnd + 1);
    const isString = load<u8>(value) == QUOTE;
    i = isString ? stringEnd(value) : valueEnd(value);
    const number = keyNumber(key + 1, <u32>(keyEnd - key - 2));
    if (number == width) continue;
    if (number < width - 1 || !isString) return UNSUPPORTED_ROW;
    addressStart = value + 1;
    addressEnd = i - 1;
  }
  insertAt = i;
  const isClosed = load<u8>(i) == CLOSE_OBJECT && (load<u8>(i + 1) == CR ? i + 2 : i + 1) == lineEnd;
  return isClosed ? CONTINUE : UNSUPPORTED_ROW;
}

@inline function spaceEnd(start: usize): usize {
  let i = start;
  while (load<u8>(i) == SPACE) i += 1;
  return i;
}

/** Returns the index after a string without escapes. */
@inline function stringEnd(start: usize): usize {
  if (load<u8>(start) != QUOTE) return 0;
  let i = start + 1, found: u32 = 0;
  for (; ; i += 16) {
    const bytes = v128.load(i);
    const ends = v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH)));
    found = i8x16.bitmask(v128.or(ends, i8x16.lt_u(bytes, i8x16.splat(<i8>SPACE))));
    if (found != 0) break;
  }
  i += ctz(found);
  return load<u8>(i) == QUOTE ? i + 1 : 0;
}

/** Returns the index after a value that is nested at most 63 levels deep. */
function valueEnd(start: usize): usize {
  // A stack of the open objects (1) and arrays (0), with the innermost in the lowest bit, on top of a 1.
  let open: u64 = 1;
  let i = start;
  while (true) {
    const byte: u32 = load<u8>(i);
    if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) {
      if (open >> 63 != 0) return 0;
      open = (open << 1) | <u64>(byte == OPEN_OBJECT);
      i = spaceEnd(i + 1);
      if (load<u8>(i) != (byte == OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        if (byte == OPEN_OBJECT) i = memberValue(i);
        continue;
      }
    } else i = byte == QUOTE ? stringEnd(i) : scalarEnd(i);
    for (; open != 1 && load<u8>(i) == ((open & 1) != 0 ? CLOSE_OBJECT : CLOSE_ARRAY); open >>= 1) i += 1;
    if (open == 1) return i;
    if (load<u8>(i) != COMMA) return 0;
    i = spaceEnd(i + 1);
    if ((open & 1) != 0) i = memberValue(i);
  }
}

/** Returns the index of the value after the key at `start`. */
function memberValue(start: usize): usize {
  const keyEnd = stringEnd(start);
  return load<u8>(keyEnd) == COLON ? spaceEnd(keyEnd + 1) : 0;
}

/** Returns the index after a literal, or a number without an exponent. */
function scalarEnd(start: usize): usize {
  const word = load<u32>(start);
  // "true", "null" and "fals" as little-endian words.
  if (word == 0x65757274 || word == 0x6c6c756e) return start + 4;
  if (word == 0x736c6166 && load<u8>(start + 4) == 0x65) return start + 5;
  const first = load<u8>(start) == MINUS ? start + 1 : start;
  const point = digitsEnd(first);
  if (point == first || (load<u8>(first) == ZERO && point > first + 1)) return 0;
  if (load<u8>(point) != DOT) return point;
  const end = digitsEnd(point + 1);
  return end == point + 1 ? 0 : end;
}

@inline function digitsEnd(start: usize): usize {
  let i = start;
  while (isDigit(load<u8>(i))) i += 1;
  return i;
}

@inline function isDigit(byte: u32): bool {
  return byte - ZERO < 10;
}

/** Returns the number of a key at KEYS, or `width` for any other key. */
@inline function keyNumber(start: usize, length: u32): u32 {
  let at = KEYS, number: u32 = 0;
  for (; number < width; number += 1) {
    const size: u32 = load<u8>(at);
    if (size == length && memory.compare(at + 1, start, length) == 0) break;
    at += 1 + size;
  }
  return number;
}

/** Returns 16 bytes of a name from `offset` on, in lower case and padded with zeros. */
@inline function lowercase(start: usize, length: u32, offset: u32): v128 {
  const bytes = v128.load(start + offset);
  const capitals = v128.and(i8x16.ge_u(bytes, i8x16.splat(0x41)), i8x16.le_u(bytes, i8x16.splat(0x5a)));
  const small = v128.or(bytes, v128.and(capitals, i8x16.splat(0x20)));
  return v128.and(small, v128.load(PREFIX_MASK + 32 - length + offset));
}

/** Writes the output of the current row, if it has a template. Returns CONTINUE, or why the kernel must stop. */
@inline function writeRow(): u32 {
  const at = find(AT, AT, addressStart, addressEnd);
  if (at >= addressEnd || <u32>(at - addressStart) > <u32>LOCAL_MAX) return UNSUPPORTED_ROW;
  role = 0;
  const stopReason = mayBeginRole() ? readRole(at) : CONTINUE;
  if (stopReason != CONTINUE) return stopReason;
  const length = <u32>(addressEnd - at - 1);
  // A name that starts with a dot stands for all unlisted domains of a top-level domain.
  if (length > <u32>NAME_MAX || load<u8>(at + 1) == DOT) return UNSUPPORTED_ROW;

  const low = lowercase(at + 1, length, 0);
  const high = lowercase(at + 1, length, 16);
  // Only well-formed domains have entries.
  let entry = findEntry(length, low, high);
  if (entry == 0) {
    const key = keyOf(at + 1, length);
    if (key == 0) return UNSUPPORTED_ROW;
    const keyLength = <u32>(addressEnd - key);
    const keyLow = lowercase(key, keyLength, 0);
    const keyHigh = lowercase(key, keyLength, 16);
    entry = findEntry(keyLength, keyLow, keyHigh);
    if (entry == 0) {
      entry = createEntry(keyLength, keyLow, keyHigh);
      // Many domains occur once. If each needs its own template, it is learned at the domain's second row.
      if (collapseUnlisted == 0) return UNSUPPORTED_ROW;
    }
  }
  const rule: u32 = load<u8>(entry, RULE_AT);
  if (rule == NOT_LEARNED) return reportUnknown(length, low, high, entry, role);
  const tagged = readUser(LOCAL_PART_RULES + (rule << 8), at);
  if (tagged == UNSUPPORTED_ROW) return UNSUPPORTED_ROW;
  const variant = tagged | role;
  const template: usize = load<u32>(entry + (variant << 2), TEMPLATES_AT);
  if (template == 0) return reportUnknown(length, low, high, entry, variant);
  if (template == NOT_SUPPORTED) return UNSUPPORTED_ROW;

  // No part of a row is longer than the row's line, so this bounds the output.
  const maxBytes = load<u32>(template) + load<u32>(template, 4) * <u32>(lineEnd - lineStart);
  const rowStart = cursor;
  let differsAt: usize = 0;
  const isFull = rowStart + maxBytes > <usize>outputEnd || rowRecordCount == ROW_RECORDS_MAX;
  if (isFull) return rowStart == output ? UNSUPPORTED_ROW : OUTPUT_FULL;
  for (let part = template + PARTS_AT; ; part += PART_BYTES) {
    const kind = load<u32>(part);
    if (kind == BYTES) copy(load<u32>(part, 4), load<u32>(part, 8));
    else if (kind == CANONICAL) copy(USER, userLength);
    else if (kind == DOMAIN) {
      v128.store(cursor, low);
      v128.store(cursor, high, 16);
      cursor += length;
    } else if (kind == LINE) copy(lineStart, insertAt - lineStart);
    else if (kind == LINE_REST) copy(insertAt, lineEnd - insertAt);
    else if (kind == ADDRESS) copy(addressStart, addressEnd - addressStart);
    else if (kind == MAILBOX_START) {
      differsAt = cursor;
      cursor = mailboxes;
    } else if (kind == MAILBOX_END) {
      recordRow(rowStart, differsAt, template);
      cursor = differsAt;
    } else break;
  }
  store<u32>(template, load<u32>(template, TEMPLATE_ROWS_AT) + 1, TEMPLATE_ROWS_AT);
  store<u32>(entry, load<u32>(entry, ROWS_AT) + 1, ROWS_AT);
  return CONTINUE;
}

function recordRow(start: usize, differsAt: usize, template: usize): void {
  const at = rowRecords + rowRecordCount * ROW_RECORD_BYTES;
  store<u32>(at, <u32>start);
  store<u32>(at, <u32>differsAt, 4);
  store<u32>(at, <u32>cursor, 8);
  store<u32>(at, <u32>template, 12);
  store<u32>(at, <u32>fieldStart, 16);
  store<u32>(at, <u32>fieldEnd, 20);
  mailboxes = (cursor + 15) & ~15;
  rowRecordCount += 1;
}

/**
 * Reads the local part before `at`, a dot-string (RFC 5321 §4.1.2), by its provider's rule, and writes its canonical
 * form to USER. Returns TAGGED if it has a tag (RFC 5233), else 0; UNSUPPORTED_ROW if it needs the full parser.
 */
@inline function readUser(rule: usize, at: usize): u32 {
  let tagged: u32 = 0, previous: u32 = DOT;
  userLength = 0;
  for (let i = addressStart; i < at; i += 1) {
    const byte: u32 = load<u8>(i);
    const mapped: u32 = load<u8>(rule + byte);
    if (mapped == 0 || (byte == DOT && previous == DOT)) return UNSUPPORTED_ROW;
    previous = byte;
    if (tagged != 0 || mapped == IGNORED) continue;
    // At the start of the user, and after a dot in its canonical form, a separator starts no tag.
    if ((mapped & SEPARATOR) != 0 && userLength > 0 && load<u8>(USER + userLength - 1) != DOT) tagged = TAGGED;
    else {
      store<u8>(USER + userLength, <u8>(mapped & ~SEPARATOR));
      userLength += 1;
    }
  }
  // If all bytes of the user are ignored, the canonical form is the user itself, which the full parser writes.
  return previous == DOT || userLength == 0 ? UNSUPPORTED_ROW : tagged;
}

@inline function hashOf(low: v128, high: v128): u32 {
  let hash = i64x2.extract_lane(low, 0) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29) ^ i64x2.extract_lane(low, 1)) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29) ^ i64x2.extract_lane(high, 0)) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29) ^ i64x2.extract_lane(high, 1)) * 0x9e3779b97f4a7c15;
  return <u32>(hash >> 32);
}

@inline function hasName(entry: usize, length: u32, low: v128, high: v128): bool {
  if (load<u8>(entry) != length) return false;
  const difference = v128.or(v128.xor(v128.load(entry, DOMAIN_AT), low), v128.xor(v128.load(entry, DOMAIN_AT + 16), high));
  return !v128.any_true(difference);
}

let slot: usize = 0, victim: usize = 0;

/** Returns the entry of a name, or 0. Sets `slot` to the first of the name's two possible slots. */
@inline function findEntry(length: u32, low: v128, high: v128): usize {
  slot = ENTRIES + (hashOf(low, high) & entryMask) * ENTRY_BYTES;
  if (hasName(slot, length, low, high)) return slot;
  const other = slot ^ ENTRY_BYTES;
  return hasName(other, length, low, high) ? other : 0;
}

/**
 * Creates an entry for a name that `findEntry` did not find, in one of the name's two slots. If both are full, evicts
 * the entry of the first and the second slot in turn. Therefore, a new name evicts at most one of two frequent names,
 * and never the other name of its row.
 */
function createEntry(length: u32, low: v128, high: v128): usize {
  victim ^= ENTRY_BYTES;
  const other = slot ^ ENTRY_BYTES;
  const entry = load<u8>(slot) == 0 ? slot : load<u8>(other) == 0 ? other : (slot & ~ENTRY_BYTES) | victim;
  memory.copy(EVICTED, entry, ENTRY_BYTES);
  memory.fill(entry, 0, ENTRY_BYTES);
  store<u8>(entry, <u8>length);
  v128.store(entry, low, DOMAIN_AT);
  v128.store(entry, high, DOMAIN_AT + 16);
  return entry;
}

/**
 * Returns the start of the name by which the table has a domain: the whole domain if a list has it or a parent of it;
 * otherwise, the dot and the top-level label. Returns 0 for a domain that is malformed, has no dot, or may have an
 * A-label (RFC 5890 §2.3.2.1).
 */
function keyOf(start: usize, length: u32): usize {
  let domain = domainSeed, namespace = namespaceSeed, suffix = suffixSeed, wildcard: u32 = 0;
  let lastDot: usize = 0, listed: u32 = 0;
  // True if the next byte is a dot or a hyphen, or if the name ends.
  let isEdge = true;
  for (let i = start + length; i > start; ) {
    i -= 1;
    const byte: u32 = load<u8>(HOST_TABLE + load<u8>(i));
    const isDotOrHyphen = byte == DOT || byte == MINUS;
    if (byte == 0 || (isDotOrHyphen && isEdge)) return 0;
    isEdge = isDotOrHyphen;
    if (byte == DOT) {
      if (lastDot == 0) lastDot = i;
      else listed |= mayBeListed(domain) | mayBeListed(namespace);
      wildcard = hashStep(hashStep(suffix, DOT), ANY);
    }
    domain = hashStep(domain, byte);
    namespace = hashStep(namespace, byte);
    suffix = hashStep(suffix, byte);
  }
  if (lastDot == 0 || isEdge) return 0;
  if (collapseUnlisted == 0 || (load<u32>(start) | 0x20202020) == hiddenPrefix) return start;
  listed |= mayBeListed(domain) | mayBeListed(namespace) | mayBeListed(suffix) | mayBeListed(wildcard);
  return listed == 0 ? lastDot : start;
}

@inline function hashStep(hash: u32, byte: u32): u32 {
  return (hash ^ byte) * 0x01000193;
}

/** Returns 0 if no list has a name with this hash. 1 may be a false positive. */
@inline function mayBeListed(hash: u32): u32 {
  let bit = hash ^ (hash >> 13), found: u32 = 1;
  for (let i = 0; i < 3 && found != 0; i += 1, bit = rotl(bit, 11)) found = bitAt(names, bit & namesMask);
  return found;
}

/** Stores what the host needs to learn a domain, a row variant of a domain, or a role name. */
function reportUnknown(length: u32, low: v128, high: v128, entry: usize, variant: u32): u32 {
  store<u32>(NAME_LENGTH, length);
  v128.store(NAME, low);
  v128.store(NAME, high, 16);
  store<u32>(ENTRY, <u32>entry);
  store<u32>(VARIANT, variant);
  return UNKNOWN_NAME;
}

/** Returns false if no role name starts like the local part. True may be a false positive. */
@inline function mayBeginRole(): bool {
  const word = load<u32>(addressStart) | 0x20202020;
  return ((beginsRole(word, 4) | beginsRole(word & 0xffffff, 3) | beginsRole(word & 0xffff, 2)) & 1) != 0;
}

@inline function beginsRole(prefix: u32, length: u32): u32 {
  return bitAt(ROLE_PREFIXES, ((prefix ^ length) * 0x9e3779b1) >> 16);
}

/**
 * Sets `role` if the local part before `at` is a role name. Returns UNKNOWN_NAME if the host must look the name up.
 * Returns UNSUPPORTED_ROW if only the start of the local part may be a role name: then the domain decides.
 */
function readRole(at: usize): u32 {
  for (let end = addressStart + 2; end <= at; end += 1) {
    // A role's name ends before a non-letter, but not between two digits.
    const next: u32 = load<u8>(end);
    if (load<u8>(HOST_TABLE + next) >= SMALL_A || (isDigit(next) && isDigit(load<u8>(end - 1)))) continue;
    let hash = roleSeed;
    for (let i = end; i > addressStart; i -= 1) hash = hashStep(hash, load<u8>(LOWERCASE_TABLE + load<u8>(i - 1)));
    if (mayBeListed(hash) == 0) continue;
    const length = <u32>(end - addressStart);
    if (end < at || length > <u32>NAME_MAX) return UNSUPPORTED_ROW;
    const low = lowercase(addressStart, length, 0);
    const high = lowercase(addressStart, length, 16);
    let entry = findEntry(length | LOCAL_PART_NAME, low, high);
    if (entry == 0) entry = createEntry(length | LOCAL_PART_NAME, low, high);
    const kind = load<u32>(entry + (LOCAL_PART << 2), TEMPLATES_AT);
    if (kind == 0) return reportUnknown(length, low, high, entry, LOCAL_PART);
    if (kind == NOT_SUPPORTED) return UNSUPPORTED_ROW;
    role = kind & ROLE;
  }
  return CONTINUE;
}

@inline function bitAt(filter: usize, bit: u32): u32 {
  return (load<u8>(filter + (bit >> 3)) >> (bit & 7)) & 1;
}

/** Appends bytes to the output. Copies up to 31 bytes too many, which the next copy overwrites. */
@inline function copy(from: usize, length: usize): void {
  v128.store(cursor, v128.load(from));
  v128.store(cursor, v128.load(from, 16), 16);
  for (let i: usize = 32; i < length; i += 16) v128.store(cursor + i, v128.load(from + i));
  cursor += length;
}

// The mailboxes that were seen, in AssemblyScript for WebAssembly: keyed digests of 128 bits in a table that grows to the end of the
// memory. `../../bulk/duplicates.ts` says what rows are one mailbox, and fills the tables.

// Settings; the host sets them.
/** The mailboxes that there may be, and places of the table. */
export let most: u32 = 0, places: u32 = 0;
/** Distinct mailboxes, rows that repeat one, and mailboxes that are repeated. */
export let mailboxes: u32 = 0, repeated: u32 = 0, groups: u32 = 0;

// Where things are in the memory: the key, and what the last words of a text are changed with, whole or padded.
const KEY: usize = 0x200, WHOLE: usize = 0x210, PADDED: usize = 0x220;
/** Of each row of a batch: its first row, and its digest. Then the notes of the rows: where each begins, its mailbox, and its answer. */
const FIRSTS: usize = 0x1000, DIGESTS: usize = 0x2000, NOTES: usize = 0x6000;
const DIGEST_OCTETS = 16, NOTE_OCTETS = 16, HOLE_AT = 4, HOLE_END_AT = 8, ANSWER_AT = 12;
/**
 * What answers have in place of the mailbox, by their numbers: the octets of a first row; those before and after the number of it in
 * another row; whether a first row and another one are shown; how many others there were.
 */
const ANSWERS: usize = 0x10000;
const ANSWER_OCTETS = 128, FIRST_LENGTH_AT = 0, OPEN_LENGTH_AT = 1, CLOSE_LENGTH_AT = 2, SHOWN_AT = 3, OTHERS_AT = 4;
const FIRST_AT = 8, OPEN_AT = 48, CLOSE_AT = 88;
const SHOWS_FIRST: u32 = 1, SHOWS_OTHERS: u32 = 2, IS_NUMBERED: u32 = 4;
/** Where answers are put together, and the table. */
const OUTPUT: usize = 0x430000, TABLE: usize = 0x450000;

/**
 * An entry: four words of the digest, and the number of the first row, which is 0 where there is no entry. Entries are in the order of
 * the first word's low bits and the second word. The place of an entry tells these bits, so that they count the rows that repeat its
 * mailbox.
 */
const ENTRY = 20, ROW_AT = 16;
const LOW_BITS: u32 = 63, LOW_COUNT = 6;
// Places at the end that no digest has as its own, for entries that others push on. The last place stays free.
const SPARE_PLACES = 200;
// A table with more entries in a hundred places gets a ninth more of them, so that an entry takes 23.9 octets at most.
const FULLEST = 93, GROWTH = 9;

/** Counts a row beyond those that an entry can count, by its first row. */
@external("env", "more")
declare function more(first: u32): void;

let written: usize = 0;

/** The number of the first row with the mailbox of some octets, which is `row` for a new one; 0 when there is no room for that. */
export function firstRow(start: usize, end: usize, row: u32): u32 {
  digest(start, end, DIGESTS);
  return find(DIGESTS, row);
}

/**
 * Puts together the answers of some rows; `row` is the number of the first of them. `shift` is the difference between an index in a
 * note and one here. Gives the number of rows that there was room for; FIRSTS and the output are its result.
 */
export function answer(count: u32, row: u32, shift: usize): u32 {
  for (let i: u32 = 0; i < count; i += 1) {
    const note = NOTES + i * NOTE_OCTETS;
    digest(shift + load<u32>(note, HOLE_AT), shift + load<u32>(note, HOLE_END_AT), DIGESTS + i * DIGEST_OCTETS);
  }
  // Memory that is read for many rows at once comes sooner than for one after another.
  for (let i: u32 = 0; i < count; i += 1) {
    const at = placeOf(load<u32>(DIGESTS + i * DIGEST_OCTETS), load<u32>(DIGESTS + i * DIGEST_OCTETS, 4));
    touched ^= load<u32>(at) ^ load<u32>(at, 64);
  }
  written = OUTPUT;
  for (let i: u32 = 0; i < count; i += 1) {
    const found = find(DIGESTS + i * DIGEST_OCTETS, row + i);
    if (found == 0) return i;
    store<u32>(FIRSTS + (i << 2), found);
    write(NOTES + i * NOTE_OCTETS, shift, found == row + i ? 0 : found);
  }
  return count;
}

export let touched: u32 = 0;

/** The octets that are written. */
export function writtenEnd(): usize {
  return written;
}

@inline function write(note: usize, shift: usize, first: u32): void {
  const record = ANSWERS + load<u32>(note, ANSWER_AT) * ANSWER_OCTETS;
  if (first != 0) store<u32>(record, load<u32>(record, OTHERS_AT) + 1, OTHERS_AT);
  if ((load<u8>(record, SHOWN_AT) & (first == 0 ? SHOWS_FIRST : SHOWS_OTHERS)) == 0) return;
  const start = shift + load<u32>(note);
  copy(start, shift + load<u32>(note, HOLE_AT) - start);
  if (first == 0) copy(record + FIRST_AT, load<u8>(record, FIRST_LENGTH_AT));
  else {
    copy(record + OPEN_AT, load<u8>(record, OPEN_LENGTH_AT));
    if (load<u8>(record, SHOWN_AT) & IS_NUMBERED) digits(first);
    copy(record + CLOSE_AT, load<u8>(record, CLOSE_LENGTH_AT));
  }
  const after = shift + load<u32>(note, HOLE_END_AT);
  copy(after, shift + load<u32>(note, NOTE_OCTETS) - after);
}

/** Appends octets to the output. Octets beyond their end are written over later. */
@inline function copy(from: usize, length: usize): void {
  store<u64>(written, load<u64>(from));
  store<u64>(written, load<u64>(from, 8), 8);
  store<u64>(written, load<u64>(from, 16), 16);
  store<u64>(written, load<u64>(from, 24), 24);
  for (let i: usize = 32; i < length; i += 8) store<u64>(written + i, load<u64>(from + i));
  written += length;
}

/** Appends the digits of a number: the lower eight of it are made side by side. */
@inline function digits(number: u32): void {
  const above = number / 100_000_000;
  if (above >= 10) store<u8>(written++, 0x30 + above / 10);
  if (above > 0) store<u8>(written++, 0x30 + (above % 10));
  const below = number % 100_000_000;
  let each = <u64>(below / 10_000) | (<u64>(below % 10_000) << 32);
  const hundreds = ((each * 10_486) >> 20) & 0x7f_0000_007f;
  each = hundreds | ((each - 100 * hundreds) << 16);
  const tens = ((each * 103) >> 10) & 0xf_000f_000f_000f;
  each = tens | ((each - 10 * tens) << 8);
  const zeros = above > 0 ? 0 : <usize>(ctz(each) >> 3);
  store<u64>(written, (each | 0x3030303030303030) >> (zeros << 3));
  written += 8 - zeros;
}

/** Where the search for a digest begins. */
@inline function placeOf(first: u32, second: u32): usize {
  const order = ((first & LOW_BITS) << (32 - LOW_COUNT)) | (second >> LOW_COUNT);
  return TABLE + <usize>ENTRY * <usize>((<u64>order * (places - SPARE_PLACES)) >> 32);
}

/** The number of the first row with the digest, which is `row` for a new one; 0 when there is no room for that. */
function find(digest: usize, row: u32): u32 {
  const first = load<u32>(digest), second = load<u32>(digest, 4);
  const rest = load<u64>(digest, 8);
  let at = placeOf(first, second);
  for (; load<u32>(at, ROW_AT) != 0; at += ENTRY) {
    // The first entry that is greater ends the search. The low bits of its first word may differ by one.
    const further = load<u32>(at, 4) - second;
    if (<i32>further > 0) break;
    if (further != 0 || load<u64>(at, 8) != rest) continue;
    if (((load<u32>(at) ^ first) & ~LOW_BITS) == 0) return repeat(at, row);
  }
  if (mailboxes >= most) return 0;
  let free = at;
  while (load<u32>(free, ROW_AT) != 0) free += ENTRY;
  if (free == TABLE + (places - 1) * ENTRY) return grow() ? find(digest, row) : 0;
  for (; free > at; free -= ENTRY) move(free, free - ENTRY);
  store<u32>(at, first & ~LOW_BITS);
  store<u32>(at, second, 4);
  store<u64>(at, rest, 8);
  store<u32>(at, row, ROW_AT);
  mailboxes += 1;
  if (<u64>mailboxes * 100 > <u64>places * FULLEST) grow();
  return row;
}

@inline function repeat(at: usize, row: u32): u32 {
  const first = load<u32>(at, ROW_AT);
  if (first == row) return first;
  const rows = load<u32>(at) & LOW_BITS;
  repeated += 1;
  if (rows == 0) groups += 1;
  if (rows < LOW_BITS) store<u32>(at, load<u32>(at) + 1);
  else more(first);
  return first;
}

@inline function move(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from));
  store<u64>(to, load<u64>(from, 8), 8);
  store<u32>(to, load<u32>(from, ROW_AT), ROW_AT);
}
/** Makes the table larger; false when there is no memory. Each entry is then at its place, or behind the one before it. */
function grow(): bool {
  const larger = places + places / GROWTH;
  const end = TABLE + larger * ENTRY;
  const lacking = <i32>((end + 0xffff) >> 16) - memory.size();
  if (lacking > 0 && memory.grow(lacking) < 0) return false;
  // All go to the end; from there each goes to its place, which is never behind where it is.
  let from = end;
  for (let at = TABLE + places * ENTRY; at > TABLE; ) {
    at -= ENTRY;
    if (load<u32>(at, ROW_AT) == 0) continue;
    from -= ENTRY;
    move(from, at);
  }
  places = larger;
  let to = TABLE;
  let low: u32 = 0, last: u32 = 0;
  for (; from < end && to < from; from += ENTRY, to += ENTRY) {
    const second = load<u32>(from, 4);
    // There are hundreds of entries for each value of the low bits.
    if (second < last) low += 1;
    last = second;
    for (const home = placeOf(low, second); to < home && to < from; to += ENTRY) store<u32>(to, 0, ROW_AT);
    move(to, from);
  }
  // Otherwise the last place is not free.
  const fits = to < from;
  for (; to < from; to += ENTRY) store<u32>(to, 0, ROW_AT);
  return fits || grow();
}

/** The digest of octets: Chaskey with 8 rounds (Mouha and others, SAC 2014), which is made for words of 32 bits. */
export function digest(start: usize, end: usize, to: usize): void {
  let a = load<u32>(KEY), b = load<u32>(KEY, 4), c = load<u32>(KEY, 8), d = load<u32>(KEY, 12);
  let last: usize = 0;
  for (let at = start; last == 0; at += 16) {
    let low = load<u64>(at), high = load<u64>(at, 8);
    const count = end - at;
    if (count <= 16) {
      last = count == 16 ? WHOLE : PADDED;
      if (count < 8) {
        low = padded(low, count);
        high = 0;
      } else if (count < 16) high = padded(high, count - 8);
      low ^= load<u64>(last);
      high ^= load<u64>(last, 8);
    }
    a ^= <u32>low;
    b ^= <u32>(low >> 32);
    c ^= <u32>high;
    d ^= <u32>(high >> 32);
    for (let round = 0; round < 8; round += 1) {
      a += b; b = rotl(b, 5) ^ a; a = rotl(a, 16);
      c += d; d = rotl(d, 8) ^ c;
      a += d; d = rotl(d, 13) ^ a;
      c += b; b = rotl(b, 7) ^ c; c = rotl(c, 16);
    }
  }
  store<u32>(to, a ^ load<u32>(last));
  store<u32>(to, b ^ load<u32>(last, 4), 4);
  store<u32>(to, c ^ load<u32>(last, 8), 8);
  store<u32>(to, d ^ load<u32>(last, 12), 12);
}

/** The first octets of a word, and a bit behind them. */
@inline function padded(word: u64, count: usize): u64 {
  const bit = <u64>1 << (count << 3);
  return (word & (bit - 1)) | bit;
}

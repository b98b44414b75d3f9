// The compiled table's file format. Writer and reader are in one file, because they must agree byte by byte.
//
//   header   "addrsift", then the numbers of `writeHeader`: version, sizes and offsets of the parts, hash of everything
//            after the header, hash of the meta; slots with the most common facts (kind and attributes) and last labels
//            of names, each with its length; hash of the header up to here
//   meta     JSON: data version, names that records refer to by number, sources, counts
//   filter   Bloom filter over all names, with NAME_HASHES bits for each
//   role filter  Bloom filter over the first bytes of role names, with one bit for each
//   index    bucket count + 1 offsets from the start of the records; a bucket ends where the next starts
//   records  for each bucket: hash of its records, then each record: length of the stem, slots of the last label and
//            the facts, stem (the name without its last label, if that has a slot); if the facts' slot is 0, their
//            length and the facts
//
// Numbers are unsigned 32-bit little-endian, lengths in a record one byte. A lookup reads one index slot and one
// bucket, whose hash detects damage. For many lookups the whole file is read, and the filters exclude most names.

import { DOT } from "../base/bytes/ascii.ts";
import { ByteWriter } from "../base/bytes/byte-writer.ts";
import { dataViewOf, LOWERCASE } from "../base/bytes/bytes.ts";
import { AddrsiftError } from "../base/errors.ts";

const MAGIC = "addrsift";
const FORMAT_VERSION = 9;
const FIXED_HEADER_LENGTH = 56;
const SLOTS = 256;
const SLOT_LENGTH = 8;
const LABEL_SLOTS_OFFSET = SLOTS * SLOT_LENGTH;
const HASHED_HEADER_LENGTH = FIXED_HEADER_LENGTH + 2 * LABEL_SLOTS_OFFSET;
const HEADER_LENGTH = HASHED_HEADER_LENGTH + 4;
const FILTER_BITS_PER_NAME = 16;
// Number of hashes of a name in the filter. Each is the previous one, rotated left. The kernel has the same numbers.
const NAME_HASHES = 3;
const HASH_ROTATION = 11;
const ROLE_FILTER_BITS = 1 << 16;
// Maximum number of first bytes that the role filter hashes. The shortest role name has two.
const MAX_ROLE_PREFIX = 4;
// Sets the lower-case bit in each byte of a word. Changes other bytes too, but in names and inputs alike.
const LOWERCASE_BITS = 0x20202020;
const HASH_LENGTH = 4;
const RECORDS_PER_BUCKET = 8;
const INITIAL_CAPACITY = 1 << 16;

export const KIND = {
  domain: 1,
  role: 2,
  topLevel: 3,
  typo: 4,
  typoTld: 5,
  exchange: 6,
  exchangeAddress: 7,
  /** A name whose subdomains are all of one kind. The attributes are the kind as text. */
  namespace: 8,
  /** A public suffix of two labels or more; its first label may be `*`. */
  suffix: 9,
} as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

export interface TableEntry {
  readonly kind: Kind;
  /** Lower-case ASCII (role names may be UTF-8), at most 255 bytes. */
  readonly name: Uint8Array;
  readonly attributes: Uint8Array;
}

/** A table's bytes: in memory, or read from a file on demand. */
export interface TableSource {
  /** Name in messages, such as "the lists in PATH". */
  readonly name: string;
  readonly length: number;
  readonly bytes: Uint8Array;
  /** Loads `length` bytes at `offset` and returns their index in `bytes`. Throws if they can't be read. */
  locate(offset: number, length: number): number;
}

/** Remedy for the package's own lists. Callers replace it for other files. */
export const REINSTALL = "install addrsift again";

export function tableError(name: string, reason: string, cause?: unknown): AddrsiftError {
  return new AddrsiftError("DATA", `${name} can't be used (${reason}): ${REINSTALL}`, cause);
}

/** Hashes bytes by 32-bit FNV-1a, over words and then the remaining bytes. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  const view = dataViewOf(bytes);
  let hash = 0x811c9dc5;
  let i = start;
  for (; i + 4 <= end; i += 4) hash = Math.imul(hash ^ view.getInt32(i, true), 0x01000193);
  for (; i < end; i += 1) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash >>> 0;
}

/** Returns the hash of an empty name. Add bytes by `hashStep`, from the name's end to its start. */
export function hashSeed(kind: Kind): number {
  return Math.imul(0x811c9dc5 ^ kind, 0x01000193);
}

/** Adds one byte, ignoring letter case. Hashing from the end computes the hashes of all ancestors on the way. */
export function hashStep(hash: number, byte: number): number {
  return Math.imul(hash ^ (LOWERCASE[byte] as number), 0x01000193);
}

export function hashName(kind: Kind, bytes: Uint8Array, start: number, end: number): number {
  let hash = hashSeed(kind);
  for (let i = end - 1; i >= start; i -= 1) hash = hashStep(hash, bytes[i] as number);
  return hash;
}

/** Compiles entries, deterministically. `meta` must be serializable, with keys in a fixed order. */
export function writeTable(entries: readonly TableEntry[], meta: unknown): Uint8Array {
  const bucketCount = 2 ** Math.ceil(Math.log2(Math.max(1, entries.length / RECORDS_PER_BUCKET)));
  const facts = assignSlots(entries.map(packFacts));
  const lastLabels = assignSlots(entries.map(lastLabelOf));
  const buckets = Array.from({ length: bucketCount }, (): Uint8Array[] => []);
  for (const entry of entries) {
    const hash = hashName(entry.kind, entry.name, 0, entry.name.length);
    buckets[bucketOf(hash, bucketCount)]?.push(encodeRecord(entry, facts, lastLabels));
  }
  const out = new ByteWriter(INITIAL_CAPACITY);
  const append = (bytes: Uint8Array): number => {
    out.bytes(bytes);
    return out.length - bytes.length;
  };
  append(new Uint8Array(HEADER_LENGTH));
  const metaBytes = new TextEncoder().encode(JSON.stringify(meta));
  const filter = buildFilter(entries);
  const metaOffset = append(metaBytes);
  append(new Uint8Array(-metaBytes.length & 3));
  const filterOffset = append(filter);
  const roleFilterOffset = append(buildRoleFilter(entries));
  const indexOffset = append(new Uint8Array(4 * (bucketCount + 1)));
  const recordsOffset = out.length;
  const starts = buckets.map((records) => {
    const start = append(new Uint8Array(HASH_LENGTH));
    records.forEach(append);
    dataViewOf(out.buffer).setUint32(start, hashBytes(out.buffer, start + HASH_LENGTH, out.length), true);
    return start;
  });
  const file = out.buffer.slice(0, out.length);
  const view = new DataView(file.buffer);
  for (const [bucket, start] of [...starts, file.length].entries()) {
    view.setUint32(indexOffset + 4 * bucket, start - recordsOffset, true);
  }
  writeSlots(file.subarray(FIXED_HEADER_LENGTH), facts);
  writeSlots(file.subarray(FIXED_HEADER_LENGTH + LABEL_SLOTS_OFFSET), lastLabels);
  const sizes = [bucketCount, metaOffset, metaBytes.length, indexOffset, recordsOffset, file.length];
  writeHeader(view, [...sizes, filterOffset, filter.length, roleFilterOffset]);
  return file;
}

type ByteText = string;

function packFacts({ kind, attributes }: TableEntry): ByteText {
  return String.fromCharCode(kind, ...attributes);
}

/** Returns the last label of a name with its dot; empty for a single label. */
function lastLabelOf({ name }: TableEntry): ByteText {
  const dot = name.lastIndexOf(DOT);
  return dot < 0 ? "" : String.fromCharCode(...name.subarray(dot));
}

/** Assigns slots, starting at 1, to the texts that save the most bytes. */
function assignSlots(texts: readonly ByteText[]): ReadonlyMap<ByteText, number> {
  const saved = new Map<ByteText, number>();
  for (const text of texts) if (text.length < SLOT_LENGTH) saved.set(text, (saved.get(text) ?? 0) + text.length);
  const mostSaving = [...saved]
    .sort(([a, savedA], [b, savedB]) => savedB - savedA || (a < b ? -1 : 1))
    .slice(0, SLOTS - 1);
  return new Map(mostSaving.map(([text], i) => [text, i + 1]));
}

function writeSlots(bytes: Uint8Array, slots: ReadonlyMap<ByteText, number>): void {
  for (const [text, slot] of slots) bytes.set(lengthPrefixed(text), SLOT_LENGTH * slot);
}

function lengthPrefixed(text: ByteText): number[] {
  return [text.length, ...Array.from(text, (char) => char.charCodeAt(0))];
}

function encodeRecord(
  entry: TableEntry,
  facts: ReadonlyMap<ByteText, number>,
  lastLabels: ReadonlyMap<ByteText, number>,
): Uint8Array {
  const { name } = entry;
  const [recordFacts, lastLabel] = [packFacts(entry), lastLabelOf(entry)];
  const factsSlot = facts.get(recordFacts) ?? 0;
  const lastLabelSlot = lastLabels.get(lastLabel) ?? 0;
  const stemLength = lastLabelSlot === 0 ? name.length : name.length - lastLabel.length;
  const record = new Uint8Array(3 + stemLength + (factsSlot === 0 ? 1 + recordFacts.length : 0));
  record.set([stemLength, lastLabelSlot, factsSlot]);
  record.set(name.subarray(0, stemLength), 3);
  if (factsSlot === 0) record.set(lengthPrefixed(recordFacts), 3 + stemLength);
  return record;
}

function buildFilter(entries: readonly TableEntry[]): Uint8Array {
  const bits = 2 ** Math.ceil(Math.log2(FILTER_BITS_PER_NAME * Math.max(2, entries.length)));
  const filter = new Uint8Array(bits / 8);
  for (const { kind, name } of entries) {
    let bit = filterBit(hashName(kind, name, 0, name.length));
    for (let i = 0; i < NAME_HASHES; i += 1, bit = nextFilterBit(bit)) setBit(filter, bit & (bits - 1));
  }
  return filter;
}

function buildRoleFilter(entries: readonly TableEntry[]): Uint8Array {
  const filter = new Uint8Array(ROLE_FILTER_BITS / 8);
  for (const { kind, name } of entries) {
    if (kind !== KIND.role) continue;
    const length = Math.min(MAX_ROLE_PREFIX, name.length);
    const word = name.slice(0, length).reduceRight((value, byte) => (value << 8) | byte, 0);
    setBit(filter, roleFilterBit(word | LOWERCASE_BITS, length));
  }
  return filter;
}

function setBit(filter: Uint8Array, bit: number): void {
  filter[bit >>> 3] = (filter[bit >>> 3] as number) | (1 << (bit & 7));
}

/** Returns the filter bit of names that start with the lowest `length` bytes of `word`. */
function roleFilterBit(word: number, length: number): number {
  const prefix = length === MAX_ROLE_PREFIX ? word : word & ((1 << (8 * length)) - 1);
  return Math.imul(prefix ^ length, 0x9e3779b1) >>> 16;
}

function writeHeader(view: DataView, numbers: readonly number[]): void {
  const bytes = new Uint8Array(view.buffer);
  bytes.set(new TextEncoder().encode(MAGIC));
  [FORMAT_VERSION, ...numbers].forEach((number, i) => {
    view.setUint32(MAGIC.length + 4 * i, number, true);
  });
  const metaEnd = HEADER_LENGTH + (numbers[2] as number);
  view.setUint32(FIXED_HEADER_LENGTH - 8, hashBytes(bytes, HEADER_LENGTH, bytes.length), true);
  view.setUint32(FIXED_HEADER_LENGTH - 4, hashBytes(bytes, HEADER_LENGTH, metaEnd), true);
  view.setUint32(HASHED_HEADER_LENGTH, hashBytes(bytes, 0, HASHED_HEADER_LENGTH), true);
}

function filterBit(hash: number): number {
  return hash ^ (hash >>> 13);
}

function nextFilterBit(bit: number): number {
  return (bit << HASH_ROTATION) | (bit >>> (32 - HASH_ROTATION));
}

function bucketOf(hash: number, bucketCount: number): number {
  return (hash ^ (hash >>> 15)) & (bucketCount - 1);
}

export interface BloomFilters {
  /** Over the first bytes of role names. */
  readonly rolePrefixes: Uint8Array;
  /** Over names of all kinds. */
  readonly names: Uint8Array;
}

/** Reads a compiled table. Lookups don't allocate. */
export class TableReader {
  /** Length of the attributes that `find` returned last, and the bytes that contain them. */
  attributeLength = 0;
  bytes: Uint8Array;
  private readonly slots: Uint8Array;
  private readonly bucketCount: number;
  private readonly metaOffset: number;
  private readonly metaLength: number;
  private readonly indexOffset: number;
  private readonly recordsOffset: number;
  private readonly bodyHash: number;
  private readonly metaHash: number;
  private isVerified = false;
  private bucketLength = 0;
  private readonly filterOffset: number;
  private readonly filterMask: number;
  private readonly roleFilterOffset: number;

  /** Reads and checks only the header. Throws AddrsiftError DATA for a foreign, truncated or damaged file. */
  constructor(private readonly source: TableSource) {
    if (source.length < HEADER_LENGTH) throw this.damageError("it is too short");
    const headerStart = source.locate(0, HEADER_LENGTH);
    for (let i = 0; i < MAGIC.length; i += 1) {
      if (source.bytes[headerStart + i] !== MAGIC.charCodeAt(i)) throw this.damageError("it is not a compiled list");
    }
    const number = (i: number): number => readUint32(source.bytes, headerStart + MAGIC.length + 4 * i);
    if (number(0) !== FORMAT_VERSION) throw this.damageError(`its format is ${number(0)}, not ${FORMAT_VERSION}`);
    if (
      readUint32(source.bytes, headerStart + HASHED_HEADER_LENGTH) !==
      hashBytes(source.bytes, headerStart, headerStart + HASHED_HEADER_LENGTH)
    ) {
      throw this.damageError("its header is damaged");
    }
    if (number(6) !== source.length) throw this.damageError("its length is wrong");
    this.slots = new Uint8Array(
      source.bytes.subarray(headerStart + FIXED_HEADER_LENGTH, headerStart + HASHED_HEADER_LENGTH),
    );
    this.bytes = this.slots;
    this.bucketCount = number(1);
    this.metaOffset = number(2);
    this.metaLength = number(3);
    this.indexOffset = number(4);
    this.recordsOffset = number(5);
    this.filterOffset = number(7);
    this.filterMask = 8 * number(8) - 1;
    this.roleFilterOffset = number(9);
    this.bodyHash = number(10);
    this.metaHash = number(11);
  }

  /**
   * Checks all bytes after the header. Lookups then use the filters and check no bucket. Only for a table in memory.
   * Throws AddrsiftError DATA.
   */
  verify(): void {
    const bodyStart = this.source.locate(HEADER_LENGTH, this.source.length - HEADER_LENGTH);
    const hash = hashBytes(this.source.bytes, bodyStart, bodyStart + this.source.length - HEADER_LENGTH);
    if (hash !== this.bodyHash) throw this.damageError("its contents are damaged");
    this.isVerified = true;
  }

  /** Returns the Bloom filters. Only for a table in memory. */
  bloomFilters(): BloomFilters {
    const { source, filterOffset, filterMask, roleFilterOffset } = this;
    return {
      rolePrefixes: source.bytes.subarray(roleFilterOffset, roleFilterOffset + ROLE_FILTER_BITS / 8),
      names: source.bytes.subarray(filterOffset, filterOffset + (filterMask + 1) / 8),
    };
  }

  /** Returns false if no role name starts with the bytes at `start`. */
  mayStartRole(bytes: Uint8Array, start: number): boolean {
    if (!this.isVerified || start + MAX_ROLE_PREFIX > bytes.length) return true;
    const word = dataViewOf(bytes).getInt32(start, true) | LOWERCASE_BITS;
    return (
      this.hasBit(this.roleFilterOffset, roleFilterBit(word, 4)) ||
      this.hasBit(this.roleFilterOffset, roleFilterBit(word, 3)) ||
      this.hasBit(this.roleFilterOffset, roleFilterBit(word, 2))
    );
  }

  private hasBit(filterOffset: number, bit: number): boolean {
    return ((this.source.bytes[filterOffset + (bit >>> 3)] as number) & (1 << (bit & 7))) !== 0;
  }

  /** Parses the table's meta value. Throws AddrsiftError DATA. */
  readMeta(): unknown {
    const metaStart = this.source.locate(this.metaOffset, this.metaLength);
    if (hashBytes(this.source.bytes, metaStart, metaStart + this.metaLength) !== this.metaHash) {
      throw this.damageError("its description is damaged");
    }
    return JSON.parse(new TextDecoder().decode(this.source.bytes.subarray(metaStart, metaStart + this.metaLength)));
  }

  damageError(reason: string): AddrsiftError {
    return tableError(this.source.name, reason);
  }

  /** Returns false if no name has this hash. */
  mayContain(hash: number): boolean {
    if (!this.isVerified) return true;
    let bit = filterBit(hash);
    for (let i = 0; i < NAME_HASHES; i += 1, bit = nextFilterBit(bit))
      if (!this.hasBit(this.filterOffset, bit & this.filterMask)) return false;
    return true;
  }

  /** Returns the index of a name's attributes in `bytes`, or -1. Ignores letter case. */
  find(kind: Kind, hash: number, name: Uint8Array, start: number, end: number): number {
    if (!this.mayContain(hash)) return -1;
    const bucket = bucketOf(hash, this.bucketCount);
    const bucketStart = this.openBucket(bucket);
    return this.findInBucket(kind, name, start, end, bucketStart + HASH_LENGTH, bucketStart + this.bucketLength);
  }

  *entries(): Generator<TableEntry> {
    for (let bucket = 0; bucket < this.bucketCount; bucket += 1) {
      const bucketStart = this.openBucket(bucket);
      const records = this.source.bytes.slice(bucketStart + HASH_LENGTH, bucketStart + this.bucketLength);
      for (let i = 0; i < records.length; ) {
        const [stemLength = 0, lastLabelSlot = 0, factsSlot = 0] = records.subarray(i, i + 3);
        const stemEnd = i + 3 + stemLength;
        const facts =
          factsSlot === 0
            ? readLengthPrefixed(records, stemEnd)
            : readLengthPrefixed(this.slots, SLOT_LENGTH * factsSlot);
        const lastLabel = readLengthPrefixed(this.slots, LABEL_SLOTS_OFFSET + SLOT_LENGTH * lastLabelSlot);
        const name = new Uint8Array(stemLength + lastLabel.length);
        name.set(records.subarray(i + 3, stemEnd));
        name.set(lastLabel, stemLength);
        yield { kind: facts[0] as Kind, name, attributes: facts.subarray(1) };
        i = factsSlot === 0 ? stemEnd + 1 + facts.length : stemEnd;
      }
    }
  }

  private findInBucket(
    kind: Kind,
    name: Uint8Array,
    start: number,
    end: number,
    recordsStart: number,
    recordsEnd: number,
  ): number {
    const { slots } = this;
    const { bytes } = this.source;
    for (let i = recordsStart; i < recordsEnd; ) {
      const recordStemEnd = i + 3 + (bytes[i] as number);
      const nameStemEnd = start + (bytes[i] as number);
      const lastLabelStart = LABEL_SLOTS_OFFSET + SLOT_LENGTH * (bytes[i + 1] as number);
      const factsSlot = bytes[i + 2] as number;
      if (
        nameStemEnd + (slots[lastLabelStart] as number) === end &&
        equalNames(bytes, i + 3, name, start, nameStemEnd) &&
        equalNames(slots, lastLabelStart + 1, name, nameStemEnd, end)
      ) {
        const facts = factsSlot === 0 ? bytes : slots;
        const factsStart = factsSlot === 0 ? recordStemEnd : SLOT_LENGTH * factsSlot;
        if (facts[factsStart + 1] === kind) {
          this.bytes = facts;
          this.attributeLength = (facts[factsStart] as number) - 1;
          return factsStart + 2;
        }
      }
      i = factsSlot === 0 ? recordStemEnd + 1 + (bytes[recordStemEnd] as number) : recordStemEnd;
    }
    return -1;
  }

  /** Loads a bucket, sets `bucketLength` and returns its index in `bytes`. Throws AddrsiftError DATA. */
  private openBucket(bucket: number): number {
    const indexEntry = this.source.locate(this.indexOffset + 4 * bucket, 8);
    const bucketOffset = readUint32(this.source.bytes, indexEntry);
    const length = readUint32(this.source.bytes, indexEntry + 4) - bucketOffset;
    if (length < HASH_LENGTH || this.recordsOffset + bucketOffset + length > this.source.length) {
      throw this.damageError("its index is damaged");
    }
    this.bucketLength = length;
    const bucketStart = this.source.locate(this.recordsOffset + bucketOffset, length);
    const { bytes } = this.source;
    if (
      !this.isVerified &&
      readUint32(bytes, bucketStart) !== hashBytes(bytes, bucketStart + HASH_LENGTH, bucketStart + length)
    ) {
      throw this.damageError("its contents are damaged");
    }
    return bucketStart;
  }
}

function readLengthPrefixed(bytes: Uint8Array, offset: number): Uint8Array {
  return bytes.subarray(offset + 1, offset + 1 + (bytes[offset] as number));
}

function equalNames(bytes: Uint8Array, offset: number, name: Uint8Array, start: number, end: number): boolean {
  for (let i = start, j = offset; i < end; i += 1, j += 1) if (bytes[j] !== LOWERCASE[name[i] as number]) return false;
  return true;
}

function readUint32(bytes: Uint8Array, offset: number): number {
  return dataViewOf(bytes).getUint32(offset, true);
}

// Writes the selected fields of a row, in order. Values that many rows share are encoded once.

import { ZERO } from "../../base/bytes/ascii.ts";
import { type ByteWriter, PreparedBytes } from "../../base/bytes/byte-writer.ts";
import { memoize } from "../../base/memoize.ts";
import { classNames } from "../../detection/classes.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { FieldReader } from "../../detection/field-reader.ts";
import {
  type AddedColumn,
  type ExtraField,
  type Field,
  type FieldValue,
  isAddedColumn,
  type RowNumberField,
  type RunField,
} from "../../detection/fields.ts";
import { ResponseTailCache } from "../../detection/format.ts";
import type { Row } from "../rows/row.ts";
import type { FieldEncoder } from "./encodings.ts";

const EMPTY_BYTES = new Uint8Array(0);

/** One field, or adjacent fields that are written together. */
interface Part {
  /** Bytes for a row whose address is null. */
  readonly nullBytes: PreparedBytes;
  write(out: ByteWriter, row: Row, classifier: Classifier): void;
}

export class RowFields {
  private readonly parts: readonly Part[];

  /** `reader` is needed for fields other than ADDED_COLUMNS. */
  constructor(names: readonly Field[], encoder: FieldEncoder, reader: FieldReader | undefined) {
    this.parts = createParts(names, encoder, reader);
  }

  write(out: ByteWriter, row: Row, classifier: Classifier): void {
    for (const part of this.parts) {
      if (row.isNull) out.prepared(part.nullBytes);
      else part.write(out, row, classifier);
    }
  }
}

function createParts(names: readonly Field[], encoder: FieldEncoder, reader: FieldReader | undefined): Part[] {
  const parts: Part[] = [];
  for (let i = 0; i < names.length; ) {
    const runLength = names.slice(i).findIndex((name) => !isAddedColumn(name));
    const columns = names.slice(i, runLength < 0 ? names.length : i + runLength) as AddedColumn[];
    if (columns.length > 0) parts.push(new ColumnsPart(columns, encoder));
    i += columns.length;
    const name = names[i++];
    if (name === "row" || name === "duplicate_of") parts.push(new RowNumberPart(name, encoder));
    else if (name === "classes") parts.push(new ClassesPart(encoder));
    else if (name !== undefined) parts.push(new ValuePart(name as RowField, encoder, reader));
  }
  return parts;
}

type Flag = Exclude<AddedColumn, "normalized">;
type WriteFlags = (out: ByteWriter, classifier: Classifier) => void;

/** Adjacent fields of ADDED_COLUMNS: the canonical address, and fields that depend only on verdict, role and tag. */
class ColumnsPart implements Part {
  readonly nullBytes: PreparedBytes;
  private readonly invalid: PreparedBytes;
  private readonly writeFirst: WriteFlags;
  /** Writes the fields after the canonical address. Undefined if the canonical address is not selected. */
  private readonly writeRest: WriteFlags | undefined;

  constructor(
    names: readonly AddedColumn[],
    private readonly encoder: FieldEncoder,
  ) {
    this.nullBytes = new PreparedBytes(concatBytes(names.map((name) => encoder.encodeNull(name))));
    this.invalid = new PreparedBytes(
      concatBytes(
        names.map((name) => (name === "syntax_validation" ? encoder.encode(name, false) : encoder.encodeMissing(name))),
      ),
    );
    const at = names.indexOf("normalized");
    const first = (at < 0 ? names : names.slice(0, at)) as readonly Flag[];
    const rest = names.slice(at + 1) as readonly Flag[];
    const [before, after] = at < 0 ? [EMPTY_BYTES, EMPTY_BYTES] : encoder.delimitersOf("normalized");
    this.writeFirst = flagsWriter(encoder, EMPTY_BYTES, first, before);
    this.writeRest = at < 0 ? undefined : flagsWriter(encoder, after, rest, EMPTY_BYTES);
  }

  write(out: ByteWriter, _: Row, classifier: Classifier): void {
    if (classifier.fault !== undefined) {
      out.prepared(this.invalid);
      return;
    }
    this.writeFirst(out, classifier);
    if (this.writeRest === undefined) return;
    this.encoder.writeNormalized(out, classifier);
    this.writeRest(out, classifier);
  }
}

/** Returns a function that writes `before`, the flags of a well-formed address, and `after`. */
function flagsWriter(encoder: FieldEncoder, before: Uint8Array, names: readonly Flag[], after: Uint8Array): WriteFlags {
  const bytesOf = (flags: Partial<Record<Flag, boolean | string>>): Uint8Array => {
    const values = { syntax_validation: true, ...flags };
    return concatBytes([before, ...names.map((name) => encodeValue(encoder, name, values[name])), after]);
  };
  if (names.every((name) => name === "syntax_validation")) {
    const bytes = new PreparedBytes(bytesOf({}));
    return (out) => out.prepared(bytes);
  }
  const cache = new ResponseTailCache(bytesOf);
  return (out, classifier) => out.bytes(cache.get(classifier));
}

/** Returns the row's number or the number of the row that it duplicates. */
export function rowNumberValue(name: RowNumberField, row: Row): number | string | undefined {
  return name === "row" ? row.number : row.duplicateOf;
}

/** Writes the row's own number, or `duplicate_of`. */
class RowNumberPart implements Part {
  readonly nullBytes: PreparedBytes;
  private readonly missingBytes: PreparedBytes;
  private readonly before: PreparedBytes;
  private readonly after: PreparedBytes;
  private readonly isPlain: boolean;

  constructor(
    private readonly name: RowNumberField,
    private readonly encoder: FieldEncoder,
  ) {
    this.nullBytes = new PreparedBytes(encoder.encodeNull(name));
    this.missingBytes = new PreparedBytes(encoder.encodeMissing(name));
    const zero = encoder.encode(name, 0);
    const digit = zero.lastIndexOf(ZERO);
    this.before = new PreparedBytes(zero.subarray(0, digit));
    this.after = new PreparedBytes(zero.subarray(digit + 1));
    // If the delimiter is a digit, numbers may need quotes.
    this.isPlain = encoder.encode(name, 1_234_567_890).length === zero.length + 9;
  }

  write(out: ByteWriter, row: Row): void {
    const value = rowNumberValue(this.name, row);
    if (value === undefined) out.prepared(this.missingBytes);
    else if (typeof value === "string" || !this.isPlain) out.bytes(this.encoder.encode(this.name, value));
    else {
      out.prepared(this.before);
      out.decimal(value);
      out.prepared(this.after);
    }
  }
}

class ClassesPart implements Part {
  readonly nullBytes: PreparedBytes;
  private readonly bytesOf: (classes: number) => PreparedBytes;

  constructor(encoder: FieldEncoder) {
    this.nullBytes = new PreparedBytes(encoder.encodeNull("classes"));
    const create = (classes: number) => new PreparedBytes(encoder.encode("classes", classNames(classes)));
    this.bytesOf = memoize(MAX_CACHED_VALUES, create);
  }

  write(out: ByteWriter, { classes }: Row): void {
    out.prepared(this.bytesOf(classes));
  }
}

type RowField = Exclude<ExtraField, RunField>;

/** Maximum cached values of a field. Most fields have few values, or one for each domain. */
const MAX_CACHED_VALUES = 8192;

/** Fields whose value is often the row's domain. */
const DOMAIN_FIELDS: readonly Field[] = ["domain", "registrable_domain", "matched"];

/** Writes a field that is read for each row. If the value is the row's domain, copies it from the row. */
class ValuePart implements Part {
  readonly nullBytes: PreparedBytes;
  private readonly before: PreparedBytes | undefined;
  private readonly after: PreparedBytes | undefined;
  private readonly bytesOf: (value: FieldValue) => PreparedBytes;

  constructor(
    private readonly name: RowField,
    encoder: FieldEncoder,
    private readonly reader: FieldReader | undefined,
  ) {
    this.nullBytes = new PreparedBytes(encoder.encodeNull(name));
    this.bytesOf = memoize(MAX_CACHED_VALUES, (value) => new PreparedBytes(encodeValue(encoder, name, value)));
    if (!encoder.plainNeedsNoEscaping || !DOMAIN_FIELDS.includes(name)) return;
    const [before, after] = encoder.delimitersOf(name);
    this.before = new PreparedBytes(before);
    this.after = new PreparedBytes(after);
  }

  write(out: ByteWriter, { bytes, start, end }: Row, classifier: Classifier): void {
    const value = this.reader?.read(this.name, bytes, start, end, classifier);
    const { before, after } = this;
    const mayBeDomain = value !== undefined && before !== undefined && after !== undefined && classifier.isPlain;
    if (mayBeDomain && value === classifier.domainName(bytes, end)) {
      out.prepared(before);
      out.hostName(bytes, classifier.domainInputStart, end);
      out.prepared(after);
    } else out.prepared(this.bytesOf(value));
  }
}

function encodeValue(encoder: FieldEncoder, name: string, value: FieldValue): Uint8Array {
  return value === undefined ? encoder.encodeMissing(name) : encoder.encode(name, value);
}

function concatBytes(arrays: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(arrays.flatMap((array) => [...array]));
}

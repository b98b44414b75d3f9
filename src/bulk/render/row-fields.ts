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

/** Writes one field, or adjacent fields. */
type WritePart = (out: ByteWriter, row: Row, classifier: Classifier) => void;

export class RowFields {
  /** For rows whose address is null. */
  private readonly nullParts: readonly WritePart[];
  private readonly parts: readonly WritePart[];

  /** `reader` is needed for fields other than ADDED_COLUMNS. */
  constructor(names: readonly Field[], encoder: FieldEncoder, reader: FieldReader | undefined) {
    this.nullParts = names.flatMap((name) => {
      if (name === "classes" || name === "row") return createParts([name], encoder, reader);
      const bytes = new PreparedBytes(encoder.encodeNull(name));
      return [(out: ByteWriter) => out.prepared(bytes)];
    });
    this.parts = createParts(names, encoder, reader);
  }

  write(out: ByteWriter, row: Row, classifier: Classifier): void {
    for (const writePart of row.isNull ? this.nullParts : this.parts) writePart(out, row, classifier);
  }
}

function createParts(names: readonly Field[], encoder: FieldEncoder, reader: FieldReader | undefined): WritePart[] {
  const parts: WritePart[] = [];
  for (let i = 0; i < names.length; ) {
    const runLength = names.slice(i).findIndex((name) => !isAddedColumn(name));
    const columns = names.slice(i, runLength < 0 ? names.length : i + runLength) as AddedColumn[];
    if (columns.length > 0) parts.push(columnsWriter(columns, encoder));
    i += columns.length;
    const name = names[i++];
    if (name === "row" || name === "duplicate_of") parts.push(rowNumberWriter(name, encoder));
    else if (name === "classes") parts.push(classesWriter(encoder));
    else if (name !== undefined) parts.push(valueWriter(name as RowField, encoder, reader));
  }
  return parts;
}

type Flag = Exclude<AddedColumn, "normalized">;
type WriteFlags = (out: ByteWriter, classifier: Classifier) => void;

/** Writes adjacent fields of ADDED_COLUMNS: the canonical address, and fields that depend only on verdict, role and tag. */
function columnsWriter(names: readonly AddedColumn[], encoder: FieldEncoder): WritePart {
  const encodeInvalid = (name: AddedColumn): Uint8Array =>
    name === "syntax_validation" ? encoder.encode(name, false) : encoder.encodeMissing(name);
  const invalid = new PreparedBytes(concatBytes(names.map(encodeInvalid)));
  const at = names.indexOf("normalized");
  const first = (at < 0 ? names : names.slice(0, at)) as readonly Flag[];
  const rest = names.slice(at + 1) as readonly Flag[];
  const [before, after] = at < 0 ? [EMPTY_BYTES, EMPTY_BYTES] : encoder.delimitersOf("normalized");
  const writeFirst = flagsWriter(encoder, EMPTY_BYTES, first, before);
  const writeRest = at < 0 ? undefined : flagsWriter(encoder, after, rest, EMPTY_BYTES);
  return (out, _, classifier) => {
    if (classifier.fault !== undefined) {
      out.prepared(invalid);
      return;
    }
    writeFirst(out, classifier);
    if (writeRest === undefined) return;
    encoder.writeNormalized(out, classifier);
    writeRest(out, classifier);
  };
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
function rowNumberWriter(name: RowNumberField, encoder: FieldEncoder): WritePart {
  const missing = new PreparedBytes(encoder.encodeMissing(name));
  const zero = encoder.encode(name, 0);
  const digit = zero.lastIndexOf(ZERO);
  const before = new PreparedBytes(zero.subarray(0, digit));
  const after = new PreparedBytes(zero.subarray(digit + 1));
  // If the delimiter is a digit, numbers may need quotes.
  const isPlain = encoder.encode(name, 1_234_567_890).length === zero.length + 9;
  return (out, row) => {
    const value = rowNumberValue(name, row);
    if (value === undefined) out.prepared(missing);
    else if (typeof value === "string" || !isPlain) out.bytes(encoder.encode(name, value));
    else {
      out.prepared(before);
      out.decimal(value);
      out.prepared(after);
    }
  };
}

function classesWriter(encoder: FieldEncoder): WritePart {
  const create = (classes: number) => new PreparedBytes(encoder.encode("classes", classNames(classes)));
  const bytesOf = memoize(MAX_CACHED_VALUES, create);
  return (out, { classes }) => out.prepared(bytesOf(classes));
}

type RowField = Exclude<ExtraField, RunField>;

/** Maximum cached values of a field. Most fields have few values, or one for each domain. */
const MAX_CACHED_VALUES = 8192;

/** Fields whose value is often the row's domain. */
const DOMAIN_FIELDS: readonly Field[] = ["domain", "registrable_domain", "matched"];

/** Writes a field that is read for each row. If the value is the row's domain, copies it from the row. */
function valueWriter(name: RowField, encoder: FieldEncoder, reader: FieldReader | undefined): WritePart {
  const create = (value: FieldValue) => new PreparedBytes(encodeValue(encoder, name, value));
  const bytesOf = memoize(MAX_CACHED_VALUES, create);
  const mayBeDomain = encoder.plainNeedsNoEscaping && DOMAIN_FIELDS.includes(name);
  const delimiters = encoder.delimitersOf(name);
  const before = new PreparedBytes(delimiters[0]);
  const after = new PreparedBytes(delimiters[1]);
  return (out, { bytes, start, end }, classifier) => {
    const value = reader?.read(name, bytes, start, end, classifier);
    const isDomain =
      mayBeDomain && value !== undefined && classifier.isPlain && value === classifier.domainName(bytes, end);
    if (!isDomain) {
      out.prepared(bytesOf(value));
      return;
    }
    out.prepared(before);
    out.hostName(bytes, classifier.domainInputStart, end);
    out.prepared(after);
  };
}

function encodeValue(encoder: FieldEncoder, name: string, value: FieldValue): Uint8Array {
  return value === undefined ? encoder.encodeMissing(name) : encoder.encode(name, value);
}

function concatBytes(arrays: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(arrays.flatMap((array) => [...array]));
}

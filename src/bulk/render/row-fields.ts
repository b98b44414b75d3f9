// The fields that a row carries, in the chosen order. What is equal for many rows is made once.

import { ZERO } from "../../base/bytes/ascii.ts";
import { type ByteWriter, Constant } from "../../base/bytes/byte-writer.ts";
import { kept } from "../../base/kept.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { FieldReader } from "../../detection/field-reader.ts";
import {
  ADDED_COLUMNS,
  type AddedColumn,
  type Field,
  type FieldValue,
  type MoreField,
  type PlaceField,
} from "../../detection/fields.ts";
import { Tails } from "../../detection/format.ts";
import type { Row } from "../rows/row.ts";
import type { FieldForm } from "./forms.ts";

const NOTHING = new Uint8Array(0);

/** One field, or some fields that are written at once. */
interface Part {
  /** Its bytes in a row whose address is null. */
  readonly ofNull: Constant;
  write(out: ByteWriter, row: Row, classifier: Classifier): void;
}

export class RowFields {
  private readonly parts: readonly Part[];

  /** `reader` is needed for fields that are not among ADDED_COLUMNS. */
  constructor(names: readonly Field[], form: FieldForm, reader: FieldReader | undefined) {
    this.parts = partsOf(names, form, reader);
  }

  write(out: ByteWriter, row: Row, classifier: Classifier): void {
    for (const part of this.parts) {
      if (row.isNull) out.constant(part.ofNull);
      else part.write(out, row, classifier);
    }
  }
}

function partsOf(names: readonly Field[], form: FieldForm, reader: FieldReader | undefined): Part[] {
  const parts: Part[] = [];
  for (let i = 0; i < names.length; ) {
    const run = names.slice(i).findIndex((name) => !isColumn(name));
    const columns = names.slice(i, run < 0 ? names.length : i + run) as AddedColumn[];
    if (columns.length > 0) parts.push(new ColumnsPart(columns, form));
    i += columns.length;
    const name = names[i++];
    if (name === "row" || name === "duplicate_of") parts.push(new PlacePart(name, form));
    else if (name !== undefined) parts.push(new ValuePart(name as RowField, form, reader));
  }
  return parts;
}

function isColumn(name: Field): name is AddedColumn {
  return (ADDED_COLUMNS as readonly string[]).includes(name);
}

type Flag = Exclude<AddedColumn, "normalized">;
type WriteFlags = (out: ByteWriter, classifier: Classifier) => void;

/**
 * Added columns next to each other: the canonical address, and fields that depend on the verdict, role and tag only.
 */
class ColumnsPart implements Part {
  readonly ofNull: Constant;
  private readonly invalid: Constant;
  private readonly writeFirst: WriteFlags;
  /** Writes what follows the canonical address; undefined where that is not among the columns. */
  private readonly writeRest: WriteFlags | undefined;

  constructor(
    names: readonly AddedColumn[],
    private readonly form: FieldForm,
  ) {
    this.ofNull = new Constant(joined(names.map((name) => form.ofNull(name))));
    this.invalid = new Constant(
      joined(names.map((name) => (name === "syntax_validation" ? form.field(name, false) : form.absent(name)))),
    );
    const at = names.indexOf("normalized");
    const first = (at < 0 ? names : names.slice(0, at)) as readonly Flag[];
    const rest = names.slice(at + 1) as readonly Flag[];
    const [before, after] = at < 0 ? [NOTHING, NOTHING] : form.around("normalized");
    this.writeFirst = flagsWriter(form, NOTHING, first, before);
    this.writeRest = at < 0 ? undefined : flagsWriter(form, after, rest, NOTHING);
  }

  write(out: ByteWriter, _: Row, classifier: Classifier): void {
    if (classifier.fault !== undefined) {
      out.constant(this.invalid);
      return;
    }
    this.writeFirst(out, classifier);
    if (this.writeRest === undefined) return;
    this.form.normalized(out, classifier);
    this.writeRest(out, classifier);
  }
}

/** Writes flags of a well-formed address between fixed bytes. */
function flagsWriter(form: FieldForm, before: Uint8Array, names: readonly Flag[], after: Uint8Array): WriteFlags {
  const bytesOf = (flags: Partial<Record<Flag, boolean | string>>): Uint8Array => {
    const values = { syntax_validation: true, ...flags };
    return joined([before, ...names.map((name) => present(form, name, values[name])), after]);
  };
  if (names.every((name) => name === "syntax_validation")) {
    const bytes = new Constant(bytesOf({}));
    return (out) => out.constant(bytes);
  }
  const tails = new Tails(bytesOf);
  return (out, classifier) => out.all(tails.of(classifier));
}

/** The value of a field that depends on other rows. */
export function placeValue(name: PlaceField, row: Row): number | string | undefined {
  return name === "row" ? row.number : row.duplicateOf;
}

/** A row's number, or that of another one. */
class PlacePart implements Part {
  readonly ofNull: Constant;
  private readonly absent: Constant;
  private readonly before: Constant;
  private readonly after: Constant;
  private readonly isPlain: boolean;

  constructor(
    private readonly name: PlaceField,
    private readonly form: FieldForm,
  ) {
    this.ofNull = new Constant(form.ofNull(name));
    this.absent = new Constant(form.absent(name));
    const zero = form.field(name, 0);
    const digit = zero.lastIndexOf(ZERO);
    this.before = new Constant(zero.subarray(0, digit));
    this.after = new Constant(zero.subarray(digit + 1));
    // A digit that is the delimiter is quoted.
    this.isPlain = form.field(name, 1_234_567_890).length === zero.length + 9;
  }

  write(out: ByteWriter, row: Row): void {
    const value = placeValue(this.name, row);
    if (value === undefined) out.constant(this.absent);
    else if (typeof value === "string" || !this.isPlain) out.all(this.form.field(this.name, value));
    else {
      out.constant(this.before);
      out.decimal(value);
      out.constant(this.after);
    }
  }
}

type RowField = Exclude<MoreField, PlaceField>;

/** Values whose bytes are kept. Most fields have few values, or one for each domain. */
const KEPT_VALUES = 8192;

/** Fields whose value is often the row's domain. */
const NAMES: readonly Field[] = ["domain", "registrable_domain", "matched"];

/** A field that is read for each row. The row's domain is written from the row. */
class ValuePart implements Part {
  readonly ofNull: Constant;
  private readonly before: Constant | undefined;
  private readonly after: Constant | undefined;
  private readonly bytesOf: (value: FieldValue) => Constant;

  constructor(
    private readonly name: RowField,
    form: FieldForm,
    private readonly reader: FieldReader | undefined,
  ) {
    this.ofNull = new Constant(form.ofNull(name));
    this.bytesOf = kept(KEPT_VALUES, (value) => new Constant(present(form, name, value)));
    if (!form.plainStaysPlain || !NAMES.includes(name)) return;
    const [before, after] = form.around(name);
    this.before = new Constant(before);
    this.after = new Constant(after);
  }

  write(out: ByteWriter, { bytes, start, end }: Row, classifier: Classifier): void {
    const value = this.reader?.value(this.name, bytes, start, end, classifier);
    const { before, after } = this;
    const mayBeDomain = value !== undefined && before !== undefined && after !== undefined && classifier.plain;
    if (mayBeDomain && value === classifier.domainName(bytes, end)) {
      out.constant(before);
      out.hostName(bytes, classifier.domainAt, end);
      out.constant(after);
    } else out.constant(this.bytesOf(value));
  }
}

function present(form: FieldForm, name: string, value: FieldValue): Uint8Array {
  return value === undefined ? form.absent(name) : form.field(name, value);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

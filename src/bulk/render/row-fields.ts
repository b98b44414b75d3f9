// The fields that a row carries, in the order that was asked for. What is equal for many rows is made once.

import { type ByteWriter, Constant } from "../../base/bytes/byte-writer.ts";
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

/** One field, or some fields that are written at once. */
interface Part {
  /** Its bytes in a row whose address is null. */
  readonly ofNull: Constant;
  write(out: ByteWriter, row: Row, classifier: Classifier): void;
}

/** The fields of a row in one format. */
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
    const run = names.slice(i).findIndex((name) => !isFlag(name));
    const flags = names.slice(i, run < 0 ? names.length : i + run) as Flag[];
    i += flags.length;
    const name = names[i++];
    if (name === "normalized" && flags.length === 1 && flags[0] === "syntax_validation") {
      parts.push(new NormalizedPart(form, flags[0]));
      continue;
    }
    if (flags.length > 0) parts.push(new FlagsPart(flags, form));
    if (name === "normalized") parts.push(new NormalizedPart(form, undefined));
    else if (name === "row" || name === "duplicate_of") parts.push(new PlacePart(name, form));
    else if (name !== undefined) parts.push(new ValuePart(name as RowField, form, reader));
  }
  return parts;
}

type Flag = Exclude<AddedColumn, "normalized">;

function isFlag(name: Field): name is Flag {
  return name !== "normalized" && (ADDED_COLUMNS as readonly string[]).includes(name);
}

/** Fields next to each other that depend on the verdict, the role and the tag only. */
class FlagsPart implements Part {
  readonly ofNull: Constant;
  private readonly invalid: Constant;
  /** Without another flag, whether the syntax is valid is all there is to say. */
  private readonly valid: Constant | undefined;
  private readonly tails: Tails;

  constructor(names: readonly Flag[], form: FieldForm) {
    const [first, ...others] = names;
    this.ofNull = new Constant(joined(names.map((name) => form.ofNull(name))));
    this.invalid = new Constant(
      joined(names.map((name) => (name === "syntax_validation" ? form.field(name, false) : form.absent(name)))),
    );
    const alone = first === "syntax_validation" && others.length === 0;
    this.valid = alone ? new Constant(form.field(first, true)) : undefined;
    this.tails = new Tails((flags) => {
      const values: Partial<Record<Flag, boolean | string>> = { syntax_validation: true, ...flags };
      return joined(names.map((name) => present(form, name, values[name])));
    });
  }

  write(out: ByteWriter, _: Row, classifier: Classifier): void {
    if (classifier.fault !== undefined) out.constant(this.invalid);
    else if (this.valid !== undefined) out.constant(this.valid);
    else out.all(this.tails.of(classifier));
  }
}

/** The canonical address, with the field before it when that says only whether the syntax is valid: the usual order. */
class NormalizedPart implements Part {
  readonly ofNull: Constant;
  private readonly before: Constant;
  private readonly after: Constant;
  private readonly absent: Constant;

  constructor(
    private readonly form: FieldForm,
    lead: "syntax_validation" | undefined,
  ) {
    const name: AddedColumn = "normalized";
    const [before, after] = form.around(name);
    const nothing = new Uint8Array(0);
    const [ofNull, ofInvalid, ofValid] =
      lead === undefined
        ? [nothing, nothing, nothing]
        : [form.ofNull(lead), form.field(lead, false), form.field(lead, true)];
    this.ofNull = new Constant(joined([ofNull, form.ofNull(name)]));
    this.absent = new Constant(joined([ofInvalid, form.absent(name)]));
    this.before = new Constant(joined([ofValid, before]));
    this.after = new Constant(after);
  }

  write(out: ByteWriter, _: Row, classifier: Classifier): void {
    if (classifier.fault !== undefined) {
      out.constant(this.absent);
      return;
    }
    out.constant(this.before);
    this.form.normalized(out, classifier);
    if (this.after.length > 0) out.constant(this.after);
  }
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

const ZERO = 0x30;
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
  private readonly made = new Map<FieldValue, Constant>();

  constructor(
    private readonly name: RowField,
    private readonly form: FieldForm,
    private readonly reader: FieldReader | undefined,
  ) {
    this.ofNull = new Constant(form.ofNull(name));
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

  private bytesOf(value: FieldValue): Constant {
    let bytes = this.made.get(value);
    if (bytes === undefined) {
      bytes = new Constant(present(this.form, this.name, value));
      if (this.made.size >= KEPT_VALUES) this.made.clear();
      this.made.set(value, bytes);
    }
    return bytes;
  }
}

function present(form: FieldForm, name: string, value: FieldValue): Uint8Array {
  return value === undefined ? form.absent(name) : form.field(name, value);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

// The layout of an input's rows, as its options and its beginning say it, and from that the scanner.

import type { SyntaxCode } from "../../address/faults.ts";
import { LF } from "../../base/bytes/ascii.ts";
import { CsvField, type CsvLayout, CsvScanner } from "./csv.ts";
import type { Irregularity } from "./irregularities.ts";
import type { JsonlLayout } from "./json/beginning.ts";
import { JsonlScanner, JsonValue } from "./json/lines.ts";
import { LineScanner } from "./lines.ts";
import { ADDRESS_FIELD_MAX, type PlacesAddress, Row, type RowTaker, type Scanner } from "./row.ts";
import { type ScanLayout, TextScanner } from "./scan.ts";
import { TsvField, TsvScanner } from "./tsv.ts";

export const NOTHING: Uint8Array = new Uint8Array(0);

export type RowLayout =
  | { readonly kind: "lines" }
  | ({ readonly kind: "csv" } & CsvLayout)
  | ({ readonly kind: "tsv" } & CsvLayout)
  | ({ readonly kind: "jsonl" } & JsonlLayout)
  | ({ readonly kind: "scan" } & ScanLayout);

export const LINES: RowLayout = { kind: "lines" };

/**
 * Where the first row is: how many rows and how many lines are before it. A header is a row, Excel's `sep=` line is
 * not.
 */
export interface FirstPlace {
  readonly headerRows: number;
  readonly headerLines: number;
}

export interface Beginning extends FirstPlace {
  readonly layout: RowLayout;
  /** The fields of the header; undefined without a header. */
  readonly names: readonly string[] | undefined;
  /** The keys of the first objects of JSON. */
  readonly keys?: readonly string[];
  /** The path of the array that has the rows. */
  readonly array?: readonly string[];
  /** The header of output in the form of the input; empty where there is none. */
  readonly header: Uint8Array;
  /** The bytes of the input before the first row, as they are. */
  readonly given: Uint8Array;
  /** Rows before the header of each input that are not read. */
  readonly skip: number;
}

/** The place after what was taken: with a header, or without. */
export function placeAfter(taken: Iterable<number>, hasHeader: boolean): FirstPlace {
  let headerLines = 0;
  for (const byte of taken) if (byte === LF) headerLines += 1;
  return { headerRows: hasHeader ? 1 : 0, headerLines };
}

/** The beginning of an input in which the first byte begins a row. */
export function withoutHeader(layout: RowLayout): Beginning {
  return { layout, names: undefined, header: NOTHING, given: NOTHING, skip: 0, headerRows: 0, headerLines: 0 };
}

export function createScanner(layout: RowLayout, format: string): Scanner {
  const others = otherAddresses(layout);
  const first = firstAddressScanner(layout, format);
  return others.length === 0 ? first : new SeveralScanner(first, others);
}

function otherAddresses(layout: RowLayout): readonly PlacesAddress[] {
  if (layout.kind === "lines" || layout.kind === "scan") return [];
  if (layout.kind === "jsonl") return (layout.several?.paths ?? []).map((path) => new JsonValue(path));
  return (layout.others ?? []).map((column) => fieldOf(layout, column));
}

/** Finds the field of a column, from 0 on. */
export function fieldOf(layout: RowLayout & { readonly kind: "csv" | "tsv" }, column: number): PlacesAddress {
  return layout.kind === "tsv" ? new TsvField(column) : new CsvField(column, layout.delimiter);
}

function firstAddressScanner(layout: RowLayout, format: string): Scanner {
  if (layout.kind === "csv") return new CsvScanner(layout);
  if (layout.kind === "tsv") return new TsvScanner(layout);
  if (layout.kind === "jsonl") return new JsonlScanner(layout);
  if (layout.kind === "scan") return new TextScanner(layout);
  return new LineScanner(format === "plain");
}

export class SeveralScanner implements Scanner {
  /** `first` finds the first address of each row. */
  constructor(
    private readonly first: Scanner,
    private readonly others: readonly PlacesAddress[],
  ) {}

  take(bytes: Uint8Array, start: number, end: number, last: boolean, taker: RowTaker): number {
    return this.first.take(bytes, start, end, last, new SeveralTaker(this.others, taker));
  }
}

/** Takes rows with their first address and passes them on with all. */
class SeveralTaker implements RowTaker {
  private readonly rows: Row[];

  constructor(
    private readonly others: readonly PlacesAddress[],
    private readonly taker: RowTaker,
  ) {
    this.rows = [new Row(), ...others.map(() => new Row())];
  }

  get full(): boolean {
    return this.taker.full;
  }

  get rowNumber(): number {
    return this.taker.rowNumber;
  }

  row(row: Row): boolean {
    return this.all(row, undefined);
  }

  tooLong(row: Row): boolean {
    return this.all(row, "line_too_long");
  }

  broken(row: Row): boolean {
    row.refused = "not_an_object";
    return this.several([row, ...this.others.map(() => row)]);
  }

  several(rows: readonly Row[]): boolean {
    return this.taker.several(rows);
  }

  irregular(kind: Irregularity): void {
    this.taker.irregular(kind);
  }

  passThrough(bytes: Uint8Array, endsLine: boolean): void {
    this.taker.passThrough(bytes, endsLine);
  }

  private all(first: Row, refused: SyntaxCode | undefined): boolean {
    const { rows } = this;
    first.refused = refused;
    rows[0] = first;
    for (const [index, other] of this.others.entries()) {
      const row = rows[index + 1] as Row;
      row.takeLine(first);
      other.place(row);
      row.refused = row.end - row.start > ADDRESS_FIELD_MAX ? "line_too_long" : undefined;
    }
    return this.several(rows);
  }
}

// The current row, and the ports of what finds rows in bytes and what takes them.

import type { SyntaxCode } from "../../address/faults.ts";
import { LF } from "../../base/bytes/ascii.ts";
import { findByte } from "../../base/bytes/bytes.ts";
import type { MailRouting } from "../../detection/routing.ts";
import { InputError, type Message } from "../messages.ts";
import type { RowWarning } from "./row-warnings.ts";

/** A longer address is not read (RFC 5321 allows 254 octets; this leaves room for anything on one line). */
export const MAX_ADDRESS_BYTES: number = 64 * 1024;
/** Bytes of a record, a row of TSV or an object. */
export const MAX_RECORD_BYTES: number = 16 * 1024 * 1024;

/** Where an address is in a text: line and column count from 1; the file is known in a diff, the commit in a log. */
export interface SourceLocation {
  readonly commit: string | undefined;
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  /** The address is that of a service, in a commit that it made. */
  readonly isMachine?: boolean;
}

/** A row of the input: the unchanged line or record, and the address in it. The same object is used for every row. */
export class Row {
  /** Holds the line or record, which the next three indexes point into; its line break is not part of it. */
  line: Uint8Array = new Uint8Array(0);
  lineStart = 0;
  lineEnd = 0;
  /** CSV: where the header's width is reached and added columns go. */
  appendOffset = 0;
  /** CSV: how many fields the record lacks. */
  missingFields = 0;
  /** The line break is CR LF. */
  hasCrlf = false;
  /** The address is null, as opposed to empty: the row is blank, and has no field. */
  isNull = false;
  /** JSON Lines: whether the line is an object, with keys or without. */
  jsonObject: "keys" | "empty" | "none" = "none";
  /** Counts from 1; a header is row 1. */
  number = 0;
  location: SourceLocation | undefined = undefined;
  /** The earlier row with the same mailbox: its number, and for a row of another input that input's name before it. */
  duplicateOf: number | string | undefined = undefined;
  /** The routing of the address's domain, if it was looked up in DNS. */
  routing: MailRouting | undefined = undefined;
  /** The fault of an address that is not read. */
  readFault: SyntaxCode | undefined = undefined;
  /** The further addresses of the row: its line as many times, each with one of them. */
  readonly additionalAddresses: readonly Row[];
  /** The line is longer than this piece; its rest follows. */
  isPartialLine = false;
  /** Holds the address, without white space around it: the line's own bytes, or `copy`. */
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  private decoded: Uint8Array = new Uint8Array(0);

  /** `fields` find the further addresses. */
  constructor(private readonly locators: readonly FieldLocator[] = []) {
    this.additionalAddresses = locators.map(() => new Row());
  }

  get isBlank(): boolean {
    return this.start === this.end;
  }

  /**
   * The taker takes the row, whose first address was placed; returns whether it is shown. With a fault, the line is
   * each of its addresses.
   */
  emit(sink: RowSink, fault?: SyntaxCode): boolean {
    this.readFault = fault ?? this.oversizeFault;
    for (const [index, field] of this.locators.entries()) {
      const other = this.additionalAddresses[index] as Row;
      other.copyFrom(this);
      if (fault !== undefined) continue;
      field.locate(other);
      other.readFault = other.oversizeFault;
    }
    return sink.accept(this);
  }

  private get oversizeFault(): SyntaxCode | undefined {
    return this.end - this.start > MAX_ADDRESS_BYTES ? "line_too_long" : undefined;
  }

  /** Takes over the line and address of another row. */
  copyFrom(row: Row): void {
    this.setLine(row.line, row.lineStart, row.lineEnd);
    this.appendOffset = row.appendOffset;
    this.missingFields = row.missingFields;
    this.hasCrlf = row.hasCrlf;
    this.isNull = row.isNull;
    this.jsonObject = row.jsonObject;
    this.readFault = row.readFault;
    this.isPartialLine = row.isPartialLine;
    this.bytes = row.bytes;
    this.start = row.start;
    this.end = row.end;
  }

  /** Sets the line or record to the bytes between `start` and `end`. */
  setLine(bytes: Uint8Array, start: number, end: number): void {
    this.line = bytes;
    this.lineStart = start;
    this.lineEnd = end;
  }

  /** Sets the address to the bytes between `start` and `end`, without ASCII white space around it. */
  setAddress(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    let from = start;
    let to = end;
    while (from < to && isWhiteSpace(bytes[from] as number)) from += 1;
    while (to > from && isWhiteSpace(bytes[to - 1] as number)) to -= 1;
    this.start = from;
    this.end = to;
  }

  /** Sets the address to what `decode` makes of the bytes between `start` and `end`, which are at least as many. */
  setDecodedAddress(bytes: Uint8Array, start: number, end: number, decode: Decode): void {
    if (this.decoded.length < end - start) this.decoded = new Uint8Array(2 * (end - start));
    this.setAddress(this.decoded, 0, decode(bytes, start, end, this.decoded));
  }

  setNull(): void {
    this.isNull = true;
    this.setAddress(this.line, this.lineStart, this.lineStart);
  }
}

/** Writes into `target` what the bytes between `start` and `end` mean; returns how many bytes it wrote. */
export type Decode = (bytes: Uint8Array, start: number, end: number, target: Uint8Array) => number;

function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Takes rows as they are found. */
export interface RowSink {
  /** True when the taker wants no more rows for now. */
  readonly isFull: boolean;
  /** Number of the last row taken. */
  readonly rowNumber: number;
  /** Returns whether the row is shown. */
  accept(row: Row): boolean;
  /** Notes that the next row is irregular. */
  warn(kind: RowWarning): void;
  /** Bytes that go into the output unchanged, where the format shows the input itself. */
  passThrough(bytes: Uint8Array, endsLine: boolean): void;
}

export interface FieldLocator {
  /** Sets the row's address from its line; empty, or null, where it is missing. */
  locate(row: Row): void;
}

/**
 * Finds rows and passes them to a taker. When a row does not end in the bytes, the next call gets it again from its
 * beginning, with more bytes. So a scanner may remember how much of it is scanned.
 */
export interface Scanner {
  /**
   * Takes the rows that end between `start` and `end` of `bytes`, until the taker is full; returns the index where the
   * next call continues. `last`: nothing follows, so the last row may lack its line break.
   */
  scan(bytes: Uint8Array, start: number, end: number, last: boolean, sink: RowSink): number;
}

/** Finds rows that are lines, which are held as a whole. */
export abstract class LineBasedScanner implements Scanner {
  protected readonly row: Row;
  /** Bytes of the unfinished line that have no line feed. */
  private searched = 0;

  /** `hint` says what to do about a line that never ends; `fields` find further addresses in a row. */
  constructor(
    private readonly hint: Message,
    fields: readonly FieldLocator[] | undefined,
  ) {
    this.row = new Row(fields);
  }

  scan(bytes: Uint8Array, start: number, end: number, last: boolean, sink: RowSink): number {
    let from = start;
    while (!sink.isFull) {
      const lf = findByte(bytes, LF, from + this.searched, end);
      this.searched = lf === end ? end - from : 0;
      if (Math.min(lf + 1, end) - from > MAX_RECORD_BYTES) throw unterminatedRowError(sink.rowNumber + 1, this.hint);
      if (lf === end) break;
      this.scanLine(bytes, from, lf, true, sink);
      from = lf + 1;
    }
    if (sink.isFull || from === end || !last) return from;
    this.scanLine(bytes, from, end, false, sink);
    return end;
  }

  /** Takes the row of the line between `start` and `lf`, which is the end of the input where `hasLf` is false. */
  protected abstract scanLine(bytes: Uint8Array, start: number, lf: number, hasLf: boolean, sink: RowSink): void;
}

/** The error for a row that has no line break within RECORD_MAX. */
export function unterminatedRowError(row: number, hint: Message): InputError {
  return new InputError("INPUT", (face) => `row ${row} has no line break within 16 MiB: ${hint(face)}`);
}

// The current row, and the interfaces between scanners, which find rows, and sinks, which process them.

import type { SyntaxCode } from "../../address/faults.ts";
import { LF } from "../../base/bytes/ascii.ts";
import { findByte } from "../../base/bytes/bytes.ts";
import { InputError, type Message } from "../messages.ts";
import type { RowWarning } from "./row-warnings.ts";

/** Maximum bytes of an address field. RFC 5321 allows 254 octets; the rest is for display names and comments. */
export const MAX_ADDRESS_BYTES: number = 64 * 1024;
/** Maximum bytes of a record, a row of TSV or an object. */
export const MAX_RECORD_BYTES: number = 16 * 1024 * 1024;

/** Location of an address in a text. Line and column count from 1. */
export interface SourceLocation {
  /** In a git log, hash of the commit. */
  readonly commit: string | undefined;
  /** In a diff, name of the new file, or the part of the commit in parentheses. */
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  /** Column after the last character, if the address has one. */
  readonly endColumn?: number;
  /** True if the address is a placeholder, or belongs to a machine or to a service that made or signed the commit. */
  readonly isHidden?: boolean;
}

/** A row of the input: the unchanged line or record, and its address. Scanners reuse one object for all rows. */
export class Row {
  /** Holds the line or record, from `lineStart` to `lineEnd`, without its line break. */
  line: Uint8Array = new Uint8Array(0);
  lineStart = 0;
  lineEnd = 0;
  /** CSV and JSON: index in `line` where added fields go. In CSV, the end of the field at the header's width. */
  appendOffset = 0;
  /** CSV: number of fields that the record lacks. */
  missingFields = 0;
  hasCrlf = false;
  /** True if the address is null or missing, as opposed to empty. */
  isNull = false;
  /** JSON Lines: whether the value of the address is an object or array. */
  isNested = false;
  /** JSON Lines: whether the line is an object, and whether the object has keys. */
  jsonObject: "keys" | "empty" | "none" = "none";
  /** Row number, from 1. Rows of the preamble count. */
  number = 0;
  /** Class bits of the address. */
  classes = 0;
  location: SourceLocation | undefined = undefined;
  /** The first row with the same mailbox: its number, `INPUT:NUMBER` for a row of another input, or its --key value. */
  duplicateOf: number | string | undefined = undefined;
  /** Reason why the address could not be read. */
  readFault: SyntaxCode | undefined = undefined;
  /** Rows of the additional columns of addresses, one each. They share this row's line. */
  readonly additionalAddresses: readonly Row[];
  /** True if the line continues after this chunk. The sink gets the rest by `passThrough`. */
  isPartialLine = false;
  /** Holds the address, trimmed, from `start` to `end`: either `line` itself or `decoded`. */
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
  private decoded: Uint8Array = new Uint8Array(0);

  /** `locators` find the additional addresses. */
  constructor(private readonly locators: readonly LocateField[] = []) {
    this.additionalAddresses = locators.map(() => new Row());
  }

  get isBlank(): boolean {
    return this.start === this.end;
  }

  /**
   * Locates the additional addresses and passes the row to the sink. Returns whether the row is part of the output. If
   * the row has a fault, each of its addresses is the whole line.
   */
  emit(sink: RowSink, fault?: SyntaxCode): boolean {
    this.readFault = fault ?? this.oversizeFault;
    for (const [index, locate] of this.locators.entries()) {
      const other = this.additionalAddresses[index] as Row;
      other.copyFrom(this);
      if (fault !== undefined) continue;
      locate(other);
      other.readFault = other.oversizeFault;
    }
    return sink.accept(this);
  }

  private get oversizeFault(): SyntaxCode | undefined {
    return this.end - this.start > MAX_ADDRESS_BYTES ? "line_too_long" : undefined;
  }

  /** Copies the line and the address of another row. */
  copyFrom(row: Row): void {
    this.setLine(row.line, row.lineStart, row.lineEnd);
    this.appendOffset = row.appendOffset;
    this.missingFields = row.missingFields;
    this.hasCrlf = row.hasCrlf;
    this.isNull = row.isNull;
    this.isNested = row.isNested;
    this.jsonObject = row.jsonObject;
    this.readFault = row.readFault;
    this.isPartialLine = row.isPartialLine;
    this.bytes = row.bytes;
    this.start = row.start;
    this.end = row.end;
  }

  setLine(bytes: Uint8Array, start: number, end: number): void {
    this.line = bytes;
    this.lineStart = start;
    this.lineEnd = end;
  }

  /** Sets the address to the bytes from `start` to `end`, trimmed of ASCII white space. */
  setAddress(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    let from = start;
    let to = end;
    while (from < to && isWhiteSpace(bytes[from] as number)) from += 1;
    while (to > from && isWhiteSpace(bytes[to - 1] as number)) to -= 1;
    this.start = from;
    this.end = to;
  }

  setDecodedAddress(bytes: Uint8Array, start: number, end: number, decode: Decode): void {
    if (this.decoded.length < end - start) this.decoded = new Uint8Array(2 * (end - start));
    this.setAddress(this.decoded, 0, decode(bytes, start, end, this.decoded));
  }

  setNull(): void {
    this.isNull = true;
    this.setAddress(this.line, this.lineStart, this.lineStart);
  }
}

/** Decodes the bytes from `start` to `end` into `target`. Returns the length, at most `end - start`. */
export type Decode = (bytes: Uint8Array, start: number, end: number, target: Uint8Array) => number;

export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Receives rows as a scanner finds them. */
export interface RowSink {
  /** True if the scanner must stop until the sink is flushed. */
  readonly isFull: boolean;
  /** Number of the last accepted row. */
  readonly rowNumber: number;
  /** Number of lines so far, minus `rowNumber`. CSV scanners add the line feeds in quotes. */
  lineOffset: number;
  /** Processes the row. Returns whether it is part of the output. */
  accept(row: Row): boolean;
  /** Counts a warning about the next row, with its lines, or about a skipped file. */
  warn(warning: RowWarning, place?: string): void;
  /** Writes bytes to the output unchanged if the format echoes the input. */
  passThrough(bytes: Uint8Array, endsLine: boolean): void;
}

/** Sets the row's address to a field of its line; empty or null if the field is missing. */
export type LocateField = (row: Row) => void;

/**
 * Finds rows and passes them to a sink. After an incomplete row, the next call starts at the same row with more bytes,
 * so a scanner may save its progress.
 */
export interface Scanner {
  /**
   * Emits the rows that end between `start` and `end`, until the sink is full. Returns the index where the next call
   * continues. `isLast`: the input ends at `end`, so the last row may lack its line break.
   */
  scan(bytes: Uint8Array, start: number, end: number, isLast: boolean, sink: RowSink): number;
}

/** Finds rows that are whole lines. */
export abstract class LineBasedScanner implements Scanner {
  protected readonly row: Row;
  /** Number of bytes of the unfinished line that have been searched for a line feed. */
  private searched = 0;

  /** `hint` says how to fix a line that is too long. */
  constructor(
    private readonly hint: Message,
    locators: readonly LocateField[] | undefined,
  ) {
    this.row = new Row(locators);
  }

  scan(bytes: Uint8Array, start: number, end: number, isLast: boolean, sink: RowSink): number {
    let from = start;
    while (!sink.isFull) {
      const lf = findByte(bytes, LF, from + this.searched, end);
      this.searched = lf === end ? end - from : 0;
      if (Math.min(lf + 1, end) - from > MAX_RECORD_BYTES) throw unterminatedRowError(sink.rowNumber + 1, this.hint);
      if (lf === end) break;
      this.scanLine(bytes, from, lf, true, sink);
      from = lf + 1;
    }
    if (sink.isFull || from === end || !isLast) return from;
    this.scanLine(bytes, from, end, false, sink);
    return end;
  }

  /** Emits the row of the line from `start` to `end`. `hasLf`: a line feed follows. */
  protected abstract scanLine(bytes: Uint8Array, start: number, end: number, hasLf: boolean, sink: RowSink): void;
}

export function unterminatedRowError(row: number, hint: Message): InputError {
  return new InputError("INPUT", (wording) => `row ${row} has no line break within 16 MiB: ${hint(wording)}`);
}

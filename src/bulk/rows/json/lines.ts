// JSON Lines: an object a line. Finds the address in each; the bytes stay unchanged.

import type { Message } from "../../face.ts";
import { FirstObject } from "../bounds.ts";
import { RECORD_MAX } from "../csv.ts";
import { LineEnd, neverEnds } from "../line-end.ts";
import { Row } from "../row.ts";
import { ADDRESS_FIELD_MAX, type PlacesAddress, type RowTaker, type Scanner } from "../scanner.ts";
import { likelyKey, notAnObject, refuseTakenKeys } from "./keys.ts";
import { ObjectScan } from "./object.ts";
import { unescapeString } from "./string.ts";

const CR = 0x0d;

export interface JsonlLayout {
  /**
   * Keys, or indexes of arrays, from the outermost on. Undefined: only blank lines have arrived, and the first object
   * will tell.
   */
  readonly path: readonly string[] | undefined;
  /** Goes before the names of the added keys. */
  readonly prefix: string;
  /** The one key that is added; undefined: a key for each field. */
  readonly into: string | undefined;
  readonly added: readonly string[];
  /**
   * Several addresses: the paths of all after the first, and the name of each, which its keys begin with, or which is
   * its key in `into`.
   */
  readonly several?: { readonly paths: readonly (readonly string[])[]; readonly names: readonly string[] };
}

export class JsonlScanner implements Scanner {
  private readonly row = new Row();
  private readonly lineEnd = new LineEnd();
  private object: ObjectScan | undefined;
  private readonly text = new StringValue();

  constructor(private readonly layout: JsonlLayout) {
    const { path, added } = layout;
    if (path !== undefined) this.object = new ObjectScan(path, added);
  }

  take(bytes: Uint8Array, start: number, end: number, last: boolean, taker: RowTaker): number {
    let from = start;
    while (!taker.full) {
      const lf = this.lineEnd.find(bytes, from, end);
      if (lf === end) break;
      this.takeLine(bytes, from, lf, true, taker);
      from = lf + 1;
    }
    if (taker.full || from === end) return from;
    if (last) {
      this.takeLine(bytes, from, end, false, taker);
      return end;
    }
    if (end - from > RECORD_MAX) throw neverEnds(taker.rowNumber + 1, NEVER_ENDS_HINT);
    return from;
  }

  private takeLine(bytes: Uint8Array, start: number, end: number, hasLf: boolean, taker: RowTaker): void {
    const { row } = this;
    row.line = bytes;
    row.lineStart = start;
    row.lineEnd = end;
    row.crlf = false;
    row.isNull = false;
    row.object = "none";
    row.placeAddress(bytes, start, end);
    if (row.blank) {
      row.isNull = true;
      taker.row(row);
      return;
    }
    this.object ??= this.byFirstObject(bytes, start, end, taker.rowNumber + 1);
    const { object } = this;
    if (!object.scan(bytes, start, end)) {
      // The line comes back as a text of its own, so a CR before the line feed does not belong to it. In an object it
      // is white space.
      row.crlf = hasLf && bytes[end - 1] === CR;
      if (row.crlf) row.lineEnd -= 1;
      taker.irregular("no_object");
      taker.broken(row);
    } else {
      if (object.taken) taker.irregular("key_taken");
      row.object = object.empty ? "empty" : "keys";
      row.insertAt = object.close;
      this.text.place(row, bytes, object);
      if (row.end - row.start > ADDRESS_FIELD_MAX) taker.tooLong(row);
      else taker.row(row);
    }
  }

  /** The scan by the key that says e-mail in the first object. Throws AddrsiftError. */
  private byFirstObject(bytes: Uint8Array, start: number, end: number, row: number): ObjectScan {
    const { added, into } = this.layout;
    new FirstObject().find(bytes, start, end, row);
    const keys = new Set<string>();
    if (!new ObjectScan([""], [], keys).scan(bytes, start, end)) throw notAnObject(row);
    refuseTakenKeys([...keys], added, into);
    return new ObjectScan([keys.size === 0 ? "email" : likelyKey([...keys])], added);
  }
}

/** The address in a value, without its escapes. */
class StringValue {
  private plain: Uint8Array = new Uint8Array(1024);

  /** The address is a string; another value is not an address, and is taken as it is written. */
  place(row: Row, bytes: Uint8Array, { kind, valueStart, valueEnd, escaped }: ObjectScan): void {
    row.isNull = kind === "missing" || kind === "null";
    if (row.isNull) {
      row.placeAddress(bytes, row.lineStart, row.lineStart);
    } else if (!escaped) {
      row.placeAddress(bytes, valueStart, valueEnd);
    } else {
      if (this.plain.length < valueEnd - valueStart) this.plain = new Uint8Array(2 * (valueEnd - valueStart));
      row.placeAddress(this.plain, 0, unescapeString(bytes, valueStart, valueEnd, this.plain));
    }
  }
}

/** Finds the address at a further path of an object. A line without an object is as for the first path. */
export class JsonValue implements PlacesAddress {
  private readonly object: ObjectScan;
  private readonly text = new StringValue();

  constructor(path: readonly string[]) {
    this.object = new ObjectScan(path, []);
  }

  place(row: Row): void {
    const { line, lineStart, lineEnd } = row;
    row.isNull = row.object === "none";
    row.placeAddress(line, lineStart, lineStart);
    if (row.isNull) return;
    this.object.scan(line, lineStart, lineEnd);
    this.text.place(row, line, this.object);
  }
}

/** A hint about a line that has no end. */
export const NEVER_ENDS_HINT: Message = ({ send }) =>
  `an object must be on a line of its own: ${send("jq -c .", " --jsonl")}`;

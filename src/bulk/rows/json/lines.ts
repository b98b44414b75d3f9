// JSON Lines: an object a line. Finds the address in each; the bytes stay unchanged.

import { CR } from "../../../base/bytes/ascii.ts";
import { LinesScanner, type PlacesAddress, type Row, type RowTaker } from "../row.ts";
import {
  type JsonlLayout,
  likelyKey,
  NEVER_ENDS_HINT,
  notAnObject,
  refuseLarge,
  refuseTakenKeys,
} from "./beginning.ts";
import { ObjectScan, unescapeString } from "./object.ts";

export class JsonlScanner extends LinesScanner {
  private object: ObjectScan | undefined;

  constructor(private readonly layout: JsonlLayout) {
    const { path, added, others } = layout;
    super(
      NEVER_ENDS_HINT,
      others?.map((each) => new JsonValue(each)),
    );
    if (path !== undefined) this.object = new ObjectScan(path, added);
  }

  protected takeLine(bytes: Uint8Array, start: number, end: number, hasLf: boolean, taker: RowTaker): void {
    const { row } = this;
    row.placeLine(bytes, start, end);
    row.crlf = false;
    row.isNull = false;
    row.object = "none";
    row.placeAddress(bytes, start, end);
    if (row.blank) {
      row.isNull = true;
      row.giveTo(taker);
      return;
    }
    this.object ??= this.byFirstObject(bytes, start, end, taker.rowNumber + 1);
    const { object } = this;
    if (!object.scan(bytes, start, end)) {
      // The line comes back as a JSON string, without the CR of its line break. In an object that CR is white space.
      row.crlf = hasLf && bytes[end - 1] === CR;
      if (row.crlf) row.lineEnd -= 1;
      taker.irregular("no_object");
      row.giveTo(taker, "not_an_object");
      return;
    }
    if (object.taken) taker.irregular("key_taken");
    row.object = object.empty ? "empty" : "keys";
    row.insertAt = object.close;
    placeValue(row, object);
    row.giveTo(taker);
  }

  /** The scan by the key that says e-mail in the first object. Throws AddrsiftError. */
  private byFirstObject(bytes: Uint8Array, start: number, end: number, row: number): ObjectScan {
    const { added, into } = this.layout;
    const keys = new Set<string>();
    const object = new ObjectScan([""], [], keys);
    const isObject = object.scan(bytes, start, end);
    refuseLarge(object, row);
    if (!isObject) throw notAnObject(row);
    refuseTakenKeys([...keys], added, into);
    return new ObjectScan([keys.size === 0 ? "email" : likelyKey([...keys])], added);
  }
}

/** Finds the address at a further path of an object. A line without an object is as for the first path. */
export class JsonValue implements PlacesAddress {
  private readonly object: ObjectScan;

  constructor(path: readonly string[]) {
    this.object = new ObjectScan(path, []);
  }

  place(row: Row): void {
    if (row.object === "none") row.placeNull();
    else {
      this.object.scan(row.line, row.lineStart, row.lineEnd);
      placeValue(row, this.object);
    }
  }
}

/** Sets the row's address to the value at the path: the text of a string, any other value as it is written. */
function placeValue(row: Row, { kind, valueStart, valueEnd, escaped }: ObjectScan): void {
  row.isNull = false;
  if (kind === "missing" || kind === "null") row.placeNull();
  else if (escaped) row.placeDecoded(row.line, valueStart, valueEnd, unescapeString);
  else row.placeAddress(row.line, valueStart, valueEnd);
}

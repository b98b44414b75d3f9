// Finds the address in each object of JSON Lines.

import { CR } from "../../../base/bytes/ascii.ts";
import { LineBasedScanner, type LocateField, type Row, type RowSink } from "../row.ts";
import { isContainerStart, ObjectScan, unescapeString } from "./object.ts";
import {
  guessEmailKey,
  type JsonLinesLayout,
  notAnObjectError,
  rejectOversized,
  rejectTakenKeys,
  SEPARATE_LINES_HINT,
} from "./preamble.ts";

export class JsonLinesScanner extends LineBasedScanner {
  private object: ObjectScan | undefined;

  constructor(private readonly layout: JsonLinesLayout) {
    const { path, added, additionalColumns } = layout;
    super(SEPARATE_LINES_HINT, additionalColumns?.map(createJsonLocator));
    if (path !== undefined) this.object = new ObjectScan(path, added);
  }

  protected scanLine(bytes: Uint8Array, start: number, end: number, hasLf: boolean, sink: RowSink): void {
    const { row } = this;
    row.setLine(bytes, start, end);
    row.hasCrlf = false;
    row.isNull = false;
    row.isNested = false;
    row.jsonObject = "none";
    row.setAddress(bytes, start, end);
    if (row.isBlank) {
      row.isNull = true;
      row.emit(sink);
      return;
    }
    this.object ??= this.scanFirstObject(bytes, start, end, sink.rowNumber + 1);
    const { object } = this;
    if (!object.scan(bytes, start, end)) {
      // The output has such a line as a JSON string, without the CR of its line break. In an object, that CR is white
      // space.
      row.hasCrlf = hasLf && bytes[end - 1] === CR;
      if (row.hasCrlf) row.lineEnd -= 1;
      sink.warn("no_object");
      row.emit(sink, "not_an_object");
      return;
    }
    if (object.hasTakenKey) sink.warn("key_taken");
    row.jsonObject = object.isEmpty ? "empty" : "keys";
    row.appendOffset = object.closeBrace;
    setAddressFromValue(row, object);
    row.emit(sink);
  }

  /** Creates the scan for the email key of the first object. Throws AddrsiftError. */
  private scanFirstObject(bytes: Uint8Array, start: number, end: number, row: number): ObjectScan {
    const { added, into } = this.layout;
    const keys = new Set<string>();
    const object = new ObjectScan([""], [], keys);
    const isObject = object.scan(bytes, start, end);
    rejectOversized(object, row);
    if (!isObject) throw notAnObjectError(row);
    rejectTakenKeys([...keys], added, into);
    return new ObjectScan([keys.size === 0 ? "email" : guessEmailKey([...keys])], added);
  }
}

/** Creates a function that locates the value at a path. If the line is not an object, the value is null. */
export function createJsonLocator(path: readonly string[]): LocateField {
  const object = new ObjectScan(path, []);
  return (row) => {
    if (row.jsonObject === "none") return row.setNull();
    object.scan(row.line, row.lineStart, row.lineEnd);
    setAddressFromValue(row, object);
  };
}

/** Sets the row's address to the value at the path. The address of a number, object or array is its JSON text. */
function setAddressFromValue(row: Row, { kind, valueStart, valueEnd, isEscaped }: ObjectScan): void {
  row.isNull = false;
  row.isNested = kind === "other" && isContainerStart(row.line[valueStart]);
  if (kind === "missing" || kind === "null") row.setNull();
  else if (isEscaped) row.setDecodedAddress(row.line, valueStart, valueEnd, unescapeString);
  else row.setAddress(row.line, valueStart, valueEnd);
}

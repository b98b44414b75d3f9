// The first row of a TSV input: its header, and which column has the address.

import { AddrsiftError } from "../../base/errors.ts";
import type { InputBuffer } from "../reader.ts";
import { HEADER_MAX, headerTooLong, refuseColumns } from "./bounds.ts";
import {
  type CsvBeginning,
  type CsvChoice,
  type FirstPlace,
  placeAfter,
  refuseOtherHeader,
  takeTop,
} from "./csv-beginning.ts";
import { addedNames, chooseColumn, chooseOthers, outputHeader } from "./csv-header.ts";
import { LineEnd } from "./line-end.ts";
import { LF_HINT, tsvFieldsOf } from "./tsv.ts";

const CR = 0x0d;
const TAB = 0x09;
const NOTHING = new Uint8Array(0);
const FIRST: FirstPlace = placeAfter(NOTHING, false);

/** Reads the first row; the rows begin after the header. `added` are the fields that are added. Throws AddrsiftError. */
export async function readTsvBeginning(
  buffer: InputBuffer,
  options: CsvChoice,
  added: readonly string[],
): Promise<CsvBeginning> {
  const choice = { ...options, delimiter: TAB };
  const top = await takeTop(buffer, choice);
  const before = placeAfter(top, false);
  const line = await firstLine(buffer);
  const { octets, start } = buffer;
  if (start === buffer.end) return emptyBeginning(choice.hasHeader);
  const names = tsvFieldsOf(octets, start, line.end);
  const column = chooseColumn(names, choice);
  const others = chooseOthers(names, column, choice);
  const layout = { delimiter: TAB, column, width: names.length, ...(others.length > 0 && { others }) };
  const { skip } = choice;
  if (!choice.hasHeader) return { layout, names: undefined, header: NOTHING, given: top, place: before, skip };
  const record = octets.slice(start, line.end);
  const crlf = line.next - line.end === 2;
  buffer.start = line.next;
  const header = outputHeader(record, names, crlf, choice, addedNames(names, layout, added));
  return {
    layout,
    names,
    header,
    given: Uint8Array.from([...top, ...record, ...(crlf ? [0x0d] : []), 0x0a]),
    place: { headerRows: 1, headerLines: before.headerLines + 1 },
    skip,
  };
}

/** Takes the header of a further input, which must be that of the first. Throws AddrsiftError INPUT when it is not. */
export async function takeSameTsvHeader(buffer: InputBuffer, { names, skip }: CsvBeginning): Promise<FirstPlace> {
  const before = placeAfter(await takeTop(buffer, { skip, hasHeader: names !== undefined }), false);
  if (names === undefined) return before;
  const line = await firstLine(buffer);
  if (buffer.start === buffer.end) throw emptyTsv();
  refuseOtherHeader(names, tsvFieldsOf(buffer.octets, buffer.start, line.end));
  buffer.start = line.next;
  return { headerRows: 1, headerLines: before.headerLines + 1 };
}

/** An empty input has no rows. But if a header must be there, its absence is an error. */
function emptyBeginning(hasHeader: boolean): CsvBeginning {
  if (hasHeader) throw emptyTsv();
  const layout = { delimiter: TAB, column: 0, width: 1 };
  return { layout, names: undefined, header: NOTHING, given: NOTHING, place: FIRST, skip: 0 };
}

function emptyTsv(): AddrsiftError {
  return new AddrsiftError("INPUT", "the TSV is empty: it has no first row to find the column in");
}

/** Where a line ends in the buffer, without its line break, and where the next one begins. */
interface LinePlace {
  readonly end: number;
  readonly next: number;
}

/** The first line, which stays unread. Throws AddrsiftError INPUT when it is too long or has too many columns. */
async function firstLine(buffer: InputBuffer): Promise<LinePlace> {
  const search = new LineEnd();
  for (;;) {
    const { octets, start } = buffer;
    const lf = search.find(octets, start, buffer.end);
    if (lf - start > HEADER_MAX) throw headerTooLong(LF_HINT);
    if (lf < buffer.end || buffer.ended) {
      refuseColumns(1 + octets.subarray(start, lf).reduce((tabs, octet) => tabs + (octet === TAB ? 1 : 0), 0), LF_HINT);
      const end = lf < buffer.end && lf > start && octets[lf - 1] === CR ? lf - 1 : lf;
      return { end, next: Math.min(lf + 1, buffer.end) };
    }
    await buffer.fill();
  }
}

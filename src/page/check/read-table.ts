// Reads the addresses of a pasted table with the command line's code for CSV, and describes irregular rows.

import { CR, LF } from "../../base/bytes/ascii.ts";
import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { pluralize } from "../../base/format-text.ts";
import { parseFields, RecordScan } from "../../bulk/rows/csv.ts";
import { emailColumns, isEmailHeader } from "../../bulk/rows/csv-header.ts";
import { previewFile } from "../files/preview.ts";

/** Where an address is in a text, in UTF-16 units. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly address: string;
  /** True if the place before it has the same address, as in `a@b.com <a@b.com>`. */
  readonly isRepeated?: boolean;
}

export interface FoundAddresses {
  readonly places: readonly Place[];
  /** Sentences about the rows of a table that have no address, or more cells than the header. */
  readonly notes: readonly string[];
}

/**
 * Returns the addresses in the email column of a table; undefined for other text. A header that only mentions email may
 * be a sentence, and a single column a list of recipients, so all rows must then have as many cells as the header.
 */
export async function readTable(text: string): Promise<FoundAddresses | undefined> {
  const preview = await previewFile(new File([text], "pasted.csv")).catch(() => undefined);
  const { layout, names = [], buffer } = preview?.input ?? {};
  if (layout?.kind !== "csv" || buffer === undefined || !emailColumns(names).includes(layout.column)) return undefined;
  while (!buffer.ended) await buffer.fill();
  const { bytes, end } = buffer;
  let position = text.length - decodeUtf8(buffer.unread).length;
  if (text.slice(0, position).includes("@")) return undefined;
  const { delimiter, width } = layout;
  const isExact = isEmailHeader(names[layout.column] as string);
  if (width === 1 && !isExact) return undefined;
  const places: Place[] = [];
  const record = new RecordScan();
  let [blankRows, longRows] = [0, 0];
  for (let from = buffer.start; from < end; from = record.next) {
    if (!record.scan(bytes, from, end, layout, true)) return undefined;
    const { fields, columnStart, columnEnd, next } = record;
    const isBlankLine = [CR, LF].includes(bytes[from] as number);
    if ((width === 1 || !isExact) && fields !== width && !isBlankLine) return undefined;
    // Trims what the command line trims.
    const [value = ""] = parseFields(bytes, columnStart, columnEnd, delimiter);
    const address = value.replace(/^[\t-\r ]+|[\t-\r ]+$/g, "");
    if (address === "" && !isBlankLine) blankRows += 1;
    if (fields > width) longRows += 1;
    const cell = decodeUtf8(bytes, columnStart, columnEnd);
    // Quotes in a quoted cell are doubled.
    const source = cell.includes(address) ? address : address.replaceAll('"', '""');
    const start = position + decodeUtf8(bytes, from, columnStart).length + cell.indexOf(source);
    // Below the header of a Markdown table is a line of dashes.
    if (!/^(:?-{3,}:?)?$/.test(address)) places.push({ start, end: start + source.length, address });
    position += decodeUtf8(bytes, from, next).length;
  }
  const noteOn = (rows: number, problem: string): string[] =>
    rows === 0 ? [] : [`${pluralize(rows, "row has", "rows have")} ${problem}.`];
  const notes = [...noteOn(blankRows, "no address"), ...noteOn(longRows, "more cells than the header")];
  return { places, notes };
}

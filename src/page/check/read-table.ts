// Reads the addresses of a pasted table with the command line's code for CSV, and describes irregular rows.

import { CR, LF } from "../../base/bytes/ascii.ts";
import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { parseFields, RecordScan } from "../../bulk/rows/csv.ts";
import { emailColumns, isEmailHeader, mentionsEmail } from "../../bulk/rows/csv-header.ts";
import { PLACEHOLDER } from "../../bulk/rows/row-warnings.ts";
import { previewFile } from "../files/preview.ts";
import { AT_SIGN, createPlace, type FoundAddresses, HAS_WORD, type Place, readUnit } from "./read-unit.ts";

/**
 * Returns the addresses in the email columns of a table; undefined for other text. A header that only mentions email may
 * be a sentence, and a single column a list of recipients, so all rows must then have as many cells as the header.
 */
export async function readTable(text: string): Promise<FoundAddresses | undefined> {
  const preview = await previewFile(new File([text], "pasted.csv")).catch(() => undefined);
  const { layout, names = [], buffer } = preview?.input ?? {};
  if (layout?.kind !== "csv" || buffer === undefined || !emailColumns(names).includes(layout.column)) return undefined;
  while (!buffer.ended) await buffer.fill();
  const { bytes, end } = buffer;
  let position = text.length - decodeUtf8(buffer.unread).length;
  if (AT_SIGN.test(text.slice(0, position))) return undefined;
  const { delimiter, width } = layout;
  const isExact = isEmailHeader(names[layout.column] as string);
  if (width === 1 && !isExact) return undefined;
  const columns = [...names.keys()].filter((i) => i === layout.column || mentionsEmail(names[i] as string));
  const places: Place[] = [];
  const record = new RecordScan();
  const skipped: Place[] = [];
  for (let from = buffer.start; from < end; from = record.next) {
    if (!record.scan(bytes, from, end, layout, true)) return undefined;
    const isBlankLine = [CR, LF].includes(bytes[from] as number);
    if ((width === 1 || !isExact) && record.fields !== width && !isBlankLine) return undefined;
    const values = parseFields(bytes, from, record.end, delimiter);
    const otherCells = values.filter((value, i) => value.includes("@") && !columns.includes(i));
    skipped.push(...otherCells.map((value) => createPlace(value, position)));
    const found = columns.flatMap((column) => {
      record.scan(bytes, from, end, { delimiter, width, column }, true);
      const { columnStart, columnEnd } = record;
      const source = decodeUtf8(bytes, columnStart, columnEnd);
      const unquoted = values[column] ?? "";
      // A cell with text after its closing quote is read as written.
      const isQuoted = source === `"${escapeQuotes(unquoted)}"`;
      const value = isQuoted ? unquoted : source;
      const start = position + decodeUtf8(bytes, from, columnStart).length + (isQuoted ? 1 : 0);
      const toOffset = (i: number): number =>
        start + (isQuoted ? escapeQuotes(value.slice(0, i)) : value.slice(0, i)).length;
      const toSource = (place: Place): Place => ({ ...place, start: toOffset(place.start), end: toOffset(place.end) });
      const unit = readUnit(value, 0, true);
      if (unit.places.length > 0) {
        skipped.push(...unit.skipped.map(toSource));
        return unit.places.map(toSource);
      }
      // Below the header of a Markdown table is a line of dashes.
      const isBlank = /^(:?-{3,}:?)?$/.test(value.trim()) || PLACEHOLDER.test(value.trim());
      // Other headers that mention email may be about subjects or senders.
      return column === layout.column && !isBlank ? [toSource(createPlace(value, 0))] : [];
    });
    const row = decodeUtf8(bytes, from, record.end);
    if (found.length === 0 && HAS_WORD.test(row)) skipped.push(createPlace(row, position));
    places.push(...found);
    position += decodeUtf8(bytes, from, record.next).length;
  }
  return { places, skipped };
}

/** Doubles the quotes of a quoted cell's value. */
export function escapeQuotes(value: string): string {
  return value.replaceAll('"', '""');
}

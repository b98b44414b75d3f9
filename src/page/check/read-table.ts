// Reads the addresses of a pasted table with the command line's code for CSV, and describes irregular rows.

import { CR, LF } from "../../base/bytes/ascii.ts";
import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { parseFields, RecordScan } from "../../bulk/rows/csv.ts";
import { emailColumns, isEmailHeader, mentionsEmail } from "../../bulk/rows/csv-header.ts";
import { PLACEHOLDER } from "../../bulk/rows/row-warnings.ts";
import { previewFile } from "../files/preview.ts";

/** Matches an address without `@`, such as `jane.x.com` or `jane(at)x.com`, but no link. */
export const WITHOUT_AT = /^(?!www\.)[^\s@/]+\.\p{L}{2,}$/iu;

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
  /** Text that is not checked, by the reason. */
  readonly skipped: Readonly<Record<string, readonly string[]>>;
}

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
  if (text.slice(0, position).includes("@")) return undefined;
  const { delimiter, width } = layout;
  const isExact = isEmailHeader(names[layout.column] as string);
  if (width === 1 && !isExact) return undefined;
  const columns = [...names.keys()].filter((i) => i === layout.column || mentionsEmail(names[i] as string));
  const places: Place[] = [];
  const record = new RecordScan();
  const skippedRows: string[] = [];
  const otherCells: string[] = [];
  for (let from = buffer.start; from < end; from = record.next) {
    if (!record.scan(bytes, from, end, layout, true)) return undefined;
    const isBlankLine = [CR, LF].includes(bytes[from] as number);
    if ((width === 1 || !isExact) && record.fields !== width && !isBlankLine) return undefined;
    const values = parseFields(bytes, from, record.end, delimiter);
    otherCells.push(...values.filter((value, i) => value.includes("@") && !columns.includes(i)));
    const cells = columns.map((column) => {
      record.scan(bytes, from, end, { delimiter, width, column }, true);
      const { columnStart, columnEnd } = record;
      // Trims what the command line trims.
      const address = (values[column] ?? "").replace(/^[\t-\r ]+|[\t-\r ]+$/g, "");
      const cell = decodeUtf8(bytes, columnStart, columnEnd);
      // Quotes in a quoted cell are doubled.
      const source = cell.includes(address) ? address : address.replaceAll('"', '""');
      const start = position + decodeUtf8(bytes, from, columnStart).length + cell.indexOf(source);
      // Other headers that mention email may be about subjects or senders.
      const mayBeAddress = column === layout.column && !PLACEHOLDER.test(address);
      const isAddress = mayBeAddress || address.includes("@") || WITHOUT_AT.test(address);
      return { start, end: start + source.length, address: isAddress ? address : "" };
    });
    if (!isBlankLine && cells.every(({ address }) => address === ""))
      skippedRows.push(decodeUtf8(bytes, from, record.end));
    // Below the header of a Markdown table is a line of dashes.
    places.push(...cells.filter(({ address }) => !/^(:?-{3,}:?)?$/.test(address)));
    position += decodeUtf8(bytes, from, record.next).length;
  }
  return {
    places,
    skipped: { "Rows without an address": skippedRows, "Cells with an @ in other columns, not checked": otherCells },
  };
}

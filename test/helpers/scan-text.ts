// Scans a text as `--scan` does, in pieces and with pauses where a test wants them.

import type { RowTaker } from "../../src/bulk/rows/row.ts";
import { TextScanner } from "../../src/bulk/rows/scan.ts";

interface Options {
  readonly diff?: boolean;
  readonly allowed?: readonly string[];
  /** How many bytes arrive at once. Default: all. */
  readonly pieces?: number;
  /** The taker is full after each row. */
  readonly pauses?: boolean;
  /** Gets the kinds of what is passed over. */
  readonly passed?: string[];
}

/** The places as FILE:LINE:COLUMN ADDRESS. */
export function scan(
  text: string,
  { diff = false, allowed = [], pieces, pauses = false, passed = [] }: Options = {},
): string[] {
  const bytes = Buffer.from(text);
  const places: string[] = [];
  let full = false;
  const taker: Pick<RowTaker, "full" | "row" | "irregular"> = {
    irregular: (kind) => passed.push(kind),
    get full() {
      return full;
    },
    row({ bytes: in_, start, end, place }) {
      const commit = place?.commit === undefined ? "" : `${place.commit}:`;
      const file = place?.file === undefined ? commit : `${commit}${place.file}:`;
      places.push(`${file}${place?.line}:${place?.column} ${Buffer.from(in_.subarray(start, end))}`);
      full = pauses;
      return true;
    },
  };
  const scanner = new TextScanner({ diff, allowed: new Set(allowed) });
  let start = 0;
  for (let end = Math.min(bytes.length, pieces ?? bytes.length); ; end = Math.min(bytes.length, end + (pieces ?? 1))) {
    const last = end === bytes.length;
    do {
      full = false;
      start = scanner.take(bytes, start, end, last, taker as RowTaker);
    } while (full);
    if (last) return places;
  }
}

// Reads the first line of an input, which stays unread in the buffer.

import type { InputBuffer } from "../reader.ts";
import { RECORD_MAX } from "../rows/csv.ts";
import { LineEnd, neverEnds } from "../rows/line-end.ts";

const CR = 0x0d;

/** Where a line ends in the buffer, without its line break, and where the next one begins. */
interface LinePlace {
  readonly end: number;
  readonly next: number;
}

/** The first unread line. Throws AddrsiftError INPUT, with the hint, when it is too long. */
export async function firstLine(buffer: InputBuffer, hint: string): Promise<LinePlace> {
  const search = new LineEnd();
  for (;;) {
    const { start } = buffer;
    const lf = search.find(buffer.octets, start, buffer.end);
    if (lf < buffer.end) {
      const end = lf > start && buffer.octets[lf - 1] === CR ? lf - 1 : lf;
      return { end, next: lf + 1 };
    }
    if (buffer.ended) return { end: lf, next: lf };
    if (lf - start > RECORD_MAX) throw neverEnds(1, hint);
    await buffer.fill();
  }
}

// Scans a text as `--scan` does, in chunks and with pauses where a test wants them.

import { TextScanner } from "../../src/bulk/rows/scan.ts";
import { type Arrival, rowsOf } from "./rows-of.ts";

interface Options extends Arrival {
  readonly diff?: boolean;
  readonly allowed?: readonly string[];
  /** Gets the kinds of what is passed over. */
  readonly passed?: string[];
}

/** The places as FILE:LINE:COLUMN ADDRESS. */
export function scan(text: string, { diff = false, allowed = [], passed = [], ...arrival }: Options = {}): string[] {
  const scanner = new TextScanner({ diff, allowed: new Set(allowed) });
  const { rows, noted, error } = rowsOf(scanner, Buffer.from(text), arrival);
  if (error !== undefined) throw error;
  passed.push(...noted.map(([, kind]) => kind));
  return rows.map(({ location, addresses }) => {
    const where = [location?.commit, location?.file, location?.line, location?.column].filter(
      (part) => part !== undefined,
    );
    return `${where.join(":")} ${Buffer.from(addresses[0] as string, "latin1")}`;
  });
}

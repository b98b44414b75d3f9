// Scans text as `--scan` does, optionally in chunks and with pauses.

import { AllowList } from "../../src/bulk/rows/allow-list.ts";
import { TextScanner } from "../../src/bulk/rows/scan.ts";
import { lists } from "./classify.ts";
import { type ScanOptions, scanRows } from "./rows-of.ts";

interface ScanTextOptions extends ScanOptions {
  readonly diff?: boolean;
  readonly allowed?: readonly string[];
  /** Receives the kind of each skipped part. */
  readonly skipped?: string[];
  /** Receives the name of each skipped file. */
  readonly skippedFiles?: string[];
}

/** Returns each address with its location, as FILE:LINE:COLUMN ADDRESS. */
export function scanText(
  text: string | Uint8Array,
  { diff = false, allowed = [], skipped = [], skippedFiles = [], ...options }: ScanTextOptions = {},
): string[] {
  const scanner = new TextScanner({ isDiff: diff, allowList: new AllowList(allowed.join("\n")) }, lists);
  const { rows, warnings, error } = scanRows(scanner, Buffer.from(text), options);
  if (error !== undefined) throw error;
  skipped.push(...warnings.map(([, kind]) => kind));
  skippedFiles.push(...warnings.flatMap(([, , file]) => file ?? []));
  return rows.map(({ location, addresses }) => {
    const where = [location?.commit, location?.file, location?.line, location?.column].filter(
      (part) => part !== undefined,
    );
    return `${where.join(":")} ${Buffer.from(addresses[0] as string, "latin1")}`;
  });
}

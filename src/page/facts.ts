// Data of the page and the report. Types only.

import type { NameCount } from "../bulk/name-counts.ts";
import type { ReportCounts } from "../bulk/report-counts.ts";
import type { SummaryReport } from "../bulk/summary.ts";

/** Facts about the daemon that never change while it runs. */
export interface PageFacts {
  readonly version: string;
  /** Whether detection works without an API key. */
  readonly allowsAnonymous: boolean;
  readonly dns: boolean;
}

export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

export interface ReportFacts extends Pick<ReportCounts, "samples">, Pick<PageFacts, "version"> {
  readonly summary: SummaryReport;
  readonly providers: readonly NameCount[];
  /** Each named as `gmial.com → gmail.com`. */
  readonly typos: readonly NameCount[];
  readonly inputs: readonly string[];
  readonly isOfDomains: boolean;
  readonly options: readonly string[];
  /** The options that set how rows are read and classified. If no command can write a clean list, undefined. */
  readonly readOptions: readonly string[] | undefined;
  /** The options for finding duplicates. */
  readonly duplicateOptions: readonly string[];
  /** Whether commands would have words that the report must not show. */
  readonly hidesCommands: boolean;
  readonly hasHeader: boolean;
  /** Names of the columns, or keys of the first objects. */
  readonly names: readonly string[];
  /** Prefix of the names of added columns or keys. */
  readonly prefix: string;
  /** Number of rows with each combination of class bits. */
  readonly rowsByClassBits: readonly (readonly [classes: number, rows: number])[];
  readonly interrupted: boolean;
  /** Milliseconds since 1970. */
  readonly endedMs: number;
}

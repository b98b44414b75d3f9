// --summary-file: the counts as JSON, written when the run ends.

import type { SummaryReport } from "../../../../bulk/summary.ts";
import { openLateFile } from "./late-file.ts";

/** Writes the report and the exit status as JSON; must be called once. Throws AddrsiftError OUTPUT. */
export type WriteSummary = (report: SummaryReport, exitStatus: number) => void;

/** Opens the file that --summary-file names. Throws AddrsiftError OUTPUT. */
export function openSummaryFile(file: string | undefined): WriteSummary | undefined {
  if (file === undefined) return undefined;
  const write = openLateFile(file, "summary");
  return (report, exitStatus) => write(`${JSON.stringify({ ...report, exit_status: exitStatus }, null, 2)}\n`);
}

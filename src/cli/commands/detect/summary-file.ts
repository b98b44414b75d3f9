// --summary-file: opened before the first row, so that a path that can't be written fails before the run; written at the end.

import { fstatSync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import type { SummaryReport } from "../../../bulk/summary.ts";
import { AddrsiftError } from "../../../errors.ts";

/** Writes the report and the exit status as JSON; must be called once. Throws AddrsiftError OUTPUT. */
export type WriteSummary = (report: SummaryReport, exitStatus: number) => void;

/** Opens the file that --summary-file names; its old content stays until the end. Throws AddrsiftError OUTPUT. */
export function openSummaryFile(file: string | undefined): WriteSummary | undefined {
  if (file === undefined) return undefined;
  // Kept open: the reader of a named pipe treats the first close as the end.
  const descriptor = orFail(file, () => openSync(file, "a"));
  return (report, exitStatus) => {
    orFail(file, () => {
      if (fstatSync(descriptor).isFile()) ftruncateSync(descriptor);
      writeFileSync(descriptor, `${JSON.stringify({ ...report, exit_status: exitStatus }, null, 2)}\n`);
    });
  };
}

function orFail<Value>(file: string, act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    throw new AddrsiftError(
      "OUTPUT",
      `can't write the summary to ${file} (${(error as NodeJS.ErrnoException).code}): check the folder and its mode`,
      error,
    );
  }
}

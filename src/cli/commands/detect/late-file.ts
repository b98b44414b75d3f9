// Files that are written when a run ends. Before the first row it is tried whether they can be, so that a path that can't be written
// fails then; a run that fails leaves no empty file.

import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import { AddrsiftError } from "../../../base/errors.ts";
import type { SummaryReport } from "../../../bulk/summary.ts";

/** Tries the file; its old content stays until the text is written, once. `what` names it in errors. Throws AddrsiftError OUTPUT. */
export function openLateFile(file: string, what: string): (text: string) => void {
  const orFail = <Value>(act: () => Value): Value => {
    try {
      return act();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new AddrsiftError(
        "OUTPUT",
        `can't write the ${what} to ${file} (${code}): check the folder and its mode`,
        error,
      );
    }
  };
  const kept = orFail(() => openOrTry(file));
  return (text) => {
    orFail(() => {
      const descriptor = kept ?? openSync(file, "a");
      if (fstatSync(descriptor).isFile()) ftruncateSync(descriptor);
      writeFileSync(descriptor, text);
      closeSync(descriptor);
    });
  };
}

/** Opens a file that is there: the reader of a named pipe treats the first close as the end. Another one is made and removed. */
function openOrTry(file: string): number | undefined {
  if (existsSync(file)) return openSync(file, "a");
  closeSync(openSync(file, "ax"));
  unlinkSync(file);
  return undefined;
}

/** Writes the report and the exit status as JSON; must be called once. Throws AddrsiftError OUTPUT. */
export type WriteSummary = (report: SummaryReport, exitStatus: number) => void;

/** Opens the file that --summary-file names. Throws AddrsiftError OUTPUT. */
export function openSummaryFile(file: string | undefined): WriteSummary | undefined {
  if (file === undefined) return undefined;
  const write = openLateFile(file, "summary");
  return (report, exitStatus) => write(`${JSON.stringify({ ...report, exit_status: exitStatus }, null, 2)}\n`);
}

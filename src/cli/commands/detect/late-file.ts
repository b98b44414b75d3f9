// Files that are written when a run ends. They are opened before the first row, so that a path that can't be written fails then.

import { fstatSync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import { AddrsiftError } from "../../../errors.ts";

/** Opens the file; its old content stays until the text is written, once. `what` names it in errors. Throws AddrsiftError OUTPUT. */
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
  // Kept open: the reader of a named pipe treats the first close as the end.
  const descriptor = orFail(() => openSync(file, "a"));
  return (text) => {
    orFail(() => {
      if (fstatSync(descriptor).isFile()) ftruncateSync(descriptor);
      writeFileSync(descriptor, text);
    });
  };
}

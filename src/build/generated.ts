// Files that programs of this folder generate and that are committed.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CurationError } from "../curation/sources.ts";

/**
 * Writes files below `root`; with `--check` in the program's arguments only compares them, and ends with status 2 when
 * one differs. `name` is that of the npm scripts, as in `man:build` and `man:check`.
 */
export function writeOrCheck(name: string, root: string, files: ReadonlyMap<string, string>): void {
  const drifted = [...files].filter(([file, text]) => readOrEmpty(join(root, file)) !== text).map(([file]) => file);
  if (!process.argv.includes("--check")) {
    for (const [file, text] of files) writeFileSync(join(root, file), text);
    console.log(`${name}:build: ${drifted.length} of ${files.size} generated files changed`);
  } else if (drifted.length > 0) {
    console.error(`addrsift: ${drifted.join(", ")} drifted: run npm run ${name}:build`);
    process.exitCode = 2;
  } else {
    console.log(`${name}:check: ${files.size} generated files are what their sources make`);
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Runs a program; lists that are refused end it with one line and status 2. */
export async function refusing(program: () => unknown): Promise<void> {
  try {
    await program();
  } catch (error) {
    if (!(error instanceof CurationError)) throw error;
    console.error(`addrsift: ${error.message}`);
    process.exitCode = 2;
  }
}

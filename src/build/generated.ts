// Writes and checks the committed files that programs in this folder generate.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CurationError } from "../curation/sources.ts";

/**
 * Writes files below `root`. With --check on the command line, only compares them, and sets exit status 2 if a file
 * differs. `name` is the prefix of the npm scripts: `man` for `man:build` and `man:check`.
 */
export function writeOrCheck(name: string, root: string, files: ReadonlyMap<string, string>): void {
  const changed = [...files]
    .filter(([file, text]) => !existsSync(join(root, file)) || readFileSync(join(root, file), "utf8") !== text)
    .map(([file]) => file);
  if (!process.argv.includes("--check")) {
    for (const [file, text] of files) writeFileSync(join(root, file), text);
    console.log(`${name}:build: ${changed.length} of ${files.size} generated files changed`);
  } else if (changed.length > 0) {
    console.error(`addrsift: ${changed.join(", ")} not up to date: run npm run ${name}:build`);
    process.exitCode = 2;
  } else {
    console.log(`${name}:check: ${files.size} generated files are up to date`);
  }
}

/** Runs a program. A CurationError is reported in one line, with exit status 2. */
export async function runProgram(program: () => unknown): Promise<void> {
  try {
    await program();
  } catch (error) {
    if (!(error instanceof CurationError)) throw error;
    console.error(`addrsift: ${error.message}`);
    process.exitCode = 2;
  }
}

/** Makes a temporary folder, which is removed when the process exits. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "addrsift-pack-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Before tests of commands and daemons: builds what is older than its sources.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { FROM_SOURCE } from "./from-source.mjs";

const ROOT = join(import.meta.dirname, "../..");

export default (): void => buildOrExit("code", "lists", "types");

/** Ends the run when the build fails, because Vitest would end it with "No test files found". */
export function buildOrExit(...parts: string[]): void {
  const build = [...FROM_SOURCE, "src/build/build.ts", "--fresh", ...parts];
  const { status } = spawnSync(process.execPath, build, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  if (status === 0) return;
  console.error("\nno test was run, because the build failed");
  process.exit(1);
}

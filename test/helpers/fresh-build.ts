// Global setup of a test project: rebuilds the parts of dist/ that its tests use and whose sources changed.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { FROM_SOURCE } from "./from-source.mjs";

const ROOT = join(import.meta.dirname, "../..");

/** Unit tests run the sources, and only command tests check the types. */
const PARTS: Readonly<Record<string, readonly string[]>> = { unit: ["lists"], command: ["code", "lists", "types"] };

/** Exits when the build fails, because Vitest would end the run with "No test files found". */
export default ({ name }: TestProject): void => {
  const build = [...FROM_SOURCE, "src/build/build.ts", "--fresh", ...(PARTS[name] ?? ["code", "lists"])];
  const { status } = spawnSync(process.execPath, build, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  if (status === 0) return;
  console.error("\nno test was run, because the build failed");
  process.exit(1);
};

// Before tests of commands and daemons: what of `dist/` is older than its sources is made again, so that no stale build
// is tested.

import { join } from "node:path";
import { buildFresh, type Part } from "../../src/build/parts.ts";

export default (): Promise<void> => buildOrExit(["code", "lists", "types"]);

/** Ends the run when the build fails, because Vitest would end it with "No test files found". */
export async function buildOrExit(parts: readonly Part[]): Promise<void> {
  try {
    await buildFresh(join(import.meta.dirname, "../.."), parts);
  } catch (error) {
    console.error("\nno test was run, because the build failed:");
    console.error(error);
    process.exit(1);
  }
}

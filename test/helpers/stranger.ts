// A user who does not own a file: "nobody", where the tester is root and may read everything.

import { spawnSync } from "node:child_process";
import { COMMAND } from "./run.ts";

const NOBODY = 65534;

/** The tester may read everything. */
export const isRoot: boolean = process.getuid?.() === 0;

/** Options of `spawn` for a process that rights are refused to. */
export const STRANGER: { readonly uid?: number; readonly gid?: number } = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** False where "nobody" can't run the command, because root's checkout is hidden from others. */
export const canStrangerRun: boolean =
  spawnSync(process.execPath, ["-e", `require("node:fs").readFileSync(${JSON.stringify(COMMAND)})`], STRANGER)
    .status === 0;

/** Does `work` in this process with the rights of a stranger. */
export async function asStranger<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

// Runs code as a user without access to a file: "nobody" if the tests run as root, who can read everything.

import { spawnSync } from "node:child_process";
import { COMMAND } from "./run.ts";

const NOBODY = 65534;

export const isRoot: boolean = process.getuid?.() === 0;

/** Options of `spawn` for a process that runs as "nobody". */
export const STRANGER: { readonly uid?: number; readonly gid?: number } = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Whether "nobody" can run the command. It can't if the checkout is in a folder that only root can read. */
export const canStrangerRun: boolean =
  spawnSync(process.execPath, ["-e", `require("node:fs").readFileSync(${JSON.stringify(COMMAND)})`], STRANGER)
    .status === 0;

/** Runs `work` in this process as "nobody". */
export async function asStranger<T>(work: () => Promise<T>): Promise<T> {
  if (!isRoot) return work();
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

// Where files can be in memory, for tests that wait for the disk all the time. Whether the disk keeps what it must is
// shown by processes that are killed: test/daemon/killed-processes.slow.test.ts and npm run soak.

import { existsSync, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const WANTED_BYTES = 512 * 1024 * 1024;

/** The folder whose files are in memory; undefined where there is none, or not enough room (Docker has 64 MB). */
export function memoryFolder(): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < WANTED_BYTES ? undefined : MEMORY;
}

// Finds a folder in memory for tests that would often wait for the disk. Other tests check durability by killing
// processes: test/daemon/killed-processes.slow.test.ts and npm run soak.

import { existsSync, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const MIN_FREE_BYTES = 512 * 1024 * 1024;

/** Returns a folder in memory. If there is none with enough space (in Docker it has 64 MB), undefined. */
export function memoryFolder(): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < MIN_FREE_BYTES ? undefined : MEMORY;
}

// A lock between processes: the kernel's lock on an open file, which ends with its holder, however it dies. The file is never
// removed; else two holders could each lock a file of that name.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { AddrsiftError } from "../errors.ts";
import { durableFailure, refuseSpecial } from "./failure.ts";

// A change takes milliseconds. After this long, the process that holds the lock must have been stopped.
const WAIT_LIMIT_MS = 20_000;
const PAUSE_LIMIT_MS = 16;
// Opening a FIFO would wait for its other end. Windows has neither.
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

type TryLock = (descriptor: number) => boolean;
let tryLock: TryLock | undefined;

/**
 * Runs `work` while no one else holds the lock file at `path`, in this process or another; gives its result. Throws AddrsiftError
 * OPERATION when the lock is not free within `limitMs`.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, limitMs: number = WAIT_LIMIT_MS): Promise<T> {
  tryLock ??= await loadLock();
  const file = await open(path, APPEND, 0o600).catch((error: unknown) => {
    throw durableFailure("lock", path, error);
  });
  try {
    refuseSpecial("lock", await file.stat(), path);
    await acquire(tryLock, file, path, limitMs);
    return await work();
  } finally {
    // Closing releases the lock.
    await file.close();
  }
}

async function acquire(lock: TryLock, file: FileHandle, path: string, limitMs: number): Promise<void> {
  const started = performance.now();
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, PAUSE_LIMIT_MS)) {
    try {
      if (lock(file.fd)) return;
    } catch (error) {
      throw durableFailure("lock", path, error);
    }
    if (performance.now() - started > limitMs) {
      throw new AddrsiftError(
        "OPERATION",
        `another process has held ${path} for ${limitMs / 1000} seconds: look for a stopped addrsift and end it`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random() / 2)));
  }
}

/** The package has no build for musl and some rare systems; without a lock nothing is written. */
async function loadLock(): Promise<TryLock> {
  try {
    return (await import("fs-native-extensions")).tryLock;
  } catch (error) {
    throw new AddrsiftError(
      "OPERATION",
      `this system (${process.platform}, ${process.arch}) has no file lock for addrsift, so nothing is written: use macOS, Windows or a Linux with glibc`,
      error,
    );
  }
}

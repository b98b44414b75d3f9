// A lock between processes: the kernel's file lock, which ends when its holder dies. The lock file is never removed;
// otherwise two processes could each lock a file of that name. File calls are synchronous: they take microseconds,
// less than a round trip through Node's thread pool, and each change of a store waits for them.

import { spawn } from "node:child_process";
import { closeSync, constants, fchmodSync, fstatSync, futimesSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AddrsiftError } from "../base/errors.ts";
import { assertNotSpecial, fileError, newFileMode } from "./folder.ts";

// A change takes milliseconds, so a process that holds the lock for this long must be suspended.
const WAIT_TIMEOUT_MS = 20_000;
const MAX_HOLDER_CHANGES = 15;
const MAX_POLL_PAUSE_MS = 16;
const CHECK_INTERVAL_MS = 100;
// Without O_NONBLOCK, opening a FIFO would wait for a reader. Windows has neither.
const OPEN_FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
// A process without fs-native-extensions writes this into the lock file. From then on, all processes also lock with
// flock(1).
const FLOCK_MARKER = "flock\n";
// After writing the marker, wait for processes that hold the lock without flock(1) to finish.
const MARKER_DELAY_MS = 2000;

type TryLock = (descriptor: number) => boolean;
let tryLockPromise: Promise<TryLock | undefined> | undefined;

/**
 * Runs `work` while holding the lock file at `path`, exclusively in this process and all others.
 * Throws AddrsiftError UNAVAILABLE if one process holds the lock for `timeoutMs`, or several in turn for 15 times that.
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  timeoutMs: number = WAIT_TIMEOUT_MS,
): Promise<T> {
  tryLockPromise ??= loadTryLock();
  const tryLock = await tryLockPromise;
  let file: number;
  let mode: number;
  try {
    mode = newFileMode(dirname(path));
    file = openSync(path, OPEN_FLAGS, mode);
  } catch (error) {
    throw fileError("lock", path, error);
  }
  try {
    const stat = fstatSync(file);
    assertNotSpecial("lock", stat, path);
    // When the file was created, the umask may have removed even the owner's permission.
    if ((stat.mode & mode) !== mode && stat.uid === process.getuid?.()) fchmodSync(file, mode);
    await acquireLock(tryLock, file, path, timeoutMs).catch((error: unknown) => {
      throw fileError("lock", path, error);
    });
    return await work();
  } finally {
    closeSync(file);
  }
}

async function acquireLock(tryLock: TryLock | undefined, file: number, path: string, timeoutMs: number): Promise<void> {
  const throwIfTimedOut = createTimeoutCheck(file, path, timeoutMs);
  if (tryLock !== undefined) await pollTryLock(tryLock, file, throwIfTimedOut);
  const hasMarker = fstatSync(file).size > 0;
  if (tryLock === undefined || hasMarker) await lockWithFlockCommand(file, throwIfTimedOut);
  if (tryLock === undefined && !hasMarker) {
    writeSync(file, FLOCK_MARKER);
    await sleep(MARKER_DELAY_MS);
  }
  const now = new Date();
  try {
    // Tells waiting processes that the holder has changed.
    futimesSync(file, now, now);
  } catch (error) {
    // In a shared folder, another member of the group may own the lock file. Those who wait then time out earlier.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}

async function pollTryLock(tryLock: TryLock, file: number, throwIfTimedOut: () => void): Promise<void> {
  for (let pauseMs = 1; !tryLock(file); pauseMs = Math.min(pauseMs * 2, MAX_POLL_PAUSE_MS)) {
    throwIfTimedOut();
    await sleep(pauseMs * (0.5 + Math.random() / 2));
  }
}

/**
 * Locks with the command flock, of util-linux or busybox. It locks the open file description that it inherits, so the
 * lock outlives the command. This lock and that of fs-native-extensions are independent of each other.
 */
async function lockWithFlockCommand(file: number, throwIfTimedOut: () => void): Promise<void> {
  const child = spawn("flock", ["-x", "3"], { stdio: ["ignore", "ignore", "ignore", file] });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  }).catch((error: unknown) => {
    throw noLockError(error);
  });
  let failure: unknown;
  const timer = setInterval(() => {
    try {
      throwIfTimedOut();
    } catch (error) {
      failure = error;
      child.kill("SIGKILL");
    }
  }, CHECK_INTERVAL_MS);
  try {
    const status = await exited;
    if (failure !== undefined) throw failure;
    if (status !== 0) throw noLockError(new Error(`flock ended with ${status}`));
  } finally {
    clearInterval(timer);
  }
}

/** Returns a check that throws AddrsiftError UNAVAILABLE once the time limits of `withLock` are over. */
function createTimeoutCheck(file: number, path: string, timeoutMs: number): () => void {
  let [startedMs, holderChanges] = [performance.now(), 0];
  let lastAcquiredMs: number | undefined;
  const seconds = timeoutMs / 1000;
  return () => {
    if (lastAcquiredMs !== undefined && performance.now() - startedMs <= timeoutMs) return;
    const { mtimeMs } = fstatSync(file);
    if (lastAcquiredMs === mtimeMs) {
      const problem = `another process has held ${path} for ${seconds} seconds`;
      throw new AddrsiftError("UNAVAILABLE", `${problem}: look for a suspended addrsift process and end it`);
    }
    holderChanges += 1;
    if (holderChanges > MAX_HOLDER_CHANGES) {
      const problem = `other processes have held ${path} in turns for ${seconds * MAX_HOLDER_CHANGES} seconds`;
      throw new AddrsiftError("UNAVAILABLE", `${problem}: run fewer at a time`);
    }
    [lastAcquiredMs, startedMs] = [mtimeMs, performance.now()];
  };
}

/** Loads the lock of fs-native-extensions; undefined on a Linux that it has no build for, such as one with musl. */
async function loadTryLock(): Promise<TryLock | undefined> {
  try {
    return (await import("fs-native-extensions")).tryLock;
  } catch (error) {
    if (process.platform !== "linux") throw noLockError(error);
    return undefined;
  }
}

function noLockError(error: unknown): AddrsiftError {
  const system = `this system (${process.platform}, ${process.arch})`;
  const remedy = "install the command flock (of util-linux or busybox), or use macOS, Windows or a Linux with glibc";
  return new AddrsiftError(
    "OPERATION",
    `${system} has no file lock for addrsift, so nothing is written: ${remedy}`,
    error,
  );
}

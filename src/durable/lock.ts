// A lock between processes: the kernel's lock on an open file, which ends with its holder, however it dies. The file
// is never removed; else two holders could each lock a file of that name. What takes microseconds is done at once:
// each change of a store waits for it, and a turn through Node's threads takes longer.

import { spawn } from "node:child_process";
import { closeSync, constants, fchmodSync, fstatSync, futimesSync, openSync, writeSync } from "node:fs";
import { AddrsiftError } from "../base/errors.ts";
import { durableFailure, refuseSpecial } from "./folder.ts";

// A change takes milliseconds. When no one got the lock for this long, the process that holds it must have been
// stopped.
const WAIT_LIMIT_MS = 20_000;
const TURNS_MAX = 15;
const PAUSE_LIMIT_MS = 16;
const LOOK_MS = 100;
// Opening a FIFO would wait for its other end. Windows has neither.
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
// The mark that a process without the package writes into the lock file: from then on the others take its kind of
// lock as well.
const MARK = "flock\n";
// Processes that got the lock just before the mark are done by then.
const MARK_MS = 2000;

type TryLock = (descriptor: number) => boolean;
let loading: Promise<TryLock | undefined> | undefined;

/**
 * Runs `work` while no one else holds the lock file at `path`, in this process or another, and returns its result.
 * Throws AddrsiftError OPERATION when no one got the lock for `limitMs`, or others too often.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, limitMs: number = WAIT_LIMIT_MS): Promise<T> {
  loading ??= loadLock();
  const tryLock = await loading;
  const file = openLock(path);
  try {
    const stat = fstatSync(file);
    refuseSpecial("lock", stat, path);
    // Made under a umask that takes our own rights as well.
    if ((stat.mode & 0o200) === 0) fchmodSync(file, 0o600);
    await acquire(tryLock, file, path, limitMs).catch((error: unknown) => {
      throw durableFailure("lock", path, error);
    });
    return await work();
  } finally {
    closeSync(file);
  }
}

function openLock(path: string): number {
  try {
    return openSync(path, APPEND, 0o600);
  } catch (error) {
    throw durableFailure("lock", path, error);
  }
}

async function acquire(tryLock: TryLock | undefined, file: number, path: string, limitMs: number): Promise<void> {
  const check = waitLimit(file, path, limitMs);
  if (tryLock !== undefined) await poll(tryLock, file, check);
  const isMarked = fstatSync(file).size > 0;
  if (tryLock === undefined || isMarked) await lockByCommand(file, check);
  if (tryLock === undefined && !isMarked) {
    writeSync(file, MARK);
    await pause(MARK_MS);
  }
  const now = new Date();
  // Shows those who wait that it goes on.
  futimesSync(file, now, now);
}

async function poll(tryLock: TryLock, file: number, check: () => void): Promise<void> {
  for (let pauseMs = 1; !tryLock(file); pauseMs = Math.min(pauseMs * 2, PAUSE_LIMIT_MS)) {
    check();
    await pause(pauseMs * (0.5 + Math.random() / 2));
  }
}

/**
 * The system's own lock by the command flock, of util-linux or busybox: it locks our open file, and the lock stays
 * when the command has ended. This kind and the package's do not see each other.
 */
async function lockByCommand(file: number, check: () => void): Promise<void> {
  const child = spawn("flock", ["-x", "3"], { stdio: ["ignore", "ignore", "ignore", file] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  }).catch((error: unknown) => {
    throw noLock(error);
  });
  let failure: unknown;
  const timer = setInterval(() => {
    try {
      check();
    } catch (error) {
      failure = error;
      child.kill("SIGKILL");
    }
  }, LOOK_MS);
  try {
    const status = await ended;
    if (failure !== undefined) throw failure;
    if (status !== 0) throw noLock(new Error(`flock ended with ${status}`));
  } finally {
    clearInterval(timer);
  }
}

/** Returns a check that throws AddrsiftError OPERATION when no one got the lock for the limit, or others too often. */
function waitLimit(file: number, path: string, limitMs: number): () => void {
  let [begunMs, turns] = [performance.now(), 0];
  let takenMs: number | undefined;
  const seconds = limitMs / 1000;
  return () => {
    if (takenMs !== undefined && performance.now() - begunMs <= limitMs) return;
    const { mtimeMs } = fstatSync(file);
    if (takenMs === mtimeMs) {
      const held = `another process has held ${path} for ${seconds} seconds`;
      throw new AddrsiftError("OPERATION", `${held}: look for a stopped addrsift and end it`);
    }
    turns += 1;
    if (turns > TURNS_MAX) {
      const held = `other processes have held ${path} in turns for ${seconds * TURNS_MAX} seconds`;
      throw new AddrsiftError("OPERATION", `${held}: run fewer at a time`);
    }
    [takenMs, begunMs] = [mtimeMs, performance.now()];
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The package has no build for musl and some rare systems. */
async function loadLock(): Promise<TryLock | undefined> {
  try {
    return (await import("fs-native-extensions")).tryLock;
  } catch (error) {
    if (process.platform !== "linux") throw noLock(error);
    return undefined;
  }
}

function noLock(error: unknown): AddrsiftError {
  const system = `this system (${process.platform}, ${process.arch})`;
  const remedy = "install the command flock (of util-linux or busybox), or use macOS, Windows or a Linux with glibc";
  return new AddrsiftError(
    "OPERATION",
    `${system} has no file lock for addrsift, so nothing is written: ${remedy}`,
    error,
  );
}

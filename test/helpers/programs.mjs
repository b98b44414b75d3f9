// Helpers for the programs that run by hand: the command, a scratch folder, processes with their output, memory.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The project's folder. */
export const ROOT = join(import.meta.dirname, "../..");
/** The command of this build. */
export const COMMAND = join(ROOT, "bin/addrsift.cjs");
/** All scopes of a key. */
export const SCOPES =
  "emails:detect,notifications:create,notifications:read,notifications:update,notifications:delete,notifications:test";

/** Creates a folder that is removed when this process ends. */
export function scratchFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `addrsift-${name}-`));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Starts Node with these arguments. The promise `ended` resolves to the status, the signal and the output. */
export function startNode(args, options = {}) {
  const child = spawn(process.execPath, args, options);
  const [output, errors] = [child.stdout, child.stderr].map(readAll);
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => resolve({ status, signal, output: output(), errors: errors() }));
  });
  return Object.assign(child, { ended });
}

/** Returns a function that returns the text read so far. */
function readAll(stream) {
  let text = "";
  stream?.on("data", (chunk) => {
    text += chunk;
  });
  return () => text;
}

/**
 * Returns a free port below those that Linux gives to sockets without one (32768 to 60999), so that none takes it
 * before the server starts, or while it is down.
 */
export async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    const isFree = await new Promise((resolve) => {
      const server = createServer()
        .on("error", () => resolve(false))
        .listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** Returns the memory of a process in MB: `VmRSS` now, `VmHWM` at its peak. Without the process or /proc, 0. */
export function memoryMb(pid, name) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

/** Prints the result of a soak: a line, and the first twenty problems. */
export function reportProblems(line, problems) {
  console.log(`${line}: ${problems.length === 0 ? "ok" : "MISS"}`);
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

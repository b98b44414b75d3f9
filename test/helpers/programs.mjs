// What the programs that run by hand share: the command, a folder for a run, processes with what they write, memory.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The project's folder. */
export const ROOT = join(import.meta.dirname, "../..");
/** The command of this build. */
export const COMMAND = join(ROOT, "bin/addrsift.cjs");
/** Scopes of a key that may do everything. */
export const SCOPES =
  "emails:detect,notifications:create,notifications:read,notifications:update,notifications:delete,notifications:test";

/** Makes a folder, which is removed when this process ends. */
export function scratchFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `addrsift-${name}-`));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Starts Node with these arguments. `ended` has the status, the signal, and what the process wrote to its pipes. */
export function startNode(args, options = {}) {
  const child = spawn(process.execPath, args, options);
  const [output, errors] = [child.stdout, child.stderr].map(readAll);
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => resolve({ status, signal, output: output(), errors: errors() }));
  });
  return Object.assign(child, { ended });
}

/** Returns a function that gives what came so far. */
function readAll(stream) {
  let text = "";
  stream?.on("data", (chunk) => {
    text += chunk;
  });
  return () => text;
}

/** A port of loopback that was free a moment ago. */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Memory of a process in MB (Linux): `VmRSS` now, `VmHWM` at its peak; 0 where there is no such process or no /proc. */
export function memoryMb(pid, name) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

/** Says how a soak ended: a line, and the first twenty problems. */
export function reportProblems(line, problems) {
  console.log(`${line}: ${problems.length === 0 ? "ok" : "MISS"}`);
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

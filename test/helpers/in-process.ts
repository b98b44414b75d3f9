// Runs the command line in the test's process, with streams and environment in memory.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { ByteSource } from "../../src/bulk/streams.ts";
import { type DetectSettings, readDetectSettings } from "../../src/cli/commands/detect/settings.ts";
import { runCommandLine } from "../../src/cli/entry.ts";
import type { DETECT } from "../../src/cli/options/detect.ts";
import { parseCommandLine } from "../../src/cli/options/parse.ts";
import type { Arguments } from "../../src/cli/options/table.ts";
import type { Modules, Runtime } from "../../src/cli/runtime.ts";
import type { Input } from "../../src/cli/terminal/input.ts";
import type { Output } from "../../src/cli/terminal/output.ts";

import { NO_DATA_HOME, NO_NAME_SERVER, type RunInput, type RunResult } from "./run-input.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const load = createRequire(`${ROOT}/bin/addrsift.cjs`);
const NO_HELP = { width: 80, write: () => {} };

/** Runs `addrsift` with these arguments in this process, starting at its entry point. */
export async function runInProcess(args: readonly string[], input: RunInput = {}): Promise<RunResult> {
  const runtime = memoryRuntime(input);
  const status = await runCommandLine(args, runtime);
  return { status, stdout: runtime.stdout.bytes, stderr: runtime.stderr.bytes };
}

/** Returns the settings of a `detect` call with these options. */
export function detectSettings(...args: readonly string[]): DetectSettings {
  return readDetectSettings(parseCommandLine(["detect", ...args], NO_HELP) as Arguments<typeof DETECT>);
}

/** Creates a runtime with streams in memory, whose outputs can be read. */
export function memoryRuntime(input: RunInput = {}): Runtime & {
  readonly stdout: MemoryOutput;
  readonly stderr: MemoryOutput;
} {
  const stdout = new MemoryOutput(input.columns);
  const stderr = new MemoryOutput(undefined);
  return {
    root: input.root ?? ROOT,
    nodeVersion: process.versions.node,
    // The default home does not exist.
    env: { XDG_DATA_HOME: NO_DATA_HOME, ADDRSIFT_DNS_SERVERS: NO_NAME_SERVER, ...input.env },
    stdin: new MemoryInput(toChunks(input.stdin ?? "")),
    stdout,
    stderr,
    signals: { on: () => {}, off: () => {}, pid: 0, kill: () => {} },
    load: <Name extends keyof Modules>(name: Name) => load(name) as Modules[Name],
    now: input.now ?? Date.now,
  };
}

function toChunks(stdin: NonNullable<RunInput["stdin"]>): Uint8Array[] {
  const all = typeof stdin === "string" || stdin instanceof Uint8Array ? [stdin] : stdin;
  return all.map((chunk) => Buffer.from(chunk)).filter((chunk) => chunk.length > 0);
}

class MemoryOutput implements Output {
  readonly columns: number | undefined;
  readonly rows = undefined;
  private readonly chunks: Buffer[] = [];

  constructor(columns: number | undefined) {
    this.columns = columns;
  }

  readonly file = undefined;

  get isTerminal(): boolean {
    return this.columns !== undefined;
  }

  get maybeTerminal(): boolean {
    return this.isTerminal;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  readonly sink = { write: async (bytes: Uint8Array): Promise<void> => this.write(bytes) };

  write(data: string | Uint8Array): void {
    // Copy the bytes, because the caller reuses its buffer.
    this.chunks.push(Buffer.from(data));
  }
}

class MemoryInput implements Input {
  readonly isTerminal = false;
  readonly isNull = false;
  constructor(private readonly chunks: Uint8Array[]) {}

  open(): { source: ByteSource } {
    return { source: { read: async (target, at) => this.readSome(target, at), close: () => {} } };
  }

  readBounded(limitBytes: number): Uint8Array {
    return Buffer.concat(this.chunks.splice(0)).subarray(0, limitBytes + 1);
  }

  readLine(limitBytes: number): string {
    return Buffer.from(this.readBounded(limitBytes)).toString("utf8").split(/\r?\n/, 1)[0] as string;
  }

  private readSome(target: Uint8Array, at: number): number {
    const chunk = this.chunks.shift();
    if (chunk === undefined) return 0;
    const count = Math.min(chunk.length, target.length - at);
    target.set(chunk.subarray(0, count), at);
    if (count < chunk.length) this.chunks.unshift(chunk.subarray(count));
    return count;
  }
}

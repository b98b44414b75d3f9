// Runs the command: arguments, standard input and environment in; exit status and the bytes of both outputs back.
// `run` stays in this process, which takes milliseconds. `runProcess` and the others are for what a process is about:
// signals, pipes, terminals, folders, users, and a smoke test of each command. No setting of the tester's own reaches a
// process.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { NO_DATA_HOME, NO_NAME_SERVER, type RunInput, type RunResult } from "./run-input.ts";

export type { RunInput, RunResult } from "./run-input.ts";

/**
 * An executable file that tests of the command run in place of the sources, such as one in a root that has nothing
 * else.
 */
const EXECUTABLE = process.env["ADDRSIFT_EXECUTABLE"];

/** The command's file. */
export const COMMAND: string = fileURLToPath(new URL("../../bin/addrsift.cjs", import.meta.url));

const NOT_INHERITED = /^(NODE_|npm_|VITEST|ADDRSIFT_|XDG_|COLORTERM$|FORCE_COLOR$|NO_COLOR$|CI$|TERM$|COLUMNS$|LINES$)/;

/**
 * The input of a process besides its arguments. Pieces of standard input come with pauses, so that each is read on its
 * own.
 */
export interface ProcessInput extends Pick<RunInput, "stdin" | "env"> {
  readonly cwd?: string;
  /** The user that it runs as; only root may choose. */
  readonly uid?: number;
  readonly gid?: number;
}

/** The arguments of a call, or its line, in which each space is between two of them. */
export type Call = string | readonly string[];
const argumentsOf = (call: Call): readonly string[] => (typeof call === "string" ? call.split(" ") : call);

/**
 * Runs `addrsift` with these arguments in this process. HOME and the folder are the tester's own: what depends on them,
 * a relative path too, needs `runProcess`.
 */
export async function run(call: Call, input: RunInput = {}): Promise<RunResult> {
  const args = argumentsOf(call);
  if (EXECUTABLE !== undefined && input.root === undefined && input.columns === undefined)
    return runProcess(args, input);
  // Loaded here, because most tests of daemons run no command.
  const { runInProcess } = await import("./in-process.ts");
  return runInProcess(args, input);
}

/** The standard output of a call that works, and that says nothing besides. */
export async function outputOf(call: Call, input: RunInput = {}): Promise<string> {
  const { status, stdout, stderr } = await run(call, input);
  expect({ call, status, stderr: stderr.toString() }).toEqual({ call, status: 0, stderr: "" });
  return stdout.toString();
}

/** Expects a call to be refused: status 2, no data, and one line of ours that has `message`. */
export async function expectRefused(call: Call, message: string | RegExp, input: RunInput = {}): Promise<void> {
  expectOneLine(await run(call, input), message);
}

/** Expects of a result that it is status 2, no data, and one line of ours that has `message`. */
export function expectOneLine({ status, stdout, stderr }: RunResult, message: string | RegExp): void {
  const line = stderr.toString();
  expect({ status, stdout: stdout.toString() }).toEqual({ status: 2, stdout: "" });
  expect(line).toMatch(/^addrsift: [^\n]+\n$/);
  expect(line).toMatch(message);
}

/** Runs `addrsift` with these arguments in a separate process. */
export function runProcess(call: Call, input: ProcessInput = {}): Promise<RunResult> {
  const args = argumentsOf(call);
  if (EXECUTABLE !== undefined) return runProgram(EXECUTABLE, args, input);
  return runProgram(process.execPath, [COMMAND, ...args], input);
}

/** Runs a shell script in which `addrsift` is the command. */
export function runShell(script: string, input: ProcessInput = {}): Promise<RunResult> {
  return runProgram("sh", ["-c", `addrsift() { ${shellCommand()} "$@"; }\n${script}`], input);
}

/** A shell's wait until the reader of its output has left. */
export const WAIT_FOR_CLOSED_OUTPUT = "trap '' PIPE; while echo 2>&-; do sleep 0.05; done";

/** The command as words for a shell. */
export function shellCommand(): string {
  return `'${process.execPath}' '${COMMAND}'`;
}

/** Starts the command and leaves its streams to the caller. */
export function start(call: Call): ChildProcess {
  return spawn(process.execPath, [COMMAND, ...argumentsOf(call)], { env: cleanEnvironment({}), stdio: "pipe" });
}

/** Makes a new folder for files of a test; `remove` takes it away. */
export function scratch(): {
  readonly path: string;
  readonly file: (name: string, content: string | Uint8Array) => string;
  readonly remove: () => void;
} {
  const path = mkdtempSync(join(tmpdir(), "addrsift-test-"));
  return {
    path,
    file: (name, content) => {
      writeFileSync(join(path, name), content);
      return join(path, name);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The lines of an output that ends in a line break, or has none. */
export function linesOf(bytes: Buffer): string[] {
  const text = bytes.toString("utf8");
  if (text === "") return [];
  if (!text.endsWith("\n")) throw new Error(`the last line has no line break: ${JSON.stringify(text.slice(-80))}`);
  return text.slice(0, -1).split("\n");
}

/** A detection as it was printed. */
export interface PrintedDetection {
  readonly email: string;
  readonly syntax_validation: boolean;
  readonly normalized?: string;
  readonly disposable?: boolean;
  readonly explain?: Readonly<Record<string, unknown>>;
}

/** The objects of an NDJSON output. */
export function objectsOf(bytes: Buffer): PrintedDetection[] {
  return linesOf(bytes).map((line) => JSON.parse(line) as PrintedDetection);
}

/** Runs any program in the environment of a run. */
export async function runProgram(
  program: string,
  args: readonly string[],
  input: ProcessInput = {},
): Promise<RunResult> {
  const { cwd, env = {}, uid, gid } = input;
  const child = spawn(program, args, { cwd, uid, gid, env: cleanEnvironment(env), stdio: "pipe" });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // The command may end before it has read everything.
  child.stdin.on("error", () => {});
  const ended = new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? 128 + signalNumber(signal)));
  });
  await feed(child, input.stdin ?? "");
  const status = await ended;
  return { status, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) };
}

async function feed(child: ChildProcess, stdin: NonNullable<ProcessInput["stdin"]>): Promise<void> {
  const pieces = typeof stdin === "string" || stdin instanceof Uint8Array ? [stdin] : stdin;
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, 25));
    child.stdin?.write(piece);
  }
  child.stdin?.end();
}

/** The environment of a run: nothing of the tester's own settings, no home of theirs, and what is added. */
export function cleanEnvironment(added: NonNullable<ProcessInput["env"]>): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name));
  const { NODE_V8_COVERAGE } = process.env;
  return {
    ...Object.fromEntries(kept),
    ...(NODE_V8_COVERAGE === undefined ? {} : { NODE_V8_COVERAGE }),
    // A test that sets HOME is about what is there.
    ...("HOME" in added ? {} : { XDG_DATA_HOME: NO_DATA_HOME }),
    ADDRSIFT_DNS_SERVERS: NO_NAME_SERVER,
    ...added,
  };
}

function signalNumber(signal: NodeJS.Signals | null): number {
  const known: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 2, SIGKILL: 9, SIGPIPE: 13, SIGTERM: 15 };
  return (signal === null ? undefined : known[signal]) ?? 0;
}

// Runs the command with arguments, standard input and environment. Returns its exit status and outputs.
// `run` stays in this process, which takes milliseconds. `runProcess` and the others start a process, for tests of
// signals, pipes, terminals, folders and users, and a smoke test of each command. Processes do not inherit the
// developer's settings.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import { NO_DATA_HOME, NO_NAME_SERVER, type RunInput, type RunResult } from "./run-input.ts";

export type { RunInput, RunResult } from "./run-input.ts";

/** An executable that command tests run instead of the sources, such as one in an otherwise empty root. */
const EXECUTABLE = process.env["ADDRSIFT_EXECUTABLE"];

/** Path of the command. */
export const COMMAND: string = fileURLToPath(new URL("../../bin/addrsift.cjs", import.meta.url));

const NOT_INHERITED = /^(NODE_|npm_|VITEST|ADDRSIFT_|XDG_|COLORTERM$|FORCE_COLOR$|NO_COLOR$|CI$|TERM$|COLUMNS$|LINES$)/;

/** Everything but the arguments of a process. Elements of `stdin` are sent with pauses, so each is read separately. */
export interface ProcessInput extends Pick<RunInput, "stdin" | "env"> {
  readonly cwd?: string;
  /** User to run as. Only root can set it. */
  readonly uid?: number;
  readonly gid?: number;
}

/** The arguments of a call, as an array or separated by single spaces. */
export type Call = string | readonly string[];
const argumentsOf = (call: Call): readonly string[] => (typeof call === "string" ? call.split(" ") : call);

/** Runs `addrsift` with these arguments in this process, with its working directory. */
export async function run(call: Call, input: RunInput = {}): Promise<RunResult> {
  const args = argumentsOf(call);
  if (EXECUTABLE !== undefined && input.root === undefined && input.columns === undefined)
    return runProcess(args, input);
  // Imported here, because most daemon tests run no command.
  const { runInProcess } = await import("./in-process.ts");
  return runInProcess(args, input);
}

/** Returns the standard output of a call. Expects status 0 and an empty standard error. */
export async function outputOf(call: Call, input: RunInput = {}): Promise<string> {
  const { status, stdout, stderr } = await run(call, input);
  expect({ call, status, stderr: stderr.toString() }).toEqual({ call, status: 0, stderr: "" });
  return stdout.toString();
}

/** Expects a call to fail with status 2, no output, and a one-line error that matches `message`. */
export async function expectRefused(call: Call, message: string | RegExp, input: RunInput = {}): Promise<void> {
  expectOneLine(await run(call, input), message);
}

/** Expects a result with status 2, no output, and a one-line error that matches `message`. */
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

/** Shell code that waits until the reader of its output has closed it. */
export const WAIT_FOR_CLOSED_OUTPUT = "trap '' PIPE; while echo 2>&-; do sleep 0.05; done";

/** Returns the command as shell words. */
export function shellCommand(): string {
  return `'${process.execPath}' '${COMMAND}'`;
}

/** Starts the command and leaves its streams to the caller. */
export function start(call: Call): ChildProcess {
  return spawn(process.execPath, [COMMAND, ...argumentsOf(call)], { env: cleanEnvironment({}), stdio: "pipe" });
}

/** Creates a folder for the files of a test. `remove` deletes it. */
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

/** Creates a folder for the tests of a file, which is deleted after the last one. */
export function fileScratch(): ReturnType<typeof scratch> {
  const folder = scratch();
  afterAll(folder.remove);
  return folder;
}

/** Runs `addrsift` in this process in another working directory, with this process's search path. */
export async function runIn(folder: string, call: Call, input: RunInput = {}): Promise<RunResult> {
  const before = process.cwd();
  process.chdir(folder);
  const env = { PATH: process.env["PATH"], ...input.env };
  return run(call, { ...input, env }).finally(() => process.chdir(before));
}

/** Runs a call. Returns its status, and its outputs as text. */
export async function runText(call: Call, input: RunInput = {}) {
  const { status, stdout, stderr } = await run(call, input);
  return { status, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** Splits an output into lines. Throws if the last line has no line break. */
export function linesOf(output: Buffer | string): string[] {
  const text = output.toString();
  if (text === "") return [];
  if (!text.endsWith("\n")) throw new Error(`the last line has no line break: ${JSON.stringify(text.slice(-80))}`);
  return text.slice(0, -1).split("\n");
}

/** A printed detection. */
export interface PrintedDetection {
  readonly email: string;
  readonly syntax_validation: boolean;
  readonly normalized?: string;
  readonly disposable?: boolean;
  readonly explain?: Readonly<Record<string, unknown>>;
}

/** Parses NDJSON output. */
export function objectsOf<Row = PrintedDetection>(output: Buffer | string): Row[] {
  return linesOf(output).map((line) => JSON.parse(line) as Row);
}

/** Runs any program, with the environment of `cleanEnvironment`. */
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
  // The command may exit before it has read all input.
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
  const chunks = typeof stdin === "string" || stdin instanceof Uint8Array ? [stdin] : stdin;
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, 25));
    child.stdin?.write(chunk);
  }
  child.stdin?.end();
}

/** Returns this process's environment without the developer's settings and home, but with `variables`. */
export function cleanEnvironment(variables: NonNullable<ProcessInput["env"]>): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name));
  const { NODE_V8_COVERAGE } = process.env;
  return {
    ...Object.fromEntries(inherited),
    ...(NODE_V8_COVERAGE === undefined ? {} : { NODE_V8_COVERAGE }),
    // A test that sets HOME uses the default home in it.
    ...("HOME" in variables ? {} : { XDG_DATA_HOME: NO_DATA_HOME }),
    ADDRSIFT_DNS_SERVERS: NO_NAME_SERVER,
    ...variables,
  };
}

function signalNumber(signal: NodeJS.Signals | null): number {
  const codes: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 2, SIGKILL: 9, SIGPIPE: 13, SIGTERM: 15 };
  return (signal === null ? undefined : codes[signal]) ?? 0;
}

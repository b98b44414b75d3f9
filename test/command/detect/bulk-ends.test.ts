// Tests bulk runs that end early (a closed reader, a signal, a full disk, an unreadable input), and a slow reader.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { COMMAND, fileScratch, linesOf, objectsOf, run, runShell, start } from "../../helpers/run.ts";

const files = fileScratch();
// More rows than a pipe can hold.
const ROWS = 40_000;
const many = files.file("many.txt", "ada@example.org\n".repeat(ROWS));

const INTERRUPTED = /^addrsift: interrupted after [\d,]+ rows?\n$/;

interface Exit {
  readonly status: number | NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Waits for the exit. After two minutes, kills the process, so that `status` is SIGKILL. */
function waitForExit(child: ChildProcess): Promise<Exit> {
  const stdout: Buffer[] = [];
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin?.on("error", () => {});
  const timer = setTimeout(() => child.kill("SIGKILL"), 120_000);
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ status: code ?? signal, stdout: Buffer.concat(stdout), stderr });
    });
  });
}

/** Waits for the first output, or for the exit. */
function firstOutput(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.stdout?.once("data", () => resolve());
    child.once("close", () => resolve());
  });
}

describe.concurrent("a reader of the output", () => {
  it("a slow reader of the output loses no byte", async () => {
    const [quick, slow] = await Promise.all([
      run(["detect", "-i", many]),
      runShell(`addrsift detect -i '${many}' | { sleep 0.3; dd bs=5000 count=40 2>&-; sleep 0.3; cat; }`),
    ]);
    expect(quick.status).toBe(0);
    expect(slow.stdout.equals(quick.stdout)).toBe(true);
    expect(linesOf(quick.stdout)).toHaveLength(ROWS);
  });
});

describe.concurrent("a signal", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s: detect prints whole lines only and exits with %i", async (signal, expected) => {
    const path = `${files.path}/summary-${signal}.json`;
    const child = start(["detect", "--summary-file", path]);
    const exit = waitForExit(child);
    child.stdin?.write("ada@example.org\n".repeat(1000));
    await firstOutput(child);
    child.kill(signal);
    const { status, stdout, stderr } = await exit;
    expect({ status, stderr }).toEqual({ status: expected, stderr: expect.stringMatching(INTERRUPTED) });
    const rows = objectsOf(stdout);
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map(({ email }) => email))).toEqual(new Set(["ada@example.org"]));
    const summary = { rows: rows.length, ended_early: true, exit_status: expected };
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject(summary);
  });

  it("SIGINT: --format table prints exactly as many rows as the summary file counts", async () => {
    const rows = 200_000;
    const input = files.file("table.txt", "ada@duck.com\n".repeat(rows));
    const path = `${files.path}/table.json`;
    const child = start(["detect", "-f", "table", "--summary-file", path, "-i", input]);
    const exit = waitForExit(child);
    await firstOutput(child);
    child.kill("SIGINT");
    const { status, stdout, stderr } = await exit;
    expect({ status, stderr }).toEqual({ status: 130, stderr: expect.stringMatching(INTERRUPTED) });
    const printed = linesOf(stdout).length - 1;
    expect(printed).toBeLessThan(rows / 2);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ rows: printed, exit_status: status });
  });

  it("SIGINT: --format json closes the array", async () => {
    const child = start(["detect", "-f", "json"]);
    const exit = waitForExit(child);
    child.stdin?.write("ada@example.org\nbob@example.org\n");
    await firstOutput(child);
    child.kill("SIGINT");
    const { status, stdout } = await exit;
    expect(status).toBe(130);
    expect(JSON.parse(stdout.toString())).toMatchObject([{ email: "ada@example.org" }, { email: "bob@example.org" }]);
  });

  // Only /proc tells that a FIFO is open before another process has opened it.
  it.skipIf(!existsSync("/proc/self/fd")).each([
    ["SIGINT", "waits for the writer of", 130, "", "--lines"],
    ["SIGINT", "waits for the header of the CSV in", 130, "", "--csv"],
    ["SIGTERM", "waits for the writer of", 143, "", "--lines"],
    ["SIGINT", "reads", 130, "ada@example.org\n", "--lines"],
    ["SIGTERM", "reads", 143, "ada@example.org\n", "--lines"],
  ] as const)("%s ends a run that %s a named pipe", async (signal, _, expected, input, kind) => {
    const fifo = `${files.path}/${signal}-${input.length}${kind}.fifo`;
    execFileSync("mkfifo", [fifo]);
    const child = start(["detect", kind, "-f", "plain", "-i", fifo]);
    const exit = waitForExit(child);
    const descriptors = `/proc/${child.pid}/fd`;
    const isOpen = (name: string): boolean =>
      statSync(`${descriptors}/${name}`, { throwIfNoEntry: false })?.ino === statSync(fifo).ino;
    await vi.waitUntil(() => readdirSync(descriptors).some(isOpen), { timeout: 120_000 });
    const writer = input === "" ? undefined : await open(fifo, "w");
    await writer?.write(input);
    if (writer !== undefined) await firstOutput(child);
    child.kill(signal);
    const { status, stdout, stderr } = await exit;
    await writer?.close();
    expect({ status, stdout: stdout.toString(), stderr }).toEqual({
      status: expected,
      stdout: input,
      stderr: expect.stringMatching(INTERRUPTED),
    });
  });

  it.each([
    ["a line", "detect", "ada@example.org\nbob@exam", 1],
    ["a quoted field", "detect --csv", 'email\nada@example.org\n"bob@example.org', 2],
  ])("SIGINT: detect discards an incomplete row at the end of the input: %s", async (_, call, input, lines) => {
    const child = start(call);
    const exit = waitForExit(child);
    // The command gets it in one read, so the start of the last row has arrived with the first output.
    child.stdin?.write(input);
    await firstOutput(child);
    child.kill("SIGINT");
    const { status, stdout, stderr } = await exit;
    expect({ status, stderr }).toEqual({ status: 130, stderr: expect.stringMatching(INTERRUPTED) });
    expect(linesOf(stdout)).toHaveLength(lines);
  });
});

it("a CSV record over 16 MiB ends the run with an error while input stays open", async () => {
  const child = start("detect --csv");
  const exit = waitForExit(child);
  child.stdin?.write('email\nada@example.org\n"');
  child.stdin?.write(Buffer.alloc(18 * 1024 * 1024, "aaaa,aaaa\n"));
  const { status, stdout, stderr } = await exit;
  child.stdin?.destroy();
  expect(stderr).toMatch(/^addrsift: row 3 does not end within 16 MiB: [^\n]+\n$/);
  expect([status, linesOf(stdout).length]).toEqual([2, 2]);
});

it.skipIf(!existsSync("/proc/net/tcp"))("a read error ends the run with status 2 after whole rows", async () => {
  const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  await new Promise((resolve) => server.once("listening", resolve));
  const peer = connect((server.address() as { port: number }).port, "127.0.0.1");
  const socket = await accepted;
  const child = spawn(process.execPath, [COMMAND, "detect"], { stdio: [socket, "pipe", "pipe"] });
  const exit = waitForExit(child);
  peer.write(readFileSync(many).subarray(0, 9 + 20 * 16));
  await firstOutput(child);
  peer.resetAndDestroy();
  const { status, stdout, stderr } = await exit;
  socket.destroy();
  server.close();
  expect(stderr).toMatch(/^addrsift: can't read standard input: [^\n]+\n$/);
  expect(status).toBe(2);
  expect(linesOf(stdout).length).toBeGreaterThan(1);
});

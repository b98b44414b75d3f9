// Servers for the benches and soaks: started, waited for, measured from outside, ended.

import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { ENV, ROOT } from "./measure.mjs";

const COMMAND = join(ROOT, "bin/addrsift.cjs");
const HELLO = join(import.meta.dirname, "hello.mjs");

/** A server that runs: its port, its process, and the way to end it. */
async function started(args, log, knownPort) {
  const output = openSync(log, "w");
  const child = spawn(process.execPath, args, { env: ENV, stdio: ["ignore", "ignore", output] });
  closeSync(output);
  const ended = new Promise((resolve) => child.once("close", resolve));
  let port;
  for (let i = 0; port === undefined && i < 1000; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (knownPort !== undefined) {
      const socket = await connected(knownPort);
      socket?.destroy();
      if (socket !== undefined) port = knownPort;
      continue;
    }
    const text = readFileSync(log, "utf8");
    port = /"port":(\d+)|"url":"http:\/\/[^"]*:(\d+)"/.exec(text)?.slice(1).find(Boolean);
  }
  if (port === undefined) throw new Error(`no server: ${readFileSync(log, "utf8")}`);
  return {
    port: Number(port),
    pid: child.pid,
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/** The daemon. Its log goes to a file, and need not say where it listens. */
export async function startDaemon(folder, args, name = "daemon") {
  const home = join(folder, "home");
  const port = await freePort();
  return started(
    [COMMAND, "serve", "--home", home, "--port", String(port), "--dns", "off", ...args],
    join(folder, `${name}.log`),
    port,
  );
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A bare server: `hello`, or `alike`, whose answers are like detections. */
export function startBare(folder, kind) {
  return started([HELLO, kind], join(folder, `${kind}.log`));
}

/** A key for everything. */
export function createKey(folder) {
  const args = ["keys", "create", "--home", join(folder, "home"), "--name", "bench", "--scopes", "emails:detect"];
  return execFileSync(process.execPath, [COMMAND, ...args], { env: ENV, encoding: "utf8" }).trim();
}

/** CPU seconds that a process has used (Linux). */
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Resident memory in MB (Linux). */
export function residentMb(pid) {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))[1]) / 1000;
}

/** Milliseconds from a program's start to the first connection that it takes, and to its first answer. */
export async function firstAccept(program, folder, port) {
  const args =
    program === "hello"
      ? [HELLO, "hello", String(port)]
      : [COMMAND, "serve", "--home", join(folder, "home"), "--port", String(port), "--log-level", "warn"];
  const begin = performance.now();
  const child = spawn(process.execPath, args, { env: ENV, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let socket;
  while (socket === undefined) socket = await connected(port);
  const accepted = performance.now() - begin;
  const answered = await new Promise((resolve) => {
    socket.once("data", () => resolve(performance.now() - begin));
    socket.write(
      "GET /api/v1/emails/detect?email=jane@gmail.com HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
  });
  socket.destroy();
  child.kill("SIGKILL");
  await ended;
  return { accepted, answered };
}

function connected(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", () => setTimeout(resolve, 1));
  });
}

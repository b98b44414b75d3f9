// Starts servers for the benches and soaks, waits until they are ready, measures them, and stops them.

import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { COMMAND, freePort, startNode } from "../helpers/programs.mjs";
import { ENV } from "./measure.mjs";

const HELLO = join(import.meta.dirname, "hello.mjs");

/** Starts a server on a free port, and waits until it accepts connections. Its log goes to a file. */
async function startServer(folder, name, argsForPort) {
  const port = await freePort();
  const log = join(folder, `${name}.log`);
  const output = openSync(log, "w");
  const child = startNode(argsForPort(String(port)), { env: ENV, stdio: ["ignore", "ignore", output] });
  closeSync(output);
  let socket;
  for (let i = 0; socket === undefined && i < 10_000; i += 1) socket = await tryConnect(port);
  if (socket === undefined) throw new Error(`no server: ${readFileSync(log, "utf8")}`);
  socket.destroy();
  return {
    port,
    pid: child.pid,
    stop: () => {
      child.kill("SIGTERM");
      return child.ended;
    },
  };
}

/** Starts the daemon. */
export function startDaemon(folder, args, name = "daemon") {
  const serve = [COMMAND, "serve", "--home", join(folder, "home"), "--dns", "off", ...args];
  return startServer(folder, name, (port) => [...serve, "--port", port]);
}

/** Starts a server of hello.mjs. */
export function startPeer(folder, kind) {
  return startServer(folder, kind, (port) => [HELLO, kind, port]);
}

export function createKey(folder, scopes = "emails:detect") {
  const args = ["keys", "create", "--home", join(folder, "home"), "--name", "bench", "--scopes", scopes];
  return execFileSync(process.execPath, [COMMAND, ...args], { env: ENV, encoding: "utf8" }).trim();
}

/** Returns the CPU seconds that the threads of a process have used, to the nanosecond (Linux). */
export function cpuSeconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((id) => Number.parseInt(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "latin1"), 10));
  return times.reduce((sum, time) => sum + time, 0) / 1e9;
}

function tryConnect(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", () => setTimeout(resolve, 1));
  });
}

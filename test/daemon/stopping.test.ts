// Tests a daemon that is stopped: it answers accepted requests, then exits with the signal's status. Real process and
// clients.

import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { type Daemon, send, testDaemon } from "../helpers/daemon.ts";

const started = (): Promise<Daemon> => testDaemon(["--dns", "off"]);

/** A stop closes connections that are silent for so long. */
const QUIET_MS = 500;

/** The end of one request of a client under load. */
type Fate = "answered" | "refused" | "dropped";

function askOnce(port: number, agent: Agent, path: string): Promise<Fate> {
  return new Promise((resolve) => {
    let connected = false;
    const outgoing = request({ host: "127.0.0.1", port, path, agent }, (incoming) => {
      let length = 0;
      incoming.on("data", (chunk: Buffer) => {
        length += chunk.length;
      });
      incoming.on("end", () => resolve(incoming.complete && length > 0 ? "answered" : "dropped"));
      incoming.on("error", () => resolve("dropped"));
    });
    outgoing.on("socket", (socket) => {
      connected = !socket.connecting;
      if (!connected) {
        socket.once("connect", () => {
          connected = true;
        });
      }
    });
    // A caller that was never let in was not accepted.
    outgoing.on("error", () => resolve(connected ? "dropped" : "refused"));
    outgoing.end();
  });
}

/**
 * A stop after a hundred answers, while so many clients ask again and again until one of them gets none. Each request that the daemon has
 * logged was answered; returns what became of all, and whether the clients may have said nothing for as long as a stop waits for them.
 */
async function stoppedUnder(
  count: number,
  ask: (port: number) => Promise<Fate>,
): Promise<{ readonly fates: Readonly<Record<Fate, number>>; readonly isBusy: boolean }> {
  const { port, stop, log } = await started();
  const fates: Record<Fate, number> = { answered: 0, refused: 0, dropped: 0 };
  let refused = false;
  const client = async (): Promise<void> => {
    while (!refused) {
      const fate = await ask(port);
      fates[fate] += 1;
      if (fate !== "answered") refused = true;
    }
  };
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  const clients = Array.from({ length: count }, client);
  await expect.poll(() => fates.answered).toBeGreaterThan(100);
  expect(await stop("SIGTERM")).toBe(143);
  await Promise.all(clients);
  const lines = log().match(/"route":"\/api\/v1\/emails\/detect".*/g) ?? [];
  expect(lines.filter((line) => !/"status":200.*"msg":"request"/.test(line))).toEqual([]);
  expect(lines).toHaveLength(fates.answered);
  return { fates, isBusy: delays.max / 1e6 > QUIET_MS / 2 };
}

/** Begins a request whose body has this length; resolves when the daemon has taken it, and waits for the body. */
async function begun(port: number, length: number): Promise<{ readonly socket: Socket; readonly text: () => string }> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  const head = "POST /api/v1/emails/detect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  socket.write(`${head}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`);
  await expect.poll(() => text).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  return { socket, text: () => text };
}

describe("SIGTERM", () => {
  it("SIGTERM under load: answers every accepted request", async () => {
    const path = "/api/v1/emails/detect?email=jane@gmail.com&explain=true";
    // A daemon that stalls closes connections which clients had no time to use: then another one is stopped.
    for (let dropped = 1, stops = 0; dropped > 0; stops++) {
      expect(stops).toBeLessThan(10);
      const agent = new Agent({ keepAlive: true, maxSockets: 32 });
      const { fates, isBusy } = await stoppedUnder(32, (port) => askOnce(port, agent, path));
      agent.destroy();
      dropped = isBusy ? 0 : fates.dropped;
    }
  });

  it("SIGTERM: accepts connections still in the listen backlog, and answers all requests", async () => {
    const path = "/api/v1/emails/detect?email=jane@gmail.com";
    await stoppedUnder(64, (port) => askOnce(port, new Agent({ maxSockets: 1 }), path));
  });

  it("SIGTERM: finishes receiving a request body", async () => {
    const { port, stop, log } = await started();
    const body = JSON.stringify({ emails: ["jane@gmail.com"] });
    const { socket, text } = await begun(port, body.length);
    const ended = new Promise((resolve) => socket.on("close", resolve));
    socket.write(body.slice(0, 10));
    const status = stop("SIGTERM");
    await expect.poll(log).toContain("stopping");
    await new Promise((resolve) => setTimeout(resolve, 700));
    socket.write(body.slice(10));
    await ended;
    expect(text()).toMatch(/\r\n\r\nHTTP\/1.1 200 OK\r\n.*Connection: close\r\n.*"email":"jane@gmail.com"/s);
    expect(await status).toBe(143);
  });

  it("SIGTERM: exits despite idle connections", async () => {
    const { port, stop } = await started();
    const silent = connect(port, "127.0.0.1");
    const idle = connect(port, "127.0.0.1");
    const answered = new Promise((resolve) => idle.once("data", resolve));
    idle.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await answered;
    const closed = Promise.all([silent, idle].map((socket) => new Promise((resolve) => socket.on("close", resolve))));
    expect(await stop("SIGTERM")).toBe(143);
    await closed;
  });

  it("a second SIGTERM exits immediately", async () => {
    const { port, child, log } = await started();
    await begun(port, 9);
    const ended = new Promise((resolve) => child.once("close", (_code, signal) => resolve(signal)));
    child.kill("SIGTERM");
    await expect.poll(log).toContain("stopping");
    child.kill("SIGTERM");
    expect(await ended).toBe("SIGTERM");
  });

  it("SIGTERM: exits although no one reads the log", async () => {
    const { port, child } = await started();
    child.stderr?.pause();
    const agent = new Agent({ keepAlive: true });
    // More lines than the socket and its reader buffer.
    for (let i = 0; i < 60; i++) {
      const fates = await Promise.all(Array.from({ length: 100 }, () => askOnce(port, agent, "/healthz")));
      expect(new Set(fates)).toEqual(new Set(["answered"]));
    }
    agent.destroy();
    const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
    child.kill("SIGTERM");
    expect(await ended).toBe("SIGTERM");
  });
});

describe("SIGINT", () => {
  it("SIGINT exits with 130", async () => {
    const { port, stop } = await started();
    expect((await send(port, "GET", "/healthz")).status).toBe(200);
    expect(await stop("SIGINT")).toBe(130);
  });
});

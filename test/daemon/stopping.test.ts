// Tests stopping the real process: it answers accepted requests, then exits with the signal's status.

import { Agent, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, it } from "vitest";
import { type Daemon, testDaemon } from "../helpers/daemon.ts";
import { objectsOf } from "../helpers/run.ts";

const startTestDaemon = (): Promise<Daemon> => testDaemon(["--dns", "off"]);

/** A stopping daemon closes connections that send nothing for this long. */
const QUIET_MS = 500;

/** "dropped": the connection was accepted, but the request got no complete response. */
type Outcome = "answered" | "refused" | "dropped";

function sendOnce(port: number, agent: Agent, path: string): Promise<Outcome> {
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
    // Without an established connection, the request was not accepted.
    outgoing.on("error", () => resolve(connected ? "dropped" : "refused"));
    outgoing.end();
  });
}

/**
 * Stops a daemon after a hundred responses, while `count` clients send requests until one gets no response. Expects each
 * logged request to have got its response. Returns the outcomes, and whether this process stalled for so long that the
 * daemon may have closed its connections as silent.
 */
async function stopUnderLoad(
  count: number,
  sendRequest: (port: number) => Promise<Outcome>,
): Promise<{ readonly outcomes: Readonly<Record<Outcome, number>>; readonly isBusy: boolean }> {
  const { port, stop, log } = await startTestDaemon();
  const outcomes: Record<Outcome, number> = { answered: 0, refused: 0, dropped: 0 };
  let refused = false;
  const client = async (): Promise<void> => {
    while (!refused) {
      const outcome = await sendRequest(port);
      outcomes[outcome] += 1;
      if (outcome !== "answered") refused = true;
    }
  };
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  const clients = Array.from({ length: count }, client);
  await expect.poll(() => outcomes.answered).toBeGreaterThan(100);
  expect(await stop("SIGTERM")).toBe(143);
  await Promise.all(clients);
  const lines = log().match(/"route":"\/api\/v1\/emails\/detect".*/g) ?? [];
  expect(lines.filter((line) => !/"status":200.*"msg":"request"/.test(line))).toEqual([]);
  expect(lines).toHaveLength(outcomes.answered);
  return { outcomes, isBusy: delays.max / 1e6 > QUIET_MS / 2 };
}

/** Starts a request with a body of `length` bytes. Resolves when the daemon waits for the body. */
async function startRequest(port: number, length: number): Promise<{ socket: Socket; text: () => string }> {
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

it("SIGTERM under load: the daemon answers every accepted request", async () => {
  const path = "/api/v1/emails/detect?email=jane@gmail.com&explain=true";
  // If this process stalls, the daemon closes connections that the clients had no time to use. Then try again.
  for (let dropped = 1, stops = 0; dropped > 0; stops++) {
    expect(stops).toBeLessThan(10);
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    const { outcomes, isBusy } = await stopUnderLoad(32, (port) => sendOnce(port, agent, path));
    agent.destroy();
    dropped = isBusy ? 0 : outcomes.dropped;
  }
});

it("SIGTERM: the daemon accepts connections still in the listen backlog, and answers all requests", async () => {
  const path = "/api/v1/emails/detect?email=jane@gmail.com";
  await stopUnderLoad(64, (port) => sendOnce(port, new Agent({ maxSockets: 1 }), path));
});

it("SIGTERM: the daemon finishes receiving a request body", async () => {
  const { port, stop, log } = await startTestDaemon();
  const body = JSON.stringify({ emails: ["jane@gmail.com"] });
  const { socket, text } = await startRequest(port, body.length);
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

it("SIGTERM: the daemon exits despite idle connections", async () => {
  const { port, stop } = await startTestDaemon();
  const silent = connect(port, "127.0.0.1");
  const idle = connect(port, "127.0.0.1");
  const answered = new Promise((resolve) => idle.once("data", resolve));
  idle.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await answered;
  const closed = Promise.all([silent, idle].map((socket) => new Promise((resolve) => socket.on("close", resolve))));
  expect(await stop("SIGTERM")).toBe(143);
  await closed;
});

it("SIGTERM: a stream that still runs after 20 s is cut, and the log says so before it ends", async () => {
  const { port, stop, log } = await startTestDaemon();
  const options = { host: "127.0.0.1", port, method: "POST", path: "/api/v1/emails/stream" };
  const outgoing = request({ ...options, headers: { "content-type": "text/plain" } });
  const response = new Promise<IncomingMessage>((resolve) => outgoing.on("error", () => {}).on("response", resolve));
  outgoing.write("jane.doe@gmail.com\n");
  (await response).on("error", () => {}).resume();
  expect(await stop("SIGTERM")).toBe(143);
  expect(objectsOf<{ msg: string; reason?: string }>(log()).slice(-4)).toMatchObject([
    { msg: "a stream was cut", reason: "the daemon stopped" },
    { msg: "response truncated" },
    { msg: "requests cut off after 20 s: 1" },
    { msg: "stopped" },
  ]);
});

it("a second SIGTERM ends the daemon immediately", async () => {
  const { port, child, log } = await startTestDaemon();
  await startRequest(port, 9);
  const ended = new Promise((resolve) => child.once("close", (_code, signal) => resolve(signal)));
  child.kill("SIGTERM");
  await expect.poll(log).toContain("stopping");
  child.kill("SIGTERM");
  expect(await ended).toBe("SIGTERM");
});

it("SIGTERM: the daemon ends even if no process reads its log", async () => {
  const { port, child } = await startTestDaemon();
  child.stderr?.pause();
  const agent = new Agent({ keepAlive: true });
  // Logs more lines than the socket and its reader can buffer.
  for (let i = 0; i < 60; i++) {
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => sendOnce(port, agent, "/healthz")));
    expect(new Set(outcomes)).toEqual(new Set(["answered"]));
  }
  agent.destroy();
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
  child.kill("SIGTERM");
  expect(await ended).toBe("SIGTERM");
});

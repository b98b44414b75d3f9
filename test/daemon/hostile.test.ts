// Tests hostile requests over raw sockets: each is rejected in bounded time, and a well-behaved client is still served.

import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type Daemon, send, sendRaw, startDaemon } from "../helpers/daemon.ts";

const DETECT = "/api/v1/emails/detect";
const HOST = "Host: localhost\r\n";
let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off", "--max-connections", "50"]);
});
afterAll(() => daemon.stop());
afterEach(async () => {
  // After each test, the daemon must still respond.
  expect((await send(daemon.port, "GET", `${DETECT}?email=jane@gmail.com`)).status).toBe(200);
});

const sendChunks = (...chunks: (string | Uint8Array)[]): Promise<string> => sendRaw(daemon.port, chunks);

/** Returns the status and code of a response. */
function outcome(answer: string): string {
  const [, status = "none"] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
  const [, code = "none"] = /"code":"([A-Z_]+)"/.exec(answer) ?? [];
  return `${status} ${code}`;
}

function post(headers: string, body = ""): string {
  return `POST ${DETECT} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nConnection: close\r\n${headers}\r\n${body}`;
}

it.each([
  ["a TLS handshake", Buffer.from("16030100c8010000c40303", "hex")],
  ["binary data", "\r\n\r\n\r\n\u0000\u0001\u0002\r\n\r\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["an unknown method", `BREW /healthz HTTP/1.1\r\n${HOST}\r\n`],
  ["a length with a space before its colon", post("Content-Length : 2\r\n", "{}")],
  ["a folded header", `GET /healthz HTTP/1.1\r\n${HOST}X: y\r\n z\r\n\r\n`],
  ["a target with bytes of UTF-8", `GET /\u00fc HTTP/1.1\r\n${HOST}\r\n`],
  ["two lengths", post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}")],
  ["a length and chunks", post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")],
  ["a negative length", post("Content-Length: -1\r\n", "{}")],
  ["a length that is not a number", post("Content-Length: two\r\n", "{}")],
  ["a chunk without a length", post("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n")],
  ["HTTP/2.0 in an HTTP/1 request line", `GET /healthz HTTP/2.0\r\n${HOST}\r\n`],
  ["HTTP/0.9 with headers", `GET /healthz HTTP/0.9\r\n${HOST}\r\n`],
])("%s gets 400 BAD_REQUEST and closes the connection", async (_, bytes) => {
  expect(outcome(await sendChunks(bytes))).toBe("400 BAD_REQUEST");
});

it("an HTTP/1.0 request with chunks and further bytes gets one 400 response with one Connection header", async () => {
  const chunked = `GET /healthz HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`;
  const answer = await sendChunks(`${chunked}0\r\n\r\nGET /healthz HTTP/1.0\r\n\r\nmore`);
  expect(answer.match(/^(HTTP\/1\.1 \d+|Connection: .*$)/gm)).toEqual(["HTTP/1.1 400", "Connection: close"]);
});

it("headers that follow 2,100 small headers are not dropped", async () => {
  const many = "a:\r\n".repeat(2100);
  const request = `POST ${DETECT} HTTP/1.1\r\n${HOST}${many}Content-Type: text/plain\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx`;
  expect(outcome(await sendChunks(request))).toBe("200 none");
});

it("a body whose chunks are too large together gets 413", async () => {
  const chunks = `10000\r\n${"x".repeat(0x10000)}\r\n`.repeat(10);
  expect(outcome(await sendChunks(`${post("Transfer-Encoding: chunked\r\n")}${chunks}`))).toBe("413 PAYLOAD_TOO_LARGE");
});

it("Expect: 100-continue: a body that is too large is rejected before it is sent", async () => {
  const answer = await sendChunks(post(`Content-Length: ${600 * 1024}\r\nExpect: 100-continue\r\n`));
  expect(outcome(answer)).toBe("413 PAYLOAD_TOO_LARGE");
  expect(answer).not.toContain("100 Continue");
});

it("Expect: 100-continue: the daemon requests the body before it answers 200", async () => {
  const body = '{"emails":["a@x.com"]}';
  const answer = await sendChunks(post(`Content-Length: ${body.length}\r\nExpect: 100-continue\r\n`), body);
  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});

it("a body of a gigabyte is rejected before it is complete", async () => {
  const socket = connect(daemon.port, "127.0.0.1");
  let answer = "";
  let sentBytes = 0;
  socket.on("data", (chunk) => {
    answer += chunk.toString();
  });
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.write(post(`Content-Length: ${1024 ** 3}\r\n`));
  const chunk = Buffer.alloc(64 * 1024, 0x78);
  const fill = (): void => {
    while (!socket.destroyed && socket.writable && sentBytes < 1024 ** 3) {
      sentBytes += chunk.length;
      if (!socket.write(chunk)) {
        socket.once("drain", fill);
        return;
      }
    }
  };
  fill();
  await closed;
  expect(outcome(answer)).toBe("413 PAYLOAD_TOO_LARGE");
  expect(sentBytes).toBeLessThan(256 * 1024 * 1024);
});

it("an unexpected body does not block the next request", async () => {
  const first = `GET /healthz HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`;
  const answer = await sendChunks(first, `GET /readyz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
  expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
});

it("65 pipelined requests are answered in order, then the connection closes", async () => {
  const request = (i: number): string => `GET ${DETECT}?email=user${i}@example.org HTTP/1.1\r\n${HOST}\r\n`;
  const text = await sendChunks(Array.from({ length: 2000 }, (_, i) => request(i)).join(""));
  const answeredNumbers = Array.from(text.matchAll(/"email":"user(\d+)@/g), ([, number]) => Number(number));
  expect(answeredNumbers).toEqual(Array.from({ length: 65 }, (_, i) => i));
  expect(text.match(/^Connection: close\r$/gm)).toHaveLength(1);
});

it("a connection can pipeline 65 requests again after all were answered", async () => {
  const round = `GET /healthz HTTP/1.1\r\n${HOST}\r\n`.repeat(50);
  const last = `GET /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
  const count = (text: string): number => text.split("HTTP/1.1 200 OK\r\n").length - 1;
  const text = await sendRaw(daemon.port, [round, round, round, last], (back, i) => count(back) === 50 * i);
  expect(count(text)).toBe(151);
});

it("the daemon still answers after connections that ended during a request", async () => {
  for (const text of ["GET /hea", `GET /healthz HTTP/1.1\r\n${HOST}`, post("Content-Length: 100\r\n", '{"emails"')]) {
    await new Promise<void>((resolve) => {
      const socket = connect(daemon.port, "127.0.0.1", () => {
        socket.write(text, () => socket.destroy());
      });
      socket.on("close", () => resolve());
    });
  }
});

it("above --max-connections, connections without a request are closed first", async () => {
  const sockets = Array.from({ length: 200 }, () => connect(daemon.port, "127.0.0.1").on("error", () => {}));
  const closed = (): number => sockets.filter((socket) => socket.destroyed || socket.readableEnded).length;
  for (const socket of sockets) socket.resume();
  await expect.poll(closed).toBeGreaterThanOrEqual(150);
  // The newest connections stay open.
  expect(sockets.slice(-10).some((socket) => !socket.destroyed)).toBe(true);
  for (const socket of sockets) socket.destroy();
});

it("connections dropped above --max-connections are counted, and a warning is logged once", async () => {
  const full = await startDaemon(["--dns", "off", "--max-connections", "2"]);
  const unfinished = post("Content-Length: 100\r\n", '{"emails"').replace("Connection: close\r\n", "");
  const open = [unfinished, unfinished].map((text) => {
    const socket = connect(full.port, "127.0.0.1", () => socket.write(`GET /healthz HTTP/1.1\r\n${HOST}\r\n${text}`));
    return { socket, answered: new Promise((resolve) => socket.once("data", resolve)) };
  });
  for (const { answered } of open) await answered;
  for (let i = 0; i < 3; i += 1) expect(await sendRaw(full.port, [])).toBe("");
  await expect.poll(full.log).toContain('"dropped":1,"msg":"2 connections are open, others are dropped: raise');
  for (const { socket } of open) socket.destroy();
  const metrics = async (): Promise<string> =>
    send(full.port, "GET", "/metrics").then(
      ({ text }) => text,
      () => "",
    );
  await expect.poll(metrics).toContain("addrsift_connections_dropped_total 3\n");
  expect(full.log().match(/others are dropped/g)).toHaveLength(1);
  expect(await full.stop()).toBe(143);
});

it("above --max-connections, idle keep-alive connections are closed, and the daemon still answers", async () => {
  const sockets = Array.from({ length: 120 }, () => connect(daemon.port, "127.0.0.1").on("error", () => {}));
  const responses = sockets.map(
    (socket) =>
      new Promise<boolean>((resolve) => {
        socket.once("data", () => resolve(true)).once("close", () => resolve(false));
        socket.write(`GET /healthz HTTP/1.1\r\n${HOST}\r\n`);
      }),
  );
  const outcomes = await Promise.all(responses);
  expect(outcomes.filter(Boolean).length).toBeGreaterThanOrEqual(50);
  expect((await send(daemon.port, "GET", "/healthz")).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

it("incomplete headers get 408 after 10 s, an incomplete body after 15 s", async () => {
  const slow = async (request: string): Promise<[string, number]> => {
    const startedMs = performance.now();
    const answer = await sendRaw(daemon.port, [request]);
    return [outcome(answer), performance.now() - startedMs];
  };
  const [headers, silent, body] = await Promise.all([
    slow(`GET /healthz HTTP/1.1\r\n${HOST}`),
    slow(""),
    slow(post("Content-Length: 100\r\n", '{"emails"')),
  ]);
  for (const [answer] of [headers, silent, body]) expect(answer).toBe("408 REQUEST_TIMEOUT");
  for (const [, milliseconds] of [headers, silent]) expect(milliseconds).toBeGreaterThan(8500);
  expect(body[1]).toBeGreaterThan(13_500);
  // The body's line has the route, the others have no method.
  const fault = '"status":408,"code":"REQUEST_TIMEOUT","ms":[\\d.]+,"peer":"127.0.0.1","msg":"request"';
  await expect.poll(daemon.log).toMatch(new RegExp(`"method":"POST","route":"${DETECT}",${fault}`));
  expect(daemon.log().match(new RegExp(`"method":"other",${fault}`, "g"))).toHaveLength(2);
});

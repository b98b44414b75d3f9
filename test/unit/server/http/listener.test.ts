// Tests responses to bytes that are not a valid request, over real sockets.

import { connect, Server as NetServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Listener } from "../../../../src/server/http/listener.ts";
import { DuplexBody, StreamCutError } from "../../../../src/server/http/streaming.ts";
import { sendRaw } from "../../../helpers/daemon.ts";
import { listenOnFreePort } from "../../../helpers/listening.ts";

const listener = new Listener((_, response) => response.end("answered"), { maxConnections: 10 });
let port = 0;
beforeAll(async () => {
  port = await listenOnFreePort(listener.server);
});
afterAll(() => listener.stop({ sweepMs: 10, limitMs: 1000 }));

it.each([
  ["text that is not HTTP", "hello\r\n\r\n", 400, "BAD_REQUEST", "is not valid HTTP/1.1"],
  ["a header without a colon", "GET / HTTP/1.1\r\nx\r\n\r\n", 400, "BAD_REQUEST", "is not valid HTTP/1.1"],
  ["a target with invalid bytes", "GET /\x00 HTTP/1.1\r\n\r\n", 400, "BAD_REQUEST", "percent-encode them"],
  ["headers over 16 KiB", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431, "HEADERS_TOO_LARGE", "16 KiB"],
  ["CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "BAD_REQUEST", "is not a proxy"],
] as const)("the listener answers $0 with $2 $3 and closes the connection", async (_, text, status, code, message) => {
  const answer = await sendRaw(port, [text]);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\r\nConnection: close\r\n`));
  expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toEqual({
    code,
    message: expect.stringContaining(message),
  });
});

it("a rejected connection does not affect another one", async () => {
  await sendRaw(port, ["hello\r\n\r\n"]);
  expect(await sendRaw(port, ["GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"])).toContain("answered");
});

it("a pipelined request is handled after the response to the previous request", async () => {
  const events: string[] = [];
  const slow = new Listener(
    async (request, response) => {
      events.push(`start ${request.url}`);
      for (let i = 0; i < 20; i++) await setImmediate();
      events.push(`end ${request.url}`);
      response.end();
    },
    { maxConnections: 10 },
  );
  const slowPort = await listenOnFreePort(slow.server);
  const last = "GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  await sendRaw(slowPort, [`PATCH /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n${last}`]);
  expect(events).toEqual(["start /1", "end /1", "start /2", "end /2", "start /3", "end /3"]);
  await slow.stop({ sweepMs: 10, limitMs: 1000 });
});

it("stop() returns the number of requests that it cut off", async () => {
  const started: string[] = [];
  const hanging = new Listener(
    ({ url = "" }, response) => {
      started.push(url);
      if (url === "/done") response.end();
    },
    { maxConnections: 10 },
  );
  const hangingPort = await listenOnFreePort(hanging.server);
  const paths = ["/done", "/1", "/2"];
  const answers = paths.map((path) => sendRaw(hangingPort, [`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`]));
  await expect.poll(() => started.toSorted()).toEqual(["/1", "/2", "/done"]);
  expect(await hanging.stop({ sweepMs: 10_000, limitMs: 10 })).toBe(2);
  await Promise.all(answers);
});

it("stop() tells the streams that it cuts that the daemon stopped", async () => {
  const bodies: DuplexBody[] = [];
  const streaming = new Listener(
    (request, response) => {
      bodies.push(new DuplexBody(request, response));
      response.writeHead(200).flushHeaders();
    },
    { maxConnections: 10 },
  );
  const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const answer = sendRaw(await listenOnFreePort(streaming.server), [head]);
  await expect.poll(() => bodies).toHaveLength(1);
  await streaming.stop({ sweepMs: 10_000, limitMs: 10 });
  expect(bodies[0]?.failure).toEqual(new StreamCutError("the daemon stopped"));
  await answer;
});

it("an error in the body of an answered request gets no second response", async () => {
  const text = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n";
  const answer = await sendRaw(port, [text]);
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
});

// Other kernels handle a backlog of 0 differently.
it.runIf(process.platform === "linux")("stop() resets no connection that arrives while the port closes", async () => {
  const stopped = new Listener((_, response) => response.end(), { maxConnections: 10 });
  const stoppedPort = await listenOnFreePort(stopped.server);
  const outcomes: Promise<string>[] = [];
  const { close } = NetServer.prototype;
  const spy = vi.spyOn(NetServer.prototype, "close").mockImplementation(function (this: NetServer, done) {
    outcomes.push(
      new Promise((resolve) => {
        const client = connect(stoppedPort, "127.0.0.1", () => resolve("connected"));
        client.once("error", (error: NodeJS.ErrnoException) => resolve(String(error.code)));
      }),
    );
    // Closes after the client has connected, and before the server accepts the connection.
    process.nextTick(() => close.call(this, done));
    return this;
  });
  await stopped.stop({ sweepMs: 10, limitMs: 1000 });
  spy.mockRestore();
  expect(await Promise.all(outcomes)).toEqual(["ECONNREFUSED"]);
});

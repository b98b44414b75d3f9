// Answers to bytes that are not a request, over real sockets.

import { afterAll, beforeAll, expect, it } from "vitest";
import { Listener } from "../../../../src/server/http/listener.ts";
import { sendRaw } from "../../../helpers/daemon.ts";
import { listenOnFreePort } from "../../../helpers/listening.ts";

const listener = new Listener((_, response) => response.end("answered"), { maxConnections: 10 });
let port = 0;
beforeAll(async () => {
  port = await listenOnFreePort(listener.server);
});
afterAll(() => listener.stop({ sweepMs: 10, limitMs: 1000 }));

it.each([
  ["no HTTP", "hello\r\n\r\n", 400, "BAD_REQUEST", "is not valid HTTP/1.1"],
  ["a header without a name", "GET / HTTP/1.1\r\n: x\r\n\r\n", 400, "BAD_REQUEST", "is not valid HTTP/1.1"],
  ["a target with bytes of no URL", "GET /\x00 HTTP/1.1\r\n\r\n", 400, "BAD_REQUEST", "percent-encode them"],
  ["headers over 16 KiB", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431, "HEADERS_TOO_LARGE", "16 KiB"],
  ["CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "BAD_REQUEST", "is not a proxy"],
] as const)("%s gets %i %s and closes the connection", async (_, text, status, code, message) => {
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

// Tests streams over real sockets: when a client counts as idle, and that an evicted stream's connection closes
// immediately.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DuplexBody, StreamEvictedError, sendStream } from "../../../../src/server/http/streaming.ts";
import { listenOnFreePort } from "../../../helpers/listening.ts";

const server = createServer();
let caller: Socket;
let response: ServerResponse;
let streams: DuplexBody;
beforeEach(async () => {
  caller = connect(await listenOnFreePort(server), "127.0.0.1");
  caller.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  [, response] = await once(server, "request");
  streams = new DuplexBody(response.req, response);
});
afterEach(() => {
  vi.restoreAllMocks();
  caller.destroy();
  server.close();
});

const bytes = new Uint8Array(10);
const send = (run: () => Promise<string>): Promise<unknown> =>
  sendStream(response, streams, { type: "text/plain", run, rows: () => 0 }, [], false);

it("idle time counts only while the stream waits for its client", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  expect(await streams.read(bytes, 0)).toBe(3);
  now.mockReturnValue(500_000);
  expect(streams.idleMs).toBe(0);
  // Nor does its connection have a limit of its own.
  expect(response.req.socket.timeout).toBe(0);
  const reading = streams.read(bytes, 0);
  now.mockReturnValue(530_000);
  expect(streams.idleMs).toBe(30_000);
  caller.write("1\r\nd\r\n");
  expect([await reading, streams.idleMs]).toEqual([1, 0]);
});

it.each([1, 50, 340])("a client that sends %i bytes per minute stays idle", async (count) => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  await streams.read(bytes, 0);
  let reading = streams.read(new Uint8Array(2048), 0);
  for (const minute of [1, 2, 3]) {
    now.mockReturnValue(minute * 60_000);
    caller.write(`${count.toString(16)}\r\n${"x".repeat(count)}\r\n`);
    expect(await reading).toBe(count);
    reading = streams.read(new Uint8Array(2048), 0);
    expect(streams.idleMs).toBe(minute * 60_000);
  }
  caller.write("0\r\n\r\n");
  expect(await reading).toBe(0);
});

it("1 KiB sent or read by the client resets its idle time", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  await streams.read(bytes, 0);
  const reading = streams.read(bytes, 0);
  now.mockReturnValue(100_000);
  expect(streams.idleMs).toBe(100_000);
  caller.write(`400\r\n${"x".repeat(1024)}\r\n`);
  await reading;
  // It does not read the response.
  response.req.socket.cork();
  const writing = streams.write(new Uint8Array(1024));
  now.mockReturnValue(160_000);
  expect(streams.idleMs).toBe(60_000);
  response.req.socket.uncork();
  await writing;
  const ending = streams.read(new Uint8Array(2048), 0).then(() => streams.read(bytes, 0));
  await vi.waitFor(() => expect(streams.idleMs).toBe(0));
  caller.write("0\r\n\r\n");
  expect(await ending).toBe(0);
});

it("aborting a started stream closes its connection immediately", async () => {
  send(() => new Promise(() => {}));
  await once(caller, "data");
  streams.abort("another one needs the place");
  expect(response.req.socket.destroyed).toBe(true);
  await expect(streams.read(bytes, 0)).resolves.toBe(3);
  await expect(streams.read(bytes, 0)).rejects.toEqual(new StreamEvictedError("another one needs the place"));
});

it("a stream that ends before its request body closes the connection", async () => {
  const finished = once(response, "finish");
  await send(async () => "");
  await finished;
  expect(response.req.socket.destroyed).toBe(true);
});

it("a stream that fails closes the connection", async () => {
  const failure = new Error("no");
  expect(await send(() => Promise.reject(failure))).toBe(failure);
  expect(response.req.socket.destroyed).toBe(true);
});

// Tests streams over real sockets: when a client counts as idle, and that an evicted stream's connection closes
// immediately.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DuplexBody, StreamCutError, sendStream } from "../../../../src/server/http/streaming.ts";
import { listenOnFreePort } from "../../../helpers/listening.ts";

const server = createServer();
let client: Socket;
let response: ServerResponse;
let duplex: DuplexBody;
beforeEach(async () => {
  client = connect(await listenOnFreePort(server), "127.0.0.1");
  client.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  [, response] = await once(server, "request");
  duplex = new DuplexBody(response.req, response);
});
afterEach(() => {
  vi.restoreAllMocks();
  client.destroy();
  server.close();
});

const bytes = new Uint8Array(10);
const send = (run: () => Promise<string>): Promise<unknown> =>
  sendStream(response, duplex, { type: "text/plain", run, rows: () => 0 }, [], false);

it("the idle time of a stream grows only while it waits for its client", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  expect(await duplex.read(bytes, 0)).toBe(3);
  now.mockReturnValue(500_000);
  expect(duplex.idleMs).toBe(0);
  // The connection has no idle timeout either.
  expect(response.req.socket.timeout).toBe(0);
  const reading = duplex.read(bytes, 0);
  now.mockReturnValue(530_000);
  expect(duplex.idleMs).toBe(30_000);
  client.write("1\r\nd\r\n");
  expect([await reading, duplex.idleMs]).toEqual([1, 0]);
});

it.each([1, 50, 340])("a client that sends %i bytes per minute stays idle", async (count) => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  await duplex.read(bytes, 0);
  let reading = duplex.read(new Uint8Array(2048), 0);
  for (const minute of [1, 2, 3]) {
    now.mockReturnValue(minute * 60_000);
    client.write(`${count.toString(16)}\r\n${"x".repeat(count)}\r\n`);
    expect(await reading).toBe(count);
    reading = duplex.read(new Uint8Array(2048), 0);
    expect(duplex.idleMs).toBe(minute * 60_000);
  }
  client.write("0\r\n\r\n");
  expect(await reading).toBe(0);
});

it("1 KiB sent or read by the client resets its idle time", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  await duplex.read(bytes, 0);
  const reading = duplex.read(bytes, 0);
  now.mockReturnValue(100_000);
  expect(duplex.idleMs).toBe(100_000);
  client.write(`400\r\n${"x".repeat(1024)}\r\n`);
  await reading;
  // Simulates a client that does not read the response.
  response.req.socket.cork();
  const writing = duplex.write(new Uint8Array(1024));
  now.mockReturnValue(160_000);
  expect(duplex.idleMs).toBe(60_000);
  response.req.socket.uncork();
  await writing;
  const ending = duplex.read(new Uint8Array(2048), 0).then(() => duplex.read(bytes, 0));
  await vi.waitFor(() => expect(duplex.idleMs).toBe(0));
  client.write("0\r\n\r\n");
  expect(await ending).toBe(0);
});

it("aborting a started stream closes its connection immediately", async () => {
  send(() => new Promise(() => {}));
  await once(client, "data");
  duplex.abort("another stream needs the slot");
  expect(response.req.socket.destroyed).toBe(true);
  await expect(duplex.read(bytes, 0)).resolves.toBe(3);
  await expect(duplex.read(bytes, 0)).rejects.toEqual(new StreamCutError("another stream needs the slot"));
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

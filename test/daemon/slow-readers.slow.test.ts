// Tests clients that read slowly, or not at all, for minutes.

import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Daemon, send, startDaemon } from "../helpers/daemon.ts";

const PATH = "/api/v1/emails/detect";
const MINUTE_MS = 60_000;
let daemon: Daemon;
let limited: Daemon;
beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off"]);
  limited = await startDaemon(["--dns", "off", "--stream-limit", "1"]);
});
afterAll(async () => {
  await daemon.stop("SIGKILL");
  await limited.stop("SIGKILL");
});

/** Sends rows as fast as the daemon reads them. Returns the response, unread. */
function sendRows(port: number, rows: number, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const all = { "content-type": "text/plain", ...headers };
    const outgoing = request({ host: "127.0.0.1", port, method: "POST", path: PATH, headers: all, agent: false });
    outgoing.on("response", resolve).on("error", reject);
    outgoing.end("jane.doe@gmail.com\n".repeat(rows));
  });
}

/** Reads at `bytesPerSecond` for `forMs`, then the rest. Returns the row count, and whether the response is complete. */
async function readSlowly(incoming: IncomingMessage, bytesPerSecond: number, forMs: number): Promise<unknown[]> {
  const startedMs = performance.now();
  let rows = 0;
  const count = (chunk: Buffer | null): void => {
    for (const byte of chunk ?? []) if (byte === 0x0a) rows += 1;
  };
  incoming.on("readable", () => {});
  while (performance.now() - startedMs < forMs && !incoming.destroyed) {
    count(incoming.read(Math.min(bytesPerSecond, incoming.readableLength)) as Buffer | null);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  incoming.removeAllListeners("readable");
  try {
    for await (const chunk of incoming) count(chunk as Buffer);
  } catch {
    // The response was truncated.
  }
  return [rows, incoming.complete];
}

it.concurrent.each([
  ["5 KB a second for 3 minutes", 5000, 3 * MINUTE_MS],
  ["200 rows a second for 2 minutes", 200 * 220, 2 * MINUTE_MS],
])("a client that reads %s gets the whole stream, for a chunked request body", async (_, bytesPerSecond, forMs) => {
  expect(await readSlowly(await sendRows(daemon.port, 200_000), bytesPerSecond, forMs)).toEqual([200_000, true]);
});

it.concurrent("a client that reads 100 rows per second gets the whole stream, for a body with Content-Length", async () => {
  const incoming = await sendRows(daemon.port, 20_000, { "content-length": String(20_000 * 19) });
  expect(await readSlowly(incoming, 100 * 220, 2 * MINUTE_MS)).toEqual([20_000, true]);
});

it.concurrent("a client that reads nothing loses its stream slot after two minutes, with a log line", async () => {
  const incoming = await sendRows(limited.port, 200_000);
  const headers = { "content-type": "text/plain" };
  const sendAnother = () => send(limited.port, "POST", PATH, { headers, body: "joe@mailinator.com\n" });
  const startedMs = performance.now();
  let status = 0;
  while (status !== 200 && performance.now() - startedMs < 4 * MINUTE_MS) {
    ({ status } = await sendAnother());
    if (status !== 200) expect(status).toBe(429);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  expect(status).toBe(200);
  expect(performance.now() - startedMs).toBeGreaterThan(1.9 * MINUTE_MS);
  const line = /"level":40[^\n]*its client sent or read less than 1 KiB in 12\d s/;
  // expect.poll() does not support concurrent tests.
  await vi.waitFor(() => expect(limited.log()).toMatch(line), { timeout: MINUTE_MS });
  incoming.destroy();
});

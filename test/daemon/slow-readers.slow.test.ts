// Tests clients that read slowly, or not at all, for minutes.

import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Daemon, send, startDaemon } from "../helpers/daemon.ts";

const PATH = "/api/v1/emails/detect";
const MINUTE_MS = 60_000;
let daemon: Daemon;
let narrow: Daemon;
beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off"]);
  narrow = await startDaemon(["--dns", "off", "--stream-limit", "1"]);
});
afterAll(async () => {
  await daemon.stop("SIGKILL");
  await narrow.stop("SIGKILL");
});

/** Sends this many rows as fast as they are taken; returns the answer, which is not read. */
function sendRows(port: number, rows: number, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const all = { "content-type": "text/plain", ...headers };
    const outgoing = request({ host: "127.0.0.1", port, method: "POST", path: PATH, headers: all, agent: false });
    outgoing.on("response", resolve).on("error", reject);
    outgoing.end("jane.doe@gmail.com\n".repeat(rows));
  });
}

/** Reads so many bytes each second for a while, then all; returns how many rows came, and whether that was all. */
async function readSlowly(incoming: IncomingMessage, bytesPerSecond: number, forMs: number): Promise<unknown[]> {
  const begun = performance.now();
  let rows = 0;
  const count = (chunk: Buffer | null): void => {
    for (const byte of chunk ?? []) if (byte === 0x0a) rows += 1;
  };
  incoming.on("readable", () => {});
  while (performance.now() - begun < forMs && !incoming.destroyed) {
    count(incoming.read(Math.min(bytesPerSecond, incoming.readableLength)) as Buffer | null);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  incoming.removeAllListeners("readable");
  try {
    for await (const chunk of incoming) count(chunk as Buffer);
  } catch {
    // It was cut.
  }
  return [rows, incoming.complete];
}

it.concurrent.each([
  ["5 KB a second for 3 minutes", 5000, 3 * MINUTE_MS],
  ["200 rows a second for 2 minutes", 200 * 220, 2 * MINUTE_MS],
])("a caller that reads %s gets the whole stream", async (_, bytesPerSecond, forMs) => {
  expect(await readSlowly(await sendRows(daemon.port, 200_000), bytesPerSecond, forMs)).toEqual([200_000, true]);
});

it.concurrent("a caller that reads 100 rows per second gets the whole stream, for a body with Content-Length", async () => {
  const incoming = await sendRows(daemon.port, 20_000, { "content-length": String(20_000 * 19) });
  expect(await readSlowly(incoming, 100 * 220, 2 * MINUTE_MS)).toEqual([20_000, true]);
});

it.concurrent("a caller that reads nothing loses its slot after two minutes, which is logged", async () => {
  const incoming = await sendRows(narrow.port, 200_000);
  const headers = { "content-type": "text/plain" };
  const another = () => send(narrow.port, "POST", PATH, { headers, body: "joe@mailinator.com\n" });
  const begun = performance.now();
  let status = 0;
  while (status !== 200 && performance.now() - begun < 4 * MINUTE_MS) {
    ({ status } = await another());
    if (status !== 200) expect(status).toBe(429);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  expect(status).toBe(200);
  expect(performance.now() - begun).toBeGreaterThan(1.9 * MINUTE_MS);
  const line = /"level":40[^\n]*its client sent or read less than 1 KiB in 12\d s/;
  // Of tests beside each other, expect.poll does not know which one it is in.
  await vi.waitFor(() => expect(narrow.log()).toMatch(line), { timeout: MINUTE_MS });
  incoming.destroy();
});

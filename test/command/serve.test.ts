// `addrsift serve` as a command: settings that make no sense, addresses that are not available, a broken store, closed outputs.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, startDaemon } from "../helpers/daemon.ts";
import { COMMAND, cleanEnvironment, run, scratch } from "../helpers/run.ts";

let folder: ReturnType<typeof scratch>;
beforeEach(() => {
  folder = scratch();
});
afterEach(() => folder.remove());

async function failure(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { status, stdout, stderr } = await run(["serve", "--home", folder.path, "--port", "0", ...args], { env });
  expect(stdout.toString()).toBe("");
  expect(status).toBe(2);
  return stderr.toString();
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

describe("settings", () => {
  it.each([
    [["--port", "65536"], `--port can't be "65536": give a whole number from 0 to 65535`],
    [["--port", "http"], `--port can't be "http"`],
    [["--port", "-1"], "--port"],
    [["--host", "http://localhost"], '--host must be an address, not "http://localhost"'],
    [["--host", "localhost:8025"], '--host must be an address, not "localhost:8025"'],
    [["--host", ""], "--host"],
    [["--public-url", "example.com"], "the public URL is not usable"],
    [["--public-url", "ftp://example.com"], "the public URL is not usable"],
    [["--public-url", "https://user:pw@example.com"], "the public URL is not usable"],
    [["--public-url", "https://example.com/?q=1"], "the public URL is not usable"],
    [["--rate-limit", "0"], '--rate-limit can\'t be "0"'],
    [["--rate-limit", "1.5"], '--rate-limit can\'t be "1.5"'],
    [["--max-connections", "0"], '--max-connections can\'t be "0"'],
    [["--log-level", "loud"], '--log-level does not know "loud"'],
    [["--dns-server", "name.example"], "name.example"],
    [["--dns-timeout", "0"], '--dns-timeout can\'t be "0"'],
    [["extra"], "too many arguments"],
  ])("%j are refused in one line that says how to fix them", async (args, message) => {
    const line = await failure(args);
    expect(line).toContain(message);
    expect(line).toMatch(/^addrsift: [^\n]+: [^\n]+\n$/);
  });

  it("settings of the environment count, options before them", async () => {
    const line = await failure([], { ADDRSIFT_PUBLIC_URL: "https://user:secret@example.com" });
    expect(line).toContain("the public URL is not usable");
    expect(line).not.toContain("secret");
    const env = { ADDRSIFT_PUBLIC_URL: "https://api.example.com" };
    const daemon = await startDaemon(["--log-level", "warn"], { env });
    expect((await ask(daemon.port, "GET", "/healthz", { headers: { host: "api.example.com" } })).status).toBe(200);
    expect(await daemon.stop()).toBe(143);
  });
});

describe("an address", () => {
  it("an address that is taken is 2 with one line", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
    });
    const line = await failure(["--port", String(port)]);
    server.close();
    expect(line).toBe(
      `addrsift: can't listen on 127.0.0.1 port ${port}: another program listens there, stop it or choose another --port\n`,
    );
  });

  it("an address that this machine does not have is 2 with one line", async () => {
    expect(await failure(["--host", "192.0.2.1"])).toMatch(
      /^addrsift: can't listen on 192\.0\.2\.1 port 0: .*--host\n$/,
    );
    expect(await failure(["--host", "no-such-host.invalid"])).toMatch(
      /^addrsift: can't listen on no-such-host\.invalid .*\n$/,
    );
  });

  it("may be of version 6, or a name", async () => {
    for (const host of ["localhost", "::1", "[::1]"]) {
      const daemon = await startDaemon(["--host", host]).catch((error: Error) => error);
      // A machine without IPv6 says so.
      if (daemon instanceof Error) expect(daemon.message).toContain("no such address");
      else expect(await daemon.stop()).toBe(143);
    }
  });
});

describe("what is around the daemon", () => {
  it("a broken store stops it before it listens", async () => {
    folder.file("store.json", "{ this is no JSON");
    const line = await failure([]);
    expect(line).toContain("store.json");
    expect(line).not.toContain("listening");
  });

  it("with a closed standard error don't stop it", async () => {
    const args = [COMMAND, "serve", "--home", folder.path, "--port", "0"];
    const child = spawn(process.execPath, args, { env: cleanEnvironment({}), stdio: ["ignore", "ignore", "pipe"] });
    const port = await new Promise<number>((resolve) => {
      child.stderr.once("data", (chunk: Buffer) => resolve(Number(/:(\d+)"/.exec(chunk.toString())?.[1])));
    });
    child.stderr.destroy();
    for (let i = 0; i < 20; i += 1) expect((await ask(port, "GET", "/healthz")).status).toBe(200);
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
  });

  it("--quiet logs only errors", async () => {
    const port = await freePort();
    const args = [COMMAND, "serve", "--quiet", "--home", folder.path, "--port", String(port)];
    const child = spawn(process.execPath, args, { env: cleanEnvironment({}), stdio: ["ignore", "pipe", "pipe"] });
    let heard = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        heard += chunk.toString();
      });
    }
    const ended = new Promise((resolve) => child.once("close", resolve));
    const alive = (): Promise<number> =>
      ask(port, "GET", "/healthz").then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(alive).toBe(200);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(heard).toBe("");
  });
});

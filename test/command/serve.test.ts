// Tests `addrsift serve` as a command: wrong settings, unavailable addresses, a damaged store, closed outputs.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { send, startDaemon } from "../helpers/daemon.ts";
import { listenOnFreePort } from "../helpers/listening.ts";
import { freePort } from "../helpers/programs.mjs";
import { COMMAND, cleanEnvironment, expectOneLine, expectRefused, runProcess, scratch } from "../helpers/run.ts";

let folder: ReturnType<typeof scratch>;
beforeEach(() => {
  folder = scratch();
});
afterEach(() => folder.remove());

const expectServeRefused = (options: string, message: string | RegExp): Promise<void> =>
  expectRefused(`serve --home ${folder.path}${options}${options.includes("--port") ? "" : " --port 0"}`, message);

const NO_PUBLIC_URL = /the public URL \(--public-url or ADDRSIFT_PUBLIC_URL\) is not usable: /;

it("serve --check reports valid settings and warnings", async () => {
  const args = ["serve", "--check", "--home", folder.path, "--port", "0"];
  const env = { ADDRSIFT_PUBLICURL: "x" };
  const { status, stderr } = await runProcess(args, { env });
  const text = stderr.toString();
  expect([status, text]).toEqual([0, expect.stringContaining("ADDRSIFT_PUBLICURL has no effect")]);
  expect(text).toMatch(new RegExp(`^addrsift: the daemon can start .*${folder.path}$`, "m"));
  expect(text).not.toContain("listening");
});

it("serve --check succeeds while the daemon runs, with a warning that the port is in use", async () => {
  const server = createServer();
  const port = await listenOnFreePort(server);
  const { status, stderr } = await runProcess(["serve", "--check", "--home", folder.path, "--port", `${port}`]);
  server.close();
  expect(status).toBe(0);
  expect(stderr.toString()).toContain(`--port ${port} is in use, which is normal while the daemon runs`);
});

it.each<[string, string, Readonly<Record<string, string>>, RegExp]>([
  [
    "an address of another machine",
    "--host 192.0.2.1",
    {},
    /can't listen on 192\.0\.2\.1 port 8025: this machine has no /,
  ],
  ["a wrong option", "--public-url x", {}, NO_PUBLIC_URL],
  ["a home that can't be created", "", { ADDRSIFT_HOME: "/proc/nope" }, /^addrsift: can't use \/proc\/nope: /],
  ["other lists", "--data-version 1", {}, /lists/],
  ["a wrong mail server", "", { ADDRSIFT_SMTP_URL: "mail" }, /ADDRSIFT_SMTP_URL .*is not an SMTP URL/],
  [
    "two mail servers",
    "",
    { ADDRSIFT_SMTP_URL: "smtp://h", ADDRSIFT_SMTP_URL_FILE: "/dev/null" },
    /_URL and ADDRSIFT_SMTP_URL_FILE are both set/,
  ],
  ["an empty file for the mail server", "", { ADDRSIFT_SMTP_URL_FILE: "/dev/null" }, /SMTP_URL_FILE is empty: /],
  ["a missing file for the mail server", "", { ADDRSIFT_SMTP_URL_FILE: "/no/file" }, /SMTP_URL_FILE: there is no /],
  ["a database that is down", "", { ADDRSIFT_STORE: "postgresql://x@127.0.0.1:1/y" }, /does not answer/],
])("serve --check ends with status 2 and one line: %s", (_, options, env, message) =>
  expectRefused(`serve --check ${options}`.trim(), message, { env: { ADDRSIFT_HOME: folder.path, ...env } }),
);

it.each([
  ["--port 65536", /--port can't be "65536": give a whole number from 0 to 65535/],
  ["--port 8025 --metrics-port 8025", /--port and --metrics-port are both 8025: choose /],
  ["--host http://localhost", /--host or ADDRSIFT_HOST must be an address, not "http:\/\/localhost": /],
  ["--host localhost:8025", /--host or ADDRSIFT_HOST must be an address, not "localhost:8025": /],
  ["--host ", /--host.*: /],
  ["--public-url example.com", NO_PUBLIC_URL],
  ["--public-url ftp://example.com", NO_PUBLIC_URL],
  ["--public-url https://user:pw@example.com", NO_PUBLIC_URL],
  ["--public-url https://example.com/?q=1", NO_PUBLIC_URL],
  ["--dns-server name.example", /name\.example.*: /],
  ["extra", /serve takes no arguments, not 1: /],
])("serve %s is rejected in one line with the fix", async (options, message) =>
  expectServeRefused(` ${options}`, message),
);

it.each<[Readonly<Record<string, string>>, string, RegExp]>([
  [
    { ADDRSIFT_PUBLIC_URL: "https://u:secret@example.com" },
    "",
    /^addrsift: the public URL \(.*\) is not usable(?!.*secret)/,
  ],
  [{ ADDRSIFT_TRUST_PROXY: "10.0.0.0/8, lan" }, "", /^addrsift: --trust-proxy or ADDRSIFT_TRUST_PROXY has "lan", /],
  [
    { ADDRSIFT_METRICS_PORT: "tcp://10.0.0.1:9464" },
    "",
    /^addrsift: ADDRSIFT_METRICS_PORT can't be "tcp:\/\/10\.0\.0\.1:9464", which Kubernetes sets /,
  ],
  [{ ADDRSIFT_PORT: "tcp://10.0.0.1:8025" }, "", /^addrsift: ADDRSIFT_PORT can't be "tcp:.*, which Kubernetes sets /],
  [
    { ADDRSIFT_PUBLIC_DETECT: "1" },
    "",
    /^addrsift: ADDRSIFT_PUBLIC_DETECT does not know "1": choose from true, false$/m,
  ],
  [{ ADDRSIFT_LOG_LEVEL: "warning" }, "", /^addrsift: ADDRSIFT_LOG_LEVEL does not know "warning": choose from trace, /],
  [{ ADDRSIFT_UPDATE_LISTS: "24h" }, " --data-version 1", /^addrsift: --data-version and --update-lists exclude /],
])("serve with %j%s is rejected in one line with the fix", async (env, options, message) =>
  expectRefused(`serve --home ${folder.path}${options}`, message, { env: { ADDRSIFT_PORT: "0", ...env } }),
);

it("serve reads environment variables, and options override them", async () => {
  const env = {
    // The option --port overrides it.
    ADDRSIFT_PORT: "tcp://10.0.0.1:8025",
    ADDRSIFT_PUBLIC_URL: "https://api.example.com",
    ADDRSIFT_TRUST_PROXY: "10.0.0.0/8, 127.0.0.1",
    ADDRSIFT_METRICS_PORT: "0",
    ADDRSIFT_RATE_LIMIT: "1",
    ADDRSIFT_NO_PAGE: "true",
    ADDRSIFT_UPDATE_LISTS: "24h",
  };
  const daemon = await startDaemon(["--source", "D=https://127.0.0.1/list"], { env });
  const headers = { host: "api.example.com", "x-forwarded-for": "203.0.113.7, 10.0.0.1" };
  expect((await send(daemon.port, "GET", "/healthz", { headers })).status).toBe(200);
  await expect.poll(daemon.log).toContain('"peer":"203.0.113.7"');
  expect((await send(daemon.port, "GET", "/", { headers })).status).toBe(404);
  expect(daemon.log()).toMatch(/"metrics_url":"http:\/\/127\.0\.0\.1:\d+\/metrics"/);
  expect(await daemon.stop()).toBe(143);
});

it.each([
  ["--port", " --metrics-port 0"],
  ["--metrics-port", ""],
])("serve exits with a one-line error and status 2 if the port of %s is in use", async (option, others) => {
  const server = createServer();
  const port = await listenOnFreePort(server);
  const line = `can't listen on 127.0.0.1 port ${port}: another program listens there, stop it or choose another ${option}`;
  await expectServeRefused(`${others} ${option} ${port}`, `addrsift: ${line}\n`);
  server.close();
});

it("serve on an address of another machine fails with a one-line error and status 2", async () => {
  await expectServeRefused(" --host 192.0.2.1", /^addrsift: can't listen on 192\.0\.2\.1 port 0: .*--host\n$/);
  await expectServeRefused(" --host no-such-host.invalid", /^addrsift: can't listen on no-such-host\.invalid /);
});

it("serve --host accepts IPv6 addresses and names", async () => {
  for (const host of ["localhost", "::1", "[::1]"]) {
    const daemon = await startDaemon(["--host", host]).catch((error: Error) => error);
    // A machine without IPv6 reports that it has no such address.
    if (daemon instanceof Error) expect(daemon.message).toContain("no such address");
    else expect(await daemon.stop()).toBe(143);
  }
});

it("serve exits before listening if its store is damaged, with one line", async () => {
  folder.file("store.json", "{ this is no JSON");
  expectOneLine(await runProcess(["serve", "--home", folder.path, "--port", "0"]), /store\.json is damaged/);
});

it("serve answers requests after its standard error is closed", async () => {
  const args = [COMMAND, "serve", "--home", folder.path, "--port", "0"];
  const child = spawn(process.execPath, args, { env: cleanEnvironment({}), stdio: ["ignore", "ignore", "pipe"] });
  const port = await new Promise<number>((resolve) => {
    child.stderr.once("data", (chunk: Buffer) => resolve(Number(/:(\d+)"/.exec(chunk.toString())?.[1])));
  });
  child.stderr.destroy();
  for (let i = 0; i < 20; i += 1) expect((await send(port, "GET", "/healthz")).status).toBe(200);
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGTERM");
  expect(await ended).toBe(143);
});

it("serve --quiet prints nothing in a run without errors", async () => {
  const port = await freePort();
  const args = [COMMAND, "serve", "--quiet", "--home", folder.path, "--port", String(port)];
  const child = spawn(process.execPath, args, { env: cleanEnvironment({}), stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise((resolve) => child.once("close", resolve));
  const healthStatus = (): Promise<number> =>
    send(port, "GET", "/healthz").then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(healthStatus).toBe(200);
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(output).toBe("");
});

// Tests the daemon's first log lines, its mail settings, and signals.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Daemon, makeKey, send, testDaemon } from "../helpers/daemon.ts";
import { ROOT } from "../helpers/documents.ts";
import { copyPackage } from "../helpers/package-copy.mjs";
import { COMMAND, cleanEnvironment, objectsOf, run, scratch } from "../helpers/run.ts";
import { isRoot } from "../helpers/stranger.ts";

let daemon: Daemon;
const folder = (): string => {
  const files = scratch();
  onTestFinished(files.remove);
  return files.path;
};

async function start(
  args: readonly string[],
  options: Parameters<typeof testDaemon>[1] = {},
): Promise<Record<string, unknown>[]> {
  daemon = await testDaemon(["--dns", "off", ...args], options);
  // The startup lines are logged before the first request.
  await send(daemon.port, "GET", "/healthz");
  await expect.poll(daemon.log).toContain('"msg":"request"');
  return objectsOf<Record<string, unknown>>(daemon.log());
}

it("the first line of the daemon's log states its settings", async () => {
  const [line] = await start([]);
  expect(line).toMatchObject({
    level: 30,
    url: daemon.url,
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    data_version: expect.stringMatching(/^\d{4}-/),
    home: daemon.home,
    detection: "open",
    mail: "not set",
  });
});

it("the daemon warns at start about variables that are mistyped, but not about others", async () => {
  const lines = await start([], {
    env: {
      ADDRSIFT_RATELIMIT: "1",
      ADDRSIFT_DNS_SERVER: "127.0.0.1",
      ADDRSIFT_LOG_LEVEL: "info",
      ADDRSIFT_ALLOW_PRIVATE: "10.0.0.0/8",
      ADDRSIFT_PORT_8025_TCP_ADDR: "10.0.0.1",
      ADDRSIFT_SERVICE_HOST: "10.0.0.1",
    },
  });
  const warnings = lines.filter(({ level }) => level === 40).map(({ msg }) => msg);
  expect(warnings).toEqual([
    "ADDRSIFT_RATELIMIT has no effect: did you mean ADDRSIFT_RATE_LIMIT?",
    "ADDRSIFT_DNS_SERVER has no effect: did you mean ADDRSIFT_DNS_SERVERS?",
  ]);
});

it.skipIf(process.platform !== "linux")(
  "if few files may be open, the daemon warns, drops idle connections and answers",
  async () => {
    const command = `ulimit -n 100; exec "$0" '${COMMAND}' serve --home '${folder()}' --port 0`;
    const child = spawn("sh", ["-c", command, process.execPath], { env: cleanEnvironment({}) });
    onTestFinished(() => void child.kill());
    let log = "";
    child.stderr.on("data", (text) => {
      log += text;
    });
    await expect.poll(() => log).toContain("listening on ");
    expect(log).toContain("the limit of open files is 100, so --max-connections is 50: raise the limit");
    const url = new URL(/http:[^"]+/.exec(log)?.[0] ?? "");
    const idle = Array.from({ length: 120 }, () => connect(Number(url.port), url.hostname));
    onTestFinished(() => void idle.map((socket) => socket.destroy()));
    await Promise.all(idle.map((socket) => once(socket.on("error", () => {}).resume(), "connect")));
    expect((await fetch(new URL("/healthz", url))).status).toBe(200);
    expect(log).toContain("50 connections are open, others are dropped: raise --max-connections or ulimit -n");
  },
);

it("if a key is needed and none exists, the daemon says at start how to create one", async () => {
  const lines = await start(["--host", "0.0.0.0"]);
  const { home } = daemon;
  expect(lines[0]).toMatchObject({ detection: "with a key" });
  expect(lines[1]).toMatchObject({
    level: 40,
    msg: `no API key exists, so no one can use the daemon yet: run addrsift keys create --name NAME --scopes emails:detect --home ${home}`,
  });
});

it.skipIf(!isRoot)("a systemd unit's dynamic user is told how to create a key as that user (needs root)", async () => {
  const home = folder();
  chownSync(home, 61234, 61234);
  await start(["--host", "0.0.0.0"], { home, uid: 61234 });
  expect(daemon.log()).toContain(`--home ${home}: run addrsift-service in place of addrsift `);
});

it("if a key exists or none is needed, the daemon does not mention keys at start", async () => {
  const home = folder();
  await makeKey(home);
  expect((await start(["--host", "0.0.0.0"], { home })).filter(({ level }) => level === 40)).toEqual([]);
  await daemon.stop();
  expect((await start(["--host", "0.0.0.0", "--public-detect"])).filter(({ level }) => level === 40)).toEqual([]);
});

it("the daemon's log names a missing mail setting at start", async () => {
  const lines = await start([], { env: { ADDRSIFT_SMTP_URL: "smtp://127.0.0.1:1" } });
  expect(lines[1]?.["msg"]).toBe("mail is disabled: also set ADDRSIFT_SMTP_FROM");
});

it("serve reads ADDRSIFT_SMTP_URL_FILE, and does not log the URL in it", async () => {
  const file = join(folder(), "smtp");
  writeFileSync(file, "smtp://me:hidden@mail.example.com:587\n");
  const env = { ADDRSIFT_SMTP_URL_FILE: file, ADDRSIFT_SMTP_FROM: "a@example.com" };
  const [line] = await start([], { env });
  expect(line).toMatchObject({ mail: "set" });
  expect(daemon.log()).not.toContain("hidden");
});

it("serve rejects ADDRSIFT_SMTP_URL_FILE if the file is unreadable, its first line is empty, or ADDRSIFT_SMTP_URL is set", async () => {
  const startupError = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const { status, stderr } = await run(["serve"], { env: { ADDRSIFT_SMTP_FROM: "a@example.com", ...env } });
    expect(status).toBe(2);
    return stderr.toString();
  };
  expect(await startupError({ ADDRSIFT_SMTP_URL_FILE: "/nowhere/smtp" })).toBe(
    "addrsift: can't read the file in ADDRSIFT_SMTP_URL_FILE: there is no such file or folder, check its name\n",
  );
  const file = join(folder(), "smtp");
  writeFileSync(file, "\nsmtp://mail.example.com\n");
  expect(await startupError({ ADDRSIFT_SMTP_URL_FILE: file })).toBe(
    "addrsift: the first line of the file in ADDRSIFT_SMTP_URL_FILE is empty: write the mail server's URL there\n",
  );
  expect(await startupError({ ADDRSIFT_SMTP_URL_FILE: "/x", ADDRSIFT_SMTP_URL: "smtp://h" })).toMatch(
    /are both set: set one of them\n$/,
  );
});

it("a running daemon works on when an upgrade removes its files", async () => {
  const root = folder();
  const command = copyPackage(root);
  cpSync(join(ROOT, "dist/page"), join(root, "dist/page"), { recursive: true });
  await start(["--metrics-public"], { command });
  const { text: key } = await makeKey(daemon.home);
  rmSync(join(root, "dist"), { recursive: true });
  const channels = "/api/v1/team/notifications/channels";
  const body = { name: "c", type: "webhook", config: { url: "https://127.0.0.1/" } };
  const created = await send(daemon.port, "POST", channels, { key, body });
  const id = (created.json["data"] as { readonly id: string } | undefined)?.id ?? created.json["id"];
  const tested = await send(daemon.port, "POST", `${channels}/${id}/test`, { key });
  const pages = await Promise.all(["/", "/metrics"].map((path) => send(daemon.port, "GET", path)));
  expect([created, tested, ...pages].map(({ status }) => status)).toEqual([200, 502, 200, 200]);
  expect(daemon.log()).not.toContain('"level":50');
});

it("SIGHUP, SIGUSR1 and SIGUSR2: the daemon continues without a debugger", async () => {
  await start([]);
  const { child, port, log } = daemon;
  for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const) {
    child.kill(signal);
    await expect.poll(log).toContain(`"signal":"${signal}","msg":"nothing to do:`);
  }
  expect((await send(port, "GET", "/healthz")).status).toBe(200);
  expect(await isOpen(9229)).toBe(false);
  expect(log()).not.toContain("Debugger");
});

it.each([
  ["SIGINT", 130],
  ["SIGQUIT", 131],
] as const)("%s: the daemon stops with status %i", async (signal, status) => {
  await start([]);
  expect(await daemon.stop(signal)).toBe(status);
  expect(daemon.log()).toContain('"msg":"stopped"');
});

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.end(() => resolve(true)));
    socket.once("error", () => resolve(false));
  });
}

it("a daemon whose home can't be created says so at start, and is not ready", async () => {
  const [warning] = await start([], { home: "/proc/addrsift" });
  expect(warning).toMatchObject({ level: 40, msg: expect.stringMatching(/^can't use \/proc\/addrsift: /) });
  const { status, json } = await send(daemon.port, "GET", "/readyz");
  expect([status, json["message"]]).toEqual([503, expect.stringMatching(/^the store can't be written, /)]);
  expect((await send(daemon.port, "GET", "/metrics")).text).toContain('addrsift_store_writable{file="store.json"} 0');
});

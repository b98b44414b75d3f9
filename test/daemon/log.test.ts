// Tests the daemon's log: one JSON line per request on standard error, without addresses, queries, keys or tokens by
// default.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { type Daemon, makeKey, send, sendRaw, testDaemon } from "../helpers/daemon.ts";
import { COMMAND, cleanEnvironment, objectsOf, outputOf, scratch } from "../helpers/run.ts";

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly route?: string;
  readonly status?: number;
  readonly query?: string;
  readonly key?: string;
  readonly code?: string;
  readonly path?: string;
}

async function linesAfter(args: readonly string[], work: (daemon: Daemon) => Promise<void>): Promise<Line[]> {
  const daemon = await testDaemon(["--dns", "off", ...args]);
  await work(daemon);
  await daemon.stop();
  return objectsOf<Line>(daemon.log());
}

it("the log has a line for each request, with the route pattern instead of the path", async () => {
  const lines = await linesAfter([], async ({ port, home }) => {
    const { text: key } = await makeKey(home);
    await send(port, "GET", "/api/v1/emails/detect?email=somebody@example.org", { key });
    await send(port, "GET", "/verify/a-token-that-nobody-may-see");
    await send(port, "GET", "/somebody@example.org");
    await send(port, "GET", "/api/v1/team/notifications/channels/ch_private", { key });
    await send(port, "POST", "/api/v1/emails/detect", { body: { emails: ["somebody@example.org"] } });
    await send(port, "GET", "/api/v1/domains/somebody.example.org");
  });
  expect(lines[0]).toMatchObject({ level: 30, msg: expect.stringMatching(/^listening on http:/) });
  const requests = lines.filter(({ msg }) => msg === "request");
  const routes = requests.map(({ route, status }) => `${route ?? "none"} ${status}`);
  expect(routes).toHaveLength(6);
  expect(routes[1]).not.toContain("a-token");
  expect(routes.toSpliced(1, 1)).toEqual([
    "/api/v1/emails/detect 200",
    "none 404",
    "/api/v1/team/notifications/channels/{id} 404",
    "/api/v1/emails/detect 200",
    "/api/v1/domains/{domain} 200",
  ]);
  expect(requests[0]).toMatchObject({
    method: "GET",
    ms: expect.any(Number),
    peer: "127.0.0.1",
    key: expect.any(String),
  });
  const all = JSON.stringify(lines);
  for (const secret of ["somebody", "example.org", "a-token", "ch_private", "adsf_"]) expect(all).not.toContain(secret);
  expect(lines.at(-1)).toMatchObject({ msg: "stopped" });
});

it("the log has the key id of a rejected request, and the code of its error", async () => {
  let id = "";
  let revokedId = "";
  const lines = await linesAfter(["--rate-limit", "1"], async ({ port, home }) => {
    const key = await makeKey(home, { scopes: ["emails:detect"] });
    ({ id } = key);
    const path = "/api/v1/emails/detect?email=a@b.com";
    while ((await send(port, "GET", path, { key: key.text })).status !== 429);
    const other = await makeKey(home, { scopes: ["emails:detect"] });
    await send(port, "GET", "/api/v1/team/notifications/channels", { key: other.text });
    revokedId = other.id;
    await outputOf(`keys revoke ${revokedId} --home ${home}`);
    while ((await send(port, "GET", path, { key: other.text })).status !== 401);
    await send(port, "GET", path, { key: `${other.text}x` });
  });
  expect(lines).toContainEqual(expect.objectContaining({ status: 429, code: "RATE_LIMITED", key: id }));
  expect(lines).toContainEqual(expect.objectContaining({ status: 403, code: "INSUFFICIENT_SCOPE", key: revokedId }));
  expect(lines.filter(({ status }) => status === 401).map(({ code, key }) => [code, key])).toEqual([
    ["INVALID_API_KEY", revokedId],
    ["INVALID_API_KEY", undefined],
  ]);
});

it("the log has an unknown path only if it can't contain an address, a domain, a key or a token", async () => {
  const lines = await linesAfter([], async ({ port }) => {
    for (const path of ["/api/v1/email/detect", "/a.example", "/a@b", "/Ab", `/${"0".repeat(64)}`, "/verify", "/x?y"])
      await send(port, "GET", path);
  });
  const unknown = lines.filter(({ status }) => status === 404);
  expect(unknown.map(({ path }) => path)).toEqual([
    "/api/v1/email/detect",
    ...Array<undefined>(5).fill(undefined),
    "/x",
  ]);
});

it("the message for an unknown path suggests a similar one", async () => {
  const daemon = await testDaemon(["--dns", "off"]);
  const messages = [
    "/api/v1/emails/detect/",
    "/api/v1/team/notifications/channels/",
    "/api/v1/team/notifications/channels/ch_1/",
    "/api/v1/email/detect?email=a@b.com",
    "/health",
    "/nope",
    "/api/v1/emails",
    "/api",
  ].map(async (path) => (await send(daemon.port, "GET", path)).json["message"]);
  expect(await Promise.all(messages)).toEqual([
    "there is no such path: did you mean /api/v1/emails/detect?",
    "there is no such path: did you mean /api/v1/team/notifications/channels?",
    "there is no such path: did you mean /api/v1/team/notifications/channels/{id}?",
    "there is no such path: did you mean /api/v1/emails/detect?",
    "there is no such path: did you mean /healthz?",
    "there is no such path: /openapi.json lists all paths",
    "there is no such path: did you mean /api/v1/emails/detect or /api/v1/emails/stream?",
    "there is no such path: /openapi.json lists all paths",
  ]);
});

it("--log-addresses logs addresses, but never tokens or keys", async () => {
  const lines = await linesAfter(["--log-addresses"], async ({ port, home }) => {
    const { text: key } = await makeKey(home);
    await send(port, "GET", "/api/v1/emails/detect?email=some+body@example.org", { key });
    await send(port, "GET", "/verify/a-token-that-nobody-may-see?x=a-token");
  });
  expect(lines.map(({ query }) => query)).toContain("email=some+body@example.org");
  for (const secret of ["a-token", "adsf_"]) expect(JSON.stringify(lines)).not.toContain(secret);
});

it("log and metrics have each response to bytes that are not a request, without these bytes", async () => {
  const lines = await linesAfter([], async ({ port }) => {
    await sendRaw(port, ["somebody@example.org\r\n\r\n"]);
    await sendRaw(port, ["CONNECT somebody:443 HTTP/1.1\r\n\r\n"]);
    await sendRaw(port, [`GET / HTTP/1.1\r\nX: ${"somebody".repeat(3000)}\r\n\r\n`]);
    await sendRaw(port, [
      "POST /api/v1/emails/detect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
        "Transfer-Encoding: chunked\r\n\r\nsomebody\r\n",
    ]);
    const { text } = await send(port, "GET", "/metrics");
    for (const [status, count] of [
      [400, 2],
      [431, 1],
    ])
      expect(text).toContain(`addrsift_http_requests_total{route="none",method="other",status="${status}"} ${count}\n`);
  });
  const requests = lines.filter(({ msg }) => msg === "request").slice(0, 4);
  expect(requests).toMatchObject([
    { method: "other", status: 400, code: "BAD_REQUEST", peer: "127.0.0.1" },
    { method: "other", status: 400, code: "BAD_REQUEST" },
    { method: "other", status: 431, code: "HEADERS_TOO_LARGE" },
    { method: "POST", route: "/api/v1/emails/detect", status: 400, code: "BAD_REQUEST", peer: "127.0.0.1" },
  ]);
  expect(JSON.stringify(lines)).not.toContain("somebody");
});

it("a client that disconnects before the end of its JSON body is logged with its address", async () => {
  const daemon = await testDaemon(["--dns", "off"]);
  const head = "POST /api/v1/emails/detect HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  const socket = connect(daemon.port, "127.0.0.1");
  socket.write(`${head}Content-Length: 100\r\n\r\n{`, () => socket.destroy());
  await expect.poll(daemon.log).toMatch(/"peer":"127.0.0.1","msg":"client disconnected"/);
});

it("DNS queries that can't be sent are logged once, with the fix", async () => {
  const daemon = await testDaemon(["--dns-server", "127.0.0.1:1"]);
  for (const name of ["a", "b"]) await send(daemon.port, "GET", `/api/v1/domains/${name}.unlisted-example.com`);
  await daemon.stop();
  const warnings = objectsOf<Line>(daemon.log()).filter(({ level }) => level === 40);
  expect(warnings.map(({ msg }) => msg)).toEqual([
    expect.stringMatching(/^DNS lookups fail: .*--dns-server.*ulimit -n/),
  ]);
});

it("--log-level warn logs the start and the stop, but no requests", async () => {
  const lines = await linesAfter(["--log-level", "warn"], async ({ port }) => {
    await send(port, "GET", "/healthz");
  });
  const start = expect.stringContaining("listening on ");
  expect(lines.map(({ msg }) => msg)).toEqual([start, expect.stringContaining("stopping: "), "stopped"]);
});

it("no log line is lost when the daemon stops", async () => {
  const folder = scratch();
  const path = folder.file("log", "");
  const command = [COMMAND, "serve", "--home", folder.path, "--dns", "off", "--port", "0"];
  const stderr = openSync(path, "a");
  const child = spawn(process.execPath, command, { stdio: ["ignore", "ignore", stderr], env: cleanEnvironment({}) });
  onTestFinished(() => {
    child.kill("SIGKILL");
    closeSync(stderr);
    folder.remove();
  });
  const port = (): number => Number(/listening on http:\/\/[^"\s]*:(\d+)\b/.exec(readFileSync(path, "utf8"))?.[1]);
  await expect.poll(port).toBeGreaterThan(0);
  const requests = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(50);
  const end = requests.replace(/\r\n\r\n$/, "\r\nConnection: close\r\n\r\n");
  const answers = await Promise.all(Array.from({ length: 40 }, () => sendRaw(port(), [end])));
  child.kill();
  const [status] = (await once(child, "close")) as [number];
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(status).toBe(143);
  expect(answers.join("").match(/HTTP\/1.1 200/g)).toHaveLength(2000);
  expect(lines.filter((line) => line.includes("/healthz"))).toHaveLength(2000);
  expect(lines.at(-1)).toContain("stopped");
});

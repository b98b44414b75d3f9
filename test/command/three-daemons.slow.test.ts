// Tests the example of three daemons with one store behind nginx, run as its header says, on one machine instead of
// four.

import { type ChildProcess, spawn } from "node:child_process";
import { request } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Daemon, send, startDaemon } from "../helpers/daemon.ts";
import { isInstalled, readProjectFile } from "../helpers/documents.ts";
import { startFaultProxy } from "../helpers/fault-proxy.mjs";
import { POSTGRES_PROGRAMS, type Postgres, startPostgres } from "../helpers/postgres.mjs";
import { run, scratch } from "../helpers/run.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../unit/outbound/certificate.ts";

const NGINX_PORT = 18_444;
const DETECT = "/api/v1/emails/detect?email=a@example.com";
const upstream = readProjectFile("man/examples/three-daemons.conf");

it("the nginx example names three daemons and one database", () => {
  expect(upstream.match(/^ {4}server \S+:8025 /gm)).toHaveLength(3);
  expect(upstream).toMatch(/ADDRSIFT_STORE=postgresql:\/\/addrsift@db\.example\.com\/addrsift /);
});

describe.skipIf(POSTGRES_PROGRAMS === undefined || !isInstalled("nginx", "-v"))("three daemons behind nginx", () => {
  const files = scratch();
  let server: Postgres;
  let env: Record<string, string>;
  let daemons: Daemon[] = [];
  let proxies: Awaited<ReturnType<typeof startFaultProxy>>[];
  let nginx: ChildProcess;
  let key: string;

  beforeAll(async () => {
    server = await startPostgres();
    const store = await server.create();
    env = { ADDRSIFT_STORE: store };
    const [, options = ""] = /^# {3}addrsift serve (.*)$/m.exec(upstream) ?? [];
    const localOptions = options.replace("10.0.0.10", "127.0.0.1").split(" ");
    proxies = await Promise.all([1, 2, 3].map(() => startFaultProxy(server.port)));
    daemons = await Promise.all(
      proxies.map(({ port }) => {
        const ADDRSIFT_STORE = store.replace(`:${server.port}/`, `:${port}/`);
        return startDaemon([...localOptions, "--dns", "off"], { env: { ADDRSIFT_STORE } });
      }),
    );
    nginx = startNginx(files, daemons);
  });
  afterAll(async () => {
    nginx.kill("SIGQUIT");
    for (const daemon of daemons.splice(0)) await daemon.stop();
    for (const proxy of proxies) await proxy.close();
    await server.remove();
    files.remove();
  });

  it("nginx sends requests to all three daemons, which accept the same key", async () => {
    await expect.poll(() => status("/healthz").catch(() => 0)).toBe(200);
    const created = await run(["keys", "create", "--name", "k", "--scopes", "emails:detect,notifications:read"], {
      env,
    });
    key = created.stdout.toString().trim();
    expect(new Set(await tenRequests())).toEqual(new Set([200]));
    const requestCounts = (): number[] =>
      daemons.map(({ log }) => log().match(/"route":"\/api\/v1\/emails\/detect"/g)?.length ?? 0);
    // Request lines are buffered for up to half a second.
    await expect.poll(() => Math.min(...requestCounts())).toBeGreaterThan(0);
  });

  it("if a daemon has lost the database, nginx retries its requests on another daemon, including POST", async () => {
    proxies[0]?.set("refuse");
    const direct = (): Promise<number> =>
      send((daemons[0] as Daemon).port, "GET", DETECT, { key }).then((reply) => reply.status);
    await expect.poll(direct).toBe(503);
    const posts = Array.from({ length: 10 }, () =>
      status("/api/v1/emails/detect", key, '{"emails":["a@example.com"]}'),
    );
    const lists = Array.from({ length: 10 }, () => status("/api/v1/team/notifications/channels", key));
    expect(new Set([...(await tenRequests()), ...(await Promise.all([...posts, ...lists]))])).toEqual(new Set([200]));
  });

  it("three daemons behind nginx answer 503 without the database, and 200 when the database is back", async () => {
    for (const proxy of proxies) proxy.set("refuse");
    const statuses = async (): Promise<Set<number>> => new Set(await tenRequests());
    await expect.poll(statuses).toEqual(new Set([503]));
    expect(await statuses()).toEqual(new Set([503]));
    expect(await status("/healthz")).toBe(200);
    for (const proxy of proxies) proxy.set("pass");
    await expect.poll(statuses).toEqual(new Set([200]));
  });

  it("requests to nginx succeed after one of three daemons is killed", async () => {
    await daemons[1]?.stop("SIGKILL");
    expect(new Set([...(await tenRequests()), ...(await tenRequests())])).toEqual(new Set([200]));
  });

  function tenRequests(): Promise<number[]> {
    return Promise.all(Array.from({ length: 10 }, () => status(DETECT, key)));
  }

  function status(path: string, key = "", body?: string): Promise<number> {
    const host = "addrsift.example.com";
    const headers = {
      host,
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json", "content-length": body.length }),
    };
    const target = { host: "127.0.0.1", port: NGINX_PORT, servername: host, rejectUnauthorized: false };
    return new Promise((resolve, reject) => {
      const method = body === undefined ? "GET" : "POST";
      const outgoing = request({ ...target, method, path, headers, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      outgoing.once("error", reject);
      outgoing.end(body);
    });
  }
});

/** Starts nginx with the site of `nginx.conf` and the example's upstream, with the daemons' addresses. */
function startNginx(files: ReturnType<typeof scratch>, daemons: readonly Daemon[]): ChildProcess {
  const addresses = daemons.map(({ port }) => `127.0.0.1:${port}`);
  const localUpstream = upstream.replace(/10\.0\.0\.1\d:8025/g, () => addresses.shift() as string);
  const site = readProjectFile("man/examples/nginx.conf")
    .replace(/^upstream addrsift \{[\s\S]*?^\}/m, () => localUpstream)
    .replace("/etc/ssl/certs/addrsift.pem", files.file("addrsift.pem", CERTIFICATE))
    .replace("/etc/ssl/private/addrsift.key", files.file("addrsift.key", PRIVATE_KEY))
    .replace("/var/log/nginx/addrsift-error.log", join(files.path, "nginx.log"))
    // The test sends more requests than the example's limit allows.
    .replace("rate=20r/s", "rate=10000r/s")
    .replace(/^ *listen (?:\[|80).*\n/gm, "")
    .replace("listen 443 ssl", `listen 127.0.0.1:${NGINX_PORT} ssl`);
  files.file("site.conf", site);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path tmp;`);
  const http = `http { ${temporary.join(" ")} include site.conf; }`;
  const path = files.file("nginx.conf", `pid nginx.pid; daemon off; events {} ${http}\n`);
  return spawn("nginx", ["-q", "-p", files.path, "-e", "stderr", "-c", path], { stdio: "ignore" });
}

// The example of three daemons with one store behind nginx, run as its head says, on one machine in place of four.

import { type ChildProcess, spawn } from "node:child_process";
import { get } from "node:https";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Daemon, startDaemon } from "../helpers/daemon.ts";
import { has, read } from "../helpers/documents.ts";
import { POSTGRES_PROGRAMS, type Postgres, startPostgres } from "../helpers/postgres.mjs";
import { run, scratch } from "../helpers/run.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../unit/outbound/certificate.ts";

const NGINX_PORT = 18_444;
const upstream = read("man/examples/three-daemons.conf");

describe("the example of three daemons", () => {
  it("names three of them, and one database for all", () => {
    expect(upstream.match(/^ {4}server \S+:8025 /gm)).toHaveLength(3);
    expect(upstream).toMatch(/ADDRSIFT_STORE=postgresql:\/\/addrsift@db\.example\.com\/addrsift /);
  });
});

describe.skipIf(POSTGRES_PROGRAMS === undefined || !has("nginx", "-v"))("three daemons behind nginx", () => {
  const files = scratch();
  let server: Postgres;
  let env: Record<string, string>;
  let daemons: Daemon[] = [];
  let nginx: ChildProcess;

  beforeAll(async () => {
    server = await startPostgres();
    env = { ADDRSIFT_STORE: await server.create() };
    const [, options = ""] = /^# {3}addrsift serve (.*)$/m.exec(upstream) ?? [];
    const here = options.replace("10.0.0.10", "127.0.0.1").split(" ");
    daemons = await Promise.all([1, 2, 3].map(() => startDaemon([...here, "--dns", "off"], { env })));
    nginx = startNginx(files, daemons);
  });
  afterAll(async () => {
    nginx.kill("SIGQUIT");
    await server.remove();
    files.remove();
  });
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) await daemon.stop();
  });

  it("answer as one, also when one of them is killed", async () => {
    await expect.poll(() => status("/healthz").catch(() => 0)).toBe(200);
    const made = await run(["keys", "create", "--name", "k", "--scopes", "emails:detect"], { env });
    const key = made.stdout.toString().trim();
    const detect = (): Promise<number> => status("/api/v1/emails/detect?email=a@example.com", key);
    const ten = (): Promise<number[]> => Promise.all(Array.from({ length: 10 }, detect));
    expect(new Set(await ten())).toEqual(new Set([200]));
    const served = daemons.map(({ log }) => log().match(/"route":"\/api\/v1\/emails\/detect"/g)?.length ?? 0);
    expect(Math.min(...served)).toBeGreaterThan(0);
    await daemons[1]?.stop("SIGKILL");
    expect(new Set([...(await ten()), ...(await ten())])).toEqual(new Set([200]));
  });

  function status(path: string, key = ""): Promise<number> {
    const host = "addrsift.example.com";
    const headers = { host, ...(key === "" ? {} : { authorization: `Bearer ${key}` }) };
    const where = { host: "127.0.0.1", port: NGINX_PORT, servername: host, rejectUnauthorized: false };
    return new Promise((resolve, reject) => {
      get({ ...where, path, headers, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      }).once("error", reject);
    });
  }
});

/** nginx with the site of `nginx.conf` and the upstream of the example, whose addresses are those of the daemons. */
function startNginx(files: ReturnType<typeof scratch>, daemons: readonly Daemon[]): ChildProcess {
  const at = daemons.map(({ port }) => `127.0.0.1:${port}`);
  const here = upstream.replace(/10\.0\.0\.1\d:8025/g, () => at.shift() as string);
  const site = read("man/examples/nginx.conf")
    .replace(/^upstream addrsift \{[\s\S]*?^\}/m, () => here)
    .replace("/etc/ssl/certs/addrsift.pem", files.file("addrsift.pem", CERTIFICATE))
    .replace("/etc/ssl/private/addrsift.key", files.file("addrsift.key", PRIVATE_KEY))
    .replace("/var/log/nginx/addrsift-error.log", join(files.path, "nginx.log"))
    .replace("listen 443 ssl", `listen 127.0.0.1:${NGINX_PORT} ssl`);
  files.file("site.conf", site);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path tmp;`);
  const http = `http { ${temporary.join(" ")} include site.conf; }`;
  const path = files.file("nginx.conf", `pid nginx.pid; daemon off; events {} ${http}\n`);
  return spawn("nginx", ["-q", "-p", files.path, "-e", "stderr", "-c", path], { stdio: "ignore" });
}

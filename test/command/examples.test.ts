// Tests that the files under man/examples/ and the Dockerfile do what their first lines say, by running or checking
// them.

import { spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readServeSettings } from "../../src/cli/commands/serve/settings.ts";
import { parseCommandLine } from "../../src/cli/options/parse.ts";
import type { SERVE } from "../../src/cli/options/serve.ts";
import type { Arguments } from "../../src/cli/options/table.ts";
import { startDaemon, testDaemon } from "../helpers/daemon.ts";
import { isInstalled, prepareExamples, ROOT, readProjectFile } from "../helpers/documents.ts";
import { memoryRuntime } from "../helpers/in-process.ts";
import { listenOnFreePort } from "../helpers/listening.ts";
import { freePort } from "../helpers/programs.mjs";
import { fileScratch, runProgram, runShell } from "../helpers/run.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../unit/outbound/certificate.ts";

const folder = fileScratch();
const options = prepareExamples(folder);

const example = (name: string): string => readProjectFile(`man/examples/${name}`);

/** Expects that the daemon accepts a command line. */
function expectServeAccepts(line = ""): void {
  const args = parseCommandLine(line.split(" "), { width: 80, write: () => {} }) as Arguments<typeof SERVE>;
  expect(args.command).toBe("serve");
  readServeSettings(args, memoryRuntime({ env: options.env }));
}

const names = readdirSync(join(ROOT, "man/examples"));

// JSON has no comments: the dashboard shows its text as a panel.
it.each(names)("the example %s begins with its purpose and usage", (name) => {
  const head = name.endsWith(".json")
    ? (JSON.parse(example(name)) as { description: string }).description
    : (/^(?:#!.*\n)?((?:(?:#|\/\/|--|<!--) .*\n)+)/.exec(example(name))?.[1] ?? "");
  expect(head).toMatch(/^(?:(?:#|\/\/|--|<!--) )?Use: /m);
});

it("each example is in the package, and named in the README or the manual", () => {
  const text = readProjectFile("README.md") + readProjectFile("man/addrsift.md");
  const mentioned = Array.from(text.matchAll(/man\/examples\/([\w-]+\.\w+)/g), ([, name]) => name);
  expect(new Set(mentioned)).toEqual(new Set(names));
  expect(JSON.parse(readProjectFile("package.json")).files).toContain("man/examples");
});

const unit = example("addrsift.service");

it("addrsift.service starts the daemon as an unprivileged user", () => {
  // An option here would override the variable of a drop-in.
  expect(unit).toContain("\nExecStart=/usr/bin/env addrsift serve\n");
  expect(unit).toContain("DynamicUser=yes");
  expect(unit).toContain("SuccessExitStatus=143");
  // A wrong setting would otherwise restart it each second.
  expect(unit).toContain("RestartPreventExitStatus=2\n");
});

it.skipIf(!isInstalled("systemd-analyze"))("systemd-analyze accepts addrsift.service", () => {
  const path = folder.file("addrsift.service", unit);
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" });
  // Other units of the machine have their own faults.
  expect(stderr.split("\n").filter((line) => line.includes("addrsift"))).toEqual([]);
  expect(status).toBe(0);
});

/** Enables the unit's settings for mail. */
const enableMail = (unit: string): string => unit.replace(/^#(LoadCredential|Environment)/gm, "$1");

it("addrsift.service with mail reads the mail server's URL from a credential", () => {
  const lines = "\nLoadCredential=smtp-url:/etc/addrsift/smtp-url\nEnvironment=ADDRSIFT_SMTP_URL_FILE=%d/smtp-url\n";
  expect(enableMail(example("addrsift.service"))).toContain(lines);
});

it.skipIf(!isInstalled("systemd-analyze")).each(["addrsift.service", "addrsift-lists.service"])(
  "systemd-analyze security reports low exposure for %s",
  (name) => {
    const path = folder.file("hardened.service", enableMail(example(name)));
    // The threshold is ten times the exposure level.
    const args = ["security", "--offline=true", "--threshold=15", "--no-pager", path];
    const { status, stdout } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
    expect([status, stdout.slice(-500)]).toEqual([0, expect.stringMatching(/exposure level for .*: \d\.\d/)]);
  },
);

const image = readProjectFile("Dockerfile");
const commandOf = (word: string): string[] =>
  JSON.parse(new RegExp(`^${word} (\\[.*\\])$`, "m").exec(image)?.[1] ?? "[]");

it("Dockerfile: CMD starts the daemon, and HEALTHCHECK fails when it has stopped", async () => {
  const [program, name, ...words] = commandOf("CMD");
  expect([program, name]).toEqual(["addrsift", "serve"]);
  const args = words.filter((word, i) => word !== "--port" && words[i - 1] !== "--port");
  const daemon = await startDaemon(args);
  const check = commandOf("HEALTHCHECK CMD").map((word) => word.replace(":8025/", `:${daemon.port}/`));
  expect(check[0]).toBe("node");
  expect((await runProgram(process.execPath, check.slice(1))).status).toBe(0);
  expect(await daemon.stop()).toBe(143);
  expect((await runProgram(process.execPath, check.slice(1))).status).toBe(1);
});

it("Dockerfile: copies only the clone and the package built from it, for an unprivileged user that owns the home", () => {
  expect(image).toMatch(/^USER node$/m);
  const volume = /^VOLUME (.*)$/m.exec(image)?.[1];
  expect(image).toContain(`ENV ADDRSIFT_HOME=${volume}\n`);
  expect(image).toContain(`install -d -m 0700 -o node -g node ${volume}\n`);
  const copies = Array.from(image.matchAll(/^COPY (.+) \S+$/gm), ([, source]) => source);
  expect(copies).toEqual([".", "--from=build /src/addrsift-*.tgz"]);
  expect(JSON.parse(readProjectFile("package.json"))).toMatchObject({ name: "addrsift" });
  expect(image).toMatch(/^FROM \S+ AS build\nWORKDIR \/src\nCOPY \. \.$/m);
});

it(".dockerignore excludes what git ignores, .git, and nothing else", () => {
  const plain = (line: string): string => line.replace(/^(?:\*\*)?\//, "").replace(/\/$/, "");
  const ignored = readProjectFile(".gitignore").trim().split("\n").map(plain);
  const excluded = readProjectFile(".dockerignore").trim().split("\n").map(plain);
  expect(excluded).toEqual(expect.arrayContaining(ignored));
  expect(excluded.filter((line) => !ignored.includes(line))).toEqual([".git"]);
});

const text = example("nginx.conf");

it("nginx.conf forwards to the daemon's default port, and documents a working command line", () => {
  expect(text).toContain("server 127.0.0.1:8025;");
  const [, line, url] = /addrsift (serve --public-url (\S+) .*)$/m.exec(text) ?? [];
  expect(url).toBe(`https://${/server_name (\S+);/.exec(text)?.[1]}`);
  expectServeAccepts(line);
  expect(unit).toContain(`ADDRSIFT_PUBLIC_URL=${url} ADDRSIFT_TRUST_PROXY=${line?.split(" ").at(-1)}`);
});

it.skipIf(!isInstalled("nginx", "-v"))(
  "nginx.conf is valid, redirects HTTP, and nginx's own errors are JSON",
  async () => {
    const certificate = folder.file("addrsift.pem", CERTIFICATE);
    const key = folder.file("addrsift.key", PRIVATE_KEY);
    const daemonPort = await freePort();
    const port = await freePort();
    const plainPort = await freePort();
    folder.file(
      "site.conf",
      text
        .replace("127.0.0.1:8025", `127.0.0.1:${daemonPort}`)
        .replace("/etc/ssl/certs/addrsift.pem", certificate)
        .replace("/etc/ssl/private/addrsift.key", key)
        .replace("/var/log/nginx/addrsift-error.log", join(folder.path, "nginx.log"))
        // Below 1024 only root may listen.
        .replace(/^ *listen \[.*\n/gm, "")
        .replace("listen 80", `listen 127.0.0.1:${plainPort}`)
        .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`),
    );
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path tmp;`);
    const http = `http { ${temporary.join(" ")} include site.conf; }`;
    const path = folder.file("nginx.conf", `pid nginx.pid; events {} ${http}\n`);
    const args = ["-q", "-p", folder.path, "-e", "stderr", "-c", path];
    const { status, stderr } = spawnSync("nginx", ["-t", ...args], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(status).toBe(0);

    const nginx = spawn("nginx", [...args, "-g", "daemon off;"], { stdio: "ignore" });
    onTestFinished(() => void nginx.kill("SIGQUIT"));
    const send = (
      headers: Record<string, string> = {},
    ): Promise<{ status: number; retryAfter: unknown; code: string }> =>
      new Promise((resolve, reject) => {
        const target = { host: "127.0.0.1", port, rejectUnauthorized: false, agent: false, headers };
        const outgoing = request(target, async (response) => {
          const { code } = JSON.parse(Buffer.concat(await response.toArray()).toString());
          resolve({ status: response.statusCode as number, retryAfter: response.headers["retry-after"], code });
        });
        outgoing.once("error", reject).end();
      });
    // Nothing listens on the daemon's port.
    await expect.poll(() => send().catch(() => {})).toEqual({ status: 502, retryAfter: "2", code: "INTERNAL" });
    const redirect = await fetch(`http://127.0.0.1:${plainPort}/healthz`, {
      headers: { host: "addrsift.example.com" },
      redirect: "manual",
    });
    expect([redirect.status, redirect.headers.get("location")?.slice(0, 8)]).toEqual([308, "https://"]);
    expect(await send({ "content-length": "2000000" })).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE" });
    const replies = await Promise.all(Array.from({ length: 100 }, () => send()));
    expect(replies.find(({ status: code }) => code === 429)).toEqual({
      status: 429,
      retryAfter: "1",
      code: "RATE_LIMITED",
    });
  },
);

it.for([
  ["client.mjs", process.execPath],
  ["client.py", "python3"],
] as const)(
  "the example %s prints suggestions, retries after 429, and does not fail without a daemon",
  async ([file, program], { skip }) => {
    skip(!isInstalled(program), `needs ${program}`);
    const daemon = await testDaemon(["--dns", "off", "--rate-limit", "1"]);
    const check = (...addresses: string[]) =>
      runProgram(program, [join(ROOT, "man/examples", file), ...addresses], { env: { DAEMON_URL: daemon.url } });
    const { status, stdout, stderr } = await check("jane@mailinator.com", "joe@gmial.com");
    expect([status, stderr.toString()]).toEqual([0, ""]);
    expect(stdout.toString()).toBe(
      "jane@mailinator.com valid,disposable,unreserved\n" +
        "joe@gmial.com valid,mistyped,unreserved did you mean joe@gmail.com?\n",
    );
    await expect.poll(daemon.log).toContain('"status":429');
    await daemon.stop();
    const missed = await check("jane@mailinator.com");
    expect([missed.status, missed.stdout.toString()]).toEqual([0, "jane@mailinator.com no answer\n"]);
  },
);

it.for([
  ["client.mjs", process.execPath],
  ["client.py", "python3"],
] as const)(
  "the example %s retries a failed connection and a proxy's errors once, and reports a page in place of JSON",
  async ([file, program], { skip }) => {
    skip(!isInstalled(program), `needs ${program}`);
    const run = async (first: number): Promise<string> => {
      const statuses = [first, 200];
      const proxy = createServer((incoming, response) => {
        const status = statuses.shift() ?? 500;
        if (status === 0) incoming.socket.destroy();
        else response.writeHead(status).end("<html>");
      });
      onTestFinished(() => void proxy.close());
      const port = await listenOnFreePort(proxy);
      const { status, stdout, stderr } = await runProgram(program, [join(ROOT, "man/examples", file), "a@gmail.com"], {
        env: { DAEMON_URL: `http://127.0.0.1:${port}` },
      });
      expect([status, stdout.toString(), statuses]).toEqual([0, "a@gmail.com no answer\n", []]);
      return stderr.toString();
    };
    // 0: the connection closes without a response. The errors have no Retry-After.
    for (const stderr of await Promise.all([0, 502, 503, 504].map(run)))
      expect(stderr).toMatch(/^addrsift: .*JSON|^addrsift: Expecting value/);
  },
);

describe.each([
  [
    "github-actions.yml",
    "::error file=seed.txt,line=3,col=1,title=addrsift::seed.txt:3:1: joe@mailinator.com may be a real person's address: use ",
  ],
  ["gitlab-ci.yml", "seed.txt:3:1: joe@mailinator.com may be a real person's address: use "],
])("the check of %s", (name, wanted) => {
  // The commands from git diff on, without the marks of YAML.
  const [commands = ""] = /git diff[\s\S]*?(?=\n {2}artifacts:|$)/.exec(example(name)) ?? [];
  const script = `set -o pipefail\n${commands.replace(/^ +- (\|\n)?/gm, "")}\n`;
  const check = (base: string): ReturnType<typeof runProgram> =>
    runProgram("bash", ["-ec", script], { ...options, env: { ...options.env, BASE: base } });
  beforeAll(() => {
    folder.file(".addresses", "");
  });

  it(`${name} prints the locations of addresses that the branch adds, and fails`, async () => {
    const { status, stdout, stderr } = await check("origin/main");
    expect(stdout.toString().slice(0, wanted.length)).toBe(wanted);
    expect([status, stdout.toString().split("\n").length]).toEqual([1, 2]);
    expect(stderr.toString()).toMatch(
      /^addrsift: 1 address is unreserved: to allow one, write "addrsift: allow" in its line, or .*\n$/,
    );
  });

  it(`${name} passes if the branch adds no address`, async () => {
    const { status, stdout } = await check("HEAD");
    expect([status, stdout.toString()]).toEqual([0, ""]);
  });

  it(`${name} fails if git fails`, async () => {
    expect((await check("origin/no-such-branch")).status).not.toBe(0);
  });
});

it.skipIf(!isInstalled("python3"))("the example classify.py prints the documented output", async () => {
  const path = join(ROOT, "man/examples/classify.py");
  const { status, stdout, stderr } = await runShell(`python3 '${path}'`, options);
  expect(stderr.toString()).toBe("");
  expect(stdout.toString()).toBe("jane@gmail.com False\njoe@mailinator.com True\n");
  expect(status).toBe(0);
});

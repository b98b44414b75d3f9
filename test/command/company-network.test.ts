// Tests `addrsift lists update` behind proxies and without a network: it works, or a one-line error names the cause.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AUTHORITY } from "../helpers/authority.ts";
import { type ConnectProxy, startConnectProxy, startTlsHost } from "../helpers/connect-proxy.ts";
import { COMMAND, linesOf, run, runProgram, scratch } from "../helpers/run.ts";
import { createSmallPackage, type SmallPackage } from "../helpers/small-package.ts";

const folder = scratch();
const authority = folder.file("authority.pem", AUTHORITY);
let small: SmallPackage;
let host: Awaited<ReturnType<typeof startTlsHost>>;
const proxies: ConnectProxy[] = [];
beforeAll(async () => {
  small = createSmallPackage(join(folder.path, "package"), []);
  host = await startTlsHost(`${[...small.snapshots.D.names.keys()].join("\n")}\n`);
});
afterAll(async () => {
  host.close();
  await Promise.all(proxies.map((proxy) => proxy.close()));
  folder.remove();
});

const URL_OF_D = "https://lists.example/D.txt";
const CAUSE = /^addrsift: skipped [^:]*: (.*)\n/m;

const PRIVATE_URL = "https://10.0.0.1/D.txt";
const CREDENTIALS = "anna:pass word";
const TRUST = { NODE_EXTRA_CA_CERTS: authority };
const PLAIN = { HTTPS_PROXY: "http://127.0.0.1:PORT" };
const WITH_PASSWORD = { HTTPS_PROXY: "http://anna:pass%20word@127.0.0.1:PORT" };
const WRONG_PASSWORD = { HTTPS_PROXY: "http://anna:guess@127.0.0.1:PORT" };
const UNTRUSTED =
  /^the certificate of lists\.example is from an authority that is not trusted here .* NODE_EXTRA_CA_CERTS /;

type Case = readonly [
  title: string,
  credentials: string | undefined,
  /** Environment, in which the proxy's port replaces PORT. */
  variables: Readonly<Record<string, string>>,
  /** Cause in the error; undefined if the update works. */
  cause?: RegExp,
  url?: string,
];
const CASES: readonly Case[] = [
  ["works through a proxy without a password", undefined, { ...PLAIN, ...TRUST }],
  ["works through a proxy with a user name and a password", CREDENTIALS, { ...WITH_PASSWORD, ...TRUST }],
  ["reports that the proxy requires a password", CREDENTIALS, PLAIN, /^the proxy \S+ requires a user name /],
  ["reports a wrong password without printing it", CREDENTIALS, WRONG_PASSWORD, / rejected the user name /],
  ["names the unknown certificate authority of a proxy that intercepts TLS", undefined, PLAIN, UNTRUSTED],
  ["rejects a private address", undefined, {}, /^10\.0\.0\.1 is a private .* --allow-private$/, PRIVATE_URL],
];

const cases = CASES.map(([title, ...rest]) => [title, rest] as const);
it.each(cases)("lists update in a company's network %s", async (_, [credentials, variables, cause, url = URL_OF_D]) => {
  const proxy = await startConnectProxy(host.port, credentials);
  proxies.push(proxy);
  const env = Object.fromEntries(
    Object.entries(variables).map(([name, text]) => [name, text.replace("PORT", String(proxy.port))]),
  );
  const home = ["--home", join(folder.path, "home")];
  const command = ["lists", "update", "--dry-run", "--timeout", "20", ...home, "--source", `D=${url}`];
  // Node reads the authorities at its start.
  const { status, stderr } = await ("NODE_EXTRA_CA_CERTS" in env
    ? runProgram(process.execPath, [small.command, ...command], { env })
    : run(command, { env, root: small.root }));
  const message = stderr.toString();
  if (cause === undefined) expect([status, message]).toEqual([0, ""]);
  else {
    expect(status).toBe(2);
    expect(CAUSE.exec(message)?.[1]).toMatch(cause);
    expect(message).not.toMatch(/guess|anna/);
  }
  expect(proxy.requestedHosts).toEqual(url === URL_OF_D ? ["lists.example:443"] : []);
});

it.skipIf(spawnSync("unshare", ["-rn", "true"]).status !== 0)(
  "lists update on a machine without a network reports that there is none",
  async () => {
    const command = [process.execPath, COMMAND, "lists", "update", "--dry-run", "--home", join(folder.path, "home")];
    const { status, stderr } = await runProgram("unshare", ["-rn", ...command, "--source", `D=${URL_OF_D}`]);
    expect([status, linesOf(stderr)]).toEqual([
      2,
      [
        expect.stringMatching(
          /^addrsift: skipped D \([^;]*: lists\.example can't be reached: this machine has no network$/,
        ),
        "addrsift: the lists were not updated, those in use are kept: no source could be used; without a network, --from DIR reads them from files",
      ],
    ]);
  },
);

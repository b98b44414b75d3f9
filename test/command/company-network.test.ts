// Tests `addrsift lists update` behind proxies and without a network: it works, or a one-line error names the cause.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AUTHORITY } from "../helpers/authority.ts";
import { type ConnectProxy, type ProxyOptions, startConnectProxy, startTlsHost } from "../helpers/connect-proxy.ts";
import { COMMAND, expectRefused, linesOf, run, runProgram, scratch } from "../helpers/run.ts";
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

async function startProxy(options: ProxyOptions): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(host.port, options);
  proxies.push(proxy);
  return proxy;
}

const URL_OF_D = "https://lists.example/D.txt";
const CAUSE = /entries are kept: (.*)\n/;

interface Case {
  /** Options of the proxy, whose port replaces PORT in the environment. */
  readonly proxy?: ProxyOptions;
  readonly url?: string;
  /** Whether the request goes through the proxy. Default: true. */
  readonly usesProxy?: boolean;
}

const SECRET = { proxy: { credentials: "anna:pass word" } };
const OPEN = { proxy: {} };
const TRUST = { NODE_EXTRA_CA_CERTS: authority };
const PLAIN = { HTTPS_PROXY: "http://127.0.0.1:PORT" };

/** Title, case, environment, and the cause in the error; undefined if the update works. */
const CASES: readonly (readonly [string, Case, Readonly<Record<string, string>>, RegExp?])[] = [
  ["works through a proxy without a password", OPEN, { ...PLAIN, ...TRUST }],
  ["works through a proxy that http_proxy names without a scheme", OPEN, { http_proxy: "127.0.0.1:PORT", ...TRUST }],
  [
    "works through a proxy with a user name and a password",
    SECRET,
    { HTTPS_PROXY: "http://anna:pass%20word@127.0.0.1:PORT", ...TRUST },
  ],
  [
    "reports that the proxy requires a password",
    SECRET,
    PLAIN,
    /^the proxy 127\.0\.0\.1:\d+ requires a user name and password \(407\): put them in its URL$/,
  ],
  [
    "reports a wrong password without printing it",
    SECRET,
    { HTTPS_PROXY: "http://anna:guess@127.0.0.1:PORT" },
    /^the proxy 127\.0\.0\.1:\d+ rejected the user name and password \(407\): put them in its URL$/,
  ],
  [
    "reports that the proxy did not connect to the host",
    { proxy: { rejectStatus: 502 } },
    PLAIN,
    /^the proxy 127\.0\.0\.1:\d+ did not connect to lists\.example \(502\)$/,
  ],
  [
    "reports that no proxy listens",
    {},
    { HTTPS_PROXY: "http://127.0.0.1:9" },
    /^the proxy 127\.0\.0\.1:9 refused the connection$/,
  ],
  [
    "names the unknown certificate authority of a proxy that intercepts TLS",
    OPEN,
    PLAIN,
    /^the certificate of lists\.example is from an authority that is not trusted here \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\): .* NODE_EXTRA_CA_CERTS /,
  ],
  [
    "reports a certificate of another host",
    { ...OPEN, url: "https://other.example/D.txt" },
    { ...PLAIN, ...TRUST },
    /^the TLS certificate or handshake of other\.example failed \(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
  ],
  [
    "connects directly to a host in NO_PROXY",
    { ...OPEN, usesProxy: false },
    { ...PLAIN, NO_PROXY: "a.example, .lists.example" },
    /HTTPS_PROXY|no network/,
  ],
  [
    "rejects a private address, and names the option that allows it",
    { url: "https://10.0.0.1/D.txt" },
    {},
    /^10\.0\.0\.1 is a private address: requests go only to public addresses, unless .* --allow-private$/,
  ],
  [
    "rejects a private address before connecting to the proxy",
    { ...OPEN, url: "https://10.0.0.1/D.txt", usesProxy: false },
    PLAIN,
    /--allow-private$/,
  ],
];

describe("a company's network", () => {
  const cases = CASES.map(([title, options, env, cause]) => [title, options, env, cause] as const);
  it.each(cases)(
    "lists update in a company's network %s",
    async (_, { proxy: options, url = URL_OF_D, usesProxy = true }, variables, cause) => {
      const proxy = options === undefined ? undefined : await startProxy(options);
      const env = Object.fromEntries(
        Object.entries(variables).map(([name, text]) => [name, text.replace("PORT", `${proxy?.port}`)]),
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
        if (!cause.source.includes("allow-private")) expect(message).not.toContain("--allow-private");
        expect(message).not.toMatch(/guess|anna/);
      }
      if (proxy !== undefined) expect(proxy.requestedHosts).toEqual(usesProxy ? [`${new URL(url).host}:443`] : []);
    },
  );

  it("lists update rejects a SOCKS proxy without printing its password", async () => {
    const env = { HTTPS_PROXY: "socks5://u:secret@p:1080" };
    const line =
      /^addrsift: HTTPS_PROXY is not the URL of an HTTP proxy: give one such as http:\/\/proxy\.example\.com:3128\n$/;
    await expectRefused(`lists update --dry-run --home ${folder.path}/home`, line, { env });
  });

  it.skipIf(spawnSync("unshare", ["-rn", "true"]).status !== 0)(
    "lists update on a machine without a network reports that there is none",
    async () => {
      const command = [process.execPath, COMMAND, "lists", "update", "--dry-run", "--home", join(folder.path, "home")];
      const { status, stderr } = await runProgram("unshare", ["-rn", ...command, "--source", `D=${URL_OF_D}`]);
      expect([status, linesOf(stderr)]).toEqual([
        2,
        [
          expect.stringMatching(/: lists\.example can't be reached: this machine has no network$/),
          "addrsift: the lists were not updated, those in use are kept: every source was skipped: --from DIR reads them from a folder",
        ],
      ]);
    },
  );
});

// `addrsift lists update` behind proxies and without a network: it works, or one line names the cause.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AUTHORITY } from "../helpers/authority.ts";
import { type ConnectProxy, type ProxyTraits, startConnectProxy, startTlsHost } from "../helpers/connect-proxy.ts";
import { COMMAND, linesOf, run, runProgram, scratch } from "../helpers/run.ts";
import { type SmallPackage, smallPackage } from "../helpers/small-package.ts";

const folder = scratch();
const authority = folder.file("authority.pem", AUTHORITY);
let small: SmallPackage;
let host: Awaited<ReturnType<typeof startTlsHost>>;
const proxies: ConnectProxy[] = [];
beforeAll(async () => {
  small = smallPackage(join(folder.path, "package"), []);
  host = await startTlsHost(`${[...small.snapshots.D.names.keys()].join("\n")}\n`);
});
afterAll(async () => {
  host.close();
  await Promise.all(proxies.map((proxy) => proxy.close()));
  folder.remove();
});

async function proxyWith(traits: ProxyTraits): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(host.port, traits);
  proxies.push(proxy);
  return proxy;
}

const URL_OF_D = "https://lists.example/D.txt";
const CAUSE = /stays: (.*)\n/;

interface Case {
  readonly it: string;
  readonly proxy?: ProxyTraits;
  /** The environment, in which PORT is the proxy's. */
  readonly env: Readonly<Record<string, string>>;
  readonly url?: string;
  /** The cause in the line, or undefined where the update works. */
  readonly cause?: RegExp;
  /** Whether the proxy is asked. */
  readonly asks?: boolean;
}

const SECRET = { credentials: "anna:pass word" };
const TRUST = { NODE_EXTRA_CA_CERTS: authority };
const PLAIN = { HTTPS_PROXY: "http://127.0.0.1:PORT" };
const ADVICE = /HTTPS_PROXY|no network/;

const CASES: readonly Case[] = [
  { it: "works through a proxy without a password", proxy: {}, env: { ...PLAIN, ...TRUST }, asks: true },
  {
    it: "works with HTTP_PROXY only, without a scheme",
    proxy: {},
    env: { http_proxy: "127.0.0.1:PORT", ...TRUST },
    asks: true,
  },
  {
    it: "works with a name and a password",
    proxy: SECRET,
    env: { HTTPS_PROXY: "http://anna:pass%20word@127.0.0.1:PORT", ...TRUST },
    asks: true,
  },
  {
    it: "asks for a password that is missing",
    proxy: SECRET,
    env: PLAIN,
    asks: true,
    cause: /^the proxy 127\.0\.0\.1:\d+ wants a name and a password \(407\): write them into its URL$/,
  },
  {
    it: "says that the password is wrong, without it",
    proxy: SECRET,
    env: { HTTPS_PROXY: "http://anna:guess@127.0.0.1:PORT" },
    asks: true,
    cause: /^the proxy 127\.0\.0\.1:\d+ refused the name and the password \(407\): write them into its URL$/,
  },
  {
    it: "says that the proxy forbids the host",
    proxy: { refuses: 403 },
    env: PLAIN,
    asks: true,
    cause: /^the proxy 127\.0\.0\.1:\d+ did not connect to lists\.example \(403\)$/,
  },
  {
    it: "says that the proxy does not reach the host",
    proxy: { refuses: 502 },
    env: PLAIN,
    asks: true,
    cause: /^the proxy 127\.0\.0\.1:\d+ did not connect to lists\.example \(502\)$/,
  },
  {
    it: "says that no proxy listens",
    env: { HTTPS_PROXY: "http://127.0.0.1:9" },
    cause: /^the proxy 127\.0\.0\.1:9 refused the connection$/,
  },
  {
    it: "names the unknown authority of what breaks TLS open",
    proxy: {},
    env: PLAIN,
    asks: true,
    cause:
      /^the certificate of lists\.example is by an authority that is not trusted here \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\): .* NODE_EXTRA_CA_CERTS$/,
  },
  {
    it: "says that a certificate is of another host",
    proxy: {},
    env: { ...PLAIN, ...TRUST },
    url: "https://other.example/D.txt",
    asks: true,
    cause: /^the TLS certificate or handshake of other\.example failed \(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
  },
  {
    it: "goes straight to a host in NO_PROXY",
    proxy: {},
    env: { ...PLAIN, NO_PROXY: "a.example, .lists.example" },
    asks: false,
    cause: ADVICE,
  },
  {
    it: "names the guard for an address inside, and the option that opens it",
    env: {},
    url: "https://10.0.0.1/D.txt",
    cause: /^10\.0\.0\.1 is a private address: requests go only to public addresses, unless .* --allow-private$/,
  },
  {
    it: "names the guard for an address inside before it asks a proxy",
    proxy: {},
    env: PLAIN,
    url: "https://10.0.0.1/D.txt",
    asks: false,
    cause: /--allow-private$/,
  },
];

describe("the network of a company", () => {
  it.each(CASES)("lists update there $it", async ({ proxy: traits, env: given, url = URL_OF_D, cause, asks }) => {
    const proxy = traits === undefined ? undefined : await proxyWith(traits);
    const env = Object.fromEntries(
      Object.entries(given).map(([name, text]) => [name, text.replace("PORT", `${proxy?.port}`)]),
    );
    const home = ["--home", join(folder.path, "home")];
    const command = ["lists", "update", "--dry-run", "--timeout", "20", ...home, "--source", `D=${url}`];
    // Node reads the authorities at its start.
    const { status, stderr } = await ("NODE_EXTRA_CA_CERTS" in env
      ? runProgram(process.execPath, [small.command, ...command], { env })
      : run(command, { env, root: small.root }));
    const said = stderr.toString();
    if (cause === undefined) expect([status, said]).toEqual([0, ""]);
    else {
      expect(status).toBe(2);
      expect(CAUSE.exec(said)?.[1]).toMatch(cause);
      if (!cause.source.includes("allow-private")) expect(said).not.toContain("--allow-private");
      expect(said).not.toMatch(/guess|anna/);
    }
    if (proxy !== undefined) expect(proxy.asked).toEqual(asks === true ? [`${new URL(url).host}:443`] : []);
  });

  it("lists update refuses a proxy that it can't use, without its password", async () => {
    const command = ["lists", "update", "--dry-run", "--home", join(folder.path, "home")];
    const { status, stderr } = await run(command, { env: { HTTPS_PROXY: "socks5://u:secret@p:1080" } });
    const line = "HTTPS_PROXY is not the URL of an HTTP proxy: give one such as http://proxy.example.com:3128";
    expect([status, stderr.toString()]).toEqual([2, `addrsift: ${line}\n`]);
  });

  it.skipIf(spawnSync("unshare", ["-rn", "true"]).status !== 0)(
    "lists update says that there is no network",
    async () => {
      const command = [process.execPath, COMMAND, "lists", "update", "--dry-run", "--home", join(folder.path, "home")];
      const { status, stderr } = await runProgram("unshare", ["-rn", ...command, "--source", `D=${URL_OF_D}`]);
      expect([status, linesOf(stderr)]).toEqual([
        2,
        [
          expect.stringMatching(/: lists\.example can't be reached: this machine has no network$/),
          "addrsift: the lists are not updated, those in use stay: no source could be taken: --from DIR takes them from a folder",
        ],
      ]);
    },
  );
});

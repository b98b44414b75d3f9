// The settings of `addrsift serve` from options and environment, checked; and the resolution of `--host`.

import { lookup } from "node:dns/promises";
import { AddrsiftError, usageError } from "../../../base/errors.ts";
import { isLoopbackAddress } from "../../../base/ip.ts";
import { parseProxyUrl } from "../../../outbound/proxy.ts";
import { createProxyCheck } from "../../../server/http/origins.ts";
import { parsePublicUrl } from "../../composition/channels.ts";
import { parseDnsOptions, withEnvironmentServers } from "../../composition/dns.ts";
import { parsePolicy, requireHome } from "../../composition/lists.ts";
import type { SERVE } from "../../options/serve.ts";
import { parseSourceUrls } from "../../options/source.ts";
import type { Arguments } from "../../options/table.ts";
import type { Runtime } from "../../runtime.ts";
import { readOptionValue } from "../../terminal/read-value.ts";

export type ServeSettings = ReturnType<typeof readServeSettings>;

/** Reads the settings. Throws AddrsiftError USAGE. */
export function readServeSettings({ options }: Arguments<typeof SERVE>, runtime: Runtime) {
  const { source, "trust-proxy": proxies } = options;
  parseSourceUrls(source, runtime);
  if (options.port !== 0 && options.port === options["metrics-port"])
    throw usageError(`--port and --metrics-port are both ${options.port}: choose different ports`);
  return {
    host: parseHost(options.host),
    port: options.port,
    publicUrl: parsePublicUrl(options["public-url"] ?? ""),
    publicDetect: options["public-detect"],
    page: !options["no-page"],
    metricsPublic: options["metrics-public"],
    /** Undefined: /metrics is on the main port. */
    metricsPort: options["metrics-port"],
    isTrustedProxy: proxies.length === 0 ? undefined : createProxyCheck(proxies),
    origins: new Set(options["cors-origin"].map(parseOrigin)),
    rateLimit: options["rate-limit"],
    maxConnections: options["max-connections"],
    streamLimit: options["stream-limit"],
    logLevel: options.quiet ? "error" : options["log-level"],
    logAddresses: options["log-addresses"],
    logAsText: runtime.stderr.isTerminal,
    home: requireHome({ home: options.home, quiet: true }, runtime),
    allowPrivate: options["allow-private"],
    proxy: options.proxy === undefined ? undefined : readProxyUrl(options.proxy, runtime.stdin),
    updateEveryMs: options["update-lists"],
    sources: source,
    policy: parsePolicy(options),
    dataVersion: options["data-version"],
    dns: options.dns === "off" ? undefined : withEnvironmentServers(parseDnsOptions(options), runtime.env),
  };
}

/** Reads the URL of `--proxy`. A URL with a password must come from a file. */
function readProxyUrl(value: string, stdin: Runtime["stdin"]): URL {
  const file = /^@(.+)$/.exec(value)?.[1];
  if (file === undefined && value.includes("@"))
    throw usageError(
      "--proxy or ADDRSIFT_PROXY has a password, and other users can read it: write the URL to a file and give --proxy @FILE",
    );
  return parseProxyUrl(file === undefined ? value : readOptionValue(file, "--proxy", { stdin }).trim(), "--proxy");
}

function parseHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  // Reject a port, a scheme or a path here: the resolver would say "unknown host".
  if (/^[a-z0-9._-]{1,253}$/.test(host) || /^[0-9a-f:.]{2,45}(?:%[a-z0-9]+)?$/.test(host)) return host;
  throw usageError(`--host or ADDRSIFT_HOST must be an address, not "${text}": give one such as 127.0.0.1 or ::1`);
}

function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && /^\w+:\/\/[^/?#@]+\/?$/.test(text)) return url.origin;
  const fix = "give one such as https://app.example.com";
  throw usageError(`--cors-origin or ADDRSIFT_CORS_ORIGIN is not the origin of a page: ${fix}`);
}

export type ListenAddress = Awaited<ReturnType<typeof findListenAddress>>;

/** Resolves `host`. Throws AddrsiftError OPERATION. */
export async function findListenAddress(host: string, port: number) {
  const { address } = await lookup(host).catch((error: unknown) => {
    throw listenError(error as NodeJS.ErrnoException, host, port);
  });
  return { address, loopback: isLoopbackAddress(address) };
}

/** Returns why the daemon can't listen on `host`, and how to fix it. `option` sets the port. */
export function listenError(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  option = "--port",
): AddrsiftError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `another program listens there, stop it or choose another ${option}`,
    EACCES: `permission denied, choose a ${option} from 1024 up`,
    EADDRNOTAVAIL: "this machine has no such address, choose another --host",
    ENOTFOUND: "there is no such host, give an address as --host",
  };
  const reason = reasons[error.code ?? ""] ?? `${error.message}, choose another --host or ${option}`;
  return new AddrsiftError("OPERATION", `can't listen on ${host} port ${port}: ${reason}`, error);
}

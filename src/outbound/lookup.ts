// Resolves host names by the hosts file, then by the name servers with the search list. Uses no other sources, such as
// multicast DNS or NIS. A lookup that hangs does not delay others.

import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { isLoopbackName } from "../base/ip.ts";

/** Returns all addresses of a host. Rejects with an error code of node:dns, or when `signal` aborts. */
export type Lookup = (host: string, signal?: AbortSignal) => Promise<readonly string[]>;

export interface LookupOptions {
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  /** A file in the format of resolv.conf(5). Only its search list is used. */
  readonly resolvConf?: string;
  readonly timeoutMs?: number;
}

const HOSTS_FILE = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
const RESOLV_CONF = "/etc/resolv.conf";
// Total timeout for one host. Callers time out after about 15 s.
const TIMEOUT_MS = 5000;
// Share of the timeout for one query, which leaves time for a second name server or a retry.
const QUERY_TIMEOUT_SHARE = 0.3;
const QUERY_TRIES = 2;

/**
 * Creates a lookup function. Each call has its own sockets, closed at the deadline. getaddrinfo can't be cancelled and
 * shares a few threads with file operations, so a few lookups that hang would delay everything else.
 */
export function createLookup(options: LookupOptions = {}): Lookup {
  const { hostsFile = HOSTS_FILE, resolvConf = RESOLV_CONF, timeoutMs = TIMEOUT_MS } = options;
  return async (host, signal) => {
    const fromHosts = parseHosts(await readIfExists(hostsFile), host);
    if (fromHosts.length > 0) return fromHosts;
    const names = candidateNames(host, parseSearchList(await readIfExists(resolvConf)));
    const resolver = new Resolver({ timeout: Math.round(timeoutMs * QUERY_TIMEOUT_SHARE), tries: QUERY_TRIES });
    if (options.servers !== undefined) resolver.setServers(options.servers);
    let isEnded = signal?.aborted === true;
    const end = (): void => {
      isEnded = true;
      resolver.cancel();
    };
    const timer = setTimeout(end, timeoutMs);
    signal?.addEventListener("abort", end, { once: true });
    try {
      return await resolveFirst(resolver, names, () => isEnded);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      end();
    }
  };
}

export const systemLookup: Lookup = createLookup();

async function resolveFirst(
  resolver: Resolver,
  names: readonly string[],
  isEnded: () => boolean,
): Promise<readonly string[]> {
  let code = "ENOTFOUND";
  for (const name of names) {
    if (isEnded()) throw lookupError("EAI_AGAIN");
    const outcomes = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
    if (addresses.length > 0) return addresses;
    const codes = outcomes.map((outcome) =>
      outcome.status === "fulfilled" ? "ENODATA" : normalizeCode(outcome.reason),
    );
    // After a timeout, don't try the next name: it could be another host.
    if (codes.includes("EAI_AGAIN")) throw lookupError("EAI_AGAIN");
    if (codes.includes("ENODATA")) code = "ENODATA";
  }
  throw lookupError(code);
}

/** Maps c-ares's many codes, some of which also stand for connection errors, to ENOTFOUND, ENODATA or EAI_AGAIN. */
function normalizeCode({ code }: NodeJS.ErrnoException): string {
  if (code === "ENOTFOUND" || code === "EBADNAME") return "ENOTFOUND";
  return code === "ENODATA" ? code : "EAI_AGAIN";
}

/** Returns the names to try, in the order of resolv.conf(5) with `ndots:1`. */
function candidateNames(host: string, search: readonly string[]): string[] {
  if (host.endsWith(".")) return [host];
  const withSearchDomain = search.map((domain) => `${host}.${domain}`);
  return host.includes(".") ? [host, ...withSearchDomain] : [...withSearchDomain, host];
}

async function readIfExists(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return "";
  }
}

function lookupError(code: string): Error {
  return Object.assign(new Error(`the name was not resolved (${code})`), { code });
}

// glibc's former limit. More would only cost queries.
const MAX_SEARCH_DOMAINS = 6;
const LOOPBACK: readonly string[] = ["127.0.0.1", "::1"];

export function parseHosts(text: string, host: string): readonly string[] {
  const hostName = host.toLowerCase().replace(/\.$/, "");
  const addresses = splitFields(text)
    .filter(([address = "", ...names]) => isIP(address) !== 0 && names.some((name) => name.toLowerCase() === hostName))
    .map(([address]) => address as string);
  if (addresses.length > 0) return [...new Set(addresses)];
  return isLoopbackName(hostName) ? LOOPBACK : [];
}

/** Parses the search domains from resolv.conf. The last `search` or `domain` line counts. */
export function parseSearchList(text: string): readonly string[] {
  const lines = splitFields(text).filter(([key]) => key === "search" || key === "domain");
  const domains = (lines.at(-1) ?? []).slice(1).map((domain) => domain.replace(/\.$/, ""));
  return domains.filter((domain) => domain !== "").slice(0, MAX_SEARCH_DOMAINS);
}

function splitFields(text: string): string[][] {
  return text.split(/\r?\n/).map((line) =>
    line
      .replace(/[#;].*$/, "")
      .split(/[ \t]+/)
      .filter((word) => word !== ""),
  );
}

// Resolves names: by the machine's hosts file, else by its name servers and search list. A name that hangs does not
// delay another. Other sources of names (multicast DNS, NIS) are not asked.

import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { isLoopbackName } from "../base/ip.ts";

/** All addresses of a host; rejects as node:dns does, and soon after `signal` aborts because no one waits any more. */
export type Lookup = (host: string, signal?: AbortSignal) => Promise<readonly string[]>;

export interface LookupPlaces {
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  /** A file in the form of resolv.conf(5); its search list is used. */
  readonly searchFile?: string;
  readonly timeoutMs?: number;
}

const HOSTS_FILE = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
const SEARCH_FILE = "/etc/resolv.conf";
// For one name in total; the caller has about 15 s.
const TIMEOUT_MS = 5000;
// The part of the time for one question, so that there is time for a second name server or a second question.
const TRY_SHARE = 0.3;
const TRIES = 2;

/**
 * Makes a lookup. Each one has its own sockets and closes them when its time is over. getaddrinfo can't be cancelled
 * and runs on a few threads that file operations need too, so a few names that hang would delay everything else.
 */
export function createLookup(places: LookupPlaces = {}): Lookup {
  const { hostsFile = HOSTS_FILE, searchFile = SEARCH_FILE, timeoutMs = TIMEOUT_MS } = places;
  return async (host, signal) => {
    const known = hostsAddresses(await textOf(hostsFile), host);
    if (known.length > 0) return known;
    const names = candidates(host, searchList(await textOf(searchFile)));
    const resolver = new Resolver({ timeout: Math.round(timeoutMs * TRY_SHARE), tries: TRIES });
    if (places.servers !== undefined) resolver.setServers(places.servers);
    let over = signal?.aborted === true;
    const end = (): void => {
      over = true;
      resolver.cancel();
    };
    const timer = setTimeout(end, timeoutMs);
    signal?.addEventListener("abort", end, { once: true });
    try {
      return await firstFound(resolver, names, () => over);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      end();
    }
  };
}

export const systemLookup: Lookup = createLookup();

async function firstFound(
  resolver: Resolver,
  names: readonly string[],
  isOver: () => boolean,
): Promise<readonly string[]> {
  let code = "ENOTFOUND";
  for (const name of names) {
    if (isOver()) throw failure("EAI_AGAIN");
    const both = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = both.flatMap((found) => (found.status === "fulfilled" ? found.value : []));
    if (addresses.length > 0) return addresses;
    const codes = both.map((found) => (found.status === "fulfilled" ? "ENODATA" : codeOf(found.reason)));
    // Silence about this name does not show that the next one is meant: that could lead to another host.
    if (codes.includes("EAI_AGAIN")) throw failure("EAI_AGAIN");
    if (codes.includes("ENODATA")) code = "ENODATA";
  }
  throw failure(code);
}

/** No such name, no address, or unknown: c-ares has many codes for the last, some of them also used for connections. */
function codeOf({ code }: NodeJS.ErrnoException): string {
  if (code === "ENOTFOUND" || code === "EBADNAME") return "ENOTFOUND";
  return code === "ENODATA" ? code : "EAI_AGAIN";
}

/** The names that a host may mean, in the order of resolv.conf(5) with `ndots:1`. */
function candidates(host: string, search: readonly string[]): string[] {
  if (host.endsWith(".")) return [host];
  const longer = search.map((domain) => `${host}.${domain}`);
  return host.includes(".") ? [host, ...longer] : [...longer, host];
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return "";
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(`the name was not resolved (${code})`), { code });
}

// glibc's limit for decades; a longer list only costs questions.
const SEARCH_MAX = 6;
const LOOPBACK: readonly string[] = ["127.0.0.1", "::1"];

export function hostsAddresses(text: string, host: string): readonly string[] {
  const wanted = host.toLowerCase().replace(/\.$/, "");
  const found = words(text)
    .filter(([address = "", ...names]) => isIP(address) !== 0 && names.some((name) => name.toLowerCase() === wanted))
    .map(([address]) => address as string);
  if (found.length > 0) return [...new Set(found)];
  return isLoopbackName(wanted) ? LOOPBACK : [];
}

/** The domains in which a name is tried; the last line that names them counts. */
export function searchList(text: string): readonly string[] {
  const lines = words(text).filter(([key]) => key === "search" || key === "domain");
  const domains = (lines.at(-1) ?? []).slice(1).map((domain) => domain.replace(/\.$/, ""));
  return domains.filter((domain) => domain !== "").slice(0, SEARCH_MAX);
}

function words(text: string): string[][] {
  return text.split(/\r?\n/).map((line) =>
    line
      .replace(/[#;].*$/, "")
      .split(/[ \t]+/)
      .filter((word) => word !== ""),
  );
}

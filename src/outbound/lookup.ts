// Names to addresses: by the machine's hosts file, else by its name servers and search list. Nobody's name that hangs delays another's.
// Other sources of names that a machine may have (multicast DNS, NIS) are not asked.

import { Resolver } from "node:dns";
import { readFile } from "node:fs/promises";
import { hostsAddresses, searchList } from "./name-files.ts";

/** All addresses of a host; rejects like node:dns does, and soon after `signal` says that nobody waits any more. */
export type Lookup = (host: string, signal?: AbortSignal) => Promise<readonly string[]>;

/** Where names are looked up; the machine's own places unless said otherwise. */
export interface LookupPlaces {
  /** Name servers as `setServers` takes them. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  /** A file in the form of resolv.conf(5), of which the search list is read. */
  readonly searchFile?: string;
  readonly timeoutMs?: number;
}

type Found = { readonly addresses: readonly string[] } | { readonly code: string };

const HOSTS_FILE = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
const SEARCH_FILE = "/etc/resolv.conf";
// For one name in all; what asks has some 15 s.
const TIMEOUT_MS = 5000;
// So that a second name server, or a second question, has its turn within that time.
const TRY_MS = 1500;
const TRIES = 2;

/**
 * Makes a lookup. Each has sockets of its own that it closes when its time is over: getaddrinfo can't be called off, runs on a few
 * threads that files need too, and would let a few names that hang hold up all others.
 */
export function createLookup(places: LookupPlaces = {}): Lookup {
  const { hostsFile = HOSTS_FILE, searchFile = SEARCH_FILE, timeoutMs = TIMEOUT_MS } = places;
  return async (host, signal) => {
    const known = hostsAddresses(await textOf(hostsFile), host);
    if (known.length > 0) return known;
    const names = candidates(host, searchList(await textOf(searchFile)));
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
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

/** The machine's own lookup. */
export const systemLookup: Lookup = createLookup();

async function firstFound(
  resolver: Resolver,
  names: readonly string[],
  isOver: () => boolean,
): Promise<readonly string[]> {
  let code = "ENOTFOUND";
  for (const name of names) {
    if (isOver()) throw failure("EAI_AGAIN");
    const found = await addressesOf(resolver, name);
    if ("addresses" in found) return found.addresses;
    // Silence about one name says nothing about the next: a guess there could lead to another host.
    if (found.code === "EAI_AGAIN") throw failure(found.code);
    if (found.code === "ENODATA") code = found.code;
  }
  throw failure(code);
}

/** Both kinds of addresses, IPv4 first; when one kind has none, the other is enough. */
async function addressesOf(resolver: Resolver, name: string): Promise<Found> {
  const both = await Promise.all([ask(resolver, "resolve4", name), ask(resolver, "resolve6", name)]);
  const addresses = both.flatMap((found) => ("addresses" in found ? found.addresses : []));
  if (addresses.length > 0) return { addresses };
  const codes = both.map((found) => ("code" in found ? found.code : "ENODATA"));
  return { code: ["EAI_AGAIN", "ENODATA"].find((code) => codes.includes(code)) ?? "ENOTFOUND" };
}

function ask(resolver: Resolver, method: "resolve4" | "resolve6", name: string): Promise<Found> {
  return new Promise((resolve) => {
    const take = (error: NodeJS.ErrnoException | null, addresses: readonly string[]): void =>
      resolve(error === null ? { addresses } : { code: codeOf(error) });
    resolver[method](name, take);
  });
}

/** There is none, it has none, or nobody knows: c-ares has many codes for the last, some of them those of connections. */
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
    // A machine may do without it.
    return "";
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(`the name was not resolved (${code})`), { code });
}

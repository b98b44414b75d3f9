// Names to addresses as the machine resolves them, hosts file included, with a bound on how many names are looked up at once.

import { lookup } from "node:dns/promises";

/** All addresses of a host; rejects like node:dns does. */
export type Lookup = (host: string) => Promise<readonly string[]>;

// getaddrinfo runs on libuv's pool of four threads, which file access needs too: names that hang must not take them all.
const LOOKUPS_AT_ONCE = 2;

let running = 0;
const waiting: (() => void)[] = [];

/** The machine's own resolver. Callers beyond the bound wait for their turn. */
export const systemLookup: Lookup = async (host) => {
  if (running >= LOOKUPS_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    const found = await lookup(host, { all: true, verbatim: true });
    return found.map(({ address }) => address);
  } finally {
    // The turn passes on without being given back, so that nobody comes in between.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
};

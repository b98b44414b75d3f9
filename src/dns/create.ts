// The resolver for work that lasts: its answers are kept in a cache that is bounded in entries and time.

import { LRUCache } from "lru-cache";
import type { Store } from "./cache.ts";
import { type DnsOptions, type DnsResolver, inRange, resolverWith } from "./resolver.ts";

/** Settings of the resolver and its memory. */
export interface CachedDnsOptions extends DnsOptions {
  /** Domains to remember. Default: 20,000. */
  readonly cacheEntries?: number;
}

const CACHE_ENTRIES = 20_000;

/**
 * Makes a resolver over node:dns. It opens a socket for questions alone, and keeps no process alive between them. Throws
 * AddrsiftError USAGE for a setting out of range.
 */
export function createDnsResolver(options: CachedDnsOptions = {}): DnsResolver {
  const entries = inRange("cacheEntries", options.cacheEntries ?? CACHE_ENTRIES, 10_000_000);
  return resolverWith(options, () => createStore(entries));
}

function createStore<Value extends object>(entries: number): Store<Value> {
  // Times are read when somebody asks, so no timer runs.
  const kept = new LRUCache<string, Value>({ max: entries, ttl: 1, ttlResolution: 0 });
  return { get: (name) => kept.get(name), set: (name, value, ttl) => kept.set(name, value, { ttl }) };
}

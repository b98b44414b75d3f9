// The resolver for long-running work: its answers are cached, with limits on number and time.

import { LRUCache } from "lru-cache";
import { type AnswerStore, type DnsOptions, type DnsResolver, inRange, resolverWith } from "./resolver.ts";

/** Settings of the resolver and its cache. */
export interface CachedDnsOptions extends DnsOptions {
  /** Domains to remember. Default: 20,000. */
  readonly cacheEntries?: number;
}

const CACHE_ENTRIES = 20_000;

/**
 * Makes a resolver over node:dns. It opens a socket only for questions, and keeps no process alive between them. Throws
 * AddrsiftError USAGE for a setting out of range.
 */
export function createDnsResolver(options: CachedDnsOptions = {}): DnsResolver {
  const entries = inRange("cacheEntries", options.cacheEntries ?? CACHE_ENTRIES, 10_000_000);
  return resolverWith(options, () => createStore(entries));
}

function createStore<Value extends object>(entries: number): AnswerStore<Value> {
  // The cache looks at the clock when it is asked, so no timer runs.
  const kept = new LRUCache<string, Value>({ max: entries, ttl: 1, ttlResolution: 0 });
  return { get: (name) => kept.get(name), set: (name, value, ttl) => kept.set(name, value, { ttl }) };
}

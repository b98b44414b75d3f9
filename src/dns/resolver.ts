// Looks up mail routing through node:dns: MX records, or else the addresses of an implicit MX. Coalesces concurrent
// lookups of a domain, and caches results with limits on number and time.

import { rejectOnAbort } from "../base/concurrency.ts";
import { AddrsiftError } from "../base/errors.ts";
import { memoize } from "../base/memoize.ts";
import type { Exchange, MailResolver, MailRouting, RoutingStatus, SelectExchanges } from "../detection/routing.ts";
import { filterPublicAddresses, toExchanges } from "./exchanges.ts";
import { Deadline, isFailure, QueryScheduler } from "./queries.ts";
import { parseServer } from "./servers.ts";

export interface DnsOptions {
  /** Name servers, `ADDR[:PORT]`, with brackets around IPv6 before a port. Default: the system's. */
  readonly servers?: readonly string[] | undefined;
  /** Timeout of a lookup with all its queries and retries, from its first query. Default: 2000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum time that a lookup is queued before it ends as `timeout`; `unbounded` for long lists. Default: timeoutMs. */
  readonly waitMs?: number | "unbounded" | undefined;
  /** Maximum number of queries in flight, 1 to 1,000. Default: 128. */
  readonly maxQueriesInFlight?: number | undefined;
  /** Maximum number of cached domains. Default: 20,000. */
  readonly cacheEntries?: number | undefined;
}

export interface DnsResolver extends MailResolver {
  /** Ends all running lookups as `timeout`. Later lookups are still possible. */
  close(): void;
}

const TIMEOUT_MS = 2000;
const TIMEOUT_MAX_MS = 600_000;
// With more queries in flight, name servers drop some. Measurements were best at 64 to 256.
const MAX_QUERIES_IN_FLIGHT = 128;
const CACHE_ENTRIES = 20_000;

const MINUTE_MS = 60_000;
const POSITIVE_TTL_MS = 60 * MINUTE_MS;
const NEGATIVE_TTL_MS = 5 * MINUTE_MS;
const FAILURE_TTL_MS = 15_000;

/**
 * Creates a resolver over node:dns. It opens sockets only during lookups, and doesn't keep the process alive between
 * them. `onUnsent` is called if a query can't be sent: no name server listens, or the process has too many open files.
 * Throws AddrsiftError USAGE for a setting out of range.
 */
export function createDnsResolver(options: DnsOptions = {}, onUnsent?: () => void): DnsResolver {
  const timeoutMs = checkInt("timeoutMs", options.timeoutMs ?? TIMEOUT_MS, TIMEOUT_MAX_MS);
  const maxQueriesInFlight = checkInt("maxQueriesInFlight", options.maxQueriesInFlight ?? MAX_QUERIES_IN_FLIGHT, 1000);
  const servers = (options.servers ?? []).map((text) => parseServer(text, "servers"));
  const { waitMs: waitOption = timeoutMs } = options;
  const waitMs = waitOption === "unbounded" ? undefined : checkInt("waitMs", waitOption, TIMEOUT_MAX_MS);
  const cacheEntries = checkInt("cacheEntries", options.cacheEntries ?? CACHE_ENTRIES, 10_000_000);
  return new NodeDnsResolver(
    new QueryScheduler({ servers, timeoutMs, maxQueriesInFlight, onUnsent }),
    waitMs,
    cacheEntries,
  );
}

class NodeDnsResolver implements DnsResolver {
  private readonly routings: CoalescingCache<MailRouting>;
  /** Addresses of exchanges, because many domains share an exchange. */
  private readonly addresses: CoalescingCache<readonly string[]>;
  private readonly runningDeadlines = new Set<Deadline>();

  constructor(
    private readonly queries: QueryScheduler,
    private readonly waitMs: number | undefined,
    cacheEntries: number,
  ) {
    this.routings = new CoalescingCache(cacheEntries, ({ status }) => ttlOf(status));
    this.addresses = new CoalescingCache(cacheEntries, ({ length }) => (length > 0 ? POSITIVE_TTL_MS : FAILURE_TTL_MS));
  }

  async route(asciiDomain: string, signal?: AbortSignal, selectExchanges?: SelectExchanges): Promise<MailRouting> {
    signal?.throwIfAborted();
    const routing = this.routings.get(asciiDomain, () => this.lookUp(asciiDomain, selectExchanges));
    // If aborted, the lookup continues for other callers and the cache.
    return signal === undefined || !(routing instanceof Promise) ? routing : rejectOnAbort(routing, signal);
  }

  private async lookUp(domain: string, selectExchanges: SelectExchanges | undefined): Promise<MailRouting> {
    // Not `performance`, which takes a one-off 1 ms to load.
    const checkedAt = Date.now();
    const deadline = new Deadline(this.waitMs);
    this.runningDeadlines.add(deadline);
    try {
      const routing = await this.lookUpExchanges(domain, selectExchanges, deadline);
      return { ...routing, checkedAt, durationMs: Math.max(0, Date.now() - checkedAt) };
    } finally {
      deadline.clear();
      this.runningDeadlines.delete(deadline);
    }
  }

  close(): void {
    for (const deadline of this.runningDeadlines) deadline.expire();
  }

  private async lookUpExchanges(
    domain: string,
    selectExchanges: SelectExchanges | undefined,
    deadline: Deadline,
  ): Promise<MailRouting> {
    const answer = await this.queries.lookUp("MX", domain, deadline);
    if (answer.status === "no_data") return this.lookUpImplicit(domain, deadline);
    if (answer.status !== "records") return { status: answer.status };
    const exchanges = toExchanges(answer.records);
    if (exchanges === "null_mx") return { status: "null_mx" };
    if (exchanges.length === 0) return { status: "no_mail" };
    return {
      status: "ok",
      exchanges: await this.addAddresses(exchanges, selectExchanges?.(exchanges) ?? [], deadline),
    };
  }

  /** Without MX records, the domain is its own exchange if it has an address (RFC 5321 §5.1). */
  private async lookUpImplicit(domain: string, deadline: Deadline): Promise<MailRouting> {
    const answers = await Promise.all([
      this.queries.lookUp("A", domain, deadline),
      this.queries.lookUp("AAAA", domain, deadline),
    ]);
    const addresses = await filterPublicAddresses(
      answers.flatMap((answer) => (answer.status === "records" ? answer.records : [])),
    );
    if (addresses.length > 0)
      return { status: "implicit_mx", exchanges: [{ preference: 0, exchange: domain, addresses }] };
    // If either query failed, the domain may still have an address.
    for (const { status } of answers) if (isFailure(status)) return { status };
    return { status: "no_mail" };
  }

  private async addAddresses(
    exchanges: readonly Exchange[],
    hosts: readonly string[],
    deadline: Deadline,
  ): Promise<readonly Exchange[]> {
    if (hosts.length === 0) return exchanges;
    const addressesByHost = new Map(
      await Promise.all(hosts.map(async (host) => [host, await this.lookUpAddresses(host, deadline)] as const)),
    );
    return exchanges.map((exchange) => {
      const addresses = addressesByHost.get(exchange.exchange) ?? [];
      return addresses.length === 0 ? exchange : { ...exchange, addresses };
    });
  }

  private async lookUpAddresses(host: string, deadline: Deadline): Promise<readonly string[]> {
    return this.addresses.get(host, async () => {
      const answer = await this.queries.lookUp("A", host, deadline);
      return answer.status === "records" ? filterPublicAddresses(answer.records) : [];
    });
  }
}

function ttlOf(status: RoutingStatus): number {
  if (isFailure(status)) return FAILURE_TTL_MS;
  return status === "nxdomain" || status === "no_mail" ? NEGATIVE_TTL_MS : POSITIVE_TTL_MS;
}

function checkInt(name: string, value: number, maximum: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= maximum) return value;
  throw new AddrsiftError("USAGE", `${name} can't be ${value}: give a whole number from 1 to ${maximum}`);
}

interface CacheSlot<Value> {
  /** A promise during the lookup. */
  value?: Value | Promise<Value>;
  /** Expiry in seconds of process.uptime(). */
  expiry: number;
}

/** Caches values by name, each with its own time to live, and coalesces concurrent calls. */
class CoalescingCache<Value extends object> {
  private readonly slotOf: (name: string) => CacheSlot<Value>;

  constructor(
    entries: number,
    private readonly ttlMs: (value: Value) => number,
  ) {
    this.slotOf = memoize(entries, () => ({ expiry: 0 }));
  }

  /** Calls `create` unless the value is cached or being created. A rejection is not cached. */
  get(name: string, create: () => Promise<Value>): Promise<Value> | Value {
    const slot = this.slotOf(name);
    if (slot.value !== undefined && process.uptime() < slot.expiry) return slot.value;
    const promise = create();
    Object.assign(slot, { value: promise, expiry: Number.POSITIVE_INFINITY });
    promise.then(
      (value) => Object.assign(slot, { value, expiry: process.uptime() + this.ttlMs(value) / 1000 }),
      () => Object.assign(slot, { expiry: 0 }),
    );
    return promise;
  }
}

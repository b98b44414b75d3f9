// Mail routing through node:dns: MX, else the addresses of an implicit MX. Each question is asked once, however many
// callers wait for it; answers are kept, with limits on number and time. Nothing here decides what an answer means for
// a verdict.

import { AddrsiftError } from "../base/errors.ts";
import { memoize } from "../base/memoize.ts";
import type { Exchange, MailResolver, MailRouting, RoutingStatus, SelectExchanges } from "../detection/routing.ts";
import { readAddresses, readExchanges } from "./exchanges.ts";
import { Deadline, isFailure, Queries } from "./queries.ts";
import { parseServer } from "./servers.ts";

export interface DnsOptions {
  /** Name servers, `ADDR[:PORT]`, version 6 in brackets before a port. Default: the system's own. */
  readonly servers?: readonly string[];
  /** Time for a whole question from when it is sent, with all its queries and retries. Default: 2000. */
  readonly timeoutMs?: number;
  /** How long a question may wait for its turn; after that it is a `timeout`. Default: timeoutMs. */
  readonly waitMs?: number | "unbounded";
  /** Queries in flight, 1 to 1,000. Default: 128. */
  readonly inFlightMax?: number;
}

/** Settings of the resolver and its cache. */
export interface CachedDnsOptions extends DnsOptions {
  /** Domains to remember at most. Default: 20,000. */
  readonly cacheEntries?: number;
}

export interface DnsResolver extends MailResolver {
  /** Ends all running questions as if their time were up. Later questions are still possible. */
  close(): void;
}

const TIMEOUT_MS = 2000;
const TIMEOUT_MAX_MS = 600_000;
// With more, name servers drop questions: 64 to 256 were measured to be best.
const IN_FLIGHT_MAX = 128;
const CACHE_ENTRIES = 20_000;

const MINUTE_MS = 60_000;
const POSITIVE_TTL_MS = 60 * MINUTE_MS;
const NEGATIVE_TTL_MS = 5 * MINUTE_MS;
const FAILURE_TTL_MS = 15_000;

/**
 * Makes a resolver over node:dns. It opens a socket only for questions, and keeps no process alive between them. Throws
 * AddrsiftError USAGE for a setting out of range.
 */
export function createDnsResolver(options: CachedDnsOptions = {}): DnsResolver {
  const timeoutMs = inRange("timeoutMs", options.timeoutMs ?? TIMEOUT_MS, TIMEOUT_MAX_MS);
  const inFlightMax = inRange("inFlightMax", options.inFlightMax ?? IN_FLIGHT_MAX, 1000);
  const servers = (options.servers ?? []).map((text) => parseServer(text, "servers"));
  const { waitMs: given = timeoutMs } = options;
  const waitMs = given === "unbounded" ? undefined : inRange("waitMs", given, TIMEOUT_MAX_MS);
  const cacheEntries = inRange("cacheEntries", options.cacheEntries ?? CACHE_ENTRIES, 10_000_000);
  return new NodeDnsResolver(new Queries({ servers, timeoutMs, inFlightMax }), waitMs, cacheEntries);
}

class NodeDnsResolver implements DnsResolver {
  private readonly routings: JoiningCache<MailRouting>;
  /** Addresses of exchanges, because many domains share one. */
  private readonly addresses: JoiningCache<readonly string[]>;
  private readonly open = new Set<Deadline>();

  constructor(
    private readonly queries: Queries,
    private readonly waitMs: number | undefined,
    cacheEntries: number,
  ) {
    this.routings = new JoiningCache(cacheEntries, ({ status }) => ttlOf(status));
    this.addresses = new JoiningCache(cacheEntries, ({ length }) => (length > 0 ? POSITIVE_TTL_MS : FAILURE_TTL_MS));
  }

  async route(asciiDomain: string, signal?: AbortSignal, addressesWanted?: SelectExchanges): Promise<MailRouting> {
    signal?.throwIfAborted();
    const routing = this.routings.get(asciiDomain, () => this.ask(asciiDomain, addressesWanted));
    return signal === undefined || !(routing instanceof Promise) ? routing : waitFor(routing, signal);
  }

  private async ask(domain: string, addressesWanted: SelectExchanges | undefined): Promise<MailRouting> {
    // Loading `performance` takes a millisecond of a one-off.
    const checkedAt = Date.now();
    const deadline = new Deadline(this.waitMs);
    this.open.add(deadline);
    try {
      const found = await this.find(domain, addressesWanted, deadline);
      return { ...found, checkedAt, durationMs: Math.max(0, Date.now() - checkedAt) };
    } finally {
      deadline.clear();
      this.open.delete(deadline);
    }
  }

  close(): void {
    for (const deadline of this.open) deadline.expire();
  }

  private async find(domain: string, wanted: SelectExchanges | undefined, deadline: Deadline): Promise<MailRouting> {
    const answer = await this.queries.ask("MX", domain, deadline);
    if (answer.status === "no_data") return this.findImplicit(domain, deadline);
    if (answer.status !== "records") return { status: answer.status };
    const exchanges = readExchanges(answer.records);
    if (exchanges === "null_mx") return { status: "null_mx" };
    // There are records, but none has a name that mail could go to.
    if (exchanges.length === 0) return { status: "no_mail" };
    return { status: "ok", exchanges: await this.addAddresses(exchanges, wanted?.(exchanges) ?? [], deadline) };
  }

  /** RFC 5321 §5.1: without MX records, the domain is its own exchange if it has an address. */
  private async findImplicit(domain: string, deadline: Deadline): Promise<MailRouting> {
    const answers = await Promise.all([
      this.queries.ask("A", domain, deadline),
      this.queries.ask("AAAA", domain, deadline),
    ]);
    const addresses = await readAddresses(
      answers.flatMap((answer) => (answer.status === "records" ? answer.records : [])),
    );
    if (addresses.length > 0)
      return { status: "implicit_mx", exchanges: [{ preference: 0, exchange: domain, addresses }] };
    // Only both answers together show that there is no address.
    for (const { status } of answers) if (isFailure(status)) return { status };
    return { status: "no_mail" };
  }

  private async addAddresses(
    exchanges: readonly Exchange[],
    wanted: readonly string[],
    deadline: Deadline,
  ): Promise<readonly Exchange[]> {
    if (wanted.length === 0) return exchanges;
    const found = new Map(
      await Promise.all(wanted.map(async (host) => [host, await this.addressesOf(host, deadline)] as const)),
    );
    return exchanges.map((exchange) => {
      const addresses = found.get(exchange.exchange) ?? [];
      return addresses.length === 0 ? exchange : { ...exchange, addresses };
    });
  }

  private async addressesOf(host: string, deadline: Deadline): Promise<readonly string[]> {
    return this.addresses.get(host, async () => {
      const answer = await this.queries.ask("A", host, deadline);
      return answer.status === "records" ? readAddresses(answer.records) : [];
    });
  }
}

function ttlOf(status: RoutingStatus): number {
  if (isFailure(status)) return FAILURE_TTL_MS;
  return status === "nxdomain" || status === "no_mail" ? NEGATIVE_TTL_MS : POSITIVE_TTL_MS;
}

/** Stops waiting when `signal` aborts. The question goes on for other callers, and its answer is kept. */
function waitFor(routing: Promise<MailRouting>, signal: AbortSignal): Promise<MailRouting> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    routing.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}

function inRange(name: string, value: number, maximum: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= maximum) return value;
  throw new AddrsiftError("USAGE", `${name} can't be ${value}: give a whole number from 1 to ${maximum}`);
}

interface Slot<Value> {
  /** A promise while it is made. */
  value?: Value | Promise<Value>;
  /** By the process's own clock, in seconds. */
  until: number;
}

/** Caches values by name, each for its time. */
class JoiningCache<Value extends object> {
  private readonly slotOf: (name: string) => Slot<Value>;

  constructor(
    entries: number,
    private readonly ttlMs: (value: Value) => number,
  ) {
    this.slotOf = memoize(entries, () => ({ until: 0 }));
  }

  /** Returns the value of `name`. `make` runs unless the value is cached or already being made. A failure is not cached. */
  get(name: string, make: () => Promise<Value>): Promise<Value> | Value {
    const slot = this.slotOf(name);
    if (slot.value !== undefined && process.uptime() < slot.until) return slot.value;
    const made = make();
    Object.assign(slot, { value: made, until: Number.POSITIVE_INFINITY });
    made.then(
      (value) => Object.assign(slot, { value, until: process.uptime() + this.ttlMs(value) / 1000 }),
      () => Object.assign(slot, { until: 0 }),
    );
    return made;
  }
}

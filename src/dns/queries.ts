// Single DNS queries through node:dns: limited in number, retried if unanswered, cancelled at the lookup's deadline.
// Node's resolver (c-ares) adapts its timeout: after quick answers it waits only 250 ms for the next, whatever timeout
// it was given, and then closes the socket, so a slow answer is lost. Therefore all queries start in one shared
// resolver, and a query without an answer after that time is repeated in fresh resolvers, which wait for the full
// timeout. Fresh resolvers for all queries would halve the rate. If a retry's server answers while the first is silent,
// later queries start there.

import { type MxRecord, Resolver } from "node:dns";

export type Answer<Record> =
  | { readonly status: "records"; readonly records: readonly Record[] }
  | { readonly status: "nxdomain" | "no_data" | Failure; readonly isUnsent?: boolean };

type Failure = "timeout" | "servfail" | "refused" | "error";

/** Records by query type. */
interface Records {
  MX: MxRecord;
  A: string;
  AAAA: string;
}

export interface QuerySetup {
  readonly servers: readonly string[];
  readonly timeoutMs: number;
  readonly maxQueriesInFlight: number;
  readonly onUnsent: (() => void) | undefined;
}

// Timeout of c-ares for a server that has answered quickly so far.
const RETRY_AFTER_MS = 250;

interface SharedResolver {
  readonly resolver: Resolver;
  readonly firstServer: number;
  /** Number of unfinished queries that were sent through it, including those retried elsewhere. */
  runningCount: number;
  /** Number of queries answered through it, without a retry. */
  answeredCount: number;
}

export class QueryScheduler {
  private readonly servers: readonly string[];
  private sharedResolver: SharedResolver;
  private inFlight = 0;
  private readonly newLookups = new QueryQueue();
  /** Queued queries of lookups that have started: they go first, because their deadline is running. */
  private readonly startedLookups = new QueryQueue();

  constructor(private readonly setup: QuerySetup) {
    this.servers = setup.servers;
    this.sharedResolver = this.createShared(0);
    this.servers = this.sharedResolver.resolver.getServers();
  }

  /** Looks up records of a name. Returns `timeout` at the deadline, not before. */
  lookUp<Type extends keyof Records>(type: Type, name: string, deadline: Deadline): Promise<Answer<Records[Type]>> {
    return new Promise((resolve) => {
      const query = new Query(type, name, deadline, (answer) => {
        resolve(answer as Answer<Records[Type]>);
        if (query.sent !== undefined) this.finish(query.sent, answer);
      });
      if (deadline.hasExpired) query.timeOut();
      else if (this.inFlight < this.setup.maxQueriesInFlight) this.start(query);
      else (deadline.hasStarted ? this.startedLookups : this.newLookups).push(query);
    });
  }

  private start(query: Query): void {
    const { sharedResolver, setup } = this;
    this.inFlight += 1;
    sharedResolver.runningCount += 1;
    query.send(
      { sharedResolver, answeredCountBefore: sharedResolver.answeredCount, answeredBy: undefined },
      (attempt) => this.createResolver(sharedResolver.firstServer + attempt),
      setup.timeoutMs,
    );
  }

  private finish({ sharedResolver, answeredCountBefore, answeredBy }: SentQuery, answer: Answer<unknown>): void {
    if (answer.status === "error" && answer.isUnsent) this.setup.onUnsent?.();
    this.inFlight -= 1;
    sharedResolver.runningCount -= 1;
    if (answeredBy === 0) sharedResolver.answeredCount += 1;
    // Unanswered queries would keep the process alive after the last lookup.
    if (sharedResolver.runningCount === 0) sharedResolver.resolver.cancel();
    // If the first server answered other queries meanwhile, only this domain is slow there.
    const wasSilent =
      answeredBy !== 0 &&
      answeredCountBefore === sharedResolver.answeredCount &&
      sharedResolver === this.sharedResolver;
    if (wasSilent && answeredBy !== undefined && !isFailure(answer.status))
      this.preferServer(sharedResolver.firstServer + answeredBy);
    this.startQueued();
  }

  /** Makes later queries start at this server. Running ones keep their resolver, whose servers can't be changed. */
  private preferServer(server: number): void {
    const firstServer = server % Math.max(1, this.servers.length);
    if (firstServer === this.sharedResolver.firstServer) return;
    this.sharedResolver = this.createShared(firstServer);
  }

  private createShared(firstServer: number): SharedResolver {
    return { resolver: this.createResolver(firstServer), firstServer, runningCount: 0, answeredCount: 0 };
  }

  private startQueued(): void {
    while (this.inFlight < this.setup.maxQueriesInFlight) {
      const query = this.startedLookups.shift() ?? this.newLookups.shift();
      if (query === undefined) return;
      this.start(query);
    }
  }

  /** Creates a resolver that waits for the full timeout and starts at another server per attempt: one may be down. */
  private createResolver(attempt: number): Resolver {
    const { servers } = this;
    const resolver = new Resolver({ timeout: this.setup.timeoutMs, tries: 1 });
    const first = attempt % Math.max(1, servers.length);
    // The system's servers are the default, and setServers doesn't accept all forms in which getServers returns them.
    if (first > 0 || this.setup.servers.length > 0) {
      resolver.setServers([...servers.slice(first), ...servers.slice(0, first)]);
    }
    return resolver;
  }
}

/** A queue that skips cancelled queries. Array.shift would take linear time. */
class QueryQueue {
  private queries: Query[] = [];
  private next = 0;

  push(query: Query): void {
    this.queries.push(query);
  }

  shift(): Query | undefined {
    for (;;) {
      const query = this.queries[this.next];
      this.next += 1;
      if (query === undefined || this.next > 1024) {
        this.queries = this.queries.slice(this.next);
        this.next = 0;
      }
      if (query?.hasEnded !== true) return query;
    }
  }
}

interface SentQuery {
  readonly sharedResolver: SharedResolver;
  /** The shared resolver's `answeredCount` when the query was sent. */
  readonly answeredCountBefore: number;
  /** Number of the answered attempt: 0 is the one through the shared resolver; undefined if none was answered. */
  answeredBy: number | undefined;
}

class Query {
  hasEnded = false;
  sent: SentQuery | undefined;
  private readonly retryResolvers: Resolver[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly type: keyof Records,
    private readonly name: string,
    private readonly deadline: Deadline,
    private readonly onAnswer: (answer: Answer<MxRecord | string>) => void,
  ) {
    deadline.listeners.add(this.timeOut);
  }

  readonly timeOut = (): void => this.end({ status: "timeout" });

  /** Sends the query through the shared resolver, and retries after 250 ms and after half of the timeout. */
  send(sent: SentQuery, createResolver: (attempt: number) => Resolver, timeoutMs: number): void {
    this.sent = sent;
    this.deadline.start(timeoutMs);
    const retryAfterMs = Math.min(RETRY_AFTER_MS, timeoutMs / 4);
    const retry = (): void => {
      const resolver = createResolver(this.retryResolvers.length + 1);
      this.retryResolvers.push(resolver);
      this.sendThrough(resolver, this.retryResolvers.length, sent);
    };
    this.timer = setTimeout(() => {
      retry();
      this.timer = setTimeout(retry, Math.max(0, timeoutMs / 2 - retryAfterMs));
    }, retryAfterMs);
    this.sendThrough(sent.sharedResolver.resolver, 0, sent);
  }

  private sendThrough(resolver: Resolver, attempt: number, sent: SentQuery): void {
    const handle = (error: NodeJS.ErrnoException | null, records: readonly (MxRecord | string)[]): void => {
      if (this.hasEnded) return;
      // Only the deadline ends the lookup as `timeout`.
      if (error?.code === "ETIMEOUT" || error?.code === "ECANCELLED") return;
      sent.answeredBy = attempt;
      const isUnsent = error?.code === "ECONNREFUSED";
      this.end(error === null ? { status: "records", records } : { status: statusOf(error), isUnsent });
    };
    try {
      if (this.type === "MX") resolver.resolveMx(this.name, handle);
      else if (this.type === "A") resolver.resolve4(this.name, handle);
      else resolver.resolve6(this.name, handle);
    } catch {
      // Node rejects an invalid name without sending a query.
      sent.answeredBy = attempt;
      this.end({ status: "error" });
    }
  }

  private end(answer: Answer<MxRecord | string>): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearTimeout(this.timer);
    this.deadline.listeners.delete(this.timeOut);
    for (const resolver of this.retryResolvers) resolver.cancel();
    this.onAnswer(answer);
  }
}

export function isFailure(status: string): status is Failure {
  return status === "timeout" || status === "servfail" || status === "refused" || status === "error";
}

function statusOf({ code }: NodeJS.ErrnoException): "nxdomain" | "no_data" | Failure {
  if (code === "ENOTFOUND") return "nxdomain";
  if (code === "ENODATA") return "no_data";
  if (code === "ESERVFAIL") return "servfail";
  return code === "EREFUSED" ? "refused" : "error";
}

/** Deadline of a lookup, counted from its first query. The timer keeps the process alive, because a caller waits. */
export class Deadline {
  hasExpired = false;
  hasStarted = false;
  /** Called on expiry. */
  readonly listeners: Set<() => void> = new Set();
  private timer: NodeJS.Timeout | undefined;

  /** `waitMs` is the maximum time in the queue; undefined means no limit. */
  constructor(waitMs: number | undefined) {
    if (waitMs !== undefined) this.timer = setTimeout(() => this.expire(), waitMs);
  }

  /** Starts the timeout. Later calls have no effect. */
  start(timeoutMs: number): void {
    if (this.hasStarted || this.hasExpired) return;
    this.hasStarted = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.expire(), timeoutMs);
  }

  clear(): void {
    clearTimeout(this.timer);
  }

  expire(): void {
    this.clear();
    this.hasExpired = true;
    for (const onExpiry of this.listeners) onExpiry();
  }
}

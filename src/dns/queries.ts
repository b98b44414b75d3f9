// Single DNS queries through node:dns: limited in number, retried on silence, cancelled at the lookup's deadline.
// Node's resolver (c-ares) adapts its timeout: after quick answers it waits only 250 ms for the next, whatever timeout
// it was given, and then closes the socket, so a slow answer is lost. Therefore all queries start in one shared
// resolver, and a query without an answer after that time is repeated in fresh resolvers, which wait for the full
// timeout. Fresh resolvers for all queries would halve the rate. If a retry's server answers while the first is silent,
// later queries start there.

import { type MxRecord, Resolver } from "node:dns";

export type Answer<Record> =
  | { readonly status: "records"; readonly records: readonly Record[] }
  | { readonly status: "nxdomain" | "no_data" | Failure };

type Failure = "timeout" | "servfail" | "refused" | "error";

export type QueryType = "MX" | "A" | "AAAA";
interface Records {
  MX: MxRecord;
  A: string;
  AAAA: string;
}

export interface QuerySetup {
  readonly servers: readonly string[];
  readonly timeoutMs: number;
  readonly inFlightMax: number;
}

// c-ares's timeout for a server that was quick so far.
const SECOND_AFTER_MS = 250;

interface SharedResolver {
  readonly resolver: Resolver;
  /** Index of its first server. */
  readonly first: number;
  /** Running queries that were sent through it, also if retried elsewhere. */
  open: number;
  /** Number of queries that it answered itself. */
  answered: number;
}

export class Queries {
  private readonly servers: readonly string[];
  private common: SharedResolver;
  private inFlight = 0;
  /** Queued first queries of lookups. */
  private readonly first = new WaitingQueries();
  /** Queued queries of lookups that have started: their time runs, so they go first. */
  private readonly further = new WaitingQueries();

  constructor(private readonly setup: QuerySetup) {
    this.servers = setup.servers;
    this.common = this.makeCommon(0);
    this.servers = this.common.resolver.getServers();
  }

  /** Looks up records of a name. Returns `timeout` at the deadline, not before. */
  ask<Type extends QueryType>(type: Type, name: string, deadline: Deadline): Promise<Answer<Records[Type]>> {
    return new Promise((resolve) => {
      const query = new Query(type, name, deadline, (answer) => {
        resolve(answer as Answer<Records[Type]>);
        if (query.sent !== undefined) this.leave(query.sent, answer);
      });
      if (deadline.expired) query.giveUp();
      else if (this.inFlight < this.setup.inFlightMax) this.enter(query);
      else (deadline.begun ? this.further : this.first).push(query);
    });
  }

  private enter(query: Query): void {
    const { common, setup } = this;
    this.inFlight += 1;
    common.open += 1;
    query.send(
      { common, answeredBefore: common.answered, answeredBy: undefined },
      (turn) => this.makePatient(common.first + turn),
      setup.timeoutMs,
    );
  }

  private leave({ common, answeredBefore, answeredBy }: QueryStart, { status }: Answer<unknown>): void {
    this.inFlight -= 1;
    common.open -= 1;
    if (answeredBy === 0) common.answered += 1;
    // Unanswered queries would keep the process alive after the last lookup.
    if (common.open === 0) common.resolver.cancel();
    // If the first server answered other queries meanwhile, only this domain is slow there.
    const wasSilent = answeredBy !== 0 && answeredBefore === common.answered && common === this.common;
    if (wasSilent && answeredBy !== undefined && !isFailure(status)) this.begin(common.first + answeredBy);
    this.letIn();
  }

  /** Makes later queries start at this server. Running ones keep their resolver, whose servers can't be changed. */
  private begin(server: number): void {
    const first = server % Math.max(1, this.servers.length);
    if (first === this.common.first) return;
    this.common = this.makeCommon(first);
  }

  private makeCommon(first: number): SharedResolver {
    return { resolver: this.makePatient(first), first, open: 0, answered: 0 };
  }

  private letIn(): void {
    while (this.inFlight < this.setup.inFlightMax) {
      const query = this.further.shift() ?? this.first.shift();
      if (query === undefined) return;
      this.enter(query);
    }
  }

  /** Creates a resolver that waits for the full timeout and starts at another server per attempt: one may be down. */
  private makePatient(turn: number): Resolver {
    const { servers } = this;
    const resolver = new Resolver({ timeout: this.setup.timeoutMs, tries: 1 });
    const from = turn % Math.max(1, servers.length);
    // The system's servers are the default, and setServers doesn't accept all forms in which getServers returns them.
    if (from > 0 || this.setup.servers.length > 0) {
      resolver.setServers([...servers.slice(from), ...servers.slice(0, from)]);
    }
    return resolver;
  }
}

/** A queue that skips cancelled queries. Array.shift would take linear time. */
class WaitingQueries {
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
      if (query?.ended !== true) return query;
    }
  }
}

interface QueryStart {
  readonly common: SharedResolver;
  /** The shared resolver's `answered` when the query was sent. */
  readonly answeredBefore: number;
  /** 0: the shared resolver; 1 and up: the query's attempt; undefined: none answered. */
  answeredBy: number | undefined;
}

class Query {
  ended = false;
  sent: QueryStart | undefined;
  private readonly own: Resolver[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly type: QueryType,
    private readonly name: string,
    private readonly deadline: Deadline,
    private readonly done: (answer: Answer<MxRecord | string>) => void,
  ) {
    deadline.ends.add(this.giveUp);
  }

  readonly giveUp = (): void => this.end({ status: "timeout" });

  /** Sends the query through the shared resolver, and retries after 250 ms and after half of the timeout. */
  send(sent: QueryStart, makeResolver: (turn: number) => Resolver, timeoutMs: number): void {
    this.sent = sent;
    this.deadline.begin(timeoutMs);
    const againAfterMs = Math.min(SECOND_AFTER_MS, timeoutMs / 4);
    const askAgain = (): void => {
      const resolver = makeResolver(this.own.length + 1);
      this.own.push(resolver);
      this.ask(resolver, this.own.length, sent);
    };
    this.timer = setTimeout(() => {
      askAgain();
      this.timer = setTimeout(askAgain, Math.max(0, timeoutMs / 2 - againAfterMs));
    }, againAfterMs);
    this.ask(sent.common.resolver, 0, sent);
  }

  private ask(resolver: Resolver, turn: number, sent: QueryStart): void {
    const take = (error: NodeJS.ErrnoException | null, records: readonly (MxRecord | string)[]): void => {
      if (this.ended) return;
      // Only the deadline ends the lookup as `timeout`.
      if (error?.code === "ETIMEOUT" || error?.code === "ECANCELLED") return;
      sent.answeredBy = turn;
      this.end(error === null ? { status: "records", records } : { status: statusOf(error) });
    };
    try {
      if (this.type === "MX") resolver.resolveMx(this.name, take);
      else if (this.type === "A") resolver.resolve4(this.name, take);
      else resolver.resolve6(this.name, take);
    } catch {
      // Node rejects the name without a query.
      sent.answeredBy = turn;
      this.end({ status: "error" });
    }
  }

  private end(answer: Answer<MxRecord | string>): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.deadline.ends.delete(this.giveUp);
    for (const resolver of this.own) resolver.cancel();
    this.done(answer);
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
  expired = false;
  begun = false;
  /** Called on expiry. */
  readonly ends: Set<() => void> = new Set();
  private timer: NodeJS.Timeout | undefined;

  /** Maximum time in the queue; undefined means no limit. */
  constructor(waitMs: number | undefined) {
    if (waitMs !== undefined) this.timer = setTimeout(() => this.expire(), waitMs);
  }

  /** Starts the timeout. Later calls have no effect. */
  begin(timeoutMs: number): void {
    if (this.begun || this.expired) return;
    this.begun = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.expire(), timeoutMs);
  }

  clear(): void {
    clearTimeout(this.timer);
  }

  expire(): void {
    this.clear();
    this.expired = true;
    for (const end of this.ends) end();
  }
}

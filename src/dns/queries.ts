// Single DNS queries through node:dns: limited in number, sent again when no answer comes, cancelled at the question's
// deadline. The only limit on queries in flight is here. Node's resolver is c-ares. After quick answers it waits only
// 250 ms for the next, whatever timeout it was given, and then closes the question's socket, so a late answer is lost.
// Therefore one resolver serves all quick answers, and a question that it has not answered by then goes on in new
// resolvers, which have learned nothing and therefore wait. New resolvers for each question from the start
// would halve the rate. When another server answers there while the first is silent, later queries try it first.

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

// How long the common resolver waits for a server that was quick so far.
const SECOND_AFTER_MS = 250;

interface SharedResolver {
  readonly resolver: Resolver;
  /** Which of the servers it asks first. */
  readonly first: number;
  /** Queries sent through it that have not ended, whichever resolver will answer them. */
  open: number;
  /** Queries that it answered itself. */
  answered: number;
}

export class Queries {
  private readonly servers: readonly string[];
  private common: SharedResolver;
  private inFlight = 0;
  /** First queries of questions, waiting for their turn; cancelled ones are skipped. */
  private readonly first = new WaitingQueries();
  /** Further queries of questions that have begun: their time runs, so they go first. */
  private readonly further = new WaitingQueries();

  constructor(private readonly setup: QuerySetup) {
    this.servers = setup.servers;
    this.common = this.makeCommon(0);
    this.servers = this.common.resolver.getServers();
  }

  /** Asks for the records of a name. Silence becomes a `timeout` at the deadline, not before. */
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
    // Queries that it has not answered would keep the process alive after the last answer.
    if (common.open === 0) common.resolver.cancel();
    // If the first server answered other queries meanwhile, it works, and only this domain is slow.
    const wasSilent = answeredBy !== 0 && answeredBefore === common.answered && common === this.common;
    if (wasSilent && answeredBy !== undefined && !isFailure(status)) this.begin(common.first + answeredBy);
    this.letIn();
  }

  /** Makes later queries try this server first. Running ones keep their resolver, whose servers can't be changed. */
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

  /** A new resolver, which has learned nothing, starting with the server of that turn: the first one may be dead. */
  private makePatient(turn: number): Resolver {
    const { servers } = this;
    const resolver = new Resolver({ timeout: this.setup.timeoutMs, tries: 1 });
    const from = turn % Math.max(1, servers.length);
    // The system's own servers are there already, and not all forms in which they are listed can be set.
    if (from > 0 || this.setup.servers.length > 0) {
      resolver.setServers([...servers.slice(from), ...servers.slice(0, from)]);
    }
    return resolver;
  }
}

/** Waiting queries, the oldest first. An array's own `shift` would move all the others. */
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

/** How a query was sent, and which resolver answered. */
interface QueryStart {
  readonly common: SharedResolver;
  /** How many queries the common resolver had answered then. */
  readonly answeredBefore: number;
  /** 0 for the common resolver, 1 and on for the query's own in turn; undefined when none answered. */
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

  /**
   * Asks through the common resolver; without an answer, asks again after a quarter of a second and after half of the
   * time.
   */
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
      // Before the deadline silence is not an answer.
      if (error?.code === "ETIMEOUT" || error?.code === "ECANCELLED") return;
      sent.answeredBy = turn;
      this.end(error === null ? { status: "records", records } : { status: statusOf(error) });
    };
    try {
      if (this.type === "MX") resolver.resolveMx(this.name, take);
      else if (this.type === "A") resolver.resolve4(this.name, take);
      else resolver.resolve6(this.name, take);
    } catch {
      // Node refuses the name without asking.
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

/**
 * A question may first wait for its turn. Its time begins when it is sent. The timer keeps the process alive, because a
 * caller waits.
 */
export class Deadline {
  expired = false;
  begun = false;
  /** Called when time is up. */
  readonly ends: Set<() => void> = new Set();
  private timer: NodeJS.Timeout | undefined;

  /** `waitMs` limits the wait for a turn; undefined means no limit. */
  constructor(waitMs: number | undefined) {
    if (waitMs !== undefined) this.timer = setTimeout(() => this.expire(), waitMs);
  }

  /** The question is sent: its time begins. Only the first call counts. */
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

// Single DNS queries through node:dns: bounded in number, asked again when no answer comes, given up at the question's deadline.
//
// Node's resolver is c-ares, which learns from quick answers to give up after 250 ms, whatever timeout it was given, and forgets
// the question's socket with that: a late answer is lost. So one resolver serves all quick answers, and a question that it has
// not answered by then goes on in resolvers of its own, which know nothing yet and therefore wait. Making one for each question
// from the start would halve the rate.

import { type MxRecord, Resolver } from "node:dns";
import type { Deadline } from "./deadline.ts";

/** What one query came to. */
export type Answer<Record> =
  | { readonly status: "records"; readonly records: readonly Record[] }
  | { readonly status: "nxdomain" | "no_data" | "timeout" | "servfail" | "refused" | "error" };

export type QueryType = "MX" | "A" | "AAAA";
interface Records {
  MX: MxRecord;
  A: string;
  AAAA: string;
}

export interface QuerySetup {
  /** Name servers as `setServers` takes them; none for the system's own. */
  readonly servers: readonly string[];
  /** The longest deadline that any query will have. */
  readonly timeoutMs: number;
  readonly inFlightMax: number;
}

// The first resolver's own patience with a server that was quick so far.
const SECOND_AFTER_MS = 250;

/** Sends queries, at most `inFlightMax` at a time; the others wait their turn. */
export class Queries {
  private readonly setup: QuerySetup;
  private readonly servers: readonly string[];
  private readonly common: Resolver;
  private inFlight = 0;
  /** The common resolver may hold queries that were given up. */
  private leftOver = false;
  /** Those whose turn has not come; the ones that were given up are passed over. */
  private waiting: Query<QueryType>[] = [];
  private next = 0;

  constructor(setup: QuerySetup) {
    this.setup = setup;
    this.common = new Resolver({ timeout: setup.timeoutMs, tries: 1 });
    if (setup.servers.length > 0) this.common.setServers(setup.servers);
    this.servers = this.common.getServers();
  }

  /** Asks for the records of a name. At the deadline, and not before, silence is a `timeout`. */
  ask<Type extends QueryType>(type: Type, name: string, deadline: Deadline): Promise<Answer<Records[Type]>> {
    return new Promise((resolve) => {
      const query = new Query(type, name, deadline, this.makers, (answer, wasSent) => {
        resolve(answer as Answer<Records[Type]>);
        if (wasSent) this.leave(answer.status === "timeout");
      });
      if (deadline.expired) query.giveUp();
      else if (this.inFlight < this.setup.inFlightMax) this.enter(query);
      else this.waiting.push(query);
    });
  }

  private enter(query: Query<QueryType>): void {
    this.inFlight += 1;
    query.send(this.common, Math.min(SECOND_AFTER_MS, this.setup.timeoutMs / 4));
  }

  private leave(silent: boolean): void {
    this.inFlight -= 1;
    this.leftOver ||= silent;
    if (this.inFlight === 0 && this.leftOver) {
      // They would keep the process alive beyond their deadline.
      this.common.cancel();
      this.leftOver = false;
    }
    while (this.next < this.waiting.length && this.inFlight < this.setup.inFlightMax) {
      const query = this.waiting[this.next++] as Query<QueryType>;
      if (!query.ended) this.enter(query);
    }
    if (this.next > 1024 || this.next === this.waiting.length) {
      this.waiting = this.waiting.slice(this.next);
      this.next = 0;
    }
  }

  /** A patient resolver for one query; each in turn begins with another server, for the first one may be dead. */
  private readonly makers = (turn: number): Resolver => {
    const { servers } = this;
    const resolver = new Resolver({ timeout: this.setup.timeoutMs, tries: 1 });
    const from = turn % Math.max(1, servers.length);
    // The system's own come by themselves, and not all forms in which they are known can be set.
    if (from > 0 || this.setup.servers.length > 0) {
      resolver.setServers([...servers.slice(from), ...servers.slice(0, from)]);
    }
    return resolver;
  };
}

class Query<Type extends QueryType> {
  ended = false;
  private readonly type: Type;
  private readonly name: string;
  private readonly deadline: Deadline;
  private readonly makeResolver: (turn: number) => Resolver;
  private readonly done: (answer: Answer<MxRecord | string>, wasSent: boolean) => void;
  private readonly own: Resolver[] = [];
  private timer: NodeJS.Timeout | undefined;
  private sent = false;

  constructor(
    type: Type,
    name: string,
    deadline: Deadline,
    makeResolver: (turn: number) => Resolver,
    done: (answer: Answer<MxRecord | string>, wasSent: boolean) => void,
  ) {
    this.type = type;
    this.name = name;
    this.deadline = deadline;
    this.makeResolver = makeResolver;
    this.done = done;
    deadline.watch(this.giveUp);
  }

  readonly giveUp = (): void => this.end({ status: "timeout" });

  /** Asks through `common`; then, while there is no answer, again after `againAfterMs` and at half of the time. */
  send(common: Resolver, againAfterMs: number): void {
    this.sent = true;
    this.ask(common);
    this.timer = setTimeout(() => {
      this.askAgain();
      this.timer = setTimeout(() => this.askAgain(), Math.max(0, this.deadline.timeoutMs / 2 - againAfterMs));
    }, againAfterMs);
  }

  private askAgain(): void {
    const resolver = this.makeResolver(this.own.length + 1);
    this.own.push(resolver);
    this.ask(resolver);
  }

  private ask(resolver: Resolver): void {
    const take = (error: NodeJS.ErrnoException | null, records: readonly (MxRecord | string)[]): void => {
      if (this.ended) return;
      if (error === null) this.end({ status: "records", records });
      // Silence is not an answer before the deadline.
      else if (error.code !== "ETIMEOUT" && error.code !== "ECANCELLED") this.end({ status: statusOf(error) });
    };
    try {
      if (this.type === "MX") resolver.resolveMx(this.name, take);
      else if (this.type === "A") resolver.resolve4(this.name, take);
      else resolver.resolve6(this.name, take);
    } catch {
      // A name that Node does not even take for one.
      this.end({ status: "error" });
    }
  }

  private end(answer: Answer<MxRecord | string>): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.deadline.unwatch(this.giveUp);
    for (const resolver of this.own) resolver.cancel();
    this.done(answer, this.sent);
  }
}

function statusOf({ code }: NodeJS.ErrnoException): "nxdomain" | "no_data" | "servfail" | "refused" | "error" {
  if (code === "ENOTFOUND") return "nxdomain";
  if (code === "ENODATA") return "no_data";
  if (code === "ESERVFAIL") return "servfail";
  return code === "EREFUSED" ? "refused" : "error";
}

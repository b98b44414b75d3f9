// Counters of what happens: requests, addresses, questions to DNS, failed keys, deliveries, mails. `prometheus` turns
// the counts into text. The access log has a line for each request, with text from callers only where the operator
// asked for it; keys and tokens never are.

import type { Classifier } from "../detection/classifier.ts";
import type { MailRouting, RoutingStatus } from "../detection/routing.ts";
import type { KeyFault } from "../keys/keys.ts";
import type { OngoingExchange } from "./http/exchange.ts";

export const DURATION_BOUNDS_MS: readonly number[] = [
  0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 15_000,
];

export class Histogram {
  /**
   * How many took at most each bound and more than the bound before; the last element is for those above all bounds.
   */
  readonly durations: number[] = Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0);
  milliseconds = 0;
  count = 0;

  add(milliseconds: number): void {
    this.milliseconds += milliseconds;
    this.count += 1;
    let place = 0;
    while (place < DURATION_BOUNDS_MS.length && milliseconds > (DURATION_BOUNDS_MS[place] as number)) place += 1;
    (this.durations[place] as number) += 1;
  }
}

/** The classes of an address or a domain, the strongest first. */
export const ADDRESS_CLASSES = ["invalid", "disposable", "relay", "public", "other"] as const;
export type AddressClass = (typeof ADDRESS_CLASSES)[number];

export function classOf(classifier: Classifier): AddressClass {
  if (classifier.fault !== undefined) return "invalid";
  const { disposable, relayProvider, publicDomain } = classifier.verdict;
  if (disposable) return "disposable";
  if (relayProvider !== undefined) return "relay";
  return publicDomain ? "public" : "other";
}

/** Results of an attempt to deliver: `retried` will be tried again, `failed` will not. */
export type DeliveryOutcome = "delivered" | "retried" | "failed";
/** Results of sending a message: taken by the mail server, refused by it, or neither. */
export type MailOutcome = "sent" | "refused" | "failed";

export function countUp<Name>(counts: Map<Name, number>, name: Name, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function zeros<Name>(names: readonly Name[]): Map<Name, number> {
  return new Map(names.map((name) => [name, 0]));
}

/** Requests of one path by one method: answers by status, and how long they took. */
export interface RequestCounts {
  readonly answers: Map<number | "none", number>;
  readonly times: Histogram;
}

export class Counters {
  /** Requests by path as in the route table, and method. No path is one that a caller sent. */
  readonly requests: Map<string, Map<string, RequestCounts>> = new Map();
  readonly addresses: Map<AddressClass, number> = zeros(ADDRESS_CLASSES);
  /** Domains that were asked about without an address. */
  readonly domains: Map<AddressClass, number> = zeros(ADDRESS_CLASSES);
  readonly dnsAnswers: Map<RoutingStatus, number> = new Map();
  readonly dnsDurations: Histogram = new Histogram();
  /** Domains whose answer of DNS was there already or on its way. */
  dnsCached = 0;
  readonly failedKeys: Map<KeyFault, number> = zeros(["malformed", "unknown", "expired", "revoked"]);
  readonly deliveries: Map<DeliveryOutcome, number> = zeros(["delivered", "retried", "failed"]);
  readonly mails: Map<MailOutcome, number> = zeros(["sent", "refused", "failed"]);
  private readonly seen = new WeakSet<MailRouting>();

  /** Counts the routing of a domain: one that comes again needed no question. */
  routing(found: MailRouting): void {
    if (this.seen.has(found)) {
      this.dnsCached += 1;
      return;
    }
    this.seen.add(found);
    countUp(this.dnsAnswers, found.status);
    this.dnsDurations.add(found.durationMs ?? 0);
  }

  /** Counts one request that was answered or whose caller disconnected. */
  request({ template: path = "none", method, status, milliseconds }: OngoingExchange): void {
    const known = METHODS.has(method) ? method : "other";
    let counts = this.requests.get(path)?.get(known);
    if (counts === undefined) {
      counts = { answers: new Map(), times: new Histogram() };
      const others = this.requests.get(path) ?? [];
      this.requests.set(path, new Map([...others, [known, counts]]));
    }
    countUp(counts.answers, status ?? "none");
    counts.times.add(milliseconds);
  }

  address(found: AddressClass, count = 1): void {
    countUp(this.addresses, found, count);
  }

  domain(found: AddressClass): void {
    countUp(this.domains, found);
  }
}

// Node knows many methods; a label for each one that a caller tries is not worth it.
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"]);

/** The part of a logger that is used. */
export interface Log {
  /** Writes a line of JSON with its end, which may wait for others. */
  line(json: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Writes a line for each exchange, of level info. With `addresses`, it includes what may hold an address: the query of
 * a detection, the path with a domain, and a path that there is not. The line is put together here, because a general
 * writer takes ten times as long.
 */
export function createAccessLog(log: Pick<Log, "line">, addresses: boolean): (exchange: OngoingExchange) => void {
  return ({ id, method, path, route, template, status, milliseconds, caller, peer, query, cut, rows }) => {
    // An id, a method, a template, an address and a key's id have no character that JSON escapes.
    let line = `{"level":30,"time":${Date.now()},"id":"${id}","method":"${method}"`;
    // The path in the route table, not the caller's: that may contain a token or an address.
    if (template !== undefined) line += `,"route":"${template}"`;
    if (status !== undefined) line += `,"status":${status}`;
    line += `,"ms":${Math.round(milliseconds * 1000) / 1000}`;
    if (rows !== undefined) line += `,"rows":${rows}`;
    line += `,"peer":"${peer}"`;
    if (caller !== undefined) line += `,"key":"${caller.id}"`;
    if (addresses && (route?.id === "detectDomain" || isUnknown(path, template)))
      line += `,"path":${JSON.stringify(path)}`;
    if (addresses && route?.id === "detectAddress") line += `,"query":${JSON.stringify(query)}`;
    log.line(`${line},"msg":"${status !== undefined ? "request" : cut ? "the answer was cut" : "the caller left"}"}\n`);
  };
}

/** True for a path that does not exist, unless it may be a misspelled one with a token. */
function isUnknown(path: string, template: string | undefined): boolean {
  return template === undefined && !path.includes("/verify");
}

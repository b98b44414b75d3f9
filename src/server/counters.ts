// Counters of requests, addresses, DNS questions, failed keys, deliveries and mails; and the access log, which has
// text from callers only on request, and never keys and tokens.

import type { Classifier } from "../detection/classifier.ts";
import type { MailRouting, RoutingStatus } from "../detection/routing.ts";
import type { KeyFault } from "../keys/keys.ts";
import type { OngoingExchange } from "./http/exchange.ts";

export const DURATION_BOUNDS_MS: readonly number[] = [
  0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 15_000,
];

export class Histogram {
  /** How many were at most each bound and above the one before; the last element is for the rest. */
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

export const ADDRESS_CLASSES = ["invalid", "disposable", "relay", "public", "other"] as const;
export type AddressClass = (typeof ADDRESS_CLASSES)[number];

export function classOf(classifier: Classifier): AddressClass {
  if (classifier.fault !== undefined) return "invalid";
  const { disposable, relayProvider, publicDomain } = classifier.verdict;
  if (disposable) return "disposable";
  if (relayProvider !== undefined) return "relay";
  return publicDomain ? "public" : "other";
}

/** `retried`: it will be tried again; `failed`: it will not. */
export type DeliveryOutcome = "delivered" | "retried" | "failed";
/** Taken by the mail server, refused by it, or neither. */
export type MailOutcome = "sent" | "refused" | "failed";

export function countUp<Name>(counts: Map<Name, number>, name: Name, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function zeros<Name>(names: readonly Name[]): Map<Name, number> {
  return new Map(names.map((name) => [name, 0]));
}

interface RequestCounts {
  /** The path in the route table, and the method. */
  readonly labels: { readonly route: string; readonly method: string };
  readonly answers: Map<number | "none", number>;
  readonly times: Histogram;
}

export class Counters {
  readonly requests: Map<string, RequestCounts> = new Map();
  readonly addresses: Map<AddressClass, number> = zeros(ADDRESS_CLASSES);
  /** Domains that were asked about without an address. */
  readonly domains: Map<AddressClass, number> = zeros(ADDRESS_CLASSES);
  readonly dnsAnswers: Map<RoutingStatus, number> = new Map();
  readonly dnsDurations: Histogram = new Histogram();
  /** Domains whose answer was in the cache or on its way. */
  dnsCached = 0;
  readonly failedKeys: Map<KeyFault, number> = zeros(["malformed", "unknown", "expired", "revoked"]);
  readonly deliveries: Map<DeliveryOutcome, number> = zeros(["delivered", "retried", "failed"]);
  readonly mails: Map<MailOutcome, number> = zeros(["sent", "refused", "failed"]);
  private readonly seen = new WeakSet<MailRouting>();

  /** A routing that comes again needed no question. */
  routing(found: MailRouting): void {
    if (this.seen.has(found)) this.dnsCached += 1;
    else {
      this.seen.add(found);
      countUp(this.dnsAnswers, found.status);
      this.dnsDurations.add(found.durationMs ?? 0);
    }
  }

  request({ template: route = "none", method: asked, status, milliseconds }: OngoingExchange): void {
    const method = METHODS.has(asked) ? asked : "other";
    const name = `${method} ${route}`;
    const counts = this.requests.get(name) ?? {
      labels: { route, method },
      answers: new Map(),
      times: new Histogram(),
    };
    this.requests.set(name, counts);
    countUp(counts.answers, status ?? "none");
    counts.times.add(milliseconds);
  }
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"]);

/**
 * Writes a line for each exchange. With `addresses`, it includes the query of a detection, the path with a domain, and
 * an unknown path. It is put together here, because a general writer takes ten times as long.
 */
export function createAccessLog(
  write: (line: string) => void,
  addresses: boolean,
): (exchange: OngoingExchange) => void {
  return ({ id, method, path, routeId, template, status, milliseconds, caller, peer, query, cut, rows }) => {
    // Ids, methods, templates and addresses have no character that JSON escapes.
    let line = `{"level":30,"time":${Date.now()},"id":"${id}","method":"${method}"`;
    // Not the caller's path, which may contain a token or an address.
    if (template !== undefined) line += `,"route":"${template}"`;
    if (status !== undefined) line += `,"status":${status}`;
    line += `,"ms":${Math.round(milliseconds * 1000) / 1000}`;
    if (rows !== undefined) line += `,"rows":${rows}`;
    line += `,"peer":"${peer}"`;
    if (caller !== undefined) line += `,"key":"${caller.id}"`;
    // An unknown path may be a misspelled one with a token.
    const isUnknown = template === undefined && !path.includes("/verify");
    if (addresses && (routeId === "detectDomain" || isUnknown)) line += `,"path":${JSON.stringify(path)}`;
    if (addresses && routeId === "detectAddress") line += `,"query":${JSON.stringify(query)}`;
    write(`${line},"msg":"${status !== undefined ? "request" : cut ? "the answer was cut" : "the caller left"}"}\n`);
  };
}

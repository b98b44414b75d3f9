// Counters of what happens: requests, addresses, questions to DNS, failed keys, deliveries, mails. Counting costs a few array accesses;
// `prometheus` turns the counts into text.

import type { Classifier } from "../../detection/classifier.ts";
import type { MailRouting, RoutingStatus } from "../../detection/routing.ts";
import type { KeyFault } from "../../keys/keys.ts";
import type { HttpExchange } from "../http/exchange.ts";

/** The upper bounds of the buckets in milliseconds. */
export const DURATION_BOUNDS_MS: readonly number[] = [
  0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 15_000,
];

/** Durations. */
export class Histogram {
  /** How many took at most each bound and more than the bound before; the last element is for those above all bounds. */
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

/** The class of the classifier's current address. */
export function classOf(classifier: Classifier): AddressClass {
  if (classifier.fault !== undefined) return "invalid";
  const { disposable, relayProvider, publicDomain } = classifier.verdict;
  if (disposable) return "disposable";
  if (relayProvider !== undefined) return "relay";
  return publicDomain ? "public" : "other";
}

/** The requests of one path, or of none. */
export class RouteCounter {
  /** How many answers there were, by method and status: `GET 200`. */
  readonly answers: Map<string, number> = new Map();
  /** How long they took, by method. */
  readonly durations: Map<string, Histogram> = new Map();
  private lastMethod = "";
  private lastStatus = -1;
  private lastCount = 0;
  private lastKey = "";
  private lastDurations = new Histogram();

  constructor(/** The path as in the route table; never one that a caller sent. */ readonly path: string) {}

  add(method: string, status: number, milliseconds: number): void {
    // Mostly the same answer as last time, so its count is kept in a field.
    if (method !== this.lastMethod || status !== this.lastStatus) this.change(method, status);
    this.lastCount += 1;
    this.lastDurations.add(milliseconds);
  }

  /** Brings `answers` up to date. */
  settle(): void {
    if (this.lastKey !== "") this.answers.set(this.lastKey, this.lastCount);
  }

  private change(method: string, status: number): void {
    this.settle();
    this.lastMethod = method;
    this.lastStatus = status;
    this.lastKey = `${method} ${status === 0 ? "none" : status}`;
    this.lastCount = this.answers.get(this.lastKey) ?? 0;
    const durations = this.durations.get(method) ?? new Histogram();
    this.durations.set(method, durations);
    this.lastDurations = durations;
  }
}

/** What became of an attempt to deliver: `retried` will be tried again, `failed` will not. */
export type DeliveryOutcome = "delivered" | "retried" | "failed";
/** What became of a message: taken by the mail server, refused by it, or neither. */
export type MailOutcome = "sent" | "refused" | "failed";

/** Adds to the count of a name. */
export function countUp<Name>(counts: Map<Name, number>, name: Name, count = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function zeros<Name>(names: readonly Name[]): Map<Name, number> {
  return new Map(names.map((name) => [name, 0]));
}

/** All counters of a daemon. */
export class Counters {
  readonly routes: Map<string, RouteCounter> = new Map();
  readonly addresses: Map<AddressClass, number> = zeros(ADDRESS_CLASSES);
  /** Domains that were asked about alone. */
  readonly domains: Map<AddressClass, number> = zeros(ADDRESS_CLASSES);
  /** Questions to DNS by status, and how long each took. */
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
  request({ template: path = "none", method, status, milliseconds }: HttpExchange): void {
    let counter = this.routes.get(path);
    if (counter === undefined) {
      counter = new RouteCounter(path);
      this.routes.set(path, counter);
    }
    counter.add(METHODS.has(method) ? method : "other", status ?? 0, milliseconds);
  }

  /** Counts an address, or so many of the same class. */
  address(found: AddressClass, count = 1): void {
    countUp(this.addresses, found, count);
  }

  /** Counts one domain that was asked about alone. */
  domain(found: AddressClass): void {
    countUp(this.domains, found);
  }
}

// Node knows many methods; a label for each one that a caller tries is not worth it.
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"]);

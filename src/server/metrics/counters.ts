// Counters: requests by route, method and status with their durations, addresses by class. Counting costs a few array accesses;
// `prometheus` turns the counts into text.

import type { Classifier } from "../../detection/classifier.ts";
import type { HttpExchange } from "../http/exchange.ts";

/** The classes of an address, the strongest first. */
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

/** The upper bounds of the duration buckets in milliseconds. */
export const DURATION_BOUNDS_MS: readonly number[] = [
  0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 15_000,
];

/** The requests of one route, or of none. */
export class RouteCounter {
  /** The path as in the route table; never one that a caller sent. */
  readonly path: string;
  /** How many answers there were, by method and status: `GET 200`. */
  readonly answers: Map<string, number> = new Map();
  /** How many took at most each bound and more than the bound before; the last element is for those above all bounds. */
  readonly durations: number[] = Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0);
  milliseconds = 0;
  count = 0;
  private lastMethod = "";
  private lastStatus = -1;
  private lastCount = 0;
  private lastKey = "";

  constructor(path: string) {
    this.path = path;
  }

  add(method: string, status: number, milliseconds: number): void {
    // Mostly the same answer as last time, so its count is kept in a field.
    if (method !== this.lastMethod || status !== this.lastStatus) {
      this.settle();
      this.lastMethod = method;
      this.lastStatus = status;
      this.lastKey = `${method} ${status === 0 ? "none" : status}`;
      this.lastCount = this.answers.get(this.lastKey) ?? 0;
    }
    this.lastCount += 1;
    this.milliseconds += milliseconds;
    this.count += 1;
    let place = 0;
    while (place < DURATION_BOUNDS_MS.length && milliseconds > (DURATION_BOUNDS_MS[place] as number)) place += 1;
    (this.durations[place] as number) += 1;
  }

  /** Brings `answers` up to date. */
  settle(): void {
    if (this.lastKey !== "") this.answers.set(this.lastKey, this.lastCount);
  }
}

/** All counters of a daemon. */
export class Counters {
  readonly routes: Map<string, RouteCounter> = new Map();
  readonly addresses: Map<AddressClass, number> = new Map(ADDRESS_CLASSES.map((name) => [name, 0]));

  /** Counts one request that was answered or whose caller disconnected. */
  request({ template: path = "none", method, status, milliseconds }: HttpExchange): void {
    let counter = this.routes.get(path);
    if (counter === undefined) {
      counter = new RouteCounter(path);
      this.routes.set(path, counter);
    }
    counter.add(METHODS.has(method) ? method : "other", status ?? 0, milliseconds);
  }

  /** Counts one address. */
  address(found: AddressClass): void {
    this.addresses.set(found, (this.addresses.get(found) as number) + 1);
  }
}

// Node knows many methods; a label for each one that a caller tries is not worth it.
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"]);

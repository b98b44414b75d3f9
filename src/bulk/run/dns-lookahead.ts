// DNS lookups in progress. Equal ones share a lookup until the answer is there; then the resolver remembers it.

import type { Classifier } from "../../detection/classifier.ts";
import type { Router } from "../../detection/detector.ts";
import type { MailRouting } from "../../detection/routing.ts";
import type { Row, RowTaker } from "../rows/row.ts";
import type { TimeSlice } from "../streams.ts";

export interface PendingLookup {
  readonly promise: Promise<MailRouting>;
  /** The answer, once it has arrived. */
  routing: MailRouting | undefined;
}

export interface LookupBackend {
  readonly route: Router;
  readonly stop: () => void;
}

/** Asks about each domain only once at a time. */
export class PendingLookups {
  /** Rows that were read ahead so far. */
  rowsLookedAhead = 0;
  private readonly byDomain = new Map<string, PendingLookup>();
  private isStopped = false;

  constructor(private readonly backend: LookupBackend) {}

  get size(): number {
    return this.byDomain.size;
  }

  /** Asks for a domain's routing. */
  lookUp(domain: string): PendingLookup {
    const pending = this.byDomain.get(domain);
    if (pending !== undefined) return pending;
    const lookup: PendingLookup = { promise: this.route(domain), routing: undefined };
    this.byDomain.set(domain, lookup);
    lookup.promise.then(
      (routing) => {
        lookup.routing = routing;
        this.byDomain.delete(domain);
      },
      // Thrown where the inquiry is awaited.
      () => {},
    );
    return lookup;
  }

  /** Ends all waiting at once; later questions are not asked. */
  stop(): void {
    this.isStopped = true;
    this.backend.stop();
  }

  private async route(domain: string): Promise<MailRouting> {
    return this.isStopped ? { status: "skipped" } : this.backend.route(domain);
  }
}

/** Questions without an answer at most. */
const MAX_PENDING = 2048;
// Inquiries of rows that were taken, until they are dropped together.
const MAX_PROCESSED = 4096;

/**
 * Takes rows ahead of time and asks their questions; then has the answers, in the order of the rows. It writes and
 * counts nothing.
 */
export class DnsLookahead implements RowTaker {
  readonly rowNumber = 0;
  /** For each address the inquiry about its domain, if that needs one. */
  private readonly lookups: (PendingLookup | undefined)[] = [];
  /** Where those of the next row are, and how many addresses each row has. */
  private nextAddress = 0;
  private addressesPerRow = 1;

  constructor(
    private readonly classifier: Classifier,
    private readonly pendingLookups: PendingLookups,
    private readonly timeSlice?: TimeSlice | undefined,
  ) {}

  get full(): boolean {
    return this.pendingLookups.size > MAX_PENDING || this.timeSlice?.expired === true;
  }

  row(row: Row): boolean {
    this.pendingLookups.rowsLookedAhead += 1;
    this.addressesPerRow = 1 + row.others.length;
    for (const { bytes, start, end, refused } of [row, ...row.others]) {
      const domain = refused === undefined ? this.classifier.question(bytes, start, end) : undefined;
      this.lookups.push(domain === undefined ? undefined : this.pendingLookups.lookUp(domain));
    }
    return true;
  }

  irregular(): void {}

  passThrough(): void {}

  /** The answer that the next row waits for; undefined when it needs no answer. */
  get pendingLookup(): PendingLookup | undefined {
    for (let i = this.nextAddress; i < this.nextAddress + this.addressesPerRow; i += 1) {
      const lookup = this.lookups[i];
      if (lookup !== undefined && lookup.routing === undefined) return lookup;
    }
    return undefined;
  }

  /** Moves to the next address; returns the answer about it, if it was asked for. */
  nextRouting(): MailRouting | undefined {
    if (this.nextAddress === MAX_PROCESSED) this.nextAddress -= this.lookups.splice(0, MAX_PROCESSED).length;
    return this.lookups[this.nextAddress++]?.routing;
  }
}

// Starts DNS lookups ahead of the rows that need them, and coalesces concurrent lookups of a domain. The resolver
// caches the results.

import type { Classifier } from "../../detection/classifier.ts";
import type { MailRouter } from "../../detection/detector.ts";
import type { MailRouting } from "../../detection/routing.ts";
import type { Row, RowSink } from "../rows/row.ts";
import type { TimeSlice } from "../streams.ts";

export interface PendingLookup {
  readonly promise: Promise<MailRouting>;
  /** Result of the lookup; undefined while it is pending. */
  routing: MailRouting | undefined;
}

/** Pending lookups, at most one for each domain. */
export class PendingLookups {
  /** Number of rows that the lookahead has read. */
  rowsLookedAhead = 0;
  private readonly byDomain = new Map<string, PendingLookup>();
  private isStopped = false;

  constructor(private readonly backend: { readonly route: MailRouter; readonly stop: () => void }) {}

  get size(): number {
    return this.byDomain.size;
  }

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
      // The code that awaits `promise` handles the error.
      () => {},
    );
    return lookup;
  }

  /** Ends all pending lookups. Later calls of `lookUp` return the status `skipped`. */
  stop(): void {
    this.isStopped = true;
    this.backend.stop();
  }

  private async route(domain: string): Promise<MailRouting> {
    return this.isStopped ? { status: "skipped" } : this.backend.route(domain);
  }
}

/** Maximum pending lookups: the lookahead then reads no further rows. */
const MAX_PENDING = 2048;
// Number of processed lookups to collect before one splice removes them.
const MAX_PROCESSED = 4096;

/**
 * Starts the DNS lookups of rows that are not processed yet, and returns the results in the order of the addresses.
 * Neither writes nor counts rows.
 */
export class DnsLookahead implements RowSink {
  readonly rowNumber = 0;
  lineOffset = 0;
  /** The lookup of each address; undefined if its domain needs none. */
  private readonly lookups: (PendingLookup | undefined)[] = [];
  /** Index in `lookups` of the next row's first address, and the number of addresses of each row. */
  private nextAddress = 0;
  private addressesPerRow = 1;

  constructor(
    private readonly classifier: Classifier,
    private readonly pendingLookups: PendingLookups,
    private readonly timeSlice?: TimeSlice | undefined,
  ) {}

  get isFull(): boolean {
    return this.pendingLookups.size > MAX_PENDING || this.timeSlice?.expired === true;
  }

  accept(row: Row): boolean {
    this.pendingLookups.rowsLookedAhead += 1;
    this.addressesPerRow = 1 + row.additionalAddresses.length;
    for (const { bytes, start, end, readFault } of [row, ...row.additionalAddresses]) {
      const domain = readFault === undefined ? this.classifier.domainToLookUp(bytes, start, end) : undefined;
      this.lookups.push(domain === undefined ? undefined : this.pendingLookups.lookUp(domain));
    }
    return true;
  }

  warn(): void {}

  passThrough(): void {}

  /** Number of next rows whose lookups are complete; Infinity if no lookup is pending. */
  get readyRows(): number {
    const pending = this.lookups.findIndex((lookup, i) => i >= this.nextAddress && isPending(lookup));
    return pending < 0 ? Infinity : Math.floor((pending - this.nextAddress) / this.addressesPerRow);
  }

  /** Pending lookup that the next row needs; undefined if the row can be processed. */
  get pendingLookup(): PendingLookup | undefined {
    return this.lookups.slice(this.nextAddress, this.nextAddress + this.addressesPerRow).find(isPending);
  }

  /** Moves to the next address. Returns the routing of its domain, if it was looked up. */
  nextRouting(): MailRouting | undefined {
    if (this.nextAddress === MAX_PROCESSED) this.nextAddress -= this.lookups.splice(0, MAX_PROCESSED).length;
    return this.lookups[this.nextAddress++]?.routing;
  }
}

function isPending(lookup: PendingLookup | undefined): boolean {
  return lookup !== undefined && lookup.routing === undefined;
}

// DNS lookups in progress. Equal ones share a lookup until the answer is there; then the resolver remembers it.

import type { Classifier } from "../../detection/classifier.ts";
import type { Router } from "../../detection/detector.ts";
import type { MailRouting } from "../../detection/routing.ts";
import type { Row, RowTaker } from "../rows/row.ts";
import type { TimeSlice } from "../streams.ts";

export interface Inquiry {
  readonly arrived: Promise<MailRouting>;
  /** The answer, once it has arrived. */
  routing: MailRouting | undefined;
}

export interface InquiryPort {
  readonly route: Router;
  readonly stop: () => void;
}

/** Asks about each domain only once at a time. */
export class Inquiries {
  /** Rows that were read ahead so far. */
  rowsAhead = 0;
  private readonly open = new Map<string, Inquiry>();
  private stopped = false;

  constructor(private readonly port: InquiryPort) {}

  get openCount(): number {
    return this.open.size;
  }

  /** Asks for a domain's routing. */
  ask(domain: string): Inquiry {
    const known = this.open.get(domain);
    if (known !== undefined) return known;
    const inquiry: Inquiry = { arrived: this.route(domain), routing: undefined };
    this.open.set(domain, inquiry);
    inquiry.arrived.then(
      (routing) => {
        inquiry.routing = routing;
        this.open.delete(domain);
      },
      // Thrown where the inquiry is awaited.
      () => {},
    );
    return inquiry;
  }

  /** Ends all waiting at once; later questions are not asked. */
  stop(): void {
    this.stopped = true;
    this.port.stop();
  }

  private async route(domain: string): Promise<MailRouting> {
    return this.stopped ? { status: "skipped" } : this.port.route(domain);
  }
}

/** Questions without an answer at most. */
const OPEN_MAX = 2048;
// Inquiries of rows that were taken, until they are dropped together.
const TAKEN_MAX = 4096;

/**
 * Takes rows ahead of time and asks their questions; then has the answers, in the order of the rows. It writes and
 * counts nothing.
 */
export class RowsAhead implements RowTaker {
  readonly rowNumber = 0;
  /** For each address the inquiry about its domain, if that needs one. */
  private readonly inquired: (Inquiry | undefined)[] = [];
  /** Where those of the next row are, and how many addresses each row has. */
  private next = 0;
  private width = 1;

  constructor(
    private readonly classifier: Classifier,
    private readonly inquiries: Inquiries,
    private readonly timeSlice?: TimeSlice | undefined,
  ) {}

  get full(): boolean {
    return this.inquiries.openCount > OPEN_MAX || this.timeSlice?.expired === true;
  }

  row(row: Row): boolean {
    this.inquiries.rowsAhead += 1;
    this.width = 1 + row.others.length;
    for (const { bytes, start, end, refused } of [row, ...row.others]) {
      const domain = refused === undefined ? this.classifier.question(bytes, start, end) : undefined;
      this.inquired.push(domain === undefined ? undefined : this.inquiries.ask(domain));
    }
    return true;
  }

  irregular(): void {}

  passThrough(): void {}

  /** The answer that the next row waits for; undefined when it needs no answer. */
  get awaited(): Inquiry | undefined {
    for (let i = this.next; i < this.next + this.width; i += 1) {
      const inquiry = this.inquired[i];
      if (inquiry !== undefined && inquiry.routing === undefined) return inquiry;
    }
    return undefined;
  }

  /** Moves to the next address; returns the answer about it, if it was asked for. */
  take(): MailRouting | undefined {
    if (this.next === TAKEN_MAX) this.next -= this.inquired.splice(0, TAKEN_MAX).length;
    return this.inquired[this.next++]?.routing;
  }
}

// Questions to DNS on their way: equal ones once, and only so many at a time that each has its whole time from when it is asked.

import type { Router } from "../../detection/router.ts";
import type { MailRouting } from "../../detection/routing.ts";

/** One domain's question. */
export interface Inquiry {
  readonly arrived: Promise<MailRouting>;
  /** The answer, once it has arrived. */
  routing: MailRouting | undefined;
}

/** The way to DNS. */
export interface InquiryPort {
  readonly route: Router;
  /** Gives up what is under way. */
  readonly stop: () => void;
}

// As many as the resolver sends at once: a question that waited there would run out of time.
const IN_FLIGHT_MAX = 128;

/** Asks questions in the order in which they come. */
export class Inquiries {
  private readonly port: InquiryPort;
  /** By domain, until the answer is there: then it is the resolver's to remember it. */
  private readonly open = new Map<string, Inquiry>();
  private waiting: (() => void)[] = [];
  private next = 0;
  private inFlight = 0;
  private stopped = false;

  constructor(port: InquiryPort) {
    this.port = port;
  }

  /** Questions that have no answer yet. */
  get openCount(): number {
    return this.open.size;
  }

  /** Asks for the routing of a domain; undefined in, undefined out. */
  ask(domain: string | undefined): Inquiry | undefined {
    if (domain === undefined) return undefined;
    const known = this.open.get(domain);
    if (known !== undefined) return known;
    const inquiry: Inquiry = { arrived: this.send(domain), routing: undefined };
    this.open.set(domain, inquiry);
    inquiry.arrived.then(
      (routing) => {
        inquiry.routing = routing;
        this.open.delete(domain);
      },
      // Thrown where it is awaited.
      () => {},
    );
    return inquiry;
  }

  /** Ends all waiting at once; what was not answered stays unasked. */
  stop(): void {
    this.stopped = true;
    this.port.stop();
    for (const wake of this.waiting.splice(0)) wake();
  }

  private async send(domain: string): Promise<MailRouting> {
    if (this.inFlight < IN_FLIGHT_MAX) this.inFlight += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.stopped) return { status: "skipped" };
    const routing = await this.port.route(domain);
    // The place goes from hand to hand while somebody waits for one.
    const wake = this.nextWaiting();
    if (wake === undefined) this.inFlight -= 1;
    else wake();
    return routing;
  }

  /** The one that has waited longest. Those who are gone are dropped now and then: one by one, it would cost time for each. */
  private nextWaiting(): (() => void) | undefined {
    if (this.next >= 1024) {
      this.waiting = this.waiting.slice(this.next);
      this.next = 0;
    }
    return this.next < this.waiting.length ? this.waiting[this.next++] : undefined;
  }
}

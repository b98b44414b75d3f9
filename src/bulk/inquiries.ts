// Questions to DNS on their way: equal ones once, and only so many at a time that each has its whole time from when it is asked.

import type { Router } from "../detection/detector.ts";
import type { MailRouting } from "../detection/routing.ts";

/** One domain's question. */
export interface Inquiry {
  readonly arrived: Promise<MailRouting>;
  /** The answer, once it has arrived. */
  routing: MailRouting | undefined;
}

// As many as the resolver sends at once: a question that waited there would run out of time.
const IN_FLIGHT_MAX = 128;

/** Asks questions in the order in which they come. */
export class Inquiries {
  private readonly router: Router;
  /** By domain, until the answer is there: then it is the resolver's to remember it. */
  private readonly open = new Map<string, Inquiry>();
  private readonly waiting: (() => void)[] = [];
  private inFlight = 0;

  constructor(router: Router) {
    this.router = router;
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
    void inquiry.arrived.then((routing) => {
      inquiry.routing = routing;
      this.open.delete(domain);
    });
    return inquiry;
  }

  private async send(domain: string): Promise<MailRouting> {
    if (this.inFlight >= IN_FLIGHT_MAX) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.inFlight += 1;
    try {
      return await this.router(domain);
    } finally {
      // The place goes from hand to hand while somebody waits for one.
      const next = this.waiting.shift();
      if (next === undefined) this.inFlight -= 1;
      else next();
    }
  }
}

// DNS lookups in progress. Equal ones share a lookup until the answer is there; then the resolver remembers it.

import type { Router } from "../../detection/detector.ts";
import type { MailRouting } from "../../detection/routing.ts";

/** One domain's question. */
export interface Inquiry {
  readonly arrived: Promise<MailRouting>;
  /** The answer, once it has arrived. */
  routing: MailRouting | undefined;
}

export interface InquiryPort {
  readonly route: Router;
  /** Cancels the lookups in progress. */
  readonly stop: () => void;
}

/** Asks about each domain only once at a time. */
export class Inquiries {
  /** Rows that were read ahead so far. */
  rowsAhead = 0;
  private readonly open = new Map<string, Inquiry>();
  private stopped = false;

  constructor(private readonly port: InquiryPort) {}

  /** Questions that have no answer yet. */
  get openCount(): number {
    return this.open.size;
  }

  /** Asks for a domain's routing. Without a domain there is no inquiry. */
  ask(domain: string | undefined): Inquiry | undefined {
    if (domain === undefined) return undefined;
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

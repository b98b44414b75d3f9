// Limits concurrent DNS lookups for lists and streams, so that the resolver has capacity for single addresses.

import { FairLimiter } from "../../../base/concurrency.ts";
import type { MailRouting } from "../../../detection/routing.ts";

export type Lookup = () => Promise<MailRouting>;

// A lookup makes up to 4 concurrent queries, and the resolver allows 128.
const MAX_CONCURRENT = 30;
const MAX_CONCURRENT_PER_LIST = 24;
// Limits how long a lookup is queued, so that unresponsive name servers can't delay a list for minutes.
const LIST_TIMEOUT_MS = 10_000;

export class DnsLookupQueue {
  private readonly limiter = new FairLimiter(MAX_CONCURRENT, MAX_CONCURRENT_PER_LIST);

  /**
   * Opens a queue for one list. The returned function queues a lookup; lookups still queued after `timeoutMs` resolve
   * to `timeout`. When the signal aborts, queued lookups reject; running ones use capacity until they finish.
   */
  open(
    signal: AbortSignal | undefined,
    timeoutMs: number | "unbounded" = LIST_TIMEOUT_MS,
  ): (lookup: Lookup) => Promise<MailRouting> {
    const deadline = timeoutMs === "unbounded" ? undefined : AbortSignal.timeout(timeoutMs);
    const list = {};
    for (const cause of [signal, deadline])
      cause?.addEventListener("abort", () => this.limiter.rejectWaiting(list, cause));
    return async (lookup) => {
      try {
        if (deadline?.aborted === true) throw deadline;
        signal?.throwIfAborted();
        return await this.limiter.run(list, lookup);
      } catch (failure) {
        if (failure === deadline) return { status: "timeout" };
        throw failure === signal ? signal?.reason : failure;
      }
    };
  }
}

/** Shared by all lists and streams of the process. */
export const DNS_LOOKUP_QUEUE: DnsLookupQueue = new DnsLookupQueue();

// The limit on DNS questions of lists and streams, so that the resolver stays free for single addresses.

import { Limiter } from "../../../base/limits.ts";
import type { MailRouting } from "../../../detection/routing.ts";

export type Lookup = () => Promise<MailRouting>;

// A question is up to 4 queries at once, and the resolver takes 128.
const MAX_CONCURRENT = 30;
const MAX_CONCURRENT_PER_LIST = 24;
// Questions that have not begun by then time out, so that silent name servers can't hold a list for minutes.
const LIST_TIMEOUT_MS = 10_000;

export class DnsQueryQueue {
  private readonly limiter = new Limiter(MAX_CONCURRENT, MAX_CONCURRENT_PER_LIST);

  /**
   * Adds a list. The returned function asks a question at its turn, and answers `timeout` after `timeMs`. When the
   * signal aborts, waiting questions reject; running ones count until the resolver is free again.
   */
  open(
    signal: AbortSignal | undefined,
    timeoutMs: number | "unbounded" = LIST_TIMEOUT_MS,
  ): (lookup: Lookup) => Promise<MailRouting> {
    const deadline = timeoutMs === "unbounded" ? undefined : AbortSignal.timeout(timeoutMs);
    const list = {};
    for (const end of [signal, deadline]) end?.addEventListener("abort", () => this.limiter.drop(list, end));
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

/** All lists and streams of the process share it. */
export const DNS_QUERY_QUEUE: DnsQueryQueue = new DnsQueryQueue();

// The limit on DNS questions of lists and streams, so that the resolver stays free for single addresses.

import { Limiter } from "../../../base/limits.ts";
import type { MailRouting } from "../../../detection/routing.ts";

export type Ask = () => Promise<MailRouting>;

// A question is up to 4 queries at once, and the resolver takes 128.
const TOGETHER_MAX = 30;
const LIST_MAX = 24;
// Questions that have not begun by then time out, so that silent name servers can't hold a list for minutes.
const LIST_MS = 10_000;

export class BatchQueryLimit {
  private readonly limiter = new Limiter(TOGETHER_MAX, LIST_MAX);

  /**
   * Adds a list. The returned function asks a question at its turn, and answers `timeout` after `timeMs`. When the
   * signal aborts, waiting questions reject; running ones count until the resolver is free again.
   */
  open(signal: AbortSignal | undefined, timeMs: number | "unbounded" = LIST_MS): (ask: Ask) => Promise<MailRouting> {
    const late = timeMs === "unbounded" ? undefined : AbortSignal.timeout(timeMs);
    const list = {};
    for (const end of [signal, late]) end?.addEventListener("abort", () => this.limiter.drop(list, end));
    return async (ask) => {
      try {
        if (late?.aborted === true) throw late;
        signal?.throwIfAborted();
        return await this.limiter.run(list, ask);
      } catch (failure) {
        if (failure === late) return { status: "timeout" };
        throw failure === signal ? signal?.reason : failure;
      }
    };
  }
}

/** All lists and streams of the process share it. */
export const BATCH_DNS_LIMIT: BatchQueryLimit = new BatchQueryLimit();

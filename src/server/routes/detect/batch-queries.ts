// The limit on DNS questions of lists and streams of addresses: few at once, taken from the lists in turn, so that the
// resolver stays free for single addresses.

import { Limiter } from "../../../base/limits.ts";
import type { MailRouting } from "../../../detection/routing.ts";

export type Ask = () => Promise<MailRouting>;

// A question is up to 4 queries at once (the addresses of exchangers), and the resolver has 128: some are always left.
const TOGETHER_MAX = 30;
const LIST_MAX = 24;
// Questions that have not begun by then time out: name servers that never answer would hold a list for minutes.
const LIST_MS = 10_000;

/** The limit that lists share. */
export class BatchQueryLimit {
  private readonly limiter = new Limiter(TOGETHER_MAX, LIST_MAX);

  /**
   * Adds a list; the function that it gives asks a question at its turn, and answers `timeout` where that did not come
   * in time. When the signal aborts, waiting questions reject, and running ones go on: they count until the resolver is
   * free again.
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

/**
 * The limit for all lists and streams of the process, which share its resolver and leave a part of it to single
 * questions.
 */
export const BATCH_DNS_LIMIT: BatchQueryLimit = new BatchQueryLimit();

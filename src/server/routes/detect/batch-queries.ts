// Limits the DNS questions of lists and streams of addresses: few at once, taken from the lists in turn, so that the resolver stays free for
// single addresses. It asks nothing itself.

import type { MailRouting } from "../../../detection/routing.ts";

/** Asks one question. */
export type Ask = () => Promise<MailRouting>;

// A question is up to 4 queries at once (the addresses of exchangers), and the resolver has 128: some are always left.
const TOGETHER_MAX = 30;
const LIST_MAX = 24;
// Questions that have not begun by then time out: name servers that never answer would hold a list for minutes.
const LIST_MS = 10_000;

interface Waiting {
  readonly ask: Ask;
  readonly resolve: (routing: MailRouting | Promise<MailRouting>) => void;
  readonly reject: (reason: unknown) => void;
}

/** The limit that lists share. */
export class BatchQueryLimit {
  private underWay = 0;
  /** Lists with waiting questions, in the order of their turns. */
  private lists: ListQuestions[] = [];

  /** Adds a list, whose questions may wait so long for their turn; the caller closes it. When the signal aborts, its waiting questions end and its running ones go on. */
  open(signal: AbortSignal | undefined, timeMs: number | "unbounded" = LIST_MS): ListQuestions {
    return new ListQuestions((list) => this.come(list), signal, timeMs);
  }

  private come(list: ListQuestions): void {
    if (!this.lists.includes(list)) this.lists.push(list);
    this.fill();
  }

  private fill(): void {
    this.lists = this.lists.filter(({ waiting }) => waiting.length > 0);
    while (this.underWay < TOGETHER_MAX) {
      const turn = this.lists.findIndex(({ waiting, underWay }) => waiting.length > 0 && underWay < LIST_MAX);
      if (turn < 0) return;
      const [list] = this.lists.splice(turn, 1) as [ListQuestions];
      this.lists.push(list);
      this.begin(list, list.waiting.shift() as Waiting);
    }
  }

  private begin(list: ListQuestions, { ask, resolve }: Waiting): void {
    this.underWay += 1;
    list.underWay += 1;
    const leave = (): void => {
      this.underWay -= 1;
      list.underWay -= 1;
      this.fill();
    };
    const asked = ask();
    resolve(asked);
    // A question counts until the resolver is free again, not only until its caller has left.
    asked.then(leave, leave);
  }
}

/** The questions of one list. */
export class ListQuestions {
  /** For `BatchQueryLimit`: how many questions of this list run. */
  underWay = 0;
  readonly waiting: Waiting[] = [];
  private readonly timer: NodeJS.Timeout | undefined;
  private late = false;

  constructor(
    private readonly come: (list: ListQuestions) => void,
    private readonly signal: AbortSignal | undefined,
    timeMs: number | "unbounded",
  ) {
    this.timer = timeMs === "unbounded" ? undefined : setTimeout(this.giveUp, timeMs);
    signal?.addEventListener("abort", this.leave);
  }

  /** Asks when the limit allows it; a `timeout` when it did not in time. Rejects when the signal aborts before. */
  ask(ask: Ask): Promise<MailRouting> {
    return new Promise((resolve, reject) => {
      if (this.signal?.aborted === true) reject(this.signal.reason);
      else if (this.late) resolve({ status: "timeout" });
      else {
        this.waiting.push({ ask, resolve, reject });
        this.come(this);
      }
    });
  }

  /** Asks nothing more. */
  close(): void {
    clearTimeout(this.timer);
    this.signal?.removeEventListener("abort", this.leave);
  }

  private readonly giveUp = (): void => {
    this.late = true;
    for (const { resolve } of this.waiting.splice(0)) resolve({ status: "timeout" });
  };

  private readonly leave = (): void => {
    for (const { reject } of this.waiting.splice(0)) reject(this.signal?.reason);
  };
}

/** All lists and streams of the process share its resolver, and leave a part of it to single questions. */
export const ROOM: BatchQueryLimit = new BatchQueryLimit();

// Which deliveries wait, which ended and which are under way, by channel, so that no question about them needs a look at all. It
// follows the records; what is done with them is decided in the outbox.

import type { Observer } from "../../store/document.ts";
import { PAUSE_MAX_MS } from "../attempt.ts";
import type { DeliveryRecord } from "./record.ts";

// Deliveries for a channel that must be verified again: how often they are looked at.
export const HOLD_MS = 60_000;
// A clock that is set back by less than this must not make two processes attempt one delivery.
const CLOCK_SLACK_MS = 60_000;

/** Where a delivery stands in its channel's line. */
export interface Place {
  /** When it can be leased, in milliseconds since 1970. */
  readonly at: number;
  /** Of two with the same time, the one that was added first. */
  readonly turn: number;
}

/** A pending delivery in its channel's line. */
export interface Waiting extends Place {
  readonly delivery: DeliveryRecord;
}

export interface ChannelLine {
  /** Pending ones by when they can be leased, the earliest first. */
  readonly waiting: Waiting[];
  /** The others, the first that ended first. */
  readonly ended: Map<string, DeliveryRecord>;
}

export class DeliveryIndex implements Observer<DeliveryRecord> {
  private readonly byChannel = new Map<string, ChannelLine>();
  private readonly leased = new Map<string, DeliveryRecord>();
  /** Of each pending one, by its id. */
  private readonly places = new Map<string, Place>();
  /** The first of each channel's line, the earliest first: looking for due ones costs nothing for channels that have none. */
  private firsts: Waiting[] = [];
  /** Channels whose number of deliveries has grown. */
  private readonly grown = new Set<string>();
  private count = 0;
  private endedCount = 0;
  private turns = 0;
  private lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly now: () => number,
    private readonly leaseMs: number,
  ) {}

  clear(): void {
    for (const map of [this.byChannel, this.leased, this.places, this.grown]) map.clear();
    this.firsts = [];
    this.count = 0;
    this.endedCount = 0;
  }

  replace(before: DeliveryRecord | undefined, after: DeliveryRecord | undefined): void {
    const turn = before === undefined ? undefined : this.places.get(before.id)?.turn;
    if (before !== undefined) this.remove(before);
    if (after !== undefined) this.add(after, turn ?? this.turns++);
  }

  get size(): number {
    return this.count;
  }

  /** The deliveries of each channel that has any. */
  lines(): ReadonlyMap<string, ChannelLine> {
    const now = this.now();
    // A clock that was set back changes what is far ahead.
    if (now < this.lookedAtMs) {
      for (const { waiting } of this.byChannel.values()) {
        for (const { delivery } of [...waiting]) this.replace(delivery, delivery);
      }
    }
    this.lookedAtMs = now;
    return this.byChannel;
  }

  get ended(): number {
    return this.endedCount;
  }

  /** The first delivery that waits for each channel, the earliest first. It changes with the records. */
  firstOfEach(): readonly Waiting[] {
    this.lines();
    return this.firsts;
  }

  /** The channels that have more deliveries than at the last question. */
  takeGrown(): ChannelLine[] {
    const lines = [...this.grown].flatMap((id) => this.byChannel.get(id) ?? []);
    this.grown.clear();
    return lines;
  }

  /** How many deliveries to a channel have not ended. */
  pendingOf(channelId: string): number {
    return this.byChannel.get(channelId)?.waiting.length ?? 0;
  }

  /** Deliveries that a process may be attempting now. */
  underWay(): DeliveryRecord[] {
    const now = this.now();
    return [...this.leased.values()].filter(({ lease }) => this.leaseEnd(lease, now) > now);
  }

  private add(delivery: DeliveryRecord, turn: number): void {
    const { id, channel_id, status, lease } = delivery;
    const line = this.byChannel.get(channel_id) ?? { waiting: [], ended: new Map() };
    this.byChannel.set(channel_id, line);
    this.grown.add(channel_id);
    this.count += 1;
    if (lease !== undefined) this.leased.set(id, delivery);
    if (status !== "pending") {
      line.ended.set(id, delivery);
      this.endedCount += 1;
      return;
    }
    const own = { at: this.dueAt(delivery, this.now()), turn, delivery };
    this.places.set(id, own);
    this.changeLine(line, (waiting) => insert(waiting, own));
  }

  private remove({ id, channel_id }: DeliveryRecord): void {
    const line = this.byChannel.get(channel_id);
    if (line === undefined) return;
    this.count -= 1;
    this.leased.delete(id);
    const own = this.places.get(id);
    if (own === undefined) {
      line.ended.delete(id);
      this.endedCount -= 1;
    } else this.changeLine(line, (waiting) => remove(waiting, own));
    this.places.delete(id);
    if (line.waiting.length + line.ended.size === 0) this.byChannel.delete(channel_id);
  }

  private changeLine({ waiting }: ChannelLine, change: (waiting: Waiting[]) => void): void {
    const [before] = waiting;
    change(waiting);
    const [after] = waiting;
    if (before === after) return;
    if (before !== undefined) remove(this.firsts, before);
    if (after !== undefined) insert(this.firsts, after);
  }

  /**
   * When a pending delivery can be leased. A time further ahead than any pause was written by a fast clock, so it counts as past.
   */
  private dueAt({ attempts, next_attempt_at: at = 0, lease }: DeliveryRecord, now: number): number {
    const isAhead = at > now + CLOCK_SLACK_MS + (attempts === 0 ? HOLD_MS : PAUSE_MAX_MS);
    return Math.max(isAhead ? 0 : at, this.leaseEnd(lease, now));
  }

  /** When a lease ends, 0 without one. A lease that is longer than any is a fast clock's too, and counts as ended. */
  private leaseEnd(lease: DeliveryRecord["lease"], now: number): number {
    const until = lease?.until ?? 0;
    return until > now + this.leaseMs + CLOCK_SLACK_MS ? 0 : until;
  }
}

function insert(waiting: Waiting[], own: Waiting): void {
  waiting.splice(indexOf(waiting, own), 0, own);
}

function remove(waiting: Waiting[], own: Place): void {
  waiting.splice(indexOf(waiting, own), 1);
}

/** Below 0 when the first comes before the other. */
function inTurn(one: Place, other: Place): number {
  return one.at - other.at || one.turn - other.turn;
}

function indexOf(waiting: readonly Waiting[], own: Place): number {
  let [low, high] = [0, waiting.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (inTurn(waiting[middle] as Waiting, own) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The daemon's health: delivery attempts and mails as counters and log lines, the stores for metrics and readiness.

import type { ErrorCode } from "../../../base/errors.ts";
import { increment } from "../../../bulk/name-counts.ts";
import type { Attempt } from "../../../channels/attempt.ts";
import type { AttemptReport } from "../../../channels/delivery/deliverer.ts";
import { DELIVERIES, findFailingChannels } from "../../../channels/delivery/record.ts";
import { CHANNELS } from "../../../channels/record.ts";
import { KEYS, keyState } from "../../../keys/keys.ts";
import type { Counters } from "../../../server/counters.ts";
import type { DeliveryBacklog, MetricSources } from "../../../server/metrics.ts";
import type { Store } from "../../../store/store.ts";
import type { DaemonLog } from "./log.ts";

/**
 * Counts attempts and logs final failures, except those of tests. Also logs channels that lost their verification, and
 * channels whose deliveries have failed for a day.
 */
export class AttemptLog {
  /** Channels whose deliveries have failed for a day, which is logged once. */
  private readonly failing: Set<string> = new Set();

  constructor(
    private readonly counters: Counters,
    private readonly log: DaemonLog,
    private readonly deliveries: Store,
    private readonly now: () => number,
  ) {}

  record({ channel, attempt, delivery, lostVerification }: AttemptReport): void {
    const { id, team, type } = channel;
    const fields = { channel: id, team, type, ...(!attempt.ok && { reason: attempt.reason }) };
    const failed = delivery?.status === "failed";
    // Whoever sends a test gets its result.
    if (delivery?.once !== true) {
      const failure = delivery?.status === "pending" ? "retried" : "failed";
      increment(this.counters.deliveries, attempt.ok ? "delivered" : failure);
      if (failed) {
        const { id: message, event, attempts } = delivery;
        this.log.warn("a delivery failed permanently", { ...fields, delivery: message, event, attempts });
      }
    }
    if (lostVerification) {
      const message = "the receiver has unsubscribed, so the channel is no longer verified: test it to use it again";
      this.log.warn(message, fields);
    }
    if (attempt.ok) this.failing.delete(id);
    else if (!this.failing.has(id) && findFailingIn(this.deliveries, this.now()).has(id)) {
      this.failing.add(id);
      this.log.warn("deliveries to a channel have failed for a day: check it", fields);
    }
  }
}

function findFailingIn(deliveries: Store, now: number): ReadonlySet<string> {
  return findFailingChannels(deliveries.records(DELIVERIES).values(), now);
}

export function recordMail(counters: Counters, log: DaemonLog, attempt: Attempt, channel?: string): void {
  const isRefused = !attempt.ok && attempt.verdict === "give_up";
  increment(counters.mails, attempt.ok ? "sent" : isRefused ? "refused" : "failed");
  if (!attempt.ok) log.warn("a mail was not sent", { channel, reason: attempt.reason });
}

type Sources = Omit<MetricSources, "version" | "dataVersion" | "listsBuilt" | "hasUpdateFailed" | "streams">;

/** Returns the metrics of the stores. An unreadable store does not count as damaged. */
export function createStoreMetrics(store: Store, deliveries: Store, now: () => number): Sources {
  const forBothStores = <T>(read: (singleStore: Store) => T) => ({
    "store.json": read(store),
    "deliveries.json": read(deliveries),
  });
  const isDamagedIfReadable = (singleStore: Store) => readOr(() => singleStore.isDamaged(), undefined);
  return {
    damaged: () => forBothStores((singleStore) => isDamagedIfReadable(singleStore) === true),
    readable: () => forBothStores((singleStore) => isDamagedIfReadable(singleStore) !== undefined),
    writable: () => forBothStores((singleStore) => findStoreFault(singleStore, "") === undefined),
    deliveries: () => readOr(() => countDeliveries(deliveries, now()), undefined),
    channels: () => readOr(() => countChannels(store), []),
    failingChannels: () => readOr(() => findFailingIn(deliveries, now()).size, undefined),
    nextKeyExpiry: () => readOr(() => findNextExpiry(store, now()), undefined),
  };
}

function findNextExpiry(store: Store, nowMs: number): number | undefined {
  const active = [...store.records(KEYS).values()].filter((key) => keyState(key, nowMs) === "active");
  const times = active.flatMap(({ expires_at }) => (expires_at === undefined ? [] : [Date.parse(expires_at) / 1000]));
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Returns the result of `read`, or `fallback` if it throws. */
export function readOr<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}

function countDeliveries(store: Store, now: number): DeliveryBacklog {
  let [pending, failed, oldest] = [0, 0, now];
  for (const { status, once, created_at: created } of store.records(DELIVERIES).values()) {
    if (status === "failed" && once !== true) failed += 1;
    if (status !== "pending") continue;
    pending += 1;
    oldest = Math.min(oldest, created);
  }
  return { pending, failed, oldestSeconds: Math.max(0, now - oldest) / 1000 };
}

function countChannels(store: Store): ReturnType<MetricSources["channels"]> {
  const counts = new Map<string, number>();
  for (const { type, is_verified } of store.records(CHANNELS).values()) increment(counts, `${type} ${is_verified}`);
  return [...counts].map(([key, count]) => [...(key.split(" ") as [type: string, verified: string]), count]);
}

/** Returns why the daemon is not ready, and what to do; undefined if it is ready. */
export function findNotReadyReason(stopping: boolean, store: Store, deliveries: Store): string | undefined {
  if (stopping) return "the daemon is stopping: try again when it is back";
  return findStoreFault(store, STORE_DAMAGED) ?? findStoreFault(deliveries, DELIVERIES_DAMAGED);
}

const STORE_DAMAGED =
  "the store is damaged and its previous copy is used, so a key that was revoked last may work again: nothing is " +
  "changed or sent until an operator has fixed it";
const DELIVERIES_DAMAGED = "the store of deliveries is damaged: nothing is sent until an operator has fixed it";

/** Returns the fault of a store, without its path. If its previous copy is in use, the fault is `damageMessage`. */
function findStoreFault(store: Store, damageMessage: string): string | undefined {
  try {
    if (store.isDamaged()) return damageMessage;
    const fault = store.checkWritable();
    return fault === undefined ? undefined : (WRITE_FAULTS[fault.code] ?? UNREADABLE);
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE = "the store can't be read: the daemon's log says why";
const WRITE_FAULTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  FULL: "the disk of the store is full or nearly full, so changes can fail: make room",
  OPERATION:
    "the store can't be written, so nothing can be changed: chmod 700 the home if it is open to others, or see the " +
    "daemon's log",
  READONLY: "the store is read-only, so nothing can be changed: make its home or database writable",
};

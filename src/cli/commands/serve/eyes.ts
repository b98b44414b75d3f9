// What the operator sees of deliveries, mail and records: counts, lines in the log, and the state that the metrics show.

import type { Attempt } from "../../../channels/attempt.ts";
import type { Attempted } from "../../../channels/delivery/deliverer.ts";
import { DELIVERIES } from "../../../channels/delivery/record.ts";
import { CHANNELS } from "../../../channels/record.ts";
import { type Counters, countUp } from "../../../server/counters.ts";
import type { DeliveryState, MetricSources } from "../../../server/prometheus.ts";
import type { Store } from "../../../store/store.ts";
import type { DaemonLog } from "./log.ts";

/** Counts an attempt to deliver, and logs what will not be tried again and each channel that was switched off. */
export function noteAttempt(counters: Counters, log: DaemonLog, attempted: Attempted): void {
  const { channel, attempt, delivery, switchedOff } = attempted;
  const failed = delivery?.status === "failed";
  countUp(counters.deliveries, attempt.ok ? "delivered" : failed ? "failed" : "retried");
  const { id, team, type } = channel;
  const reason = attempt.ok ? undefined : attempt.reason;
  if (failed) {
    const { id: message, event, attempts } = delivery;
    log.warn({ channel: id, team, type, delivery: message, event, attempts, reason }, "a delivery failed for good");
  }
  if (switchedOff) {
    log.warn(
      { channel: id, team, type, reason },
      "the receiver wants no more events, so the channel is not verified: test it to use it again",
    );
  }
}

/** Counts a message. */
export function noteMail(counters: Counters, attempt: Attempt): void {
  // What a mail server refuses it names by a code of its own.
  const refused = !attempt.ok && /refused/.test(attempt.reason);
  countUp(counters.mails, attempt.ok ? "sent" : refused ? "refused" : "failed");
}

type Sources = Pick<MetricSources, "damaged" | "writable" | "deliveries" | "channels">;

/** The state of the records; what can't be read is left out, and counts as damaged. */
export function recordSources(store: Store, deliveries: Store, now: () => number): Sources {
  return {
    damaged: () => ({ "store.json": isDamaged(store), "deliveries.json": isDamaged(deliveries) }),
    writable: () => ({ "store.json": isWritable(store), "deliveries.json": isWritable(deliveries) }),
    deliveries: () => readable(() => deliveryState(deliveries, now()), undefined),
    channels: () => readable(() => channelCounts(store), []),
  };
}

function isDamaged(store: Store): boolean {
  return readable(() => store.damaged(), true);
}

function isWritable(store: Store): boolean {
  return readable(() => !store.damaged() && store.changeFault() === undefined, false);
}

function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

function deliveryState(store: Store, now: number): DeliveryState {
  let [pending, failed, oldest] = [0, 0, now];
  for (const { status, created_at: created } of store.records(DELIVERIES).values()) {
    if (status === "failed") failed += 1;
    if (status !== "pending") continue;
    pending += 1;
    oldest = Math.min(oldest, created);
  }
  return { pending, failed, oldestSeconds: Math.max(0, now - oldest) / 1000 };
}

function channelCounts(store: Store): ReturnType<MetricSources["channels"]> {
  const counts = new Map<string, { type: string; verified: boolean; count: number }>();
  for (const { type, is_verified: verified } of store.records(CHANNELS).values()) {
    const key = `${type} ${verified}`;
    const { count } = counts.get(key) ?? { count: 0 };
    counts.set(key, { type, verified, count: count + 1 });
  }
  return [...counts.values()];
}

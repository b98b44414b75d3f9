// The stored record of a delivery, its view in responses, and its retention.

import { omitUndefined } from "../../base/result.ts";
import {
  choice,
  closedObject,
  count,
  literal,
  named,
  number,
  optional,
  rawSchema,
  text,
  time,
  type ValueOf,
} from "../../base/shapes.ts";
import type { Collection } from "../../store/collection.ts";
import { EVENTS } from "../kinds.ts";
import type { ChannelRecord } from "../record.ts";

const STATUSES = ["pending", "delivered", "failed"] as const;

// Range of a Date in milliseconds since 1970, ECMA-262 §21.4.1.1.
const TIMESTAMP_MS = number({ minimum: -8.64e15, maximum: 8.64e15 });

const DELIVERY = closedObject({
  /** The `webhook-id`, equal in all attempts. */
  id: text(),
  channel_id: text(),
  /** Number of attempts, including a running one: it is counted before it starts. */
  attempts: number(),
  /** Number of attempts before the last replay. */
  earlier_attempts: optional(number()),
  created_at: TIMESTAMP_MS,
  /** The signed payload. */
  body: text(),
  last_attempt_at: optional(TIMESTAMP_MS),
  last_duration_ms: optional(number()),
  last_http_status: optional(number()),
  next_attempt_at: optional(TIMESTAMP_MS),
  last_error: optional(text()),
  /** A test: never retried. */
  once: optional(literal(true)),
  /** Lease: the process with the running attempt, and the time until which no other process may start one. */
  lease: optional(closedObject({ holder: text(), until: number() })),
  event: choice(EVENTS),
  status: choice(STATUSES),
});

export type DeliveryRecord = ValueOf<typeof DELIVERY>;

export const DELIVERIES: Collection<DeliveryRecord> = {
  name: "deliveries",
  shape: DELIVERY,
  isConsistent: ({ status, next_attempt_at }) => status !== "pending" || next_attempt_at !== undefined,
};

export const DELIVERY_VIEW = named(
  "Delivery",
  closedObject({
    id: text("The `webhook-id`, equal in all attempts."),
    event: text(`One of ${EVENTS.join(", ")}.`),
    status: text(`One of ${STATUSES.join(", ")}.`),
    attempts: count("Number of attempts."),
    created_at: time(),
    last_attempt_at: optional(time()),
    last_duration_ms: optional(count("Milliseconds that the last finished attempt took.")),
    last_http_status: optional(count("Status of the last response; absent for mail, and if there was none.")),
    next_attempt_at: optional(time("Only while it is pending.")),
    last_error: optional(text()),
    payload: rawSchema<object>({
      type: "object",
      description: "The event: the body that a webhook gets, from which mails and messages in chats are made.",
    }),
  }),
);

export type DeliveryView = ValueOf<typeof DELIVERY_VIEW>;

export function toDeliveryView(record: DeliveryRecord): DeliveryView {
  const { id, event, status, last_duration_ms, last_http_status, last_error } = record;
  const attempts = record.attempts + (record.earlier_attempts ?? 0);
  const created_at = new Date(record.created_at).toISOString();
  const last_attempt_at = toIsoTime(record.last_attempt_at);
  const next_attempt_at = toIsoTime(record.next_attempt_at);
  const outcome = { last_attempt_at, last_duration_ms, last_http_status, next_attempt_at, last_error };
  return { id, event, status, attempts, created_at, ...omitUndefined(outcome), payload: JSON.parse(record.body) };
}

export function toIsoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

/** Returns the delivery as finished. Keeps the payload, for a replay. */
export function finishDelivery(
  delivery: DeliveryRecord,
  status: "delivered" | "failed",
  error?: string,
): DeliveryRecord {
  const { lease: _, next_attempt_at: __, last_error: ___, ...rest } = delivery;
  return { ...rest, status, ...omitUndefined({ last_error: error }) };
}

const RETENTION_MS = 30 * 86_400_000;
// About 500 kB, which every change of the store rewrites.
const MAX_FINISHED = 1000;

/**
 * Deletes finished deliveries and orphans past their retention or limit. An orphan is a pending delivery whose channel is
 * gone: a process was killed while deleting it, or an old store was restored. Without `hasAllChannels`, there are none.
 */
export function pruneDeliveries(
  deliveries: Map<string, DeliveryRecord>,
  channels: ReadonlyMap<string, ChannelRecord>,
  now: number,
  hasAllChannels: boolean,
): void {
  const deletable: DeliveryRecord[] = [];
  for (const delivery of deliveries.values()) {
    if (delivery.status === "pending" && (channels.has(delivery.channel_id) || !hasAllChannels)) continue;
    if (delivery.created_at <= now - RETENTION_MS) deliveries.delete(delivery.id);
    else deletable.push(delivery);
  }
  if (deletable.length <= MAX_FINISHED) return;
  // Keep the latest of each team, so that no team loses history to another. Deleted channels count as one team.
  const counts = new Map<string, number>();
  const latestFirst = deletable.reverse().sort((one, other) => other.created_at - one.created_at);
  const ranks = latestFirst.map(({ id, channel_id }) => {
    const team = channels.get(channel_id)?.team ?? "";
    const rank = counts.get(team) ?? 0;
    counts.set(team, rank + 1);
    return { id, rank };
  });
  for (const { id } of ranks.sort((one, other) => one.rank - other.rank).slice(MAX_FINISHED)) deliveries.delete(id);
}

const FAILING_AFTER_MS = 86_400_000;

type AttemptedDelivery = DeliveryRecord & { readonly last_attempt_at: number };

export interface ChannelHealth {
  /** The delivery with the latest attempt. */
  readonly last: AttemptedDelivery;
  /** Time of the latest success, in milliseconds since 1970. */
  readonly successAt?: number | undefined;
  /** Time of the oldest event that failed after the latest success. Tests don't count. */
  readonly failingSince?: number | undefined;
}

/** Returns the health of each channel with an attempt, by channel id. */
export function healthByChannel(deliveries: Iterable<DeliveryRecord>): ReadonlyMap<string, ChannelHealth> {
  const attempted = [...deliveries].filter((one): one is AttemptedDelivery => one.last_attempt_at !== undefined);
  const health = new Map<string, ChannelHealth>();
  for (const last of attempted.sort((one, other) => one.last_attempt_at - other.last_attempt_at)) {
    const { channel_id: id, status, once, last_attempt_at: at, last_error: error, created_at: createdAt } = last;
    const { successAt, failingSince } = health.get(id) ?? {};
    if (status === "delivered") health.set(id, { last, successAt: at });
    else if (once === true || error === undefined) health.set(id, { last, successAt, failingSince });
    else health.set(id, { last, successAt, failingSince: Math.min(failingSince ?? createdAt, createdAt) });
  }
  return health;
}

/** Returns the ids of channels that have failed for a day. */
export function findFailingChannels(deliveries: Iterable<DeliveryRecord>, now: number): ReadonlySet<string> {
  const all = [...healthByChannel(deliveries)];
  const failing = all.filter(([, { failingSince = now }]) => failingSince <= now - FAILING_AFTER_MS);
  return new Set(failing.map(([id]) => id));
}

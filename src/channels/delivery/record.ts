// The record of a delivery, in a file of its own, and the part that is shown.

import { defined } from "../../base/result.ts";
import {
  choice,
  closed,
  constant,
  count,
  named,
  number,
  optional,
  text,
  time,
  type ValueOf,
} from "../../base/shapes.ts";
import type { Collection } from "../../store/collection.ts";
import { EVENTS } from "../kinds.ts";

const STATUSES = ["pending", "delivered", "failed"] as const;

// ECMA-262 §21.4.1.1: a moment that can be written as a date, in milliseconds since 1970.
const MOMENT = number({ minimum: -8.64e15, maximum: 8.64e15 });

const DELIVERY = closed({
  /** The `webhook-id`, the same through all tries. */
  id: text(),
  channel_id: text(),
  /** Tries so far, one under way included: it is counted before it is made. */
  attempts: number(),
  created_at: MOMENT,
  /** The payload as it is signed. */
  body: text(),
  last_attempt_at: optional(MOMENT),
  next_attempt_at: optional(MOMENT),
  last_error: optional(text()),
  /** A test: one try, and no other. */
  once: optional(constant(true)),
  /** The process that is trying, and until when no other may. */
  lease: optional(closed({ holder: text(), until: number() })),
  event: choice(EVENTS),
  status: choice(STATUSES),
});

/** A delivery of one event to one channel. Times are milliseconds since 1970. */
export type DeliveryRecord = ValueOf<typeof DELIVERY>;

export const DELIVERIES: Collection<DeliveryRecord> = {
  name: "deliveries",
  shape: DELIVERY,
  isWhole: ({ status, next_attempt_at }) => status !== "pending" || next_attempt_at !== undefined,
  migrations: [],
};

export const SHOWN_DELIVERY = named(
  "Delivery",
  closed({
    id: text("The `webhook-id`, the same through all tries."),
    event: text(`One of ${EVENTS.join(", ")}.`),
    status: text(`One of ${STATUSES.join(", ")}.`),
    attempts: count("Tries so far."),
    created_at: time(),
    last_attempt_at: optional(time()),
    next_attempt_at: optional(time("Only while it is pending.")),
    last_error: optional(text()),
  }),
);

/** A delivery as an answer shows it: times in ISO 8601. */
export type ShownDelivery = ValueOf<typeof SHOWN_DELIVERY>;

/** A delivery without its payload. */
export function shownDelivery(record: DeliveryRecord): ShownDelivery {
  const { id, event, status, attempts, last_error } = record;
  const iso = (time: number | undefined): string | undefined =>
    time === undefined ? undefined : new Date(time).toISOString();
  const created_at = new Date(record.created_at).toISOString();
  const times = { last_attempt_at: iso(record.last_attempt_at), next_attempt_at: iso(record.next_attempt_at) };
  return { id, event, status, attempts, created_at, ...defined({ ...times, last_error }) };
}

/** An ended delivery; it keeps its payload, so that it can be replayed. */
export function ended(delivery: DeliveryRecord, status: "delivered" | "failed", error?: string): DeliveryRecord {
  const { lease: _, next_attempt_at: __, last_error: ___, ...kept } = delivery;
  return { ...kept, status, ...defined({ last_error: error }) };
}

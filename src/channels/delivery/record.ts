// What is kept of a delivery, in a file of its own, and what is shown of it.

import type { Collection } from "../../store/collection.ts";
import { EVENTS, type EventName, isObject } from "../record.ts";

const STATUSES = ["pending", "delivered", "failed"] as const;

/** A delivery of one event to one channel. Times are milliseconds since 1970. */
export interface DeliveryRecord {
  /** The `webhook-id`, the same through all tries. */
  readonly id: string;
  readonly channel_id: string;
  readonly event: EventName;
  readonly status: (typeof STATUSES)[number];
  /** Tries so far, one under way included: it is counted before it is made. */
  readonly attempts: number;
  readonly created_at: number;
  /** The payload as it is signed; gone when the delivery has ended. */
  readonly body?: string;
  readonly last_attempt_at?: number;
  readonly next_attempt_at?: number;
  readonly last_error?: string;
  /** A test: one try, and no other. */
  readonly once?: true;
  /** Who is trying, and until when nobody else may. */
  readonly lease?: { readonly holder: string; readonly until: number };
}

// ECMA-262 §21.4.1.1.
const DATE_MAX_MS = 8.64e15;

/** A delivery with an event or a status that only a later version knows: it waits for that version. */
export type LaterDelivery = Omit<DeliveryRecord, "event" | "status"> & {
  readonly event: string;
  readonly status: string;
};

/** The deliveries of a file. */
export const DELIVERIES: Collection<DeliveryRecord, LaterDelivery> = {
  name: "deliveries",
  isRecord: isDelivery,
  isLater: isLaterDelivery,
  migrations: [],
};

/** A delivery as an answer shows it: times in ISO 8601. */
export interface ShownDelivery {
  readonly id: string;
  /** One of a later version stands as it is, and so does a status. */
  readonly event: string;
  readonly status: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly last_attempt_at?: string;
  readonly next_attempt_at?: string;
  readonly last_error?: string;
}

/** A delivery without its payload. */
export function shownDelivery(record: DeliveryRecord | LaterDelivery): ShownDelivery {
  const { id, event, status, attempts, last_error } = record;
  const iso = (time: number): string => new Date(time).toISOString();
  return {
    id,
    event,
    status,
    attempts,
    created_at: iso(record.created_at),
    ...(record.last_attempt_at === undefined ? {} : { last_attempt_at: iso(record.last_attempt_at) }),
    ...(record.next_attempt_at === undefined ? {} : { next_attempt_at: iso(record.next_attempt_at) }),
    ...(last_error === undefined ? {} : { last_error }),
  };
}

/** An ended delivery keeps no payload. */
export function ended(delivery: DeliveryRecord, status: "delivered" | "failed", error?: string): DeliveryRecord {
  const { body: _, lease: __, next_attempt_at: ___, last_error: ____, ...kept } = delivery;
  return { ...kept, status, ...(error === undefined ? {} : { last_error: error }) };
}

function isDelivery(value: unknown): value is DeliveryRecord {
  if (!isAnyDelivery(value) || !isKnown(value)) return false;
  return value.status !== "pending" || (typeof value.body === "string" && value.next_attempt_at !== undefined);
}

function isLaterDelivery(value: unknown): value is LaterDelivery {
  return isAnyDelivery(value) && !isKnown(value);
}

function isKnown({ event, status }: LaterDelivery): boolean {
  return EVENTS.some((known) => known === event) && STATUSES.some((known) => known === status);
}

function isAnyDelivery(value: unknown): value is LaterDelivery {
  if (!isObject(value)) return false;
  const { id, channel_id, event, status, attempts, created_at, last_attempt_at, next_attempt_at, lease } = value;
  return (
    [id, channel_id, event, status].every((text) => typeof text === "string") &&
    typeof attempts === "number" &&
    isTime(created_at) &&
    [last_attempt_at, next_attempt_at].every((time) => time === undefined || isTime(time)) &&
    (lease === undefined || isLease(lease))
  );
}

/** A moment that can be written as a date. */
function isTime(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) <= DATE_MAX_MS;
}

function isLease(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { holder, until } = value;
  return typeof holder === "string" && typeof until === "number";
}

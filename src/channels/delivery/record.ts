// The stored record of a delivery, its view in responses, and its retention.

import { omitUndefined } from "../../base/result.ts";
import {
  choice,
  closedObject,
  count,
  flag,
  listOf,
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
import { MAX_ATTEMPTS } from "../attempt.ts";
import { DELIVERY_STATUSES, EVENTS } from "../kinds.ts";
import type { ChannelRecord } from "../record.ts";

// Range of a Date in milliseconds since 1970, ECMA-262 §21.4.1.1.
const TIMESTAMP_MS = number({ minimum: -8.64e15, maximum: 8.64e15 });

// More than the attempts of one delivery, so that a resend keeps the history.
const MAX_LOGGED_ATTEMPTS = 20;

const ATTEMPT_FIELDS = {
  ok: optional(flag("Absent while the attempt runs, and if its process was killed.")),
  duration_ms: optional(count("Milliseconds that it took.")),
  http_status: optional(count("Status of the response; absent for mail, and if there was none.")),
  error: optional(text("Why it failed, or has no result. Without `ok` and `error`, it is running.")),
  is_resend: optional(flag("Whether someone sent the delivery again, which restarts its retries.")),
};

/** One attempt, recorded before it starts. */
const ATTEMPT = closedObject({ at: TIMESTAMP_MS, ...ATTEMPT_FIELDS });

export type AttemptRecord = ValueOf<typeof ATTEMPT>;

const DELIVERY = closedObject({
  /** The `webhook-id`, equal in all attempts. */
  id: text(),
  channel_id: text(),
  /** Number of attempts, including those that are no longer in `attempt_log`. */
  attempts: number(),
  /** Oldest first. */
  attempt_log: listOf(ATTEMPT),
  created_at: TIMESTAMP_MS,
  /** The signed payload. */
  body: text(),
  next_attempt_at: optional(TIMESTAMP_MS),
  /** Why there is no attempt now, or no further one. */
  unsent_reason: optional(text()),
  /** A test: never retried. */
  once: optional(literal(true)),
  /** The next attempt is a resend that a process could not make. */
  is_resend: optional(literal(true)),
  /** Lease: the process with the running attempt, and the time until which no other process may start one. */
  lease: optional(closedObject({ holder: text(), until: number() })),
  event: choice(EVENTS),
  /** Once `delivered`, it stays so: a resend that fails is only in `attempt_log`. */
  status: choice(DELIVERY_STATUSES),
});

export type DeliveryRecord = ValueOf<typeof DELIVERY>;

export const DELIVERIES: Collection<DeliveryRecord> = {
  name: "deliveries",
  shape: DELIVERY,
  isConsistent: ({ status, next_attempt_at, body }) =>
    (status !== "pending" || next_attempt_at !== undefined) && isJson(body),
};

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

const ATTEMPT_VIEW = named("DeliveryAttempt", closedObject({ at: time("When it started."), ...ATTEMPT_FIELDS }));

export const DELIVERY_VIEW = named(
  "Delivery",
  closedObject({
    id: text("The `webhook-id`, equal in all attempts."),
    event: text(`One of ${EVENTS.join(", ")}.`),
    status: text(`One of ${DELIVERY_STATUSES.join(", ")}. Once delivered, it stays so, even if a resend fails.`),
    attempts: count("Number of attempts."),
    attempt_log: listOf(
      ATTEMPT_VIEW,
      `The latest ${MAX_LOGGED_ATTEMPTS} attempts and the latest success, oldest first.`,
    ),
    created_at: time(),
    retries_left: count("Number of further attempts before it fails; 0 for a test."),
    last_attempt_at: optional(time()),
    last_duration_ms: optional(count("Milliseconds that the last finished attempt took.")),
    last_http_status: optional(count("Status of its response; absent for mail, and if there was none.")),
    next_attempt_at: optional(time("Only while it is pending, and neither waits for its channel nor is being sent.")),
    last_error: optional(text("Why the last finished attempt failed, or why the delivery waits.")),
    payload: rawSchema<object>({
      type: "object",
      description: "The event: the body that a webhook gets, from which mails and messages in chats are made.",
    }),
  }),
);

export type AttemptView = ValueOf<typeof ATTEMPT_VIEW>;
export type DeliveryView = ValueOf<typeof DELIVERY_VIEW>;

export function toDeliveryView(record: DeliveryRecord, isRunning = false): DeliveryView {
  const { id, event, status, attempts, attempt_log: log, unsent_reason: unsentReason, next_attempt_at: next } = record;
  const finished = findLastFinished(record);
  const details = {
    last_attempt_at: toIsoTime(log.at(-1)?.at),
    last_duration_ms: finished?.duration_ms,
    last_http_status: finished?.http_status,
    next_attempt_at: unsentReason === undefined && record.lease === undefined ? toIsoTime(next) : undefined,
    last_error: findLastError(record),
  };
  return {
    id,
    event,
    status,
    attempts,
    retries_left: status === "pending" && !record.once ? MAX_ATTEMPTS - countRetriedAttempts(record) : 0,
    created_at: new Date(record.created_at).toISOString(),
    ...omitUndefined(details),
    attempt_log: log.map((attempt, i) => {
      const isInterrupted = attempt.ok === undefined && !(isRunning && i === log.length - 1);
      return {
        ...attempt,
        at: new Date(attempt.at).toISOString(),
        ...(isInterrupted && { error: "its process stopped" }),
      };
    }),
    payload: JSON.parse(record.body),
  };
}

function findLastFinished({ attempt_log: log }: DeliveryRecord): AttemptRecord | undefined {
  return log.findLast(({ ok }) => ok !== undefined);
}

/** Returns why the delivery is not sent, or why its last finished attempt failed. */
export function findLastError(record: DeliveryRecord): string | undefined {
  return record.unsent_reason ?? findLastFinished(record)?.error;
}

/** Adds a running attempt. Keeps the latest attempts and the latest success. */
export function startAttempt(delivery: DeliveryRecord, attempt: AttemptRecord): DeliveryRecord {
  const { unsent_reason: _, is_resend, ...others } = delivery;
  const log = [...delivery.attempt_log, { ...attempt, ...(is_resend && { is_resend }) }];
  const excessIndex = log.findLastIndex(({ ok }) => ok === true) === 0 ? 1 : 0;
  return {
    ...others,
    attempts: delivery.attempts + 1,
    attempt_log: log.length > MAX_LOGGED_ATTEMPTS ? log.toSpliced(excessIndex, 1) : log,
  };
}

/** Records the outcome of the attempt that started at `startedAt`. */
export function recordOutcome(
  delivery: DeliveryRecord,
  startedAt: number,
  outcome: Omit<AttemptRecord, "at" | "is_resend">,
): DeliveryRecord {
  const { attempt_log: log } = delivery;
  const index = log.findLastIndex(({ at, ok }) => at === startedAt && ok !== true);
  const attempt_log = log.map((attempt, i) => (i === index ? { ...attempt, ...outcome } : attempt));
  return { ...delivery, attempt_log };
}

/** Returns the number of attempts since the last resend, made or requested, or else of all: how far the retries are. */
export function countRetriedAttempts({ attempts, attempt_log: log, is_resend: isResendNext }: DeliveryRecord): number {
  if (isResendNext) return 0;
  const resendIndex = log.findLastIndex(({ is_resend }) => is_resend);
  return resendIndex < 0 ? attempts : log.length - resendIndex;
}

/** Returns an ISO 8601 time; undefined if `time` is not finite. */
export function toIsoTime(time = Number.NaN): string | undefined {
  return Number.isFinite(time) ? new Date(time).toISOString() : undefined;
}

/** Returns the delivery as finished. Keeps the payload, for a resend. */
export function finishDelivery(
  delivery: DeliveryRecord,
  status: "delivered" | "failed",
  unsentReason?: string,
): DeliveryRecord {
  const { lease: _, next_attempt_at: __, unsent_reason: ___, is_resend: ____, ...rest } = delivery;
  return { ...rest, status, ...omitUndefined({ unsent_reason: unsentReason }) };
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

export interface ChannelHealth {
  /** The latest attempt, preferably a finished one, with the status of its delivery; undefined before the first. */
  readonly last: (Pick<AttemptRecord, "at" | "error" | "is_resend"> & Pick<DeliveryRecord, "status">) | undefined;
  /** Number of events that are still to be delivered. */
  readonly pending: number;
  /** Time of the latest success, in milliseconds since 1970, or -Infinity. */
  readonly successAt: number;
  /** Time of the first failed attempt after the latest success, or Infinity. Tests and delivered events don't count. */
  readonly failingSince: number;
}

/** Returns the health of each channel with a delivery, by channel id. */
export function healthByChannel(records: Iterable<DeliveryRecord>): ReadonlyMap<string, ChannelHealth> {
  const deliveries = [...records];
  const successes = new Map<string, number>();
  for (const { channel_id: id, attempt_log: log } of deliveries) {
    for (const { at, ok } of log) if (ok === true) successes.set(id, Math.max(at, successes.get(id) ?? at));
  }
  const health = new Map<string, ChannelHealth>();
  for (const delivery of deliveries) {
    const { channel_id: id, once, status, attempt_log: log } = delivery;
    const successAt = successes.get(id) ?? Number.NEGATIVE_INFINITY;
    const counts = once !== true && status !== "delivered";
    const failure = counts ? log.find(({ at, ok }) => ok === false && at > successAt) : undefined;
    const last = summarizeLastAttempt(delivery);
    const others = health.get(id) ?? { last, pending: 0, failingSince: Number.POSITIVE_INFINITY };
    health.set(id, {
      last: laterOf(others.last, last),
      pending: others.pending + Number(counts && status === "pending"),
      successAt,
      failingSince: Math.min(others.failingSince, failure?.at ?? Number.POSITIVE_INFINITY),
    });
  }
  return health;
}

/** Returns the later of two attempts: the second if their times are equal. */
function laterOf(one: ChannelHealth["last"], other: ChannelHealth["last"]): ChannelHealth["last"] {
  if (one === undefined || other === undefined) return one ?? other;
  return one.at > other.at ? one : other;
}

/** The latest attempt with an outcome, else the running one. A failed resend of a delivered event counts as failed. */
function summarizeLastAttempt(delivery: DeliveryRecord): ChannelHealth["last"] {
  const attempt = findLastFinished(delivery) ?? delivery.attempt_log.at(-1);
  if (attempt === undefined) return undefined;
  const { at, ok, is_resend } = attempt;
  const status = ok === false && delivery.status === "delivered" ? "failed" : delivery.status;
  return { status, at, ...omitUndefined({ error: findLastError(delivery), is_resend }) };
}

/** Returns the ids of channels that have failed for a day. */
export function findFailingChannels(deliveries: Iterable<DeliveryRecord>, now: number): ReadonlySet<string> {
  const all = [...healthByChannel(deliveries)];
  const failing = all.filter(([, { failingSince }]) => failingSince <= now - FAILING_AFTER_MS);
  return new Set(failing.map(([id]) => id));
}

// Events from the command line: recorded, attempted at once, and left to the daemon or the next call when the attempts
// fail. `detect --notify` names one channel; updates of lists go to all that want them.

import { isAddrsiftError, usageError } from "../../base/errors.ts";
import { escapeInvisible } from "../../base/format-text.ts";
import { nameFault } from "../../base/user-input.ts";
import type { SummaryReport } from "../../bulk/summary.ts";
import { type ChannelEvent, createEvent, type EventData } from "../../channels/events.ts";
import type { EventName } from "../../channels/kinds.ts";
import { type Publication, undeliverableReason } from "../../channels/notifications.ts";
import type { GlobalOptions } from "../options/table.ts";
import type { Host } from "../runtime.ts";
import { warn } from "../terminal/output.ts";
import { type ChannelServices, openChannelServices } from "./channels.ts";
import { lazyListsAndOverrides } from "./lists.ts";
import { openStores } from "./stores.ts";

/** Sends the channel the report and the exit status, and returns the exit status after that. */
export type Notify = (report: SummaryReport, exitStatus: number) => Promise<number>;

export interface NotifyOptions {
  readonly channel: string;
  /** Name of the run. */
  readonly label: string | undefined;
  readonly required: boolean;
  readonly allowPrivate: readonly string[];
}

// The exit status for a channel that had to be notified and was not; an interrupted run keeps its own, which is higher.
const FAILED_STATUS = 2;
// Enough for two attempts and a slow receiver.
const WAIT_MS = 30_000;
// For attempts still running at the time limit, so that they need no retry.
const GRACE_MS = 5000;

/**
 * Prepares `detect --notify`: warns before the work if the channel can't be notified now. Throws AddrsiftError USAGE if
 * the channel does not exist, and with --notify-required for every reason that is known before the work.
 */
export async function prepareNotification(
  { channel, label, required, allowPrivate }: NotifyOptions,
  options: GlobalOptions,
  runtime: Host,
): Promise<Notify> {
  const labelFault = label === undefined ? undefined : findLabelFault(label);
  if (labelFault !== undefined) throw usageError(`--notify-label ${labelFault}`);
  const services = await openServices(options, allowPrivate, runtime);
  const obstacle = findObstacle(services, channel, required);
  const early = obstacle?.message;
  if (obstacle !== undefined && (required || obstacle.isMissing)) {
    throw usageError(`--notify ${escapeInvisible(channel)}: ${obstacle.message}`);
  }
  let lastReason: string | undefined;
  const warnOnce = (reason: string): void => {
    if (reason !== lastReason) warn(runtime, `the channel ${escapeInvisible(channel)} is not notified: ${reason}`);
    lastReason = reason;
  };
  if (early !== undefined) warnOnce(early);
  const publish = async (event: ChannelEvent): Promise<boolean> => {
    try {
      await services.refresh();
      const published = await services.notifications.publishTo(channel, event);
      if (published.ok) return await deliverNow(services, published.value, runtime);
      warnOnce(published.fault.message);
    } catch (error) {
      warnOnce(errorMessage(error));
    }
    return false;
  };
  return async ({ rows, classes, duration_ms, data_version }, exitStatus) => {
    const counts = { rows, classes, duration_ms, exit_status: exitStatus, data_version };
    const data = label === undefined ? counts : { label, ...counts };
    const isNotified = await publish(createEvent("detection.completed", data, runtime.now()));
    return isNotified || !required || exitStatus > FAILED_STATUS ? exitStatus : FAILED_STATUS;
  };
}

/** Events have no addresses. */
function findLabelFault(label: string): string | undefined {
  if (label.includes("@")) return "looks like an address: use a name without @";
  return nameFault(label);
}

interface Obstacle {
  readonly message: string;
  /** The channel does not exist, which waiting does not change. */
  readonly isMissing: boolean;
}

/** Returns why the channel can't be notified at the end, as far as it is known now. */
function findObstacle({ notifications }: ChannelServices, id: string, required: boolean): Obstacle | undefined {
  try {
    const recipient = notifications.recipient(id, "detection.completed");
    if (!recipient.ok) return { ...recipient.fault, isMissing: recipient.fault.code === "NOT_FOUND" };
    const message = required ? undeliverableReason(recipient.value) : undefined;
    return message === undefined ? undefined : { message, isMissing: false };
  } catch (error) {
    return { message: errorMessage(error), isMissing: false };
  }
}

/** The message of an expected failure of the store. Others are thrown again. */
function errorMessage(error: unknown): string {
  if (isAddrsiftError(error)) return error.message;
  throw error;
}

/** Sends an event to every verified channel that wants it. Throws AddrsiftError as the store does. */
export async function notifyChannels<Name extends EventName>(
  options: GlobalOptions & { readonly "allow-private"?: readonly string[] },
  runtime: Host,
  name: Name,
  data: EventData[Name],
): Promise<void> {
  const services = await openServices(options, options["allow-private"] ?? [], runtime);
  const event = createEvent(name, data, runtime.now()) as ChannelEvent;
  await deliverNow(services, await services.notifications.publish(event), runtime);
}

async function openServices(
  options: GlobalOptions,
  allowPrivate: readonly string[],
  runtime: Host,
): Promise<ChannelServices> {
  return openChannelServices(await openStores(options, runtime, "unattended"), runtime, {
    allowPrivate,
    publicUrl: undefined,
    listsAndOverrides: lazyListsAndOverrides(options, runtime),
    warn: (line) => warn(runtime, line),
  });
}

async function deliverNow(
  { deliverer }: ChannelServices,
  { deliveries, rejected: full }: Publication,
  runtime: Pick<Host, "now" | "stderr">,
): Promise<boolean> {
  if (full > 0)
    warn(runtime, "a channel was not notified: it has too many undelivered events, see addrsift channels deliveries");
  const records = await deliverer.settle(deliveries, runtime.now() + WAIT_MS);
  await deliverer.stop(GRACE_MS);
  for (const { channel_id: id, status, last_error } of records) {
    const reason = deliverer.unsendableReason(id) ?? last_error ?? "no answer yet";
    if (status === "failed") warn(runtime, `the channel ${id} was not notified: ${reason}`);
    if (status === "pending") {
      warn(runtime, `the channel ${id} is not notified yet (${reason}): the daemon or the next --notify tries again`);
    }
  }
  return full === 0 && records.every(({ status }) => status === "delivered");
}

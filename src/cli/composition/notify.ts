// Sends events from commands: records them and attempts delivery now; the daemon or the next call retries. `detect
// --notify` names channels; updates of lists go to all subscribed channels.

import { errorMessage, isAddrsiftError, usageError } from "../../base/errors.ts";
import { escapeInvisible } from "../../base/format-text.ts";
import { omitUndefined } from "../../base/result.ts";
import { redactAddresses } from "../../bulk/report-counts.ts";
import { Summary, type SummaryReport } from "../../bulk/summary.ts";
import { findLastError } from "../../channels/delivery/record.ts";
import { type ChannelEvent, createEvent, type EventData, truncate } from "../../channels/events.ts";
import type { EventName } from "../../channels/kinds.ts";
import type { Publication } from "../../channels/notifications.ts";
import type { GlobalOptions } from "../options/table.ts";
import type { Host } from "../runtime.ts";
import { warn } from "../terminal/output.ts";
import { type ChannelServices, openChannelServices } from "./channels.ts";
import { findHome, openListsInUse } from "./lists.ts";
import { lazyListsAndOverrides } from "./overrides.ts";
import { openStores } from "./stores.ts";

export interface RunNotification {
  /** Counts of the run so far, for `fail`. */
  summary: Summary;
  /** Sends the report and the exit status to the channels, and returns the final exit status. */
  readonly send: (report: SummaryReport, exitStatus: number, error?: string) => Promise<number>;
  /** Sends the counts so far and why the run failed. */
  readonly fail: (error: unknown) => Promise<void>;
}

export interface NotifyOptions {
  /** Different ids. */
  readonly channels: readonly string[];
  /** Name of the run. */
  readonly label: string | undefined;
  readonly required: boolean;
  readonly allowPrivate: readonly string[];
}

// Exit status of a failed run, or of one whose required notification failed. An interrupted run has a higher status.
const FAILED_STATUS = 2;
// Enough for two attempts at a slow receiver.
const WAIT_MS = 30_000;
// Extra time for attempts that are still running at the limit: more than any attempt takes.
const GRACE_MS = 60_000;

/**
 * Prepares `detect --notify`, with a warning if a channel can't be notified now. Throws AddrsiftError USAGE if a
 * channel does not exist; with --notify-required, for any obstacle that is already known.
 */
export async function prepareNotification(
  { channels, label, required, allowPrivate }: NotifyOptions,
  options: GlobalOptions,
  runtime: Host,
): Promise<RunNotification> {
  const services = await openServices(options, allowPrivate, runtime);
  const warnings = new Set<string>();
  const warnOnce = (channel: string, reason: string): void => {
    const warning = `the channel ${escapeInvisible(channel)} is not notified: ${reason}`;
    if (!warnings.has(warning)) warn(runtime, warning);
    warnings.add(warning);
  };
  for (const channel of channels) {
    const obstacle = findObstacle(services, channel, required);
    if (obstacle === undefined) continue;
    if (required || obstacle.isMissing) throw usageError(`--notify ${escapeInvisible(channel)}: ${obstacle.message}`);
    warnOnce(channel, obstacle.message);
  }
  const publish = async (event: ChannelEvent): Promise<boolean> => {
    const publications: Publication[] = [];
    for (const channel of channels) {
      try {
        await services.refresh();
        const published = await services.notifications.publishTo(channel, event);
        if (published.ok) publications.push(published.value);
        else warnOnce(channel, published.fault.message);
      } catch (error) {
        warnOnce(channel, errorMessage(error));
      }
    }
    const deliveries = publications.flatMap((publication) => publication.deliveries);
    const rejected = publications.reduce((sum, publication) => sum + publication.rejected, 0);
    try {
      const isDelivered = await deliverNow(services, { deliveries, rejected }, runtime);
      return isDelivered && publications.length === channels.length;
    } catch (error) {
      for (const channel of channels) warnOnce(channel, errorMessage(error));
      return false;
    }
  };
  const startMs = performance.now();
  const send: RunNotification["send"] = async ({ rows, classes, duration_ms, data_version }, exitStatus, error) => {
    const counts = { rows, classes, duration_ms, exit_status: exitStatus, data_version };
    const data = { ...omitUndefined({ label }), ...counts, ...omitUndefined({ error }) };
    const isNotified = await publish(createEvent("detection.completed", data, runtime.now()));
    return isNotified || !required || exitStatus > FAILED_STATUS ? exitStatus : FAILED_STATUS;
  };
  const notification: RunNotification = {
    summary: new Summary(false),
    send,
    fail: async (error) => {
      const { lists } = openListsInUse(findHome(options, runtime), runtime.root, "on-demand");
      const report = notification.summary.report(Math.round(performance.now() - startMs), lists.meta.dataVersion);
      await send(report, FAILED_STATUS, describeError(error));
    },
  };
  return notification;
}

const MAX_ERROR_CHARS = 300;

/** Returns the error's message without addresses. Quoted texts are left out too, because they can be a row's. */
function describeError(error: unknown): string {
  if (!isAddrsiftError(error)) return "unexpected failure";
  return truncate(redactAddresses(error.message.replace(/".*"/s, "…")), MAX_ERROR_CHARS);
}

interface Obstacle {
  readonly message: string;
  /** The channel does not exist, so waiting will not help. */
  readonly isMissing: boolean;
}

/** Returns why the channel can't be notified at the end, as far as is known now. */
function findObstacle({ notifications }: ChannelServices, id: string, required: boolean): Obstacle | undefined {
  try {
    const recipient = notifications.recipient(id, "detection.completed");
    if (!recipient.ok) return { ...recipient.fault, isMissing: recipient.fault.code === "NOT_FOUND" };
    const message = required ? notifications.findObstacle(recipient.value) : undefined;
    return message === undefined ? undefined : { message, isMissing: false };
  } catch (error) {
    return { message: errorMessage(error), isMissing: false };
  }
}

/** Sends an event to all channels that receive it. Throws AddrsiftError of the store. */
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
    home: options.home,
    warn: (line) => warn(runtime, line),
  });
}

async function deliverNow(
  { deliverer, notifications }: ChannelServices,
  { deliveries, rejected }: Publication,
  runtime: Pick<Host, "now" | "stderr">,
): Promise<boolean> {
  if (rejected > 0)
    warn(runtime, "a channel was not notified: it has too many undelivered events, see addrsift channels deliveries");
  await deliverer.settle(deliveries, runtime.now() + WAIT_MS);
  await deliverer.stop(GRACE_MS);
  const records = notifications.outbox.find(deliveries);
  for (const record of records) {
    const { channel_id: id, status } = record;
    const reason = deliverer.unsendableReason(id) ?? findLastError(record) ?? "no answer yet";
    if (status === "failed") warn(runtime, `the channel ${id} was not notified: ${reason}`);
    if (status === "pending") {
      const next = "the daemon or the next command that sends events tries again";
      warn(runtime, `the channel ${id} is not notified yet (${reason}): ${next}`);
    }
  }
  return rejected === 0 && records.every(({ status }) => status === "delivered");
}

// Events from the command line: recorded, attempted at once, and left to the daemon or the next call when the attempts
// fail.

import { isAddrsiftError, usage } from "../../base/errors.ts";
import type { SummaryReport } from "../../bulk/summary.ts";
import { type ChannelEvent, createEvent, type EventData } from "../../channels/events.ts";
import type { EventName } from "../../channels/kinds.ts";
import { closedReason, type Published } from "../../channels/notifications.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Host } from "../runtime.ts";
import { shownText, warn } from "../terminal/say.ts";
import { type ChannelServices, type NotifyOptions, openChannelServices } from "./channels.ts";
import { lazyKnown } from "./known.ts";
import { openStores } from "./records.ts";

/** Sends the channel the report and the exit status; gives the exit status after that. */
export type Notify = (report: SummaryReport, exitStatus: number) => Promise<number>;

// The exit status for a channel that had to be notified and was not; an interrupted run keeps its own, which is higher.
const FAILED = 2;
// Enough for two attempts and a slow receiver.
const PATIENCE_MS = 30_000;
// Grace period for attempts still running at the time limit, so that they need no retry.
const LAST_MS = 5000;

/**
 * The hook of `detect --notify`. What keeps the channel from being notified is a warning, before the work where it is
 * known then. Throws AddrsiftError USAGE for wrong settings, and with --notify-required also for such a channel, before
 * the work starts.
 */
export async function openCompletion(
  id: string,
  required: boolean,
  options: GlobalOptions & NotifyOptions,
  runtime: Host,
): Promise<Notify> {
  const notifying = await open(options, runtime);
  const early = hindrance(notifying, id, required);
  if (early !== undefined) {
    if (required) throw usage(`--notify ${shownText(id)}: ${early}`);
    warn(runtime, notTold(id, early));
  }
  return async (report, exitStatus) => {
    const { rows, classes, duration_ms, data_version } = report;
    const data = { rows, classes, duration_ms, exit_status: exitStatus, data_version };
    const event = createEvent("detection.completed", data, runtime.now());
    const told = await tellOne(notifying, id, event, runtime, early);
    return told || !required || exitStatus > FAILED ? exitStatus : FAILED;
  };
}

/** Why the channel can't be notified at the end, as far as it is known now. */
function hindrance({ notifications }: ChannelServices, id: string, required: boolean): string | undefined {
  try {
    const recipient = notifications.recipient(id, "detection.completed");
    if (!recipient.ok) return recipient.fault.message;
    return required ? closedReason(recipient.value) : undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Whether the channel was notified. Failures are warnings; `known` is a reason that was told already. */
async function tellOne(
  notifying: ChannelServices,
  id: string,
  event: ChannelEvent,
  runtime: Host,
  known: string | undefined,
): Promise<boolean> {
  const tell = (reason: string): false => {
    if (reason !== known) warn(runtime, notTold(id, reason));
    return false;
  };
  try {
    // The rows may have taken hours.
    await notifying.stores.fresh();
    const published = await notifying.notifications.publishTo(id, event);
    return published.ok ? await deliver(notifying, published.value, runtime) : tell(published.fault.message);
  } catch (error) {
    return tell(reasonOf(error));
  }
}

function notTold(id: string, reason: string): string {
  return `the channel ${shownText(id)} is not notified: ${reason}`;
}

/** The message of an expected failure of the store. Others are thrown again. */
function reasonOf(error: unknown): string {
  if (isAddrsiftError(error)) return error.message;
  throw error;
}

/** Sends an event to every verified channel that wants it. Throws AddrsiftError as the store does. */
export async function tellChannels<Name extends EventName>(
  options: GlobalOptions & NotifyOptions,
  runtime: Host,
  name: Name,
  data: EventData[Name],
): Promise<void> {
  const notifying = await open(options, runtime);
  const event = createEvent(name, data, runtime.now()) as ChannelEvent;
  await deliver(notifying, await notifying.notifications.publish(event), runtime);
}

async function open(options: GlobalOptions & NotifyOptions, runtime: Host): Promise<ChannelServices> {
  return openChannelServices(options, runtime, await openStores(options, runtime, "unattended"), {
    publicUrl: undefined,
    known: lazyKnown(options, runtime),
    warn: (line) => warn(runtime, line),
    interactive: false,
    returnsUnsendable: true,
  });
}

async function deliver(
  { deliverer }: ChannelServices,
  { deliveries, refused: full }: Published,
  runtime: Host,
): Promise<boolean> {
  if (full > 0)
    warn(runtime, "a channel was not notified: it has too many undelivered events, see addrsift channels deliveries");
  const records = await deliverer.settle(deliveries, runtime.now() + PATIENCE_MS);
  await deliverer.stop(LAST_MS);
  for (const { channel_id: id, status, last_error } of records) {
    const reason = deliverer.inability(id) ?? last_error ?? "no answer yet";
    if (status === "failed") warn(runtime, `the channel ${id} was not notified: ${reason}`);
    if (status === "pending") {
      warn(runtime, `the channel ${id} is not notified yet (${reason}): the daemon or the next --notify tries again`);
    }
  }
  return full === 0 && records.every(({ status }) => status === "delivered");
}

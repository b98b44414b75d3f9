// Events from the command line: recorded, attempted at once, and left to the daemon or the next call when the attempts fail.

import { type ChannelEvent, createEvent } from "../../../channels/events.ts";
import type { Published } from "../../../channels/notifications.ts";
import { AddrsiftError } from "../../../errors.ts";
import { type ChannelServices, type NotifyOptions, openChannelServices } from "../../open/channels.ts";
import { lazyLists } from "../../open/lists.ts";
import { openStore } from "../../open/records.ts";
import type { GlobalOptions } from "../../options/shared.ts";
import type { Runtime } from "../../runtime.ts";
import { shownText } from "../../terminal/escape.ts";
import { warn } from "../../terminal/say.ts";
import type { Notify } from "./notify-hook.ts";
import type { DetectSettings } from "./settings.ts";

// Enough for two attempts and a slow receiver.
const PATIENCE_MS = 30_000;
// Grace period for attempts still running at the time limit, so that they need no retry.
const LAST_MS = 5000;

/** The hook of `detect --notify`. Throws AddrsiftError USAGE when the channel can't be notified. */
export function openCompletion(settings: DetectSettings, runtime: Runtime, id: string): Notify {
  const { global, allowPrivate } = settings;
  const notifying = open({ ...global, "allow-private": allowPrivate }, runtime);
  const { notifications } = notifying;
  const recipient = notifications.recipient(id, "detection.completed");
  if (!recipient.ok) throw refused("USAGE", id, recipient.fault.message);
  return async (report, exitStatus) => {
    const { rows, classes, duration_ms, data_version } = report;
    const data = { rows, classes, duration_ms, exit_status: exitStatus, data_version };
    const published = await notifications.publishTo(id, createEvent("detection.completed", data, runtime.now()));
    if (!published.ok) throw refused("OPERATION", id, published.fault.message);
    await deliver(notifying, published.value, runtime);
  };
}

/** Sends an event to every verified channel that wants it. Throws AddrsiftError as the store does. @public */
export async function tellChannels(
  options: GlobalOptions & NotifyOptions,
  runtime: Runtime,
  event: ChannelEvent,
): Promise<void> {
  const notifying = open(options, runtime);
  await deliver(notifying, await notifying.notifications.publish(event), runtime);
}

function open(options: GlobalOptions & NotifyOptions, runtime: Runtime): ChannelServices {
  return openChannelServices(options, runtime, openStore(options, runtime, "unattended"), {
    publicUrl: undefined,
    lists: lazyLists(options, runtime),
    warn: (line) => warn(runtime, line),
    attended: false,
  });
}

async function deliver(
  { deliverer }: ChannelServices,
  { deliveries, refused: full }: Published,
  runtime: Runtime,
): Promise<void> {
  if (full > 0)
    warn(runtime, "a channel was not notified: it has too many undelivered events, see addrsift channels deliveries");
  const records = await deliverer.settle(deliveries, runtime.now() + PATIENCE_MS);
  await deliverer.stop(LAST_MS);
  for (const { channel_id: id, status, last_error = "no answer yet" } of records) {
    if (status === "failed") warn(runtime, `the channel ${id} was not notified: ${last_error}`);
    if (status === "pending") {
      warn(
        runtime,
        `the channel ${id} is not notified yet (${last_error}): the daemon or the next --notify tries again`,
      );
    }
  }
}

function refused(code: "USAGE" | "OPERATION", id: string, message: string): AddrsiftError {
  return new AddrsiftError(code, `--notify ${shownText(id)}: ${message}`);
}

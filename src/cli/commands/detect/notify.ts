// Events from the command line: recorded, tried at once, and left to the daemon or the next call when they do not get through.

import type { SummaryReport } from "../../../bulk/summary.ts";
import { type ChannelEvent, createEvent } from "../../../channels/events.ts";
import type { Published } from "../../../channels/notifications.ts";
import { AddrsiftError } from "../../../errors.ts";
import { type Notifying, openNotifying } from "../../open/channels.ts";
import type { Host } from "../../open/compose.ts";
import { lazyLists } from "../../open/lists.ts";
import { openStore, warnPerson } from "../../open/records.ts";
import type { Arguments } from "../../options/arguments.ts";
import { shownText } from "../../terminal/escape.ts";

// Enough for the first try, the second, and a receiver that takes its time.
const PATIENCE_MS = 30_000;
// What is under way when patience ends may still come to its end, so that nobody has to try it again.
const LAST_MS = 5000;

/** Tells the channel what the run came to, and the exit status that it ends with. Throws AddrsiftError as the store does. */
export type Notify = (report: SummaryReport, exitStatus: number) => Promise<void>;

/** The hook of `detect --notify`. Throws AddrsiftError USAGE when the channel can't be told. */
export function openCompletion(args: Arguments, host: Host, id: string): Notify {
  const notifying = open(args, host);
  const { notifications } = notifying;
  const recipient = notifications.recipient(id, "detection.completed");
  if (!recipient.ok) throw refused("USAGE", id, recipient.fault.message);
  return async (report, exitStatus) => {
    const { rows, classes, duration_ms, data_version } = report;
    const data = { rows, classes, duration_ms, exit_status: exitStatus, data_version };
    const published = await notifications.publishTo(id, createEvent("detection.completed", data, Date.now()));
    if (!published.ok) throw refused("OPERATION", id, published.fault.message);
    await deliver(notifying, published.value);
  };
}

/** Tells every verified channel that wants it of an event. Throws AddrsiftError as the store does. @public */
export async function tellChannels(args: Arguments, host: Host, event: ChannelEvent): Promise<void> {
  const notifying = open(args, host);
  await deliver(notifying, await notifying.notifications.publish(event));
}

function open(args: Arguments, host: Host): Notifying {
  return openNotifying(args, host, openStore(args, "unattended"), {
    publicUrl: undefined,
    lists: lazyLists(args, host),
    warn: warnPerson,
    attended: false,
  });
}

async function deliver({ deliverer }: Notifying, { deliveries, refused: full }: Published): Promise<void> {
  if (full > 0)
    warnPerson("a channel was not told: it has too many undelivered events, see addrsift channels deliveries");
  const records = await deliverer.settle(deliveries, Date.now() + PATIENCE_MS);
  await deliverer.stop(LAST_MS);
  for (const { channel_id: id, status, last_error = "no answer yet" } of records) {
    if (status === "failed") warnPerson(`the channel ${id} was not told: ${last_error}`);
    if (status === "pending") {
      warnPerson(`the channel ${id} is not told yet (${last_error}): the daemon or the next --notify tries again`);
    }
  }
}

function refused(code: "USAGE" | "OPERATION", id: string, message: string): AddrsiftError {
  return new AddrsiftError(code, `--notify ${shownText(id)}: ${message}`);
}

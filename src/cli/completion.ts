// The event `detection.completed` from the command line: recorded, tried at once, and left to the daemon or the next call when it does
// not get through.

import { createEvent } from "../channels/events.ts";
import { AddrsiftError } from "../errors.ts";
import type { Arguments } from "./arguments.ts";
import type { Host } from "./compose.ts";
import { lazyLists } from "./lists-in-use.ts";
import { openNotifying } from "./notifications.ts";
import type { Notify } from "./notify.ts";
import { openStore, warnPerson } from "./records.ts";
import { shownText } from "./shown-text.ts";

// Enough for the first try, the second, and a receiver that takes its time.
const PATIENCE_MS = 30_000;

/** Checks that the channel can be told; gives what tells it. Throws AddrsiftError USAGE. */
export function openCompletion(args: Arguments, host: Host, channel: string): Notify {
  const settings = { publicUrl: undefined, lists: lazyLists(args, host), warn: warnPerson };
  const { notifications, deliverer } = openNotifying(args, host, openStore(args), settings);
  const recipient = notifications.recipient(channel, "detection.completed");
  if (!recipient.ok) throw refused("USAGE", channel, recipient.fault.message);
  return async (report, exitStatus) => {
    const { rows, classes, duration_ms, data_version } = report;
    const data = { rows, classes, duration_ms, exit_status: exitStatus, data_version };
    const published = await notifications.publishTo(channel, createEvent("detection.completed", data, Date.now()));
    if (!published.ok) throw refused("OPERATION", channel, published.fault.message);
    if (published.value.refused > 0) throw refused("OPERATION", channel, "it has too many undelivered events");
    const records = await deliverer.settle(published.value.deliveries, Date.now() + PATIENCE_MS);
    for (const { status, last_error = "no try was made" } of records) {
      if (status === "failed") warnPerson(`the channel ${channel} was not told: ${last_error}`);
      if (status === "pending") {
        warnPerson(
          `the channel ${channel} is not told yet (${last_error}): the daemon or the next --notify tries again`,
        );
      }
    }
  };
}

function refused(code: "USAGE" | "OPERATION", channel: string, message: string): AddrsiftError {
  return new AddrsiftError(code, `--notify ${shownText(channel)}: ${message}`);
}

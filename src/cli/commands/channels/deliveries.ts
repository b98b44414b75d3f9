// `addrsift channels deliveries`: a channel's latest deliveries.

import type { ShownDelivery } from "../../../channels/delivery/record.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { CHANNELS_DELIVERIES } from "../../options/channels.ts";
import type { Runtime } from "../../runtime.ts";
import { shownSecond } from "../../terminal/escape.ts";
import { printRecords } from "../../terminal/record-table.ts";
import { openTeam } from "./open.ts";
import { failure } from "./shown.ts";

/** Prints the deliveries, the latest first. */
export async function channelsDeliveries(
  { options, positionals }: Arguments<typeof CHANNELS_DELIVERIES>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { team, notifications } = await openTeam(options, runtime);
  const outcome = notifications.deliveries(team, id);
  if (!outcome.ok) throw failure(outcome.fault, { id, team });
  const none = "nothing was sent to the channel in the last 30 days";
  await printRecords(runtime, options, { records: outcome.value, titles: TITLES, row, none });
  return 0;
}

const TITLES = ["ID", "EVENT", "STATUS", "TRIES", "CREATED", "LAST TRY", "NEXT TRY", "LAST ERROR"];

function row(delivery: ShownDelivery): string[] {
  const { id, event, status, attempts, created_at, last_attempt_at, next_attempt_at, last_error } = delivery;
  return [
    id,
    event,
    status,
    String(attempts),
    shownSecond(created_at),
    shownSecond(last_attempt_at),
    shownSecond(next_attempt_at),
    last_error ?? "",
  ];
}

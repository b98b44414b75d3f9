// `addrsift channels list`: a team's channels.

import type { ShownChannel } from "../../../channels/config/redaction.ts";
import type { EmailConfig, WebhookConfig } from "../../../channels/record.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { CHANNELS_LIST } from "../../options/channels.ts";
import type { Runtime } from "../../runtime.ts";
import { shownMinute } from "../../terminal/escape.ts";
import { printRecords, type RecordCell } from "../../terminal/record-table.ts";
import { openRecords } from "./open.ts";

/** Prints the channels, the oldest first. */
export async function channelsList({ options }: Arguments<typeof CHANNELS_LIST>, runtime: Runtime): Promise<number> {
  const { channels, team } = await openRecords(options, runtime);
  await printRecords(runtime, options, {
    records: channels.list(team),
    titles: ["ID", "NAME", "TYPE", "TO", "VERIFIED", "EVENTS", "CREATED"],
    row,
    none: `the team ${team} has no channels: make one with addrsift channels create`,
  });
  return 0;
}

function row({ id, name, type, config, is_verified, created_at }: ShownChannel): RecordCell[] {
  const { address, url, events, enabled } = config as EmailConfig & WebhookConfig;
  const to = address ?? url ?? "";
  const verified = `${is_verified ? "yes" : "no"}${enabled === false ? ", paused" : ""}`;
  return [id, name, type, to, verified, events ?? "all", shownMinute(created_at)];
}

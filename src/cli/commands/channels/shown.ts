// How the commands of channels show a channel or a fault.

import { AddrsiftError } from "../../../base/errors.ts";
import { REDACTED, type ShownChannel } from "../../../channels/config/redaction.ts";
import type { ChannelFault, NotifyFault } from "../../../channels/fault.ts";
import type { ChannelConfig, EmailConfig, WebhookConfig } from "../../../channels/record.ts";
import type { GlobalOptions } from "../../options/shared.ts";
import type { Runtime } from "../../runtime.ts";
import { shownText } from "../../terminal/escape.ts";
import { printJson, printTable } from "../../terminal/record-table.ts";
import { tellPerson } from "../../terminal/say.ts";

/** The error that ends the command, made from a fault. */
export function failure(
  { code, message }: ChannelFault | NotifyFault,
  { id, team }: { readonly id: string; readonly team: string },
): AddrsiftError {
  if (code !== "NOT_FOUND") return new AddrsiftError(code === "INVALID_BODY" ? "USAGE" : "OPERATION", message);
  return new AddrsiftError(
    "USAGE",
    `there is no channel ${shownText(id)} in the team ${team}: take an id from addrsift channels list`,
  );
}

/** Prints one channel: a line for each field, or JSON. */
export async function printChannel(
  runtime: Runtime,
  options: GlobalOptions & { readonly json: boolean },
  channel: ShownChannel,
  message: string | undefined,
): Promise<void> {
  if (options.json) {
    printJson(runtime, { ...channel, message });
    return;
  }
  const { secret } = channel.config as WebhookConfig;
  const shown = fieldsOf(channel, message).filter((field): field is [string, string] => field[1] !== undefined);
  await printTable(runtime, options, ["id", channel.id], shown);
  if (secret !== undefined && secret !== REDACTED) {
    tellPerson(runtime, options, "this is the only time that the secret is shown: keep it where the receiver reads it");
  }
}

function fieldsOf(
  { name, type, config, is_verified, created_at }: ShownChannel,
  message: string | undefined,
): [string, string | undefined][] {
  return [
    ["name", name],
    ["type", type],
    ...configFields(config),
    ["verified", is_verified ? "yes" : "no"],
    ["created", created_at],
    ["to do", message],
  ];
}

function configFields(config: ChannelConfig): [string, string | undefined][] {
  const { address, url, headers = {}, secret, events, enabled } = config as EmailConfig & WebhookConfig;
  return [
    ["address", address],
    ["url", url],
    ...Object.entries(headers).map(([header, value]): [string, string] => [`headers.${header}`, value]),
    ["secret", secret],
    ["events", events?.join(", ")],
    ["enabled", enabled === undefined ? undefined : String(enabled)],
  ];
}

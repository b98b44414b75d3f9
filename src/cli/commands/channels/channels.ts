// `addrsift channels create | list | get | update | delete`: the same rules and answers as the API's, at the terminal.

import type { Channels } from "../../../channels/channels.ts";
import { REDACTED, type ShownChannel } from "../../../channels/config/redaction.ts";
import type { ChannelFault } from "../../../channels/fault.ts";
import type { NotifyFault } from "../../../channels/notify-fault.ts";
import { type ChannelConfig, type EmailConfig, isKnownType, type WebhookConfig } from "../../../channels/record.ts";
import { AddrsiftError } from "../../../errors.ts";
import { teamFault } from "../../../store/names.ts";
import { type Notifying, openNotifying } from "../../open/channels.ts";
import type { Host } from "../../open/compose.ts";
import { lazyLists } from "../../open/lists.ts";
import { readPublicUrl } from "../../open/public-url.ts";
import { addressPorts, openChannels, openStore, warnPerson } from "../../open/records.ts";
import type { Arguments } from "../../options/arguments.ts";
import { shownText } from "../../terminal/escape.ts";
import { printJson, printTable, type RecordCell, tellPerson } from "../../terminal/record-table.ts";
import { configOf } from "./config.ts";

/** `channels create`: prints the channel. */
export async function channelsCreate(args: Arguments, host: Host): Promise<number> {
  const config = configOf(args.all("config"), [], host.load);
  const { team, notifications } = openAtWork(args, host);
  const body = { name: args.text("name"), type: args.text("type"), ...(config === undefined ? {} : { config }) };
  const outcome = await notifications.create(team, body);
  if (!outcome.ok) throw failure(outcome.fault, args);
  const { channel, message } = outcome.value;
  await print(args, host, channel, message);
  if (channel.type === "email" && message === undefined) {
    tellPerson(args, host, "a message was sent to the address: its link or token verifies the channel");
  }
  return 0;
}

/** `channels list`: the oldest first. */
export async function channelsList(args: Arguments, host: Host): Promise<number> {
  const [channels, team] = open(args, host);
  const all = channels.list(team);
  if (args.flag("json")) printJson(all);
  else await printTable(args, host, ["ID", "NAME", "TYPE", "TO", "VERIFIED", "EVENTS", "CREATED"], all.map(row));
  if (all.length === 0) {
    tellPerson(args, host, `the team ${team} has no channels: make one with addrsift channels create`);
  }
  return 0;
}

/** `channels get`: prints the channel. */
export async function channelsGet(args: Arguments, host: Host): Promise<number> {
  const [channels, team] = open(args, host);
  const outcome = channels.get(team, idOf(args));
  if (!outcome.ok) throw failure(outcome.fault, args);
  await print(args, host, outcome.value, undefined);
  return 0;
}

/** `channels update`: prints the channel after the change. */
export async function channelsUpdate(args: Arguments, host: Host): Promise<number> {
  const config = configOf(args.all("config"), args.all("unset"), host.load);
  const name = args.text("name");
  if (config === undefined && name === undefined) {
    throw new AddrsiftError("USAGE", "there is nothing to change: give --name, --config or --unset");
  }
  const { team, notifications } = openAtWork(args, host);
  const patch = { ...(name === undefined ? {} : { name }), ...(config === undefined ? {} : { config }) };
  const outcome = await notifications.update(team, idOf(args), patch);
  if (!outcome.ok) throw failure(outcome.fault, args);
  await print(args, host, outcome.value.channel, outcome.value.message);
  return 0;
}

/** `channels delete`: says nothing when done, or gives what was deleted as JSON. */
export async function channelsDelete(args: Arguments, host: Host): Promise<number> {
  const { team, notifications } = openAtWork(args, host);
  const outcome = await notifications.delete(team, idOf(args));
  if (!outcome.ok) throw failure(outcome.fault, args);
  if (args.flag("json")) printJson(outcome.value);
  tellPerson(args, host, `${outcome.value.id} (${outcome.value.name}) is deleted`);
  return 0;
}

function open(args: Arguments, host: Host): [Channels, string] {
  return [openChannels(openStore(args), addressPorts(host, lazyLists(args, host))), teamOf(args)];
}

/** The channels at work, and the team. Throws AddrsiftError USAGE for settings that can't be used. */
export function openAtWork(args: Arguments, host: Host): { readonly team: string } & Notifying {
  const team = teamOf(args);
  const { ADDRSIFT_PUBLIC_URL = "" } = process.env;
  const publicUrl = readPublicUrl(ADDRSIFT_PUBLIC_URL)?.href;
  return {
    team,
    ...openNotifying(args, host, openStore(args), {
      publicUrl,
      lists: lazyLists(args, host),
      warn: warnPerson,
      attended: true,
    }),
  };
}

function teamOf(args: Arguments): string {
  const team = args.text("team") as string;
  const fault = teamFault(team);
  if (fault !== undefined) throw new AddrsiftError("USAGE", `--team ${fault}`);
  return team;
}

/** The channel's id as it was given. */
export function idOf(args: Arguments): string {
  return args.positionals[0] as string;
}

/** What was refused, as the error that ends the command. */
export function failure({ code, message }: ChannelFault | NotifyFault, args: Arguments): AddrsiftError {
  if (code !== "NOT_FOUND") return new AddrsiftError(code === "INVALID_BODY" ? "USAGE" : "OPERATION", message);
  const [id, team] = [shownText(idOf(args)), args.text("team")];
  return new AddrsiftError(
    "USAGE",
    `there is no channel ${id} in the team ${team}: take an id from addrsift channels list`,
  );
}

/** A channel by itself: its fields one below the other, or as JSON. */
async function print(args: Arguments, host: Host, channel: ShownChannel, message: string | undefined): Promise<void> {
  if (args.flag("json")) {
    printJson({ ...channel, ...(message === undefined ? {} : { message }) });
    return;
  }
  const { id, name, type, config, is_verified, created_at } = channel;
  const { secret } = config as WebhookConfig;
  const fields: [string, string | undefined][] = [
    ["name", name],
    ["type", type],
    ...(isKnownType(type) ? configFields(config as ChannelConfig) : Object.entries(config)),
    ["verified", is_verified ? "yes" : "no"],
    ["created", created_at],
    ["to do", message],
  ];
  const shown = fields.filter((field): field is [string, string] => field[1] !== undefined);
  await printTable(args, host, ["id", id], shown);
  if (secret !== undefined && secret !== REDACTED) {
    tellPerson(args, host, "this is the only time that the secret is shown: keep it where the receiver reads it");
  }
}

function configFields(config: ChannelConfig): [string, string | undefined][] {
  const { address, url, headers = {}, secret, events } = config as EmailConfig & WebhookConfig;
  return [
    ["address", address],
    ["url", url],
    ...Object.entries(headers).map(([header, value]): [string, string] => [`headers.${header}`, value]),
    ["secret", secret],
    ["events", events?.join(", ")],
  ];
}

function row({ id, name, type, config, is_verified, created_at }: ShownChannel): RecordCell[] {
  const { address, url, events } = config as EmailConfig & WebhookConfig;
  const to = address ?? url ?? "";
  return [id, name, type, to, is_verified ? "yes" : "no", events ?? "all", created_at.slice(0, 16).replace("T", " ")];
}

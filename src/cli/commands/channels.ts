// `addrsift channels`: its commands, and how they show a channel or a fault. They are many small ones, so the file is
// long.

import { AddrsiftError, usage } from "../../base/errors.ts";
import { teamFault } from "../../base/names.ts";
import type { Result } from "../../base/result.ts";
import { Channels } from "../../channels/channels.ts";
import { REDACTED, type ShownChannel } from "../../channels/config/redaction.ts";
import type { ChannelFault, NotifyFault } from "../../channels/fault.ts";
import type { ChannelType } from "../../channels/kinds.ts";
import type { ChannelConfig, EmailConfig, WebhookConfig } from "../../channels/record.ts";
import { TYPES } from "../../channels/types/table.ts";
import { type NotifyOptions, openChannelServices } from "../open/channels.ts";
import { readPublicUrl } from "../open/http.ts";
import { lazyKnown } from "../open/known.ts";
import { addressPorts, channelPorts, openStores } from "../open/records.ts";
import type { Arguments } from "../options/arguments.ts";
import type * as specs from "../options/channels.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Runtime } from "../runtime.ts";
import { printJson, printRecords, printTable, type RecordCell } from "../terminal/record-table.ts";
import { shownMinute, shownSecond, shownText, tellPerson, warn } from "../terminal/say.ts";
import { configOf } from "./channel-config.ts";

export async function channelsCreate(args: Arguments<typeof specs.CHANNELS_CREATE>, runtime: Runtime): Promise<number> {
  const { options } = args;
  const { name, type } = options;
  const config = configOf(options, type, runtime);
  const { team, notifications, granted } = await openTeam(args, runtime);
  const { channel, message } = granted(await notifications.create(team, { name, type, config }));
  return printChannel(runtime, options, channel, message);
}

/** Prints the channels, the oldest first. */
export async function channelsList(args: Arguments<typeof specs.CHANNELS_LIST>, runtime: Runtime): Promise<number> {
  const { channels, team } = await openRecords(args, runtime);
  await printRecords(runtime, args.options, {
    records: channels.list(team),
    titles: ["ID", "NAME", "TYPE", "TO", "VERIFIED", "EVENTS", "CREATED"],
    row: channelRow,
    none: `the team ${team} has no channels: make one with addrsift channels create`,
  });
  return 0;
}

function channelRow({ id, name, type, config, is_verified, created_at }: ShownChannel): RecordCell[] {
  const { address, url, events, enabled } = config as EmailConfig & WebhookConfig;
  const to = address ?? url ?? missingTarget(type);
  const verified = `${is_verified ? "yes" : "no"}${enabled === false ? ", paused" : ""}`;
  return [id, name, type, to, verified, events ?? "all", shownMinute(created_at)];
}

function missingTarget(type: string): string {
  return `config.${TYPES[type as ChannelType].target} is missing: update the channel to add it`;
}

export async function channelsGet(args: Arguments<typeof specs.CHANNELS_GET>, runtime: Runtime): Promise<number> {
  const { channels, team, id, granted } = await openRecords(args, runtime);
  const channel = granted(channels.get(team, id));
  const isComplete = "address" in channel.config || "url" in channel.config;
  const toDo = isComplete || args.options.json ? undefined : missingTarget(channel.type);
  return printChannel(runtime, args.options, channel, toDo);
}

export async function channelsUpdate(args: Arguments<typeof specs.CHANNELS_UPDATE>, runtime: Runtime): Promise<number> {
  const { options } = args;
  const { name } = options;
  if (options.config.length + options.unset.length === 0 && name === undefined) {
    throw usage("there is nothing to change: give --name, --config or --unset");
  }
  const { team, id, notifications, granted } = await openTeam(args, runtime);
  const found = notifications.get(team, id);
  const config = configOf(options, found.ok ? found.value.type : undefined, runtime);
  const { channel, message } = granted(await notifications.update(team, id, { name, config }));
  return printChannel(runtime, options, channel, message);
}

/** Prints nothing when done, or the deleted channel as JSON. */
export async function channelsDelete(args: Arguments<typeof specs.CHANNELS_DELETE>, runtime: Runtime): Promise<number> {
  const { team, id, notifications, granted } = await openTeam(args, runtime);
  const deleted = granted(await notifications.delete(team, id));
  return printDone(args, runtime, deleted, `${deleted.id} (${deleted.name}) is deleted`);
}

/** Says the result; a test that fails is an error. */
export async function channelsTest(args: Arguments<typeof specs.CHANNELS_TEST>, runtime: Runtime): Promise<number> {
  const { team, id, notifications, granted } = await openTeam(args, runtime);
  const { channel, message } = granted(await notifications.test(team, id));
  if (args.options.json) return printDone(args, runtime, { ...channel, message }, message);
  // In a log too: the person who tests wants to read that it works.
  if (!args.options.quiet) warn(runtime, message);
  return 0;
}

// A token has 64 characters; the rest is for white space.
const TOKEN_MAX_BYTES = 1024;
const BAD_TOKEN = "the token is not valid for this channel: copy the whole token from the latest message";

/** The token comes from standard input. */
export async function channelsVerify(args: Arguments<typeof specs.CHANNELS_VERIFY>, runtime: Runtime): Promise<number> {
  const { team, id, notifications, granted } = await openTeam(args, runtime);
  granted(notifications.get(team, id));
  if (runtime.stdin.isTerminal && !args.options.quiet) runtime.stderr.write("token from the message: ");
  const token = runtime.stdin.readLine(TOKEN_MAX_BYTES).trim();
  if (token === "") throw usage("the token is missing: give the token from the message on standard input");
  const { address } = granted(await notifications.confirm(team, id, token), BAD_TOKEN);
  return printDone(args, runtime, { id, is_verified: true, address }, `${address} is verified`);
}

/** Prints the deliveries, the latest first. */
export async function channelsDeliveries(
  args: Arguments<typeof specs.CHANNELS_DELIVERIES>,
  runtime: Runtime,
): Promise<number> {
  const { team, id, notifications, granted } = await openTeam(args, runtime);
  await printRecords(runtime, args.options, {
    records: granted(notifications.deliveries(team, id)),
    titles: ["ID", "EVENT", "STATUS", "TRIES", "CREATED", "LAST TRY", "NEXT TRY", "LAST ERROR"],
    row: (one) => {
      const times = [one.created_at, one.last_attempt_at, one.next_attempt_at].map(shownSecond);
      return [one.id, one.event, one.status, String(one.attempts), ...times, one.last_error ?? ""];
    },
    none: "nothing was sent to the channel in the last 30 days",
  });
  return 0;
}

/** Prints the delivery; one that does not get through now is an error. */
export async function channelsReplay(args: Arguments<typeof specs.CHANNELS_REPLAY>, runtime: Runtime): Promise<number> {
  const { team, id, notifications, granted } = await openTeam(args, runtime);
  const from = "take an id from addrsift channels deliveries";
  const none = `there is no delivery ${shownText(id)} in the team ${team}: ${from}`;
  const delivery = granted(await notifications.replay(team, id), none);
  const { status, last_error: reason = "no answer" } = delivery;
  if (status === "failed") throw new AddrsiftError("OPERATION", reason);
  if (status === "pending") throw new AddrsiftError("OPERATION", `${reason}: the daemon tries again`);
  return printDone(args, runtime, delivery, `${id} was delivered`);
}

/** The arguments of every command of channels; the first one is an id. */
interface TeamArguments {
  readonly options: GlobalOptions & NotifyOptions & { readonly team: string };
  readonly positionals: readonly string[];
}

/** The team and the id that are named, and what turns a fault into the error that ends the command. */
function readTeam({ options: { team }, positionals: [id = ""] }: TeamArguments) {
  const wrong = teamFault(team);
  if (wrong !== undefined) throw usage(`--team ${wrong}`);
  const noChannel = `there is no channel ${shownText(id)} in the team ${team}: take an id from addrsift channels list`;
  const granted = <T>(outcome: Result<T, ChannelFault | NotifyFault>, none: string = noChannel): T => {
    if (outcome.ok) return outcome.value;
    const { code, message } = outcome.fault;
    if (code === "NOT_FOUND") throw usage(none);
    throw new AddrsiftError(code === "INVALID_BODY" ? "USAGE" : "OPERATION", message);
  };
  return { team, id, granted };
}

/** The team's channels, for commands that send nothing and need no settings. Throws AddrsiftError USAGE. */
async function openRecords(args: TeamArguments, runtime: Runtime) {
  const named = readTeam(args);
  const { records } = await openStores(args.options, runtime);
  const addresses = addressPorts(lazyKnown(args.options, runtime));
  return { ...named, channels: new Channels(records, channelPorts(addresses, runtime)) };
}

/** The team's notifications. Throws AddrsiftError USAGE for wrong settings. */
async function openTeam(args: TeamArguments, runtime: Runtime) {
  const { options } = args;
  const named = readTeam(args);
  const settings = {
    publicUrl: readPublicUrl(runtime.env["ADDRSIFT_PUBLIC_URL"] ?? "")?.href,
    known: lazyKnown(options, runtime),
    warn: (line: string) => warn(runtime, line),
    interactive: true,
    returnsUnsendable: true,
  };
  return { ...named, ...openChannelServices(options, runtime, await openStores(options, runtime), settings) };
}

/** Prints a record as JSON where that is asked for, and says to a person what was done. */
function printDone(
  { options }: { readonly options: GlobalOptions & { readonly json: boolean } },
  runtime: Runtime,
  record: object,
  line: string,
): number {
  if (options.json) printJson(runtime, record);
  tellPerson(runtime, options, line);
  return 0;
}

/** Prints one channel: a line for each field, or JSON. */
async function printChannel(
  runtime: Runtime,
  options: GlobalOptions & { readonly json: boolean },
  channel: ShownChannel,
  message: string | undefined,
): Promise<number> {
  if (options.json) {
    printJson(runtime, { ...channel, message });
    return 0;
  }
  const { secret } = channel.config as WebhookConfig;
  const shown = fieldsOf(channel, message).filter((field): field is [string, string] => field[1] !== undefined);
  await printTable(runtime, options, ["id", channel.id], shown);
  if (secret !== undefined && secret !== REDACTED) {
    tellPerson(runtime, options, "this is the only time that the secret is shown: keep it where the receiver reads it");
  }
  return 0;
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

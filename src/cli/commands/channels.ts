// `addrsift channels`: its commands, and how they show a channel or a fault. They are many small ones, so the file is long.

import { AddrsiftError, usage } from "../../base/errors.ts";
import { teamFault } from "../../base/names.ts";
import { Channels } from "../../channels/channels.ts";
import { REDACTED, type ShownChannel } from "../../channels/config/redaction.ts";
import type { ShownDelivery } from "../../channels/delivery/record.ts";
import type { ChannelFault, NotifyFault } from "../../channels/fault.ts";
import type { ChannelConfig, EmailConfig, WebhookConfig } from "../../channels/record.ts";
import { type ChannelServices, type NotifyOptions, openChannelServices } from "../open/channels.ts";
import { readPublicUrl } from "../open/http.ts";
import { lazyKnown } from "../open/known.ts";
import { addressPorts, channelPorts, openStores } from "../open/records.ts";
import type { Arguments } from "../options/arguments.ts";
import type {
  CHANNELS_CREATE,
  CHANNELS_DELETE,
  CHANNELS_DELIVERIES,
  CHANNELS_GET,
  CHANNELS_LIST,
  CHANNELS_REPLAY,
  CHANNELS_TEST,
  CHANNELS_UPDATE,
  CHANNELS_VERIFY,
} from "../options/channels.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Runtime } from "../runtime.ts";
import { printJson, printRecords, printTable, type RecordCell } from "../terminal/record-table.ts";
import { shownMinute, shownSecond, shownText, tellPerson, warn } from "../terminal/say.ts";
import { configOf } from "./channel-config.ts";

export async function channelsCreate(
  { options }: Arguments<typeof CHANNELS_CREATE>,
  runtime: Runtime,
): Promise<number> {
  const config = configOf(options, options.type, runtime);
  const { team, notifications } = await openTeam(options, runtime);
  const outcome = await notifications.create(team, { name: options.name, type: options.type, config });
  if (!outcome.ok) throw failure(outcome.fault, { id: "", team });
  const { channel, message } = outcome.value;
  await printChannel(runtime, options, channel, message);
  return 0;
}

export async function channelsList({ options }: Arguments<typeof CHANNELS_LIST>, runtime: Runtime): Promise<number> {
  const { channels, team } = await openRecords(options, runtime);
  await printRecords(runtime, options, {
    records: channels.list(team),
    titles: ["ID", "NAME", "TYPE", "TO", "VERIFIED", "EVENTS", "CREATED"],
    row: channelRow,
    none: `the team ${team} has no channels: make one with addrsift channels create`,
  });
  return 0;
}

function channelRow({ id, name, type, config, is_verified, created_at }: ShownChannel): RecordCell[] {
  const { address, url, events, enabled } = config as EmailConfig & WebhookConfig;
  const to = address ?? url ?? "";
  const verified = `${is_verified ? "yes" : "no"}${enabled === false ? ", paused" : ""}`;
  return [id, name, type, to, verified, events ?? "all", shownMinute(created_at)];
}

export async function channelsGet(
  { options, positionals }: Arguments<typeof CHANNELS_GET>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { channels, team } = await openRecords(options, runtime);
  const outcome = channels.get(team, id);
  if (!outcome.ok) throw failure(outcome.fault, { id, team });
  await printChannel(runtime, options, outcome.value, undefined);
  return 0;
}

export async function channelsUpdate(
  { options, positionals }: Arguments<typeof CHANNELS_UPDATE>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { name } = options;
  if (options.config.length + options.unset.length === 0 && name === undefined) {
    throw usage("there is nothing to change: give --name, --config or --unset");
  }
  const { team, notifications } = await openTeam(options, runtime);
  const found = notifications.get(team, id);
  const config = configOf(options, found.ok ? found.value.type : undefined, runtime);
  const outcome = await notifications.update(team, id, { name, config });
  if (!outcome.ok) throw failure(outcome.fault, { id, team });
  await printChannel(runtime, options, outcome.value.channel, outcome.value.message);
  return 0;
}

/** Prints nothing when done, or the deleted channel as JSON. */
export async function channelsDelete(
  { options, positionals }: Arguments<typeof CHANNELS_DELETE>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { team, notifications } = await openTeam(options, runtime);
  const outcome = await notifications.delete(team, id);
  if (!outcome.ok) throw failure(outcome.fault, { id, team });
  if (options.json) printJson(runtime, outcome.value);
  tellPerson(runtime, options, `${outcome.value.id} (${outcome.value.name}) is deleted`);
  return 0;
}

/** Prints the result; a test that fails is an error. */
export async function channelsTest(
  { options, positionals }: Arguments<typeof CHANNELS_TEST>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { team, notifications } = await openTeam(options, runtime);
  const outcome = await notifications.test(team, id);
  if (!outcome.ok) throw failure(outcome.fault, { id, team });
  const { channel, message } = outcome.value;
  if (options.json) printJson(runtime, { ...channel, message });
  tellPerson(runtime, options, message);
  return 0;
}

// A token has 64 characters; the rest is for white space.
const TOKEN_MAX_OCTETS = 1024;

/** The token comes from standard input. */
export async function channelsVerify(
  { options, positionals }: Arguments<typeof CHANNELS_VERIFY>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { team, notifications } = await openTeam(options, runtime);
  const found = notifications.get(team, id);
  if (!found.ok) throw failure(found.fault, { id, team });
  if (runtime.stdin.isTerminal && !options.quiet) runtime.stderr.write("token from the message: ");
  const token = runtime.stdin.readLine(TOKEN_MAX_OCTETS).trim();
  if (token === "") throw usage("the token is missing: give the token from the message on standard input");
  const outcome = await notifications.confirm(team, id, token);
  if (!outcome.ok) throw failure(tokenFault(outcome.fault), { id, team });
  const { address } = outcome.value;
  if (options.json) printJson(runtime, { id: id, is_verified: true, address });
  tellPerson(runtime, options, `${address} is verified`);
  return 0;
}

/** An unknown token and an unknown channel have different messages. */
function tokenFault<Fault extends Parameters<typeof failure>[0]>(fault: Fault): Parameters<typeof failure>[0] {
  if (fault.code !== "NOT_FOUND") return fault;
  return {
    code: "INVALID_BODY",
    message: "the token is not valid for this channel: copy the whole token from the latest message",
  };
}

export async function channelsDeliveries(
  { options, positionals }: Arguments<typeof CHANNELS_DELIVERIES>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { team, notifications } = await openTeam(options, runtime);
  const outcome = notifications.deliveries(team, id);
  if (!outcome.ok) throw failure(outcome.fault, { id, team });
  const none = "nothing was sent to the channel in the last 30 days";
  await printRecords(runtime, options, { records: outcome.value, titles: DELIVERY_TITLES, row: deliveryRow, none });
  return 0;
}

const DELIVERY_TITLES = ["ID", "EVENT", "STATUS", "TRIES", "CREATED", "LAST TRY", "NEXT TRY", "LAST ERROR"];

function deliveryRow(delivery: ShownDelivery): string[] {
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

/** Prints the delivery; one that does not get through now is an error. */
export async function channelsReplay(
  { options, positionals }: Arguments<typeof CHANNELS_REPLAY>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { team, notifications } = await openTeam(options, runtime);
  const outcome = await notifications.replay(team, id);
  if (!outcome.ok) {
    if (outcome.fault.code !== "NOT_FOUND") throw failure(outcome.fault, { id, team });
    const message = `there is no delivery ${shownText(id)} in the team ${team}: take an id from addrsift channels deliveries`;
    throw usage(message);
  }
  const { status, last_error: reason = "no answer" } = outcome.value;
  if (status === "failed") throw new AddrsiftError("OPERATION", reason);
  if (status === "pending") throw new AddrsiftError("OPERATION", `${reason}: the daemon tries again`);
  if (options.json) printJson(runtime, outcome.value);
  tellPerson(runtime, options, `${id} was delivered`);
  return 0;
}

type TeamOptions = GlobalOptions & { readonly team: string };

/** The team's channels, for commands that send nothing. Throws AddrsiftError USAGE. */
async function openRecords(
  options: TeamOptions,
  runtime: Runtime,
): Promise<{ readonly channels: Channels; readonly team: string }> {
  const team = teamOf(options);
  const { records } = await openStores(options, runtime);
  const addresses = addressPorts(lazyKnown(options, runtime));
  return { channels: new Channels(records, channelPorts(addresses, runtime)), team };
}

/** The team's notifications. Throws AddrsiftError USAGE for wrong settings. */
async function openTeam(
  options: TeamOptions & NotifyOptions,
  runtime: Runtime,
): Promise<{ readonly team: string } & ChannelServices> {
  const team = teamOf(options);
  const publicUrl = readPublicUrl(runtime.env["ADDRSIFT_PUBLIC_URL"] ?? "")?.href;
  const settings = {
    publicUrl,
    known: lazyKnown(options, runtime),
    warn: (line: string) => warn(runtime, line),
    attended: true,
    handsBack: true,
  };
  return { team, ...openChannelServices(options, runtime, await openStores(options, runtime), settings) };
}

function teamOf({ team }: TeamOptions): string {
  const fault = teamFault(team);
  if (fault !== undefined) throw usage(`--team ${fault}`);
  return team;
}

function failure(
  { code, message }: ChannelFault | NotifyFault,
  { id, team }: { readonly id: string; readonly team: string },
): AddrsiftError {
  if (code !== "NOT_FOUND") return new AddrsiftError(code === "INVALID_BODY" ? "USAGE" : "OPERATION", message);
  return usage(`there is no channel ${shownText(id)} in the team ${team}: take an id from addrsift channels list`);
}

/** Prints one channel: a line for each field, or JSON. */
async function printChannel(
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

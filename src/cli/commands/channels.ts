// `addrsift channels`: its commands, and how they show a channel or a fault.

import { AddrsiftError, usage } from "../../base/errors.ts";
import { teamFault } from "../../base/names.ts";
import { defined, type Result } from "../../base/result.ts";
import { Channels } from "../../channels/channels.ts";
import { REDACTED, type ShownChannel } from "../../channels/config/redaction.ts";
import type { ChannelFault } from "../../channels/fault.ts";
import type { ChannelType } from "../../channels/kinds.ts";
import { missingTarget } from "../../channels/types/table.ts";
import { channelPorts, openChannelServices, readPublicUrl } from "../open/channels.ts";
import { lazyKnown } from "../open/known.ts";
import { openStores } from "../open/records.ts";
import type { ArgumentsOf } from "../options/commands.ts";
import type { GlobalOptions } from "../options/table.ts";
import type { Runtime } from "../runtime.ts";
import { shownText } from "../terminal/output.ts";
import { Printer, type RecordCell, shownMinute, shownSecond } from "../terminal/printer.ts";
import { configOf } from "./channel-config.ts";

export async function channelsCreate(args: ArgumentsOf<"channels create">, runtime: Runtime): Promise<void> {
  const { name, type, json } = args.options;
  const config = configOf(args.options, type, runtime.stdin);
  const { team, notifications, granted, out } = await openTeam(args, runtime);
  const { channel, message } = granted(await notifications.create(team, { name, type, config }));
  return printChannel(out, json, channel, message);
}

export async function channelsList(args: ArgumentsOf<"channels list">, runtime: Runtime): Promise<void> {
  const { channels, team, out } = await openRecords(args, runtime);
  return out.records(channels.list(team), {
    titles: ["ID", "NAME", "TYPE", "TO", "VERIFIED", "EVENTS", "CREATED"],
    row: channelRow,
    none: `the team ${team} has no channels: make one with addrsift channels create`,
  });
}

function channelRow({ id, name, type, config, is_verified, created_at }: ShownChannel): RecordCell[] {
  const { address, url, events, enabled } = config;
  const to = address ?? url ?? missingTarget(type as ChannelType);
  const verified = `${is_verified ? "yes" : "no"}${enabled === false ? ", paused" : ""}`;
  return [id, name, type, to, verified, events ?? "all", shownMinute(created_at)];
}

export async function channelsGet(args: ArgumentsOf<"channels get">, runtime: Runtime): Promise<void> {
  const { json } = args.options;
  const { channels, team, id, granted, out } = await openRecords(args, runtime);
  const channel = granted(channels.get(team, id));
  const isComplete = "address" in channel.config || "url" in channel.config;
  return printChannel(out, json, channel, isComplete || json ? undefined : missingTarget(channel.type as ChannelType));
}

export async function channelsUpdate(args: ArgumentsOf<"channels update">, runtime: Runtime): Promise<void> {
  const { name, config: given, unset, json } = args.options;
  if (given.length + unset.length === 0 && name === undefined) {
    throw usage("there is nothing to change: give --name, --config or --unset");
  }
  const { team, id, notifications, granted, out } = await openTeam(args, runtime);
  const found = notifications.get(team, id);
  const config = configOf(args.options, found.ok ? found.value.type : undefined, runtime.stdin);
  const { channel, message } = granted(await notifications.update(team, id, { name, config }));
  return printChannel(out, json, channel, message);
}

export async function channelsDelete(args: ArgumentsOf<"channels delete">, runtime: Runtime): Promise<void> {
  const { team, id, notifications, granted, out } = await openTeam(args, runtime);
  const deleted = granted(await notifications.delete(team, id));
  return out.done(deleted, `${deleted.id} (${deleted.name}) is deleted`);
}

/** Prints the result; a test that fails is an error. */
export async function channelsTest(args: ArgumentsOf<"channels test">, runtime: Runtime): Promise<void> {
  const { team, id, notifications, granted, out } = await openTeam(args, runtime);
  const { channel, message } = granted(await notifications.test(team, id));
  if (args.options.json) return out.done({ ...channel, message }, message);
  // In a log too: the person who tests wants to read that it works.
  out.note(message);
}

// A token has 64 characters; the rest is for white space.
const TOKEN_MAX_BYTES = 1024;
const BAD_TOKEN = "the token is not valid for this channel: copy the whole token from the latest message";

export async function channelsVerify(args: ArgumentsOf<"channels verify">, runtime: Runtime): Promise<void> {
  const { stdin, stderr } = runtime;
  const { team, id, notifications, granted, out } = await openTeam(args, runtime);
  granted(notifications.get(team, id));
  if (stdin.isTerminal && !args.options.quiet) stderr.write("token from the message: ");
  const token = stdin.readLine(TOKEN_MAX_BYTES).trim();
  if (token === "") throw usage("the token is missing: give the token from the message on standard input");
  const { address } = granted(await notifications.confirm(team, id, token), BAD_TOKEN);
  return out.done({ id, is_verified: true, address }, `${address} is verified`);
}

export async function channelsDeliveries(args: ArgumentsOf<"channels deliveries">, runtime: Runtime): Promise<void> {
  const { team, id, notifications, granted, out } = await openTeam(args, runtime);
  return out.records(granted(notifications.deliveries(team, id)), {
    titles: ["ID", "EVENT", "STATUS", "TRIES", "CREATED", "LAST TRY", "NEXT TRY", "LAST ERROR"],
    row: (one) => {
      const times = [one.created_at, one.last_attempt_at, one.next_attempt_at].map(shownSecond);
      return [one.id, one.event, one.status, String(one.attempts), ...times, one.last_error ?? ""];
    },
    none: "nothing was sent to the channel in the last 30 days",
  });
}

/** Prints the delivery; one that does not get through now is an error. */
export async function channelsReplay(args: ArgumentsOf<"channels replay">, runtime: Runtime): Promise<void> {
  const { team, id, notifications, granted, out } = await openTeam(args, runtime);
  const from = "take an id from addrsift channels deliveries";
  const none = `there is no delivery ${shownText(id)} in the team ${team}: ${from}`;
  const delivery = granted(await notifications.replay(team, id), none);
  const { status, last_error: reason = "no answer" } = delivery;
  if (status === "failed") throw new AddrsiftError("OPERATION", reason);
  if (status === "pending") throw new AddrsiftError("OPERATION", `${reason}: the daemon tries again`);
  return out.done(delivery, `${id} was delivered`);
}

/** The arguments of every command of channels; the first one is an id. */
interface TeamArguments {
  readonly options: GlobalOptions & {
    readonly team: string;
    readonly json: boolean;
    readonly "allow-private"?: readonly string[];
  };
  readonly positionals: readonly string[];
}

/** The team and the id that are named, and `granted`, which throws a fault as the error that ends the command. */
function readTeam({ options: { team }, positionals: [id = ""] }: TeamArguments) {
  const wrong = teamFault(team);
  if (wrong !== undefined) throw usage(`--team ${wrong}`);
  const noChannel = `there is no channel ${shownText(id)} in the team ${team}: take an id from addrsift channels list`;
  const granted = <T>(outcome: Result<T, ChannelFault>, none: string = noChannel): T => {
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
  const ports = channelPorts(lazyKnown(args.options, runtime), runtime.env, runtime.now);
  return { ...named, channels: new Channels(records, ports), out: new Printer(runtime, args.options) };
}

/** The team's notifications. Throws AddrsiftError USAGE for wrong settings. */
async function openTeam(args: TeamArguments, runtime: Runtime) {
  const { options } = args;
  const named = readTeam(args);
  const out = new Printer(runtime, options);
  const settings = {
    allowPrivate: options["allow-private"] ?? [],
    publicUrl: readPublicUrl(runtime.env["ADDRSIFT_PUBLIC_URL"] ?? "")?.href,
    known: lazyKnown(options, runtime),
    warn: (line: string) => out.warn(line),
  };
  return { ...named, out, ...openChannelServices(await openStores(options, runtime), runtime, settings) };
}

async function printChannel(out: Printer, asJson: boolean, channel: ShownChannel, message?: string): Promise<void> {
  if (asJson) {
    out.json({ ...channel, message });
    return;
  }
  const { id, name, type, config, is_verified, created_at } = channel;
  const { address, url, headers = {}, secret, events, enabled } = config;
  const fields = {
    name,
    type,
    address,
    url,
    ...Object.fromEntries(Object.entries(headers).map(([header, value]) => [`headers.${header}`, value])),
    secret,
    events: events?.join(", "),
    enabled: enabled?.toString(),
    verified: is_verified ? "yes" : "no",
    created: created_at,
    "to do": message,
  };
  await out.table(["id", id], Object.entries(defined(fields)));
  if (secret !== undefined && secret !== REDACTED) {
    out.tell("this is the only time that the secret is shown: keep it where the receiver reads it");
  }
}

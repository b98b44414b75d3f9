// `addrsift channels`: the commands, the config from --config and --unset, and the display of channels and faults.

import { formatAlternatives, suggestName } from "../../base/closest-names.ts";
import { AddrsiftError, usageError } from "../../base/errors.ts";
import { escapeInvisible } from "../../base/format-text.ts";
import { omitUndefined, type Result } from "../../base/result.ts";
import { type ChannelView, REDACTED } from "../../channels/config/redaction.ts";
import { describeAttempt, describeLastDelivery } from "../../channels/delivery/describe-attempt.ts";
import type { ChannelEvent } from "../../channels/events.ts";
import type { ChannelFault } from "../../channels/fault.ts";
import type { ChannelType } from "../../channels/kinds.ts";
import type { Notifications } from "../../channels/notifications.ts";
import { channelTypeOfHost, missingTargetMessage, TYPE_DEFINITIONS } from "../../channels/types/table.ts";
import { openChannelServices, parsePublicUrl } from "../composition/channels.ts";
import { lazyListsAndOverrides } from "../composition/overrides.ts";
import { openStores } from "../composition/stores.ts";
import type { ArgumentsOf } from "../options/commands.ts";
import type { GlobalOptions } from "../options/table.ts";
import type { Runtime } from "../runtime.ts";
import { formatTime, Printer, type RecordCell } from "../terminal/printer.ts";
import { readOptionValue, urlHasSecret } from "../terminal/read-value.ts";

export async function channelsCreate(args: ArgumentsOf<"channels create">, runtime: Runtime): Promise<void> {
  const { name, type } = args.options;
  const config = parseConfig(args.options, type, runtime.stdin);
  const { team, notifications, unwrap, out } = await openTeamChannels(args, runtime);
  const outcome = unwrap(await notifications.create(team, { name, type, config }));
  return printChannel(out, args.options, notifications, outcome);
}

export async function channelsList(args: ArgumentsOf<"channels list">, runtime: Runtime): Promise<void> {
  const { notifications, team, out } = await openTeamChannels(args, runtime);
  out.warnIfMissing(args.options.home);
  return out.records(notifications.list(team), {
    titles: ["ID", "NAME", "TYPE", "TO", "VERIFIED", "EVENTS", "CREATED (UTC)", "LAST DELIVERY (UTC)"],
    row: toChannelRow,
    emptyMessage: `the team ${team} has no channels: make one with ${notifications.formatCommand("create", team)}`,
  });
}

function toChannelRow(channel: ChannelView): RecordCell[] {
  const { id, name, type, config, is_verified, created_at, last_delivery, failing_since: failing } = channel;
  const { address, url, events, enabled } = config;
  const to = address ?? url ?? missingTargetMessage(type as ChannelType);
  const verified = `${is_verified ? "yes" : "no"}${enabled === false ? ", paused" : ""}`;
  const last = [
    formatDelivery(last_delivery),
    ...(failing === undefined ? [] : [`failing since ${formatTime(failing)}`]),
  ];
  return [id, name, type, to, verified, events ?? "all", formatTime(created_at), last];
}

function formatDelivery(delivery: ChannelView["last_delivery"]): string {
  if (delivery === undefined) return "";
  const { at, error } = delivery;
  return `${describeLastDelivery(delivery)} ${formatTime(at)}${error === undefined ? "" : `: ${error}`}`;
}

export async function channelsGet(args: ArgumentsOf<"channels get">, runtime: Runtime): Promise<void> {
  const { team, id, notifications, unwrap, out } = await openTeamChannels(args, runtime);
  return printChannel(out, args.options, notifications, { channel: unwrap(notifications.get(team, id)) });
}

export async function channelsUpdate(args: ArgumentsOf<"channels update">, runtime: Runtime): Promise<void> {
  const { name, config: fields, unset, "revoke-previous": revokesPrevious } = args.options;
  if (fields.length + unset.length === 0 && name === undefined && !revokesPrevious) {
    throw usageError("there is nothing to change: give --name, --config, --unset or --revoke-previous");
  }
  const { team, id, notifications, unwrap, out } = await openTeamChannels(args, runtime);
  const existing = notifications.get(team, id);
  if (existing.ok) checkUnset(unset, existing.value);
  const config = parseConfig(args.options, existing.ok ? existing.value.type : undefined, runtime.stdin);
  const changes = revokesPrevious ? { ...config, revoke_previous: true } : config;
  const outcome = unwrap(await notifications.update(team, id, { name, config: changes }));
  await printChannel(out, args.options, notifications, outcome);
  if (revokesPrevious) out.info("only the current secret signs requests now");
}

export async function channelsDelete(args: ArgumentsOf<"channels delete">, runtime: Runtime): Promise<void> {
  const { team, id, notifications, unwrap, out } = await openTeamChannels(args, runtime);
  const deleted = unwrap(await notifications.delete(team, id));
  return out.result(deleted, `${deleted.id} (${deleted.name}) is deleted`);
}

/** Prints the result. A failed or rejected test is an error; with --json, the channel is printed too. */
export async function channelsTest(args: ArgumentsOf<"channels test">, runtime: Runtime): Promise<void> {
  const { team, id, notifications, unwrap, out } = await openTeamChannels(args, runtime);
  const outcome = await notifications.test(team, id);
  if (!outcome.ok && args.options.json)
    out.json({ ...unwrap(notifications.get(team, id)), message: outcome.fault.message });
  const { channel, ...more } = unwrap(outcome);
  out.result({ ...channel, ...more }, more.message);
}

// A token has 64 characters; this leaves room for white space.
const MAX_TOKEN_BYTES = 1024;
const INVALID_TOKEN = "the token is not valid for this channel: copy the whole token from the latest message";

export async function channelsVerify(args: ArgumentsOf<"channels verify">, runtime: Runtime): Promise<void> {
  const { stdin, stderr } = runtime;
  const { team, id, notifications, unwrap, out } = await openTeamChannels(args, runtime);
  const { type } = unwrap(notifications.get(team, id));
  if (type !== "email") {
    const command = notifications.formatCommand(`test ${id}`, team);
    throw usageError(`a channel of type ${type} has no token: a test verifies it, run ${command}`);
  }
  if (stdin.isTerminal && !args.options.quiet) stderr.write("token from the message: ");
  const token = stdin.readLine(MAX_TOKEN_BYTES).trim();
  if (token === "") throw usageError("the token is missing: give the token from the message on standard input");
  const { address } = unwrap(await notifications.verifications.confirm(token, id), INVALID_TOKEN);
  return out.result({ id, is_verified: true, address }, `${address} is verified`);
}

export async function channelsDeliveries(args: ArgumentsOf<"channels deliveries">, runtime: Runtime): Promise<void> {
  const { team, id, notifications, unwrap, out } = await openTeamChannels(args, runtime);
  const { status } = args.options;
  return out.records(unwrap(notifications.deliveries(team, id, args.options)), {
    titles: ["ID", "EVENT", "STATUS", "TRIES", "HISTORY (UTC)"],
    row: (delivery) => {
      const { id, event, status, attempts, attempt_log: log, created_at } = delivery;
      const { next_attempt_at: next, last_error: error } = delivery;
      const { label } = (delivery.payload as ChannelEvent).data as { readonly label?: string };
      const history = [`${formatTime(created_at, 19)} created`];
      history.push(...log.map((attempt) => `${formatTime(attempt.at, 19)} ${describeAttempt(attempt)}`));
      if (next !== undefined) history.push(`${formatTime(next, 19)} next attempt`);
      // Why it waits, or why it failed without an attempt.
      if (error !== undefined && log.every((attempt) => attempt.error !== error)) history.push(error);
      return [id, label === undefined ? event : [event, label], status, String(attempts), history];
    },
    emptyMessage: `${status === undefined ? "nothing was sent to the channel" : `none is ${status}`} in the last 30 days`,
  });
}

/** Prints the delivery. A failed or rejected resend is an error; with --json, the delivery is printed too. */
export async function channelsReplay(args: ArgumentsOf<"channels replay">, runtime: Runtime): Promise<void> {
  const { team, id, notifications, unwrap, out } = await openTeamChannels(args, runtime);
  const notFound = `there is no delivery ${escapeInvisible(id)} in the team ${team}: see ${notifications.formatCommand("deliveries CHANNEL", team)}`;
  const outcome = await notifications.replay(team, id);
  const existing = outcome.ok ? outcome.value : notifications.findDelivery(team, id)?.delivery;
  const reason = outcome.ok ? outcome.value.last_error : outcome.fault.message;
  if (reason !== undefined && existing !== undefined && args.options.json)
    out.json({ ...existing, last_error: reason });
  const delivery = unwrap(outcome, notFound);
  if (reason !== undefined)
    throw new AddrsiftError("OPERATION", delivery.status === "pending" ? `${reason}: the daemon tries again` : reason);
  return out.result(delivery, `${id} was delivered`);
}

/** Arguments that all `channels` commands share. The first positional argument is an ID. */
interface TeamArguments {
  readonly options: GlobalOptions & {
    readonly team: string;
    readonly json: boolean;
    readonly "allow-private"?: readonly string[];
  };
  readonly positionals: readonly string[];
}

/** Opens the team's notifications. `unwrap` returns a result's value, or throws its fault as an AddrsiftError. */
async function openTeamChannels({ options, positionals: [id = ""] }: TeamArguments, runtime: Runtime) {
  const { team } = options;
  const out = new Printer(runtime, options);
  const services = openChannelServices(await openStores(options, runtime), runtime, {
    allowPrivate: options["allow-private"] ?? [],
    publicUrl: parsePublicUrl(runtime.env["ADDRSIFT_PUBLIC_URL"] ?? "")?.href,
    listsAndOverrides: lazyListsAndOverrides(options, runtime),
    home: options.home,
    warn: (line) => out.warn(line),
  });
  const unwrap = <T>(outcome: Result<T, ChannelFault>, notFoundMessage?: string): T => {
    if (outcome.ok) return outcome.value;
    const { code, message } = outcome.fault;
    if (code === "NOT_FOUND")
      throw usageError(notFoundMessage ?? describeMissingChannel(services.notifications, team, id));
    throw new AddrsiftError(code === "INVALID_BODY" ? "USAGE" : "OPERATION", message);
  };
  return { ...services, team, id, unwrap, out };
}

/** Explains that a team has no channel of this id: perhaps it is a name, or another team's. */
function describeMissingChannel(notifications: Notifications, team: string, id: string): string {
  const problem = `there is no channel ${escapeInvisible(id)} in the team ${team}`;
  const ids = notifications.idsByName(id, team);
  if (ids.length > 0) return `${problem}: the one of that name is ${formatAlternatives(ids)}`;
  const other = notifications.findAll().find((channel) => channel.id === id);
  return `${problem}: ${other === undefined ? `see ${notifications.formatCommand("list", team)}` : `add --team ${other.team}`}`;
}

async function printChannel(
  out: Printer,
  { json, team }: TeamArguments["options"],
  notifications: Notifications,
  { channel, message }: { readonly channel: ChannelView; readonly message?: string | undefined },
): Promise<void> {
  if (json) {
    out.json({ ...channel, message });
    return;
  }
  const { id, name, type, config, is_verified, created_at, last_delivery, previous_secret_until: until } = channel;
  const { verification_error: error } = channel;
  const { address, url, headers = {}, secret, events, enabled } = config;
  const fields = {
    name,
    type,
    address,
    url,
    "url digest": channel.url_digest,
    ...Object.fromEntries(Object.entries(headers).map(([header, value]) => [`headers.${header}`, value])),
    secret,
    "previous secret until (UTC)": formatTime(until) || undefined,
    events: events?.join(", "),
    enabled: enabled?.toString(),
    verified: is_verified ? "yes" : "no",
    "created (UTC)": formatTime(created_at),
    "last delivery (UTC)": last_delivery && formatDelivery(last_delivery),
    "pending deliveries": channel.pending_deliveries?.toString(),
    "last success (UTC)": formatTime(channel.last_success) || undefined,
    "failing since (UTC)": formatTime(channel.failing_since) || undefined,
    "to do": message,
    "verification error": error !== undefined && message?.includes(error) ? undefined : error,
    "verification tried (UTC)": formatTime(channel.verification_failed_at) || undefined,
    ...describeNextSteps(channel, notifications.verifications.mailState(id) !== "none", (name) =>
      notifications.formatCommand(`${name} ${id}`, team),
    ),
  };
  await out.table(["id", id], Object.entries(omitUndefined(fields)));
  if (secret !== undefined && secret !== REDACTED) out.info("save the secret now; it won't be shown again");
}

/** Returns lines about how to complete or verify a channel. */
function describeNextSteps(
  { type, config, is_verified }: ChannelView,
  wasMailed: boolean,
  command: (name: string) => string,
) {
  const { address, url } = config;
  if (is_verified) return {};
  if (url !== undefined) return { "verify by": command("test") };
  if (address === undefined) return { "to do": missingTargetMessage(type as ChannelType) };
  return {
    "verify by": wasMailed ? `its message: open the link, or pass the token to ${command("verify")}` : undefined,
    "email a link by": command("test"),
  };
}

const HEADER_PREFIX = "headers.";

/** Throws AddrsiftError if the channel can't have a key. Removing a misspelled key would change nothing. */
function checkUnset(unset: readonly string[], { type, config: { headers = {} } }: ChannelView): void {
  const fields = [...TYPE_DEFINITIONS[type as ChannelType].fields, ...(type === "email" ? ["email"] : [])];
  const keys = [...fields, ...Object.keys(headers).map((name) => `${HEADER_PREFIX}${name}`)];
  const unknown = unset.find((key) => !keys.map(normalizeKey).includes(normalizeKey(key)));
  if (unknown === undefined) return;
  throw usageError(`--unset ${displayKey(unknown)}: the channel has no such key: ${suggestName(unknown, keys)}`);
}

function normalizeKey(key: string): string {
  return isHeader(key) ? key.toLowerCase() : key;
}

type ConfigEntry = readonly [key: string, value: unknown];

/**
 * Reads the config, or the patch of a config, for a channel of this type; undefined if no option sets a field. Secrets
 * are accepted only from a file or standard input, because other users can read a command's arguments. Values are
 * validated later, and messages never contain them. Throws AddrsiftError.
 */
function parseConfig(
  { config: options, unset = [] }: { readonly config: readonly string[]; readonly unset?: readonly string[] },
  type: string | undefined,
  stdin: Runtime["stdin"],
): Record<string, unknown> | undefined {
  if (options.length + unset.length === 0) return undefined;
  const stdinOptions = options.filter((text) => text.slice(text.indexOf("=") + 1) === "@-");
  if (stdinOptions.length > 1) throw usageError("standard input is used twice: give one of the values as @FILE");
  if (stdinOptions.length > 0 && stdin.isTerminal) {
    throw usageError(
      "standard input is a terminal, which would show the value as it is typed: pipe it in, or give a file as @FILE",
    );
  }
  const setEntries = options.map((text): ConfigEntry => {
    const equalsIndex = text.indexOf("=");
    if (equalsIndex < 1) throw usageError("--config must be KEY=VALUE, such as url=https://hooks.example.com/in");
    const key = text.slice(0, equalsIndex);
    if (key === "headers")
      throw usageError("--config headers: give each header by itself, as --config headers.NAME=@FILE");
    return [key, parseFieldValue(key, readFieldValue(key, text.slice(equalsIndex + 1), type, stdin))];
  });
  const entries = [...setEntries, ...unset.map((key): ConfigEntry => [key, null])];
  const names = entries.map(([key]) => normalizeKey(key));
  const repeated = entries.find((_, i) => names.indexOf(names[i] as string) < i);
  if (repeated !== undefined) {
    const option = setEntries.includes(repeated) ? "--config" : "--unset";
    throw usageError(`${option} ${displayKey(repeated[0])}: the key is given twice: keep one`);
  }
  const headers = entries
    .filter(([key]) => isHeader(key))
    .map(([key, value]) => [key.slice(HEADER_PREFIX.length), value]);
  const fields = Object.fromEntries(entries.filter(([key]) => !isHeader(key)));
  return headers.length === 0 ? fields : { ...fields, headers: Object.fromEntries(headers) };
}

function isHeader(key: string): boolean {
  return key.startsWith(HEADER_PREFIX);
}

/** Parses a list or a boolean. Other text is kept, for the validation of fields to reject. */
function parseFieldValue(key: string, text: string): unknown {
  if (key === "events") return text.split(",").map((name) => name.trim());
  const isFlag = key === "enabled" || key === "revoke_previous";
  return isFlag && (text === "true" || text === "false") ? text === "true" : text;
}

function readFieldValue(key: string, text: string, type: string | undefined, stdin: Runtime["stdin"]): string {
  const option = `--config ${displayKey(key)}`;
  if (text.startsWith("@")) return readOptionValue(text.slice(1), option, { stdin });
  const isSecret = key === "secret" || isHeader(key);
  const secretReason = isSecret ? "is a secret" : key === "url" ? urlSecretReason(text, type) : undefined;
  if (secretReason === undefined) return text;
  throw usageError(
    `${option} ${secretReason}, and other users can read a command's arguments: write it to a file and give ` +
      `${option}=@FILE, or =@- for standard input`,
  );
}

function urlSecretReason(text: string, type: string | undefined): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isService = TYPE_DEFINITIONS[type as ChannelType]?.service !== undefined;
  if (isService || (url !== undefined && channelTypeOfHost(url.hostname) !== undefined))
    return "of a chat service is a secret";
  return urlHasSecret(text) ? "has credentials or a query" : undefined;
}

/** Formats a key for a message. A long key is not shown: it may be a secret in the wrong place. */
function displayKey(key: string): string {
  return key.length > 60 ? "(a long key)" : escapeInvisible(key);
}

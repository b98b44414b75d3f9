// Creates, reads, updates and deletes a team's channels. A team never sees another team's; responses are redacted. All
// methods throw the store's AddrsiftErrors.

import type { SyntaxFault } from "../address/faults.ts";
import type { Mailbox } from "../address/mailbox.ts";
import { isObject, type Result } from "../base/result.ts";
import { generateId, type RandomBytes } from "../store/collection.ts";
import type { Store } from "../store/store.ts";
import {
  invalidatesVerification,
  nextPreviousSecrets,
  parseNewChannel,
  parsePatch,
  replacesSecret,
} from "./config/patch.ts";
import { type ChannelView, redactChannel } from "./config/redaction.ts";
import { CHANNEL_NOT_FOUND, type ChannelFault, failWith, invalidBody } from "./fault.ts";
import type { ChannelType } from "./kinds.ts";
import { CHANNELS, type ChannelConfig, type ChannelRecord } from "./record.ts";
import { channelTypeOfHost, missingTargetMessage, TYPE_DEFINITIONS } from "./types/table.ts";
import { sha256Hex } from "./verification-records.ts";

// Per team. More channels would come from a runaway script, and all channels are read and written together.
const MAX_CHANNELS = 1000;
// Enough for a thousand channels, or a few hundred with many headers. Limited because all teams' records are read and
// written together.
const MAX_TEAM_BYTES = 1 << 20;
const SECRET_BYTES = 32;
// Each adds a signature of 47 bytes to a header.
const MAX_PREVIOUS_SECRETS = 9;

export interface ChannelDeps {
  readonly now: () => number;
  readonly random: RandomBytes;
  readonly parseAddress: (address: string) => Result<Mailbox, SyntaxFault>;
  readonly isDisposable: (address: string) => boolean | Promise<boolean>;
  /** Corrects a known misspelling of a mailbox provider; undefined for other addresses. */
  readonly suggestAddress: (address: string) => string | undefined;
  /** Returns why requests to a host are blocked, as far as known without a DNS lookup. */
  readonly blockedHostReason: (hostname: string) => string | undefined;
  readonly canMail: boolean;
  /** Options of all commands in messages, such as ` --home DIR`. Undefined in the daemon: its callers run no commands. */
  readonly commandOptions?: string;
}

export interface ChannelResponse {
  readonly channel: ChannelView;
  readonly message: string | undefined;
  /** An earlier request with the same Idempotency-Key created the channel. */
  readonly isRepeated?: true;
}

export type ChannelOutcome = Result<ChannelResponse, ChannelFault>;

export class Channels {
  constructor(
    private readonly store: Store,
    protected readonly deps: ChannelDeps,
  ) {}

  /** Creates a channel from `{name, type, config?}`. For 24 hours, the same key and body return the same channel. */
  async create(team: string, body: unknown, idempotencyKey?: string): Promise<ChannelOutcome> {
    const parsed = parseNewChannel(body);
    if (!parsed.ok) return parsed;
    const { name, type, config } = parsed.value;
    const fault = await this.addressFault(config.address);
    if (fault !== undefined) return fault;
    const key = idempotencyKey === undefined ? undefined : sha256Hex(idempotencyKey);
    const now = this.deps.now();
    const completeConfig = this.withSecret(type, config);
    const channel: ChannelRecord = {
      id: generateId("ch", this.deps.random),
      team,
      name,
      type,
      config: completeConfig,
      is_verified: false,
      created_at: new Date(now).toISOString(),
      ...(key !== undefined && { creation: { key, request: requestDigest(body, completeConfig) } }),
    };
    return this.store.change((transaction) => {
      const channels = transaction.records(CHANNELS);
      const existing = [...channels.values()].find(
        (other) => key !== undefined && other.team === team && wasCreatedWith(other, key, now),
      );
      if (existing !== undefined) {
        if (existing.creation?.request !== requestDigest(body, existing.config)) return KEY_REUSED;
        return this.respond(existing, config, [describeTwin(channels, existing)], { isRepeated: true });
      }
      const count = [...channels.values()].filter((other) => other.team === team).length;
      if (count >= MAX_CHANNELS) return failWith("LIMIT_REACHED", `the team has ${count} channels: delete one first`);
      if (exceedsTeamLimit(channels, channel)) return TEAM_FULL;
      channels.set(channel.id, channel);
      return this.respond(channel, config, [describeTwin(channels, channel)]);
    });
  }

  get canMail(): boolean {
    return this.deps.canMail;
  }

  list(team: string): ChannelView[] {
    return this.findAll(team).map((channel) => redactChannel(channel, this.deps.now()));
  }

  get(team: string, id: string): Result<ChannelView, ChannelFault> {
    const channel = this.find(team, id);
    return channel === undefined ? CHANNEL_NOT_FOUND : { ok: true, value: redactChannel(channel, this.deps.now()) };
  }

  /** Formats a command, for messages; `words` begin with its name. */
  formatCommand(words: string, team: string): string {
    const teamOption = team === "default" ? "" : ` --team ${team}`;
    return `addrsift channels ${words}${teamOption}${this.deps.commandOptions ?? ""}`;
  }

  find(team: string, id: string): ChannelRecord | undefined {
    const channel = this.store.records(CHANNELS).get(id);
    return channel?.team === team ? channel : undefined;
  }

  findAll(team?: string): ChannelRecord[] {
    const all = [...this.store.records(CHANNELS).values()];
    return team === undefined ? all : all.filter((channel) => channel.team === team);
  }

  /** Returns the ids of the channels with this name, for messages about a name in place of an id. */
  idsByName(name: string, team?: string): string[] {
    return this.findAll(team).flatMap((channel) => (channel.name === name ? [channel.id] : []));
  }

  /** Applies an RFC 7396 patch of the redacted channel. */
  async update(team: string, id: string, patch: unknown): Promise<ChannelOutcome> {
    if (this.find(team, id) === undefined) return CHANNEL_NOT_FOUND;
    if (!isObject(patch)) return invalidBody("the body must be an object: give the fields to change");
    const { config: configPatch } = patch;
    const fault = isObject(configPatch) ? await this.addressFault(configPatch["address"]) : undefined;
    return this.store.change((transaction) => {
      const channels = transaction.records(CHANNELS);
      const channel = channels.get(id);
      if (channel?.team !== team) return CHANNEL_NOT_FOUND;
      const parsed = parsePatch(channel, patch, this.deps.now());
      if (!parsed.ok) return parsed;
      const { name, config } = parsed.value;
      if (fault !== undefined && channel.config.address !== config.address) return fault;
      const completeConfig = this.withSecret(channel.type, config);
      const { previous_secrets: _, ...others } = channel;
      const previous = nextPreviousSecrets(channel, patch, completeConfig, this.deps.now());
      if (previous.length > MAX_PREVIOUS_SECRETS) return TOO_MANY_SECRETS;
      const isNewTarget = invalidatesVerification(channel.config, completeConfig);
      const changed: ChannelRecord = {
        ...others,
        name,
        config: completeConfig,
        is_verified: channel.is_verified && !isNewTarget,
        ...(previous.length > 0 && { previous_secrets: previous }),
      };
      if (sizeInBytes(changed) > sizeInBytes(channel) && exceedsTeamLimit(channels, changed)) return TEAM_FULL;
      if (JSON.stringify(changed) !== JSON.stringify(channel)) channels.set(id, changed);
      return this.respond(changed, config, [
        isNewTarget ? describeTwin(channels, changed) : undefined,
        replacesSecret(channel.config, config) ? MOVED : undefined,
      ]);
    });
  }

  delete(team: string, id: string): Promise<Result<ChannelView, ChannelFault>> {
    return this.store.change((transaction) => {
      const channels = transaction.records(CHANNELS);
      const channel = channels.get(id);
      if (channel?.team !== team) return CHANNEL_NOT_FOUND;
      channels.delete(id);
      return { ok: true, value: redactChannel(channel, this.deps.now()) };
    });
  }

  /** Sets `is_verified`. If address or url have changed since `tested`, returns false instead. */
  setVerified(tested: ChannelRecord, verified: boolean): Promise<boolean> {
    return this.store.change((transaction) => {
      const channels = transaction.records(CHANNELS);
      const channel = channels.get(tested.id);
      if (channel === undefined || invalidatesVerification(tested.config, channel.config)) return false;
      if (channel.is_verified !== verified) channels.set(tested.id, { ...channel, is_verified: verified });
      return true;
    });
  }

  private async addressFault(address: unknown): Promise<ReturnType<typeof invalidBody> | undefined> {
    if (typeof address !== "string") return undefined;
    const parsed = this.deps.parseAddress(address);
    if (!parsed.ok) return invalidBody(`config.address: ${parsed.fault.message}`);
    if (!(await this.deps.isDisposable(address))) return undefined;
    return invalidBody("config.address: the domain is disposable, use a permanent address");
  }

  private withSecret(type: ChannelType, config: ChannelConfig): ChannelConfig {
    const { url, secret } = config;
    if (type !== "webhook" || url === undefined || secret !== undefined) return config;
    return { ...config, secret: `whsec_${Buffer.from(this.deps.random(SECRET_BYTES)).toString("base64")}` };
  }

  /** Returns the redacted channel, with `notes` and the next step. `requested` is the config without a generated secret. */
  private respond(
    channel: ChannelRecord,
    requested: ChannelConfig,
    notes: readonly (string | undefined)[],
    more: Pick<ChannelResponse, "isRepeated"> = {},
  ): ChannelOutcome {
    const newSecret = requested.secret === undefined ? channel.config.secret : undefined;
    const message = joinMessages(...notes, this.nextStep(channel));
    return { ok: true, value: { channel: redactChannel(channel, this.deps.now(), newSecret), message, ...more } };
  }

  private nextStep({ type, config, is_verified }: ChannelRecord): string | undefined {
    if (config[TYPE_DEFINITIONS[type].target] === undefined) return missingTargetMessage(type);
    if (config.url !== undefined) {
      if (is_verified) return undefined;
      const { hostname } = new URL(config.url);
      if (type === "webhook" && channelTypeOfHost(hostname) === "msteams") return TEAMS_STEP;
      const blockedReason = this.deps.blockedHostReason(hostname);
      return blockedReason === undefined ? TEST_STEP : `a test would fail now, because ${blockedReason}`;
    }
    if (this.deps.canMail) return undefined;
    return "the address can't be verified until the operator sets ADDRSIFT_SMTP_URL and ADDRSIFT_SMTP_FROM";
  }
}

export function joinMessages(...messages: readonly (string | undefined)[]): string | undefined {
  return messages.filter((message) => message !== undefined).join("; ") || undefined;
}

const TEST_STEP = "test the channel to verify it";
const TEAMS_STEP =
  "if this is a webhook of Microsoft Teams, create a channel of type msteams instead; or test this one";
const MOVED =
  "the URL has another scheme, host or port, so the secret was replaced and any previous headers were removed";

const IDEMPOTENCY_MS = 86_400_000;

function wasCreatedWith({ creation, created_at }: ChannelRecord, key: string, now: number): boolean {
  return creation?.key === key && now - Date.parse(created_at) < IDEMPOTENCY_MS;
}

/** Includes the secret, so that a repeated response shows it only if it is still the generated one. */
function requestDigest(body: unknown, config: ChannelConfig): string {
  return sha256Hex(JSON.stringify([sortMembers(body), config.secret]));
}

/** Returns a copy with the members of each object sorted by name, because their order has no meaning in JSON. */
function sortMembers(value: unknown): unknown {
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sortMembers(value[name])]));
}

const KEY_REUSED = failWith(
  "IDEMPOTENCY_KEY_REUSED",
  "this Idempotency-Key was used for another body, or the channel's secret has changed: use a new key",
);

const TOO_MANY_SECRETS = failWith(
  "LIMIT_REACHED",
  `the secret has changed ${MAX_PREVIOUS_SECRETS} times in 24 hours: wait, or end the previous ones with ` +
    "config.revoke_previous",
);

const TEAM_FULL = failWith(
  "LIMIT_REACHED",
  `the team has over ${MAX_TEAM_BYTES >> 20} MiB of channels: delete one, or give them fewer headers`,
);

/** Returns a message about an earlier channel of the team with the same destination. */
function describeTwin(
  channels: ReadonlyMap<string, ChannelRecord>,
  { id, team, type, config, created_at: createdAt }: ChannelRecord,
): string | undefined {
  const { target } = TYPE_DEFINITIONS[type];
  if (config[target] === undefined) return undefined;
  const twin = [...channels.values()].find(
    (other) =>
      other.id !== id &&
      other.team === team &&
      other.config[target] === config[target] &&
      other.created_at <= createdAt,
  );
  return twin && `the channel ${twin.name} (${twin.id}) has the same ${target}`;
}

function exceedsTeamLimit(channels: ReadonlyMap<string, ChannelRecord>, added: ChannelRecord): boolean {
  let bytes = sizeInBytes(added);
  for (const other of channels.values()) {
    if (other.team === added.team && other.id !== added.id) bytes += sizeInBytes(other);
  }
  return bytes > MAX_TEAM_BYTES;
}

function sizeInBytes(channel: ChannelRecord): number {
  return Buffer.byteLength(JSON.stringify(channel));
}

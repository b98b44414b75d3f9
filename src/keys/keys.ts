// API keys: create, list, revoke and check. Records have only the key's digest. A checksum in the key's text
// distinguishes a typo from an unknown key. Checks are synchronous.

import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { isAddrsiftError } from "../base/errors.ts";
import { memoize } from "../base/memoize.ts";
import { omitUndefined, type Result } from "../base/result.ts";
import { choice, closedObject, listOf, optional, text, time, type ValueOf } from "../base/shapes.ts";
import { nameFault, parseExpiry, teamFault } from "../base/user-input.ts";
import { BASE62, type Collection, generateId, type RandomBytes, randomBase62 } from "../store/collection.ts";
import type { Store } from "../store/store.ts";
import { SCOPE_CHOICES, SCOPES } from "./scopes.ts";

const KEY_SHAPE = closedObject({
  id: text(),
  name: text(),
  team: text(),
  scopes: listOf(choice(SCOPES)),
  digest: text("SHA-256 in hexadecimal.", { pattern: "^[0-9a-f]{64}$" }),
  created_at: time(),
  expires_at: optional(time()),
  revoked_at: optional(time()),
  last_used_at: optional(time("Written at most once a minute.")),
});

export type KeyRecord = ValueOf<typeof KEY_SHAPE>;
export type KeyInfo = Omit<KeyRecord, "digest">;

export const KEYS: Collection<KeyRecord> = { name: "keys", shape: KEY_SHAPE };

function toKeyInfo({ digest: _, ...info }: KeyRecord): KeyInfo {
  return info;
}

export function keyState({ revoked_at, expires_at }: KeyInfo, nowMs: number): "active" | "revoked" | "expired" {
  if (revoked_at !== undefined) return "revoked";
  return expires_at !== undefined && nowMs >= Date.parse(expires_at) ? "expired" : "active";
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly (typeof SCOPE_CHOICES)[number][];
  readonly team: string;
  /** A duration such as `90d`, or a date; if undefined, the key does not expire. */
  readonly expires?: string | undefined;
}

export type KeyFault = "malformed" | "unknown" | "expired" | "revoked";
/** `key`: the record of an expired or revoked key. */
export type KeyCheck = Result<KeyInfo, KeyFault> & { readonly key?: KeyInfo };

export interface KeyDeps {
  readonly now: () => number;
  readonly random: RandomBytes;
  readonly warn: (line: string) => void;
}

// Minimum interval of the stored uses of a key, and of a failed write and the next.
const USE_INTERVAL_MS = 60_000;
// Time after which a use is written, with those of other keys since.
const FLUSH_DELAY_MS = 2000;

export class Keys {
  /** Times of the last uses that are not written yet, by id. */
  private pendingUses = new Map<string, number>();
  private failedAtMs = Number.NEGATIVE_INFINITY;
  private readonly rejectedIds = new Set<string>();
  /** Does not keep the process alive. */
  private flushTimer: NodeJS.Timeout | undefined;
  private readonly indexByDigest = memoize(2, (keys: ReadonlyMap<string, KeyRecord>) => {
    return new Map([...keys.values()].map((key) => [key.digest, key]));
  });

  constructor(
    private readonly store: Store,
    private readonly deps: KeyDeps,
  ) {}

  /**
   * Creates a key, whose text only this result contains. A fault starts with the name of the invalid field. Throws
   * AddrsiftError if the key can't be stored.
   */
  async create(request: KeyRequest): Promise<Result<{ readonly text: string; readonly key: KeyInfo }, string>> {
    const { name, scopes, team, expires } = request;
    const nowMs = this.deps.now();
    const expiry = expires === undefined ? undefined : parseExpiry(expires, nowMs);
    const faults = {
      name: nameFault(name),
      team: teamFault(team),
      scopes: scopes.length === 0 ? `is missing: use ${SCOPE_CHOICES.join(", ")}` : undefined,
      expires: expiry?.ok === false ? expiry.fault : undefined,
    };
    const [fault] = Object.entries(omitUndefined(faults));
    if (fault !== undefined) return { ok: false, fault: fault.join(" ") };
    const text = generateKeyText(this.deps.random);
    const record: KeyRecord = {
      id: generateId("key", this.deps.random),
      name,
      team,
      scopes: SCOPES.filter((scope) => scopes.includes(scope) || scopes.includes("all")),
      digest: keyDigest(text),
      created_at: isoTime(nowMs),
      ...(expiry?.ok && { expires_at: isoTime(expiry.value) }),
    };
    await this.store.change((transaction) => transaction.records(KEYS).set(record.id, record));
    return { ok: true, value: { text, key: toKeyInfo(record) } };
  }

  list(team?: string): KeyInfo[] {
    const keys = [...this.store.records(KEYS).values()].map(toKeyInfo);
    return team === undefined ? keys : keys.filter((key) => key.team === team);
  }

  /** Revokes the key with this id or text, even if the disk is full; keeps the first time. Undefined if unknown. */
  revoke(idOrText: string): Promise<KeyInfo | undefined> {
    return this.store.changeEvenIfFull((transaction) => {
      const keys = transaction.records(KEYS);
      const digest = keyDigest(idOrText);
      const key = keys.get(idOrText) ?? [...keys.values()].find((each) => each.digest === digest);
      if (key === undefined) return undefined;
      const revoked = { ...key, revoked_at: key.revoked_at ?? isoTime(this.deps.now()) };
      if (key.revoked_at === undefined) keys.set(key.id, revoked);
      return toKeyInfo(revoked);
    });
  }

  /** Checks a key by its digest, and records the use of a valid key. Warns once about an expired or revoked key. */
  check(text: string, client: { readonly peer: string }): KeyCheck {
    const key = this.indexByDigest(this.store.records(KEYS)).get(keyDigest(text));
    if (key === undefined) return { ok: false, fault: isWellFormedKey(text) ? "unknown" : "malformed" };
    const nowMs = this.deps.now();
    const state = keyState(key, nowMs);
    if (state !== "active") {
      const warning = `the client ${client.peer} sends the API key ${key.id}, which is ${state}`;
      if (!this.rejectedIds.has(key.id)) this.deps.warn(warning);
      this.rejectedIds.add(key.id);
      return { ok: false, fault: state, key: toKeyInfo(key) };
    }
    this.recordUse(key, nowMs);
    return { ok: true, value: toKeyInfo(key) };
  }

  /** Writes pending last uses, or drops them if that fails. Must be called before the process exits. */
  async flush(): Promise<void> {
    clearTimeout(this.flushTimer);
    this.flushTimer = undefined;
    const uses = this.pendingUses;
    if (uses.size === 0) return;
    this.pendingUses = new Map();
    try {
      await this.store.change((transaction) => {
        const keys = transaction.records(KEYS);
        for (const [id, ms] of uses) {
          const key = keys.get(id);
          const storedMs = Date.parse(key?.last_used_at ?? "") || 0;
          // Another process may have stored a later use.
          if (key !== undefined && (storedMs < ms || storedMs > this.deps.now() + USE_INTERVAL_MS)) {
            keys.set(id, { ...key, last_used_at: isoTime(ms) });
          }
        }
      });
    } catch (error) {
      this.failedAtMs = this.deps.now();
      // The store itself reports a lasting fault, once.
      if (isAddrsiftError(error) && error.code !== "UNCERTAIN") return;
      this.deps.warn(`the last uses of API keys were not saved: ${(error as Error).message}`);
    }
  }

  /** Schedules a write of `last_used_at`, unless the stored time or a failure is less than a minute away. */
  private recordUse({ id, last_used_at = "" }: KeyRecord, nowMs: number): void {
    // The absolute difference: a later time was written by a wrong clock.
    const isRecent = (ms: number): boolean => Math.abs(nowMs - ms) < USE_INTERVAL_MS;
    if (isRecent(Date.parse(last_used_at)) || isRecent(this.failedAtMs)) return;
    this.pendingUses.set(id, nowMs);
    this.flushTimer ??= setTimeout(() => void this.flush(), FLUSH_DELAY_MS).unref();
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

const KEY_PREFIX = "adsf_";
// 43 × log2(62) = 256.03 bits.
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const KEY_PATTERN = /^adsf_[0-9A-Za-z]{49}$/;

export function generateKeyText(random: RandomBytes): string {
  const body = KEY_PREFIX + randomBase62(RANDOM_LENGTH, random);
  return body + checksum(body);
}

export function isWellFormedKey(text: string): boolean {
  return KEY_PATTERN.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

function keyDigest(text: string): string {
  return hash("sha256", text, "hex");
}

/** Returns CRC-32 in base62. Detects every single wrong character and every swap of two adjacent ones. */
function checksum(body: string): string {
  let remaining = crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = BASE62.charAt(remaining % 62) + text;
    remaining = Math.floor(remaining / 62);
  }
  return text;
}

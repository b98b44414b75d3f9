// API keys: records that keep only a key's digest; create, list, revoke, check; and the text, with a checksum that
// shows a typing mistake from a wrong key. A check is synchronous and reads the disk a few times a second at most; a
// revocation by another process takes effect within a fifth of a second.

import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { nameFault, parseExpiry, teamFault } from "../base/names.ts";
import { defined, type Result } from "../base/result.ts";
import { choice, closed, listOf, optional, text, time, type ValueOf } from "../base/shapes.ts";
import { BASE62, type Collection, newId, type Random, randomBase62 } from "../store/collection.ts";
import type { Store } from "../store/store.ts";
import { SCOPE_CHOICES, SCOPES } from "./scopes.ts";

const KEY = closed({
  id: text(),
  name: text(),
  team: text(),
  scopes: listOf(choice(SCOPES)),
  digest: text("SHA-256 in hexadecimal.", { pattern: "^[0-9a-f]{64}$" }),
  created_at: time(),
  expires_at: optional(time()),
  revoked_at: optional(time()),
  last_used_at: optional(time("To the minute: it is not written more often.")),
});

export type KeyRecord = ValueOf<typeof KEY>;
export type ShownKey = Omit<KeyRecord, "digest">;

export const KEYS: Collection<KeyRecord> = { name: "keys", shape: KEY };

function shownKey({ digest: _, ...shown }: KeyRecord): ShownKey {
  return shown;
}

export function keyState({ revoked_at, expires_at }: ShownKey, nowMs: number): "active" | "revoked" | "expired" {
  if (revoked_at !== undefined) return "revoked";
  return expires_at !== undefined && nowMs >= Date.parse(expires_at) ? "expired" : "active";
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly (typeof SCOPE_CHOICES)[number][];
  readonly team: string;
  /** A span such as `90d` or a date; without it the key does not end. */
  readonly expires?: string | undefined;
}

export type KeyFault = "malformed" | "unknown" | "expired" | "revoked";

export interface KeyPorts {
  readonly now: () => number;
  readonly random: Random;
  readonly warn: (line: string) => void;
}

export class Keys {
  private readonly uses: LastUsed;
  private byDigest: ReadonlyMap<string, KeyRecord> = new Map();
  private indexedOf: ReadonlyMap<string, KeyRecord> | undefined;

  constructor(
    private readonly store: Store,
    private readonly ports: KeyPorts,
  ) {
    this.uses = new LastUsed(store, ports);
  }

  /**
   * Makes a key. Its text is only in this answer. The fault begins with the name of a field. Throws AddrsiftError when
   * the key can't be stored.
   */
  async create(request: KeyRequest): Promise<Result<{ readonly text: string; readonly key: ShownKey }, string>> {
    const { name, scopes, team, expires } = request;
    const nowMs = this.ports.now();
    const ends = expires === undefined ? undefined : parseExpiry(expires, nowMs);
    const faults = {
      name: nameFault(name),
      team: teamFault(team),
      scopes: scopes.length === 0 ? `is missing: use ${SCOPE_CHOICES.join(", ")}` : undefined,
      expires: ends?.ok === false ? ends.fault : undefined,
    };
    const [fault] = Object.entries(defined(faults));
    if (fault !== undefined) return { ok: false, fault: fault.join(" ") };
    const text = newKeyText(this.ports.random);
    const record: KeyRecord = {
      id: newId("key", this.ports.random),
      name,
      team,
      scopes: SCOPES.filter((scope) => scopes.includes(scope) || scopes.includes("all")),
      digest: keyDigest(text),
      created_at: isoTime(nowMs),
      ...(ends?.ok && { expires_at: isoTime(ends.value) }),
    };
    await this.store.change((draft) => draft.records(KEYS).set(record.id, record));
    return { ok: true, value: { text, key: shownKey(record) } };
  }

  list(team?: string): ShownKey[] {
    const all = [...this.store.records(KEYS).values()].map(shownKey);
    return team === undefined ? all : all.filter((key) => key.team === team);
  }

  /** Revokes a key permanently; a key that is already revoked stays as it was. Undefined for an unknown id. */
  revoke(id: string): Promise<ShownKey | undefined> {
    return this.store.change((draft) => {
      const keys = draft.records(KEYS);
      const key = keys.get(id);
      if (key === undefined) return undefined;
      const revoked = { ...key, revoked_at: key.revoked_at ?? isoTime(this.ports.now()) };
      if (key.revoked_at === undefined) keys.set(id, revoked);
      return shownKey(revoked);
    });
  }

  /** Checks a key. Only digests are compared. The use of a valid key is noted. */
  check(text: string): Result<ShownKey, KeyFault> {
    const key = this.indexOf(this.store.records(KEYS)).get(keyDigest(text));
    if (key === undefined) return { ok: false, fault: isKeyText(text) ? "unknown" : "malformed" };
    const nowMs = this.ports.now();
    const state = keyState(key, nowMs);
    if (state !== "active") return { ok: false, fault: state };
    this.uses.note(key, nowMs);
    return { ok: true, value: shownKey(key) };
  }

  /** Writes the uses that are noted and not written yet. Must be called before the process ends. */
  async close(): Promise<void> {
    await this.uses.write();
  }

  private indexOf(keys: ReadonlyMap<string, KeyRecord>): ReadonlyMap<string, KeyRecord> {
    if (keys !== this.indexedOf) this.byDigest = new Map([...keys.values()].map((key) => [key.digest, key]));
    this.indexedOf = keys;
    return this.byDigest;
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

const PREFIX = "adsf_";
// 43 × log2(62) = 256.03 bits.
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORM = /^adsf_[0-9A-Za-z]{49}$/;

export function newKeyText(random: Random): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH, random);
  return body + checksum(body);
}

export function isKeyText(text: string): boolean {
  return FORM.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

function keyDigest(text: string): string {
  return hash("sha256", text, "hex");
}

/** CRC-32 in base62: it detects every single wrong character and every swap of two neighbours. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = BASE62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

const WRITE_EVERY_MS = 60_000;

/** When keys were last used: noted at once, written together. Its timer keeps no process alive. */
class LastUsed {
  private noted = new Map<string, number>();
  private writtenAtMs = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private warned = false;

  constructor(
    private readonly store: Store,
    private readonly ports: Pick<KeyPorts, "now" | "warn">,
  ) {}

  /** Notes that a key is used now. A use within the minute that its record already names is not written. */
  note({ id, last_used_at = "" }: KeyRecord, nowMs: number): void {
    // A time further ahead was written by a clock that was wrong.
    if (Math.abs(nowMs - Date.parse(last_used_at)) < WRITE_EVERY_MS) return;
    this.noted.set(id, nowMs);
    if (this.timer !== undefined) return;
    const waitMs = Math.min(WRITE_EVERY_MS, Math.max(0, this.writtenAtMs + WRITE_EVERY_MS - nowMs));
    this.timer = setTimeout(() => void this.write(), waitMs);
    this.timer.unref();
  }

  /** Writes the uses that are noted. A failure is a warning. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const uses = this.noted;
    if (uses.size === 0) return;
    this.noted = new Map();
    this.writtenAtMs = this.ports.now();
    try {
      await this.store.change((draft) => {
        const keys = draft.records(KEYS);
        for (const [id, ms] of uses) {
          const key = keys.get(id);
          const known = Date.parse(key?.last_used_at ?? "") || 0;
          // Another process may have seen a later use.
          if (key !== undefined && (known < ms || known > this.ports.now() + WRITE_EVERY_MS)) {
            keys.set(id, { ...key, last_used_at: isoTime(ms) });
          }
        }
      });
      this.warned = false;
    } catch (error) {
      if (!this.warned) this.ports.warn(`can't write when keys were last used: ${(error as Error).message}`);
      this.warned = true;
    }
  }
}

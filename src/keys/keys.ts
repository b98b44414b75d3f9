// API keys: create, list, revoke, check; and their text, with a checksum that tells a typing mistake from a wrong
// key. A check is synchronous and reads the disk a few times a second at most; a revocation by another process takes
// effect within a fifth of a second.

import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { nameFault, parseExpiry, teamFault } from "../base/names.ts";
import type { Result } from "../base/result.ts";
import { BASE62, newId, type Random, randomBase62 } from "../store/collection.ts";
import type { Store } from "../store/store.ts";
import { LastUsed } from "./last-used.ts";
import { KEYS, type KeyRecord, type ShownKey, shownKey } from "./record.ts";
import { SCOPE_CHOICES, SCOPES, type Scope } from "./scopes.ts";

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly team: string;
  /** A span such as `90d` or a date; without it the key does not end. */
  readonly expires?: string | undefined;
}

/** The fault of a request: the field, and text that continues a sentence beginning with the field. */
export interface KeyRequestFault {
  readonly field: keyof KeyRequest;
  readonly message: string;
}

export type KeyFault = "malformed" | "unknown" | "expired" | "revoked";

/** Ports to the outside: clock, randomness, warnings. */
export interface KeyPorts {
  readonly now: () => number;
  readonly random: Random;
  /** Receives a line when a last use could not be written. */
  readonly warn: (line: string) => void;
}

/** A key as checks need it; times in milliseconds since 1970. */
interface Indexed {
  readonly key: ShownKey;
  readonly expiresMs: number;
  readonly lastUsedMs: number;
}

/** The keys of a store in which the collection KEYS is registered. */
export class Keys {
  private readonly uses: LastUsed;
  private byDigest = new Map<string, Indexed>();
  /** The records that it is made from. */
  private indexedOf: ReadonlyMap<string, KeyRecord> | undefined;

  constructor(
    private readonly store: Store,
    private readonly ports: KeyPorts,
  ) {
    this.uses = new LastUsed(store, ports);
  }

  /** Makes a key. Its text is only in this answer. Throws AddrsiftError when the key can't be stored. */
  async create(
    request: KeyRequest,
  ): Promise<Result<{ readonly text: string; readonly key: ShownKey }, KeyRequestFault>> {
    const checked = this.checkRequest(request);
    if (!checked.ok) return checked;
    const text = newKeyText(this.ports.random);
    const record: KeyRecord = {
      id: newId("key", this.ports.random),
      name: request.name,
      team: request.team,
      scopes: checked.value.scopes,
      digest: keyDigest(text),
      created_at: this.time(this.ports.now()),
      ...(checked.value.expiresMs === undefined ? {} : { expires_at: this.time(checked.value.expiresMs) }),
    };
    await this.store.change((draft) => draft.records(KEYS).set(record.id, record));
    return { ok: true, value: { text, key: shownKey(record) } };
  }

  /** All keys, or those of a team, the oldest first. */
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
      const revoked = { ...key, revoked_at: key.revoked_at ?? this.time(this.ports.now()) };
      if (key.revoked_at === undefined) keys.set(id, revoked);
      return shownKey(revoked);
    });
  }

  /** Checks a key. Only digests are compared. The use of a valid key is noted. */
  check(text: string): Result<ShownKey, KeyFault> {
    const digest = keyDigest(text);
    const found = this.indexOf(this.store.recent(KEYS)).get(digest) ?? this.findOnDisk(text, digest);
    if (found === "malformed") return { ok: false, fault: "malformed" };
    if (found === undefined) return { ok: false, fault: "unknown" };
    if (found.key.revoked_at !== undefined) return { ok: false, fault: "revoked" };
    const nowMs = this.ports.now();
    if (nowMs >= found.expiresMs) return { ok: false, fault: "expired" };
    this.uses.note(found.key.id, found.lastUsedMs, nowMs);
    return { ok: true, value: found.key };
  }

  /** Writes the uses that are noted and not written yet. Must be called before the process ends. */
  async close(): Promise<void> {
    await this.uses.close();
  }

  private checkRequest({
    name,
    scopes,
    team,
    expires,
  }: KeyRequest): Result<{ scopes: readonly Scope[]; expiresMs: number | undefined }, KeyRequestFault> {
    const fail = (field: keyof KeyRequest, message: string): { ok: false; fault: KeyRequestFault } => ({
      ok: false,
      fault: { field, message },
    });
    const badName = nameFault(name);
    if (badName !== undefined) return fail("name", badName);
    const badTeam = teamFault(team);
    if (badTeam !== undefined) return fail("team", badTeam);
    if (scopes.length === 0) return fail("scopes", `is missing: use ${SCOPE_CHOICES.join(", ")}`);
    const strange = scopes.find((scope) => !SCOPE_CHOICES.some((known) => known === scope));
    if (strange !== undefined)
      return fail("scopes", `has an unknown scope "${strange}": use ${SCOPE_CHOICES.join(", ")}`);
    const granted = scopes.includes("all") ? SCOPES : SCOPES.filter((scope) => scopes.includes(scope));
    const ends = expires === undefined ? undefined : parseExpiry(expires, this.ports.now());
    if (ends?.ok === false) return fail("expires", ends.fault);
    return { ok: true, value: { scopes: granted, expiresMs: ends?.value } };
  }

  /** Another process may just have made the key: the disk is read before a key is called unknown. */
  private findOnDisk(text: string, digest: string): Indexed | "malformed" | undefined {
    if (!isKeyText(text)) return "malformed";
    return this.indexOf(this.store.records(KEYS)).get(digest);
  }

  private indexOf(keys: ReadonlyMap<string, KeyRecord>): ReadonlyMap<string, Indexed> {
    if (keys !== this.indexedOf) this.byDigest = new Map([...keys.values()].map((key) => [key.digest, indexed(key)]));
    this.indexedOf = keys;
    return this.byDigest;
  }

  private time(ms: number): string {
    return new Date(ms).toISOString();
  }
}

function indexed(record: KeyRecord): Indexed {
  const { expires_at, last_used_at } = record;
  return {
    key: shownKey(record),
    expiresMs: expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
    lastUsedMs: last_used_at === undefined ? Number.NEGATIVE_INFINITY : Date.parse(last_used_at),
  };
}

const PREFIX = "adsf_";
// 43 × log2(62) = 256.03 bits.
const RANDOM_LENGTH = 43;
// 62^6 is 13 times 2^32.
const CHECKSUM_LENGTH = 6;
const LENGTH = PREFIX.length + RANDOM_LENGTH + CHECKSUM_LENGTH;
const FORM = /^adsf_[0-9A-Za-z]{49}$/;

export function newKeyText(random: Random): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH, random);
  return body + checksum(body);
}

/** True for a text of a key's form with the right checksum. */
export function isKeyText(text: string): boolean {
  if (text.length !== LENGTH || !FORM.test(text)) return false;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** The SHA-256 of a key in hexadecimal: keys are stored and compared only in this form. */
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

// Looks up hosts with their ancestors, roles, top-level labels and typos in the compiled table.

import type { TopLevel } from "../address/domain/suffix.ts";
import { PROVIDER_RULES } from "../address/providers.ts";
import type { RoleMatch, RoleTable } from "../address/role.ts";
import { ASTERISK, DOT } from "../base/bytes/ascii.ts";
import { AttributeReader, MISSPELLED } from "./attributes.ts";
import { confidenceRank } from "./confidence.ts";
import { hashName, hashSeed, hashStep, KIND, type Kind, TableReader, tableDamage } from "./format.ts";
import { type ListsMeta, readMeta } from "./meta.ts";
import { isPacked, unpackTable } from "./packed.ts";

const MAX_LABELS = 128;

/** Bits of a role name. */
export const ROLE_FLAG = { prefix: 1, noReply: 2 } as const;
export const TOP_LEVEL = { specialUse: 0, rootZone: 1 } as const;
export const SUFFIX = { rule: 0, exception: 1 } as const;

/** Kind of the most specific entry that decides. */
type EntryKind = "none" | "relay" | "public" | "protected" | "mistyped" | "disposable";

/** What the lists have about one domain. Reused, so that bulk work does not allocate. */
export class ListMatch {
  settling: EntryKind = "none";
  entryStart = 0;
  /** The host itself is listed, so its suffix needs no check. */
  listed = false;
  lineages = 0;
  /** The host or an ancestor has a disposable entry below the minimum confidence. */
  doubted = false;
  /** First and last day as disposable, in days since 2000-01-01; 0 if unknown. */
  since = 0;
  lastSeen = 0;
  relay = -1;
  public = -1;
  protected = -1;
  provider = 0;
  /** The host is a user's subdomain at its provider: `detail@user.example.com`. */
  userSubdomain = false;
}

export class CompiledLists extends TableReader implements RoleTable {
  private readonly attributes: AttributeReader = new AttributeReader();
  private readonly labelStarts: Int32Array = new Int32Array(MAX_LABELS);
  private readonly labelHashes: Int32Array = new Int32Array(MAX_LABELS);
  private readonly own: ListMatch = new ListMatch();
  private loadedMeta: ListsMeta | undefined;

  get meta(): ListsMeta {
    this.loadedMeta ??= readMeta(this.readMeta());
    if (this.loadedMeta === undefined) throw this.damage("its description is incomplete");
    return this.loadedMeta;
  }

  /**
   * Looks up the host, then its ancestors, most specific first. Ignores disposable entries below the confidence rank
   * `minimum`. No entry is a public suffix, so a match never covers strangers' domains.
   */
  match(bytes: Uint8Array, start: number, end: number, minimum: number, out: ListMatch): void {
    out.settling = "none";
    out.listed = false;
    out.lineages = 0;
    out.doubted = false;
    out.since = 0;
    out.lastSeen = 0;
    out.relay = -1;
    out.public = -1;
    out.protected = -1;
    out.provider = 0;
    out.userSubdomain = false;
    const labels = this.hashParents(bytes, start, end);
    for (let level = labels - 1; level >= 0; level -= 1) {
      const from = this.labelStarts[level] as number;
      const at = this.find(KIND.domain, this.labelHashes[level] as number, bytes, from, end);
      if (at < 0) continue;
      this.attributes.read(this.bytes, at);
      if (from === start) this.noteHost(out);
      else this.noteParent(out, level === labels - 2);
      this.settle(out, from === start, minimum);
      out.entryStart = from;
      if (out.settling !== "none") return;
    }
  }

  lookUpRole(bytes: Uint8Array, start: number, end: number): RoleMatch {
    const at = this.findName(KIND.role, bytes, start, end);
    if (at < 0) return "none";
    return ((this.bytes[at] as number) & ROLE_FLAG.prefix) === 0 ? "exact" : "prefix";
  }

  /** Reports whether a role name says that no one reads its mail. */
  isNoReply(bytes: Uint8Array, start: number, end: number): boolean {
    const at = this.findName(KIND.role, bytes, start, end);
    return at >= 0 && ((this.bytes[at] as number) & ROLE_FLAG.noReply) !== 0;
  }

  topLevel(bytes: Uint8Array, start: number, end: number): TopLevel {
    const at = this.findName(KIND.topLevel, bytes, start, end);
    if (at < 0) return "unknown";
    return this.bytes[at] === TOP_LEVEL.specialUse ? "special-use" : "root-zone";
  }

  isSuffix(bytes: Uint8Array, start: number, end: number): boolean {
    let hash = hashSeed(KIND.suffix);
    let [dot, siblingsHash] = [end, hash];
    for (let i = end - 1; i >= start; i -= 1) {
      hash = hashStep(hash, bytes[i] as number);
      if (bytes[i] === DOT) [dot, siblingsHash] = [i, hashStep(hash, ASTERISK)];
    }
    const at = this.find(KIND.suffix, hash, bytes, start, end);
    if (at >= 0) return this.bytes[at] === SUFFIX.rule;
    if (!this.mayHave(siblingsHash)) return false;
    const siblings = Uint8Array.of(ASTERISK, ...bytes.subarray(dot, end));
    return this.findName(KIND.suffix, siblings, 0, siblings.length) >= 0;
  }

  receivesMail(bytes: Uint8Array, start: number, end: number): boolean {
    const at = this.findName(KIND.domain, bytes, start, end);
    if (at < 0) return false;
    this.attributes.read(this.bytes, at);
    return this.attributes.receivesMail;
  }

  /** Returns the intended spelling of a misspelled domain (`typo`) or top-level label (`typoTld`), if known. */
  findCorrection(kind: "typo" | "typoTld", bytes: Uint8Array): string | undefined {
    const attributes = this.attributesOf(KIND[kind], bytes, 0, bytes.length);
    return attributes === undefined ? undefined : new TextDecoder().decode(attributes);
  }

  isPublic(bytes: Uint8Array): boolean {
    return this.settlingOf(bytes) === "public";
  }

  /** Reports whether the domain or an ancestor is listed as a real one. */
  isListed(bytes: Uint8Array): boolean {
    return ["public", "protected", "relay"].includes(this.settlingOf(bytes));
  }

  private settlingOf(bytes: Uint8Array): EntryKind {
    this.match(bytes, 0, bytes.length, 0, this.own);
    return this.own.settling;
  }

  /** Returns a name's attributes, valid until the next lookup; undefined if it is not listed. */
  attributesOf(
    kind: Kind,
    bytes: Uint8Array,
    start: number,
    end: number,
    hash: number = hashName(kind, bytes, start, end),
  ): Uint8Array | undefined {
    const at = this.find(kind, hash, bytes, start, end);
    return at < 0 ? undefined : this.bytes.subarray(at, at + this.attributeLength);
  }

  private findName(kind: Kind, bytes: Uint8Array, start: number, end: number): number {
    return this.find(kind, hashName(kind, bytes, start, end), bytes, start, end);
  }

  /** Hashes the domain's suffixes of two or more labels, shortest first. Returns their number. */
  private hashParents(bytes: Uint8Array, start: number, end: number): number {
    let hash = hashSeed(KIND.domain);
    let dots = 0;
    let count = 0;
    for (let i = end - 1; i >= start; i -= 1) {
      const byte = bytes[i] as number;
      if (byte === DOT && dots++ > 0) {
        this.labelStarts[count] = i + 1;
        this.labelHashes[count++] = hash;
      }
      hash = hashStep(hash, byte);
    }
    this.labelStarts[count] = start;
    this.labelHashes[count++] = hash;
    return count;
  }

  private noteHost(out: ListMatch): void {
    out.listed = true;
    out.provider = this.attributes.provider;
    out.public = this.attributes.public;
  }

  private noteParent(out: ListMatch, isNext: boolean): void {
    const provider = this.attributes.provider;
    const rule = PROVIDER_RULES[provider - 1];
    if (out.provider === 0 && rule?.includesSubdomains === true) out.provider = provider;
    if (out.listed || !isNext || rule?.hasUserSubdomains !== true) return;
    out.userSubdomain = true;
    out.provider = provider;
    out.public = this.attributes.public;
  }

  private settle(out: ListMatch, exact: boolean, minimum: number): void {
    const found = this.attributes;
    if (found.relay >= 0 && (exact || found.relaySubdomains)) {
      out.settling = "relay";
      out.relay = found.relay;
    } else if (found.public >= 0) {
      // A subdomain of a public domain is not public, but neither is it more disposable than its parent.
      out.settling = exact || out.userSubdomain ? "public" : "protected";
    } else if (found.protected >= 0 || found.relay >= 0) {
      out.settling = exact && found.protected === MISSPELLED ? "mistyped" : "protected";
      out.protected = found.protected;
    } else if (found.lineages !== 0 && confidenceRank(found.lineages) >= minimum) {
      out.settling = "disposable";
      out.lineages = found.lineages;
      out.since = found.since;
      out.lastSeen = found.lastSeen;
    } else if (found.lineages !== 0) out.doubted = true;
  }
}

/** Opens and verifies lists in memory. The bytes must not change. Throws AddrsiftError DATA. */
export function listsFromBytes(name: string, given: Uint8Array): CompiledLists {
  const bytes = isPacked(given) ? unpackTable(name, given) : given;
  const locate = (offset: number, length: number): number => {
    if (offset + length > bytes.length) throw tableDamage(name, "it is cut off");
    return offset;
  };
  const lists = new CompiledLists({ name, bytes, length: bytes.length, locate });
  lists.verify();
  return lists;
}

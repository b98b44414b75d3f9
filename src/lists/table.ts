// Looks up hosts with their ancestors, roles, top-level labels and typos in the compiled table.

import type { TopLevel } from "../address/domain/suffix.ts";
import { PROVIDER_RULES } from "../address/providers.ts";
import type { RoleMatch, RoleTable } from "../address/role.ts";
import { ASTERISK, DOT } from "../base/bytes/ascii.ts";
import { decodeAsciiLowercase, encodeUtf8 } from "../base/bytes/bytes.ts";
import { AddrsiftError } from "../base/errors.ts";
import { AttributeReader, MISSPELLED_KIND } from "./attributes.ts";
import { confidenceRank } from "./confidence.ts";
import { hashName, hashSeed, hashStep, KIND, type Kind, TableReader, tableError } from "./format.ts";
import { type ListsMeta, parseMeta } from "./meta.ts";
import { isPacked, unpackTable } from "./packed.ts";

const MAX_LABELS = 128;

/** Flag bits of a role name's record. */
export const ROLE_FLAG = { prefix: 1, noReply: 2 } as const;
export const TOP_LEVEL = { specialUse: 0, rootZone: 1 } as const;
export const SUFFIX = { rule: 0, exception: 1 } as const;

type EntryKind = "none" | "relay" | "public" | "protected" | "mistyped" | "disposable";

/** Result of a lookup. Reused, so that bulk work doesn't allocate. */
export class ListMatch {
  decidingKind: EntryKind = "none";
  entryStart = 0;
  /** If the host itself is listed, its suffix needs no check. */
  isHostListed = false;
  entryFlags = 0;
  /** The host or an ancestor has a disposable entry below the minimum confidence. */
  hasLowConfidenceEntry = false;
  /** First and last day as disposable, in days since 2000-01-01; 0 if unknown. */
  since = 0;
  lastSeen = 0;
  /** Indexes into the table's meta; -1 if there is none. */
  relay = -1;
  public = -1;
  protected = -1;
  provider = 0;
  /** The host is a user's subdomain at its provider: `detail@user.example.com`. */
  isUserSubdomain = false;
}

export class CompiledLists extends TableReader implements RoleTable {
  private readonly attributes: AttributeReader = new AttributeReader();
  private readonly labelStarts: Int32Array = new Int32Array(MAX_LABELS);
  private readonly labelHashes: Int32Array = new Int32Array(MAX_LABELS);
  private readonly scratchMatch: ListMatch = new ListMatch();
  private loadedMeta: ListsMeta | undefined;

  get meta(): ListsMeta {
    this.loadedMeta ??= parseMeta(this.readMeta());
    if (this.loadedMeta === undefined) throw this.damageError("its description is incomplete");
    return this.loadedMeta;
  }

  /**
   * Looks up the host, then its ancestors, most specific first. Ignores disposable entries below the confidence rank
   * `minRank`. No entry is a public suffix, so a match never covers strangers' domains.
   */
  match(bytes: Uint8Array, start: number, end: number, minRank: number, out: ListMatch): void {
    out.decidingKind = "none";
    out.isHostListed = false;
    out.entryFlags = 0;
    out.hasLowConfidenceEntry = false;
    out.since = 0;
    out.lastSeen = 0;
    out.relay = -1;
    out.public = -1;
    out.protected = -1;
    out.provider = 0;
    out.isUserSubdomain = false;
    const labels = this.hashParents(bytes, start, end);
    for (let level = labels - 1; level >= 0; level -= 1) {
      const labelStart = this.labelStarts[level] as number;
      const index = this.find(KIND.domain, this.labelHashes[level] as number, bytes, labelStart, end);
      if (index < 0) continue;
      this.attributes.read(this.bytes, index);
      if (labelStart === start) this.copyHostEntry(out);
      else this.copyAncestorEntry(out, level === labels - 2);
      this.decide(out, labelStart === start, isSite(bytes, start, labelStart), minRank);
      out.entryStart = labelStart;
      if (out.decidingKind !== "none") return;
    }
  }

  lookUpRole(bytes: Uint8Array, start: number, end: number): RoleMatch {
    const index = this.findName(KIND.role, bytes, start, end);
    if (index < 0) return "none";
    return ((this.bytes[index] as number) & ROLE_FLAG.prefix) === 0 ? "exact" : "prefix";
  }

  /** Reports whether a role name says that no one reads its mail. */
  isNoReply(bytes: Uint8Array, start: number, end: number): boolean {
    const index = this.findName(KIND.role, bytes, start, end);
    return index >= 0 && ((this.bytes[index] as number) & ROLE_FLAG.noReply) !== 0;
  }

  topLevel(bytes: Uint8Array, start: number, end: number): TopLevel {
    const index = this.findName(KIND.topLevel, bytes, start, end);
    if (index < 0) return "unknown";
    return this.bytes[index] === TOP_LEVEL.specialUse ? "special-use" : "root-zone";
  }

  isSuffix(bytes: Uint8Array, start: number, end: number): boolean {
    let hash = hashSeed(KIND.suffix);
    let [dot, wildcardHash] = [end, hash];
    for (let i = end - 1; i >= start; i -= 1) {
      hash = hashStep(hash, bytes[i] as number);
      if (bytes[i] === DOT) [dot, wildcardHash] = [i, hashStep(hash, ASTERISK)];
    }
    const index = this.find(KIND.suffix, hash, bytes, start, end);
    if (index >= 0) return this.bytes[index] === SUFFIX.rule;
    if (!this.mayContain(wildcardHash)) return false;
    const wildcard = Uint8Array.of(ASTERISK, ...bytes.subarray(dot, end));
    return this.findName(KIND.suffix, wildcard, 0, wildcard.length) >= 0;
  }

  receivesMail(bytes: Uint8Array, start: number, end: number): boolean {
    const index = this.findName(KIND.domain, bytes, start, end);
    if (index < 0) return false;
    this.attributes.read(this.bytes, index);
    return this.attributes.receivesMail;
  }

  /** Returns the intended spelling of a misspelled domain (`typo`) or top-level label (`typoTld`), if known. */
  findCorrection(kind: "typo" | "typoTld", bytes: Uint8Array): string | undefined {
    const attributes = this.attributesOf(KIND[kind], bytes, 0, bytes.length);
    return attributes === undefined ? undefined : new TextDecoder().decode(attributes);
  }

  /** Reports whether the domain itself is a mailbox provider's. */
  isPublic(bytes: Uint8Array): boolean {
    return this.decidingKindOf(bytes) === "public" && this.scratchMatch.isHostListed;
  }

  /** Reports whether the domain or an ancestor is listed as a real one. */
  isListed(bytes: Uint8Array): boolean {
    return ["public", "protected", "relay"].includes(this.decidingKindOf(bytes));
  }

  /** Reports whether anyone can get a mailbox at the domain: a public provider's, a relay's or a disposable one. */
  isMailService(domain: string): boolean {
    return ["public", "relay", "disposable"].includes(this.decidingKindOf(encodeUtf8(domain)));
  }

  private decidingKindOf(bytes: Uint8Array): EntryKind {
    this.match(bytes, 0, bytes.length, 0, this.scratchMatch);
    return this.scratchMatch.decidingKind;
  }

  /** Returns a name's attributes, valid until the next lookup; undefined if it is not listed. */
  attributesOf(
    kind: Kind,
    bytes: Uint8Array,
    start: number,
    end: number,
    hash: number = hashName(kind, bytes, start, end),
  ): Uint8Array | undefined {
    const index = this.find(kind, hash, bytes, start, end);
    return index < 0 ? undefined : this.bytes.subarray(index, index + this.attributeLength);
  }

  private findName(kind: Kind, bytes: Uint8Array, start: number, end: number): number {
    return this.find(kind, hashName(kind, bytes, start, end), bytes, start, end);
  }

  /** Hashes the domain and its ancestors of two or more labels, shortest first. Returns the number of hashes. */
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

  private copyHostEntry(out: ListMatch): void {
    out.isHostListed = true;
    out.provider = this.attributes.provider;
    out.public = this.attributes.public;
  }

  private copyAncestorEntry(out: ListMatch, isDirectParent: boolean): void {
    const provider = this.attributes.provider;
    const rule = PROVIDER_RULES[provider - 1];
    if (out.provider === 0 && rule?.includesSubdomains === true) out.provider = provider;
    if (out.isHostListed || !isDirectParent || rule?.hasUserSubdomains !== true) return;
    out.isUserSubdomain = true;
    out.provider = provider;
    out.public = this.attributes.public;
  }

  private decide(out: ListMatch, isHost: boolean, isSite: boolean, minRank: number): void {
    const entry = this.attributes;
    if (entry.relay >= 0 && (isHost || entry.relayCoversSubdomains)) {
      out.decidingKind = "relay";
      out.relay = entry.relay;
    } else if (entry.public >= 0) {
      // A subdomain of a public domain is not public, but neither is it more disposable than its parent.
      if (isHost || out.isUserSubdomain) out.decidingKind = "public";
      else out.decidingKind = isSite ? "mistyped" : "protected";
    } else if (entry.protected >= 0 || entry.relay >= 0) {
      out.decidingKind = isHost && entry.protected === MISSPELLED_KIND ? "mistyped" : "protected";
      out.protected = entry.protected;
    } else if (entry.entryFlags !== 0 && confidenceRank(entry.entryFlags) >= minRank) {
      out.decidingKind = "disposable";
      out.entryFlags = entry.entryFlags;
      out.since = entry.since;
      out.lastSeen = entry.lastSeen;
    } else if (entry.entryFlags !== 0) out.hasLowConfidenceEntry = true;
  }
}

/** Reports whether the host is its parent's site, such as `www.gmail.com`, where no one has a mailbox. */
function isSite(bytes: Uint8Array, start: number, parentStart: number): boolean {
  return parentStart - start === 4 && decodeAsciiLowercase(bytes, start, parentStart) === "www.";
}

/** Opens and verifies lists in memory. The bytes must not change. Throws AddrsiftError DATA. */
export function listsFromBytes(name: string, input: Uint8Array): CompiledLists {
  if (input[0] === 0x1f && input[1] === 0x8b) {
    const fix = 'unpack them first, such as with gunzip or new DecompressionStream("gzip")';
    throw new AddrsiftError("DATA", `${name} are packed by gzip: ${fix}`);
  }
  const bytes = isPacked(input) ? unpackTable(name, input) : input;
  const locate = (offset: number, length: number): number => {
    if (offset + length > bytes.length) throw tableError(name, "it is cut off");
    return offset;
  };
  const lists = new CompiledLists({ name, bytes, length: bytes.length, locate });
  lists.verify();
  return lists;
}

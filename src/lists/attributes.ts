// Encodes and decodes a domain's record: a flag byte, then the field of each set flag that has one.

import { SOURCE_BIT } from "./confidence.ts";

/** Flags of a domain's record, in the order of their fields. */
const FLAG = {
  // Field: entry flags, 1 byte; if a daily list is among the sources, the day it last had the name, 2 bytes.
  disposable: 1,
  relay: 2, // field: number of the relay provider, 1 byte
  relayCoversSubdomains: 4,
  public: 8, // field: number of the operator, 2 bytes
  protected: 16, // field: number of the protected kind, 1 byte
  provider: 32, // field: number of the provider rule, 1 byte
  receivesMail: 64,
  since: 128, // field: day, 2 bytes
} as const;

/** Protected kind of misspelled provider names; not in the table's meta. */
export const MISSPELLED_KIND = 255;

export type DomainAttributes = Partial<Omit<AttributeReader, "read">>;

export function packAttributes(value: DomainAttributes): Uint8Array {
  const fields: number[] = [];
  let flags = 0;
  const add = (flag: number, ...bytes: number[]): void => {
    flags |= flag;
    fields.push(...bytes);
  };
  const { entryFlags = 0, lastSeen = 0 } = value;
  if (entryFlags > 0)
    add(FLAG.disposable, entryFlags, ...(hasDailySource(entryFlags) ? [lastSeen & 0xff, lastSeen >> 8] : []));
  if (value.relay !== undefined) add(FLAG.relay, value.relay);
  if (value.relayCoversSubdomains === true) add(FLAG.relayCoversSubdomains);
  if (value.public !== undefined) add(FLAG.public, value.public & 0xff, value.public >> 8);
  if (value.protected !== undefined) add(FLAG.protected, value.protected);
  if (value.provider !== undefined) add(FLAG.provider, value.provider);
  if (value.receivesMail === true) add(FLAG.receivesMail);
  if (value.since !== undefined && value.since > 0) add(FLAG.since, value.since & 0xff, value.since >> 8);
  return Uint8Array.of(flags, ...fields);
}

function hasDailySource(entryFlags: number): boolean {
  return (entryFlags & SOURCE_BIT.C) !== 0;
}

/** Decodes records; reused for each. Numbers are indexes into the table's meta, -1 for none. */
export class AttributeReader {
  /** Sources and rank of a disposable entry, as `entryFlags` returns them; 0 if there is none. */
  entryFlags = 0;
  relay = -1;
  relayCoversSubdomains = false;
  public = -1;
  protected = -1;
  provider = 0;
  receivesMail = false;
  /** As `firstDayOf` and `lastDayOf` return them. */
  since = 0;
  lastSeen = 0;

  read(bytes: Uint8Array, offset: number): void {
    const flags = bytes[offset] as number;
    let i = offset + 1;
    this.entryFlags = (flags & FLAG.disposable) === 0 ? 0 : (bytes[i++] as number);
    this.lastSeen = hasDailySource(this.entryFlags) ? (bytes[i++] as number) | ((bytes[i++] as number) << 8) : 0;
    this.relay = (flags & FLAG.relay) === 0 ? -1 : (bytes[i++] as number);
    this.relayCoversSubdomains = (flags & FLAG.relayCoversSubdomains) !== 0;
    this.public = (flags & FLAG.public) === 0 ? -1 : (bytes[i++] as number) | ((bytes[i++] as number) << 8);
    this.protected = (flags & FLAG.protected) === 0 ? -1 : (bytes[i++] as number);
    this.provider = (flags & FLAG.provider) === 0 ? 0 : (bytes[i++] as number);
    this.receivesMail = (flags & FLAG.receivesMail) !== 0;
    this.since = (flags & FLAG.since) === 0 ? 0 : (bytes[i++] as number) | ((bytes[i++] as number) << 8);
  }
}

export const DOMAIN_KINDS = [
  "academic",
  "bank",
  "company",
  "education",
  "former_provider",
  "free_subdomain",
  "government",
  "health",
  "hidden",
  "isp",
  "machine",
  "mail-infrastructure",
  "media",
  "nonprofit",
  "post",
  "reserved",
  "service",
  "utility",
] as const;
export type DomainKind = (typeof DOMAIN_KINDS)[number];

/** Reports whether a protected kind is a domain kind. Some, such as `removal`, are not. */
export function isDomainKind(text: string): text is DomainKind {
  return (DOMAIN_KINDS as readonly string[]).includes(text);
}

// Classifies IP addresses as public or special, and recognizes loopback hosts.

import { BlockList, isIP } from "node:net";
import type * as ipaddr from "ipaddr.js";
import { AddrsiftError } from "./errors.ts";

/** ipaddr.js, which the caller loads because most runs don't need it. */
export type IpaddrModule = Pick<typeof ipaddr, "process" | "parseCIDR">;

const LINK_LOCAL = "a link-local address";
const RESERVED = "a reserved address";
const KINDS: Readonly<Record<string, string>> = {
  unspecified: "an unspecified address",
  loopback: "a loopback address",
  private: "a private address",
  uniqueLocal: "a private address",
  linkLocal: LINK_LOCAL,
  multicast: "a multicast address",
  broadcast: "a broadcast address",
  carrierGradeNat: "an address behind a carrier's NAT",
  rfc6052: "a NAT64 address",
  "6to4": "a 6to4 address",
  teredo: "a Teredo address",
};

// RFC 4291 §2.4 and the IANA registry. ipaddr.js calls all unassigned space unicast.
const GLOBAL_UNICAST = "2000::/3";

// Ranges that ipaddr.js calls unicast.
const EXTRA_RANGES: readonly (readonly [range: string, kind: string])[] = [
  // Azure's platform services: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  ["168.63.129.16/32", "an address of a cloud's own services"],
  // The former 6bone (RFC 3701 §2).
  ["3ffe::/16", RESERVED],
];
// With any prefix, this interface identifier embeds an IPv4 address in the last 32 bits (RFC 5214 §6.1).
const ISATAP = /^(?:[0-9a-f]+:){4}(?:0|200):5efe:/;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Returns the kind of a special address in any notation, such as `a loopback address`; undefined if it is public. */
export function specialAddressKind(ipaddrModule: IpaddrModule, text: string): string | undefined {
  if (isIP(text) === 0) return "an unknown address";
  // Only link-local addresses have zones (RFC 4007 §6).
  if (text.includes("%")) return LINK_LOCAL;
  const address = ipaddrModule.process(text);
  const kind = address.range();
  if (kind !== "unicast") return KINDS[kind] ?? RESERVED;
  const isInRange = (range: string): boolean => {
    const [base, length] = ipaddrModule.parseCIDR(range);
    return base.kind() === address.kind() && address.match(base, length);
  };
  const [, extraKind] = EXTRA_RANGES.find(([range]) => isInRange(range)) ?? [];
  if (extraKind !== undefined || address.kind() === "ipv4") return extraKind;
  if (ISATAP.test(address.toNormalizedString())) return "an ISATAP address";
  return isInRange(GLOBAL_UNICAST) ? undefined : RESERVED;
}

/** Reports whether the address is in 127.0.0.0/8, is ::1, or is IPv4-mapped to one of them. */
export function isLoopbackAddress(address: string): boolean {
  const withoutZone = address.replace(/%.*$/, "");
  const version = isIP(withoutZone);
  return version !== 0 && LOOPBACK.check(withoutZone, version === 4 ? "ipv4" : "ipv6");
}

const LOOPBACK_NAME = /^(?:.+\.)?localhost\.?$/i;

/** Reports whether the host is `localhost` or a subdomain of it, which are never looked up in DNS (RFC 6761 §6.3). */
export function isLoopbackName(host: string): boolean {
  return LOOPBACK_NAME.test(host);
}

/** Reports whether a URL's or Host header's host, without port, is `localhost` or a loopback literal. */
export function isLoopbackHost(host: string): boolean {
  if (host === "localhost") return true;
  if (!host.startsWith("[")) return isIP(host) === 4 && isLoopbackAddress(host);
  const address = host.slice(1, -1);
  return isIP(address) === 6 && isLoopbackAddress(address);
}

export interface AddressRange {
  readonly host: string;
  /** Prefix length in bits. */
  readonly length: number;
  readonly bits: 32 | 128;
}

/** Parses a CIDR range of `option`; a single address is a range of one. Throws AddrsiftError USAGE. */
export function parseRange(text: string, option: string): AddressRange {
  const [host = "", prefix, ...extra] = text.trim().split("/");
  const bits = isIP(host) === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : /^[0-9]{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (isIP(host) === 0 || host.includes("%") || length < 0 || length > bits || extra.length > 0) {
    throw new AddrsiftError(
      "USAGE",
      `${option} has "${text}", which is not a range of addresses: give one such as 10.0.0.0/8`,
    );
  }
  return { host, length, bits };
}

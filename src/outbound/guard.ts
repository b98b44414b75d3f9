// Which IP addresses our requests may go to: public ones, and ranges that the operator allows. It resolves no name.

import { isIP } from "node:net";
import type * as ipaddr from "ipaddr.js";
import { AddrsiftError } from "../base/errors.ts";
import { type IpAddresses, parseRange, specialKind } from "../base/ip.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

export interface Guard {
  /** The kind of special address, such as `a loopback address`; undefined when requests may go there. */
  refusal(address: string): string | undefined;
}

// ::ffff:0:0/96 as a prefix length, RFC 4291 §2.5.5.2.
const MAPPED_PREFIX = 96;

/**
 * Makes a guard. `allowed` are address ranges such as `10.0.0.0/8`, or single addresses; AddrsiftError USAGE for
 * others.
 */
export function createGuard(addresses: IpAddresses, allowed: readonly string[]): Guard {
  const ranges = allowed.map((text) => guardRange(addresses, text));
  return {
    refusal: (text) => {
      const kind = specialKind(addresses, text);
      // A zone (RFC 4007 §6) makes an address that no range names.
      if (kind === undefined || isIP(text) === 0 || text.includes("%")) return kind;
      const address = addresses.process(text);
      return ranges.some((range) => contains(range, address)) ? undefined : kind;
    },
  };
}

function guardRange(addresses: IpAddresses, text: string): Range {
  const { host, length, bits } = parseRange(text);
  const address = addresses.process(host);
  // An IPv4-mapped range means the IPv4 addresses that it maps.
  const mapped = bits === 128 && address.kind() === "ipv4";
  if (mapped && length < MAPPED_PREFIX) {
    const meant =
      length <= 32 ? `: for IPv4 give ${address.toString()}/${length}` : ": give at least /96, or an IPv4 range";
    throw new AddrsiftError("USAGE", `"${text}" covers more than the IPv4 addresses that it names${meant}`);
  }
  return [address, mapped ? length - MAPPED_PREFIX : length];
}

function contains([base, length]: Range, address: Address): boolean {
  return base.kind() === address.kind() && address.match(base, length);
}

// Whose address a request has when it came through proxies that the operator trusts. Nothing is resolved here.

import { BlockList, isIP } from "node:net";
import { parseRange } from "../../base/ip.ts";

/** Says whether an address is a proxy whose word counts. */
export type TrustedProxies = (address: string) => boolean;

/** Trusts these ranges, such as `10.0.0.0/8`, and single addresses. Throws AddrsiftError USAGE for anything else. */
export function trustedProxies(ranges: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const { host, length, bits } of ranges.map(parseRange)) list.addSubnet(host, length, familyOf(bits));
  return (address) => {
    const plain = withoutZone(address);
    const version = isIP(plain);
    return version !== 0 && list.check(plain, familyOf(version === 4 ? 32 : 128));
  };
}

/**
 * The address of the caller: the peer, or what trusted proxies say of it in X-Forwarded-For. Each proxy adds the address that it was asked
 * from, so the list is read from its end, and the first address that is no trusted proxy is the caller. What stands before it anyone may
 * have written.
 */
export function callerAddress(peer: string, forwardedFor: string, trusts: TrustedProxies): string {
  let caller = peer;
  for (const entry of forwardedFor.split(",").reverse()) {
    if (!trusts(caller)) return caller;
    const named = addressIn(entry.trim());
    if (named === undefined) return caller;
    caller = named;
  }
  return caller;
}

/** The address in an entry: some proxies add a port, and then put IPv6 in brackets. */
function addressIn(entry: string): string | undefined {
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\](?::\d*)?|([0-9.]+):\d*)$/.exec(entry) ?? [];
  const address = bracketed ?? withPort ?? entry;
  return isIP(withoutZone(address)) === 0 ? undefined : address;
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, "");
}

function familyOf(bits: 32 | 128): "ipv4" | "ipv6" {
  return bits === 32 ? "ipv4" : "ipv6";
}

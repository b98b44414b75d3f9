// Address records come from strangers: special addresses are left out, their number is limited. Loaded only when there are any,
// because most domains have MX records.

import ipaddr from "ipaddr.js";

// RFC 4291 §2.4 and the IANA registry: all global unicast IPv6 is in this range. ipaddr.js calls all unknown space unicast.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Addresses kept for one host. */
const ADDRESSES_MAX = 8;

/** Addresses that mail could go to: no loopback, private, link-local or other special ones. */
export function readAddresses(records: readonly string[]): string[] {
  return records.filter(isPublic).sort().slice(0, ADDRESSES_MAX);
}

function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

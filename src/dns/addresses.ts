// Address records are a stranger's words: special addresses are left out, their number is bounded. Loaded when there are any, for
// most domains have MX records.

import ipaddr from "ipaddr.js";

// RFC 4291 §2.4 with the IANA registry: all global unicast IPv6 is in here. ipaddr.js calls all unknown space unicast.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Addresses kept of one host. */
const ADDRESSES_MAX = 8;

/** Addresses to which mail could go: no loopback, private, link-local or other special ones. */
export function readAddresses(records: readonly string[]): string[] {
  return records.filter(isPublic).sort().slice(0, ADDRESSES_MAX);
}

function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

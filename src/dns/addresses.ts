// Address records are a stranger's words: special addresses are left out, their number is bounded. Loaded when there are any, for
// most domains have MX records.

import ipaddr from "ipaddr.js";

/** Addresses kept of one host. */
const ADDRESSES_MAX = 8;

/** Addresses to which mail could go: no loopback, private, link-local or other special ones. */
export function readAddresses(records: readonly string[]): string[] {
  return records
    .filter((address) => ipaddr.isValid(address) && ipaddr.process(address).range() === "unicast")
    .sort()
    .slice(0, ADDRESSES_MAX);
}

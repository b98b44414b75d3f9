// Address records come from strangers: special addresses are left out, their number is limited. Loaded only when there are any,
// because most domains have MX records.

import ipaddr from "ipaddr.js";
import { specialKind } from "../base/ip.ts";

/** Addresses kept for one host. */
const ADDRESSES_MAX = 8;

/** Addresses that mail could go to: no loopback, private, link-local or other special ones. */
export function readAddresses(records: readonly string[]): string[] {
  return records
    .filter((text) => specialKind(ipaddr, text) === undefined)
    .sort()
    .slice(0, ADDRESSES_MAX);
}

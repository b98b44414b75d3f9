// MX and address records come from strangers: names are checked, special addresses left out, their numbers limited.

import type { MxRecord } from "node:dns";
import type { Exchange } from "../detection/routing.ts";

const EXCHANGES_MAX = 16;

// The same as data/special-use.tsv, which this folder may not import; a test compares the two.
/** Top-level labels that lead to no host of the public DNS (RFC 6761 and others). */
export const SPECIAL_USE: ReadonlySet<string> = new Set(
  "alt arpa example internal invalid local localhost onion test".split(" "),
);

/**
 * MX records as exchanges, without those whose name is not usable; "null_mx" for the record that says no mail (RFC
 * 7505).
 */
export function readExchanges(records: readonly MxRecord[]): Exchange[] | "null_mx" {
  if (records.length === 1 && isRoot(records[0]?.exchange)) return "null_mx";
  return records
    .map(({ priority, exchange }) => ({ preference: priority, exchange: exchange.toLowerCase().replace(/\.$/, "") }))
    .filter(({ exchange }) => isHostName(exchange))
    .sort((a, b) => a.preference - b.preference || (a.exchange < b.exchange ? -1 : 1))
    .slice(0, EXCHANGES_MAX);
}

function isRoot(exchange: string | undefined): boolean {
  return exchange === "" || exchange === ".";
}

/**
 * A host name of two or more labels (RFC 1123 §2.1), also with underscores, which some exchangers have. Not an
 * address, not what programs read as one (a last label of digits, or `0x` and digits), and not a name that stays within
 * a machine or a network.
 */
function isHostName(name: string): boolean {
  const top = name.slice(name.lastIndexOf(".") + 1);
  return (
    !/^(?:[0-9]+|0x[0-9a-f]*)$/.test(top) &&
    !SPECIAL_USE.has(top) &&
    name.length <= 253 &&
    /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)+$/.test(name)
  );
}

const ADDRESSES_MAX = 8;

/** Addresses that mail could go to: no loopback, private, link-local or other special ones. */
export async function readAddresses(records: readonly string[]): Promise<string[]> {
  if (records.length === 0) return [];
  // Loaded only when there are any, because most domains have MX records, and node:net takes 5 ms.
  const [{ default: ipaddr }, { specialAddressKind }] = await Promise.all([
    import("ipaddr.js"),
    import("../base/ip.ts"),
  ]);
  return records
    .filter((text) => specialAddressKind(ipaddr, text) === undefined)
    .sort()
    .slice(0, ADDRESSES_MAX);
}

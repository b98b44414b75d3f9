// Validates MX and address records, which anyone can publish: drops unusable names and special addresses, limits both.

import type { MxRecord } from "node:dns";
import type { Exchange } from "../detection/routing.ts";

const EXCHANGES_MAX = 16;

/**
 * Top-level labels without hosts in the public DNS (RFC 6761 and others). A test compares them with
 * data/special-use.tsv, which this folder may not import.
 */
export const SPECIAL_USE: ReadonlySet<string> = new Set(
  "alt arpa example internal invalid local localhost onion test".split(" "),
);

/** Returns the usable MX records, sorted by preference; "null_mx" for a null MX record (RFC 7505). */
export function toExchanges(records: readonly MxRecord[]): Exchange[] | "null_mx" {
  if (records.length === 1 && /^\.?$/.test(records[0]?.exchange as string)) return "null_mx";
  return records
    .map(({ priority, exchange }) => ({ preference: priority, exchange: exchange.toLowerCase().replace(/\.$/, "") }))
    .filter(({ exchange }) => isUsableHostName(exchange))
    .sort((a, b) => a.preference - b.preference || (a.exchange < b.exchange ? -1 : 1))
    .slice(0, EXCHANGES_MAX);
}

/**
 * Accepts host names of two or more labels (RFC 1123 §2.1), with underscores too, which some exchangers have. Rejects
 * IP addresses, names that URL parsers read as one (last label decimal or `0x` and digits), and special-use names.
 */
function isUsableHostName(name: string): boolean {
  const top = name.slice(name.lastIndexOf(".") + 1);
  return (
    !/^(?:[0-9]+|0x[0-9a-f]*)$/.test(top) &&
    !SPECIAL_USE.has(top) &&
    name.length <= 253 &&
    /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)+$/.test(name)
  );
}

const ADDRESSES_MAX = 8;

/** Returns the public addresses; drops loopback, private, link-local and other special ones. */
export async function filterPublicAddresses(records: readonly string[]): Promise<string[]> {
  if (records.length === 0) return [];
  // Loaded on demand: most domains have MX records, and node:net takes 5 ms to load.
  const [{ default: ipaddr }, { specialAddressKind }] = await Promise.all([
    import("ipaddr.js"),
    import("../base/ip.ts"),
  ]);
  return records
    .filter((text) => specialAddressKind(ipaddr, text) === undefined)
    .sort()
    .slice(0, ADDRESSES_MAX);
}

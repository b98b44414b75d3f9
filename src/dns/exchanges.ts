// MX records are a stranger's words: names are checked, their number is bounded.

import type { MxRecord } from "node:dns";
import type { Exchange } from "../detection/routing.ts";

/** Exchanges kept of one domain, the lowest preference first. */
const EXCHANGES_MAX = 16;

/** MX records as exchanges, those without a usable name left out; "null_mx" for the one that says no mail (RFC 7505). */
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

/** A host name of two labels or more (RFC 1123 §2.1), underscores included, which some exchangers have. */
function isHostName(name: string): boolean {
  return (
    name.length <= 253 &&
    /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)+$/.test(name)
  );
}

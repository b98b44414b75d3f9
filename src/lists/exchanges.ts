// Facts about mail exchangers: which serve only disposable services or relays, which take mail for parked names, and
// which are shared infrastructure. Each entry names its provider.

import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { KIND } from "./format.ts";
import type { CompiledLists } from "./table.ts";

/**
 * The meaning of an exchanger for the domains whose mail it takes: `disposable` and `relay` decide the verdict.
 * `parked` is reported only and decides nothing: it serves names that are for sale and spam traps, where no person
 * reads mail. `shared` shows nothing, whatever its name.
 */
export const EXCHANGE_CLASSES = ["disposable", "relay", "shared", "parked"] as const;
export type ExchangeClass = (typeof EXCHANGE_CLASSES)[number];

// A flag in a record's first byte, beside the number of the class.
const SUBDOMAINS = 0x80;

export interface ExchangeAttributes {
  readonly class: ExchangeClass;
  /** Hosts below the name also belong to it. */
  readonly subdomains: boolean;
  readonly provider: number;
}

/** The entry that was found: its own name, class and provider. */
export interface ExchangeEntry {
  readonly entry: string;
  readonly class: ExchangeClass;
  readonly provider: string;
}

export function packExchange({ class: ofClass, subdomains, provider }: ExchangeAttributes): Uint8Array {
  const first = EXCHANGE_CLASSES.indexOf(ofClass) | (subdomains ? SUBDOMAINS : 0);
  return Uint8Array.of(first, provider & 0xff, provider >> 8);
}

/** The most specific entry for an exchanger's host name (lower-case A-labels) or its parents. */
export function findExchange(host: string, lists: CompiledLists): ExchangeEntry | undefined {
  for (let at = 0; at >= 0; ) {
    const entry = host.slice(at);
    const found = find(KIND.exchange, entry, at > 0, lists);
    if (found !== undefined) return found;
    const dot = host.indexOf(".", at);
    at = dot < 0 ? -1 : dot + 1;
  }
  return undefined;
}

/** The entry for an exchanger's IPv4 address in dotted form. */
export function findExchangeAddress(address: string, lists: CompiledLists): ExchangeEntry | undefined {
  return find(KIND.exchangeAddress, address, false, lists);
}

function find(
  kind: typeof KIND.exchange | typeof KIND.exchangeAddress,
  entry: string,
  below: boolean,
  lists: CompiledLists,
): ExchangeEntry | undefined {
  // The table has no longer names.
  if (entry.length > 255) return undefined;
  const bytes = encodeUtf8(entry);
  const attributes = lists.attributesOf(kind, bytes, 0, bytes.length);
  if (attributes === undefined) return undefined;
  const [first = 0, low = 0, high = 0] = attributes;
  if (below && (first & SUBDOMAINS) === 0) return undefined;
  const provider = lists.meta.exchangeProviders[low | (high << 8)] as string;
  return { entry, class: EXCHANGE_CLASSES[first & ~SUBDOMAINS] as ExchangeClass, provider };
}

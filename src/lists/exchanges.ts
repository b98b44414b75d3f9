// Looks up mail exchangers: provider and class.

import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { findInParents } from "../base/user-input.ts";
import { KIND, type Kind } from "./format.ts";
import type { CompiledLists } from "./table.ts";

/** `disposable` and `relay` decide the verdict; `parked` (for sale, spam traps) is only reported. */
export const EXCHANGE_CLASSES = ["disposable", "relay", "shared", "parked"] as const;
export type ExchangeClass = (typeof EXCHANGE_CLASSES)[number];

// Flag in a record's first byte, next to the class's number.
const COVERS_SUBDOMAINS = 0x80;

export interface ExchangeEntry {
  readonly entry: string;
  readonly class: ExchangeClass;
  readonly provider: string;
}

export function packExchange(exchangeClass: ExchangeClass, coversSubdomains: boolean, provider: number): Uint8Array {
  const flags = EXCHANGE_CLASSES.indexOf(exchangeClass) | (coversSubdomains ? COVERS_SUBDOMAINS : 0);
  return Uint8Array.of(flags, provider & 0xff, provider >> 8);
}

/** Returns the most specific entry for an exchanger's host name (lower-case A-labels) or an ancestor. */
export function findExchange(host: string, lists: CompiledLists): ExchangeEntry | undefined {
  return findInParents(host, (name) => findEntry(KIND.exchange, name, name !== host, lists));
}

export function findExchangeAddress(address: string, lists: CompiledLists): ExchangeEntry | undefined {
  return findEntry(KIND.exchangeAddress, address, false, lists);
}

function findEntry(kind: Kind, entry: string, isAncestor: boolean, lists: CompiledLists): ExchangeEntry | undefined {
  // A longer name is not listed, because names in the table have at most 255 bytes.
  if (entry.length > 255) return undefined;
  const bytes = encodeUtf8(entry);
  const attributes = lists.attributesOf(kind, bytes, 0, bytes.length);
  if (attributes === undefined) return undefined;
  const [flags = 0, low = 0, high = 0] = attributes;
  if (isAncestor && (flags & COVERS_SUBDOMAINS) === 0) return undefined;
  const provider = lists.meta.exchangeProviders[low | (high << 8)] as string;
  return { entry, class: EXCHANGE_CLASSES[flags & ~COVERS_SUBDOMAINS] as ExchangeClass, provider };
}

// What a domain is known to be: from the protected entry that settles it, else from the namespace that contains it.

import { decodeUtf8 } from "../bytes/octets.ts";
import { type DomainKind, isDomainKind } from "../lists/domain-kinds.ts";
import { KIND } from "../lists/format.ts";
import type { CompiledLists, ListMatch } from "../lists/table.ts";

const DOT = 0x2e;

/**
 * The kind of the domain in `octets`, for which `match` was filled; undefined when none is known, or when another flag already
 * tells.
 */
export function domainKindOf(octets: Uint8Array, match: ListMatch, lists: CompiledLists): DomainKind | undefined {
  const { settling } = match;
  if (settling !== "none" && settling !== "protected") return undefined;
  const listed = settling === "protected" ? lists.meta.protectedKinds[match.protected] : undefined;
  if (listed !== undefined && isDomainKind(listed)) return listed;
  return namespaceKind(octets, lists);
}

/** The kind of the longest namespace at or above the domain. */
function namespaceKind(octets: Uint8Array, lists: CompiledLists): DomainKind | undefined {
  for (let start = 0; start > -1; start = nextLabel(octets, start)) {
    const found = lists.attributesOf(KIND.namespace, octets, start, octets.length);
    if (found !== undefined) return decodeUtf8(found, 0, found.length) as DomainKind;
  }
  return undefined;
}

/** Where the label after the one at `start` begins; -1 after the last. */
function nextLabel(octets: Uint8Array, start: number): number {
  const dot = octets.indexOf(DOT, start);
  return dot < 0 ? -1 : dot + 1;
}

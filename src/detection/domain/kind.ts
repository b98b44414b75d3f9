// The kind that a domain is known to be, from the protected entry that settles it, else from the namespace that contains it; and what
// is worth a second look in it.

import { domainToUnicode } from "../../address/domain/idna.ts";
import type { ParserContext } from "../../address/mailbox.ts";
import { type DomainWarning, domainWarnings } from "../../address/warnings.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/bytes/octets.ts";
import { type DomainKind, isDomainKind } from "../../lists/attributes.ts";
import { KIND } from "../../lists/format.ts";
import type { CompiledLists, ListMatch } from "../../lists/table.ts";

const DOT = 0x2e;
const RESERVED: DomainKind = "reserved";
const FREE: DomainKind = "free_subdomain";

/**
 * The kind of a domain in A-labels, for which `match` was filled; undefined when none is known, or when another flag already tells. Whose
 * name it is below a host of free subdomains no flag tells.
 */
export function domainKindOf(
  ascii: string,
  match: ListMatch,
  { lists, surroundings }: { readonly lists: CompiledLists; readonly surroundings: ParserContext },
): DomainKind | undefined {
  const { settling } = match;
  const listed = settling === "protected" ? lists.meta.protectedKinds[match.protected] : undefined;
  if (listed !== undefined && isDomainKind(listed)) return listed;
  const kind = namespaceKind(encodeUtf8(ascii), lists);
  if (kind !== undefined && kind !== FREE && (settling === "none" || settling === "protected")) return kind;
  if (settling === "relay" || settling === "public" || ascii.startsWith("[")) return undefined;
  return kind === FREE || isBelowPrivateSuffix(ascii, surroundings) ? FREE : undefined;
}

function isBelowPrivateSuffix(ascii: string, { suffixes }: ParserContext): boolean {
  const suffix = suffixes.publicSuffix(ascii, true);
  return suffix !== ascii && suffix !== suffixes.publicSuffix(ascii);
}

/** Warnings about a domain in A-labels. */
export function warningsOf(ascii: string, { idna }: ParserContext, lists: CompiledLists): DomainWarning[] {
  if (!ascii.includes("xn--")) return [];
  return domainWarnings(domainToUnicode(ascii, idna), (name) => lists.isPublic(encodeUtf8(name)));
}

/**
 * True for a special-use name or one for documentation, and for what is below one. Such names have one label or two, and only those
 * are looked up, because every domain that no list settles is asked about. `topLevel`: a name of one label may be valid here.
 */
export function isReserved(
  octets: Uint8Array,
  start: number,
  end: number,
  topLevel: boolean,
  lists: CompiledLists,
): boolean {
  const last = labelStart(octets, start, end);
  if (last > start && isReservedName(octets, labelStart(octets, start, last - 1), end, lists)) return true;
  return topLevel && isReservedName(octets, last, end, lists);
}

function isReservedName(octets: Uint8Array, start: number, end: number, lists: CompiledLists): boolean {
  const found = lists.attributesOf(KIND.namespace, octets, start, end);
  return found !== undefined && decodeUtf8(found) === RESERVED;
}

/** Where the last label before `end` begins. */
function labelStart(octets: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && octets[at - 1] !== DOT) at -= 1;
  return at;
}

/** The kind of the longest namespace at or above the domain; a host of free subdomains is not one itself. */
function namespaceKind(octets: Uint8Array, lists: CompiledLists): DomainKind | undefined {
  for (let start = 0; start > -1; start = nextLabel(octets, start)) {
    const found = lists.attributesOf(KIND.namespace, octets, start, octets.length);
    const kind = found === undefined ? undefined : (decodeUtf8(found) as DomainKind);
    if (kind !== undefined && !(kind === FREE && start === 0)) return kind;
  }
  return undefined;
}

/** Where the label after the one at `start` begins; -1 after the last. */
function nextLabel(octets: Uint8Array, start: number): number {
  const dot = octets.indexOf(DOT, start);
  return dot < 0 ? -1 : dot + 1;
}

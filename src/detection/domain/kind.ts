// Determines a domain's kind, and its warnings.

import { domainToUnicode } from "../../address/domain/idna.ts";
import { type AddressWarning, domainWarnings } from "../../address/warnings.ts";
import { DOT } from "../../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8, LOWERCASE } from "../../base/bytes/bytes.ts";
import { type DomainKind, isDomainKind } from "../../lists/attributes.ts";
import { hashSeed, hashStep, KIND } from "../../lists/format.ts";
import type { CompiledLists, ListMatch } from "../../lists/table.ts";

const FREE_SUBDOMAIN: DomainKind = "free_subdomain";
// Hidden addresses of users at GitHub, and by default at any GitLab server, are at this prefix and the server's name.
export const HIDDEN_ADDRESS_PREFIX: Uint8Array = encodeUtf8("users.noreply.");

/**
 * Returns the kind of a domain in A-labels, whose lookup was `match`: by its protected entry, or else by its namespace.
 * Undefined if it is unknown, or if a flag such as `relay_domain` describes the domain.
 */
export function domainKindOf(
  bytes: Uint8Array,
  start: number,
  end: number,
  { decidingKind, protected: kindIndex }: ListMatch,
  lists: CompiledLists,
): DomainKind | undefined {
  if (decidingKind === "relay" || decidingKind === "public") return undefined;
  const hasNoFlag = decidingKind === "none" || decidingKind === "protected";
  if (hasNoFlag && isHiddenAddressHost(bytes, start, end)) return "hidden";
  const listedKind = decidingKind === "protected" ? lists.meta.protectedKinds[kindIndex] : undefined;
  if (listedKind !== undefined && isDomainKind(listedKind)) return listedKind;
  const kind = findNamespace(bytes, start, end, lists)?.kind;
  return hasNoFlag || kind === FREE_SUBDOMAIN ? kind : undefined;
}

function isHiddenAddressHost(bytes: Uint8Array, start: number, end: number): boolean {
  if (LOWERCASE[bytes[start] as number] !== HIDDEN_ADDRESS_PREFIX[0] || end - start <= HIDDEN_ADDRESS_PREFIX.length)
    return false;
  return HIDDEN_ADDRESS_PREFIX.every((byte, i) => LOWERCASE[bytes[start + i] as number] === byte);
}

export function warningsOf(ascii: string, lists: CompiledLists): AddressWarning[] {
  if (!ascii.includes("xn--")) return [];
  return domainWarnings(domainToUnicode(ascii), (name) => lists.isPublic(encodeUtf8(name)));
}

interface Namespace {
  readonly kind: DomainKind;
  readonly start: number;
  /** Number of names below it that count as disposable. */
  readonly disposableNames: number;
}

/** Returns the longest namespace that contains the domain. A host of free subdomains is not in its own namespace. */
export function findNamespace(
  bytes: Uint8Array,
  start: number,
  end: number,
  lists: CompiledLists,
): Namespace | undefined {
  let longest: Namespace | undefined;
  let hash = hashSeed(KIND.namespace);
  for (let labelStart = end - 1; labelStart >= start; labelStart -= 1) {
    hash = hashStep(hash, bytes[labelStart] as number);
    if (labelStart > start && bytes[labelStart - 1] !== DOT) continue;
    const attributes = lists.attributesOf(KIND.namespace, bytes, labelStart, end, hash);
    if (attributes === undefined) continue;
    const [kind, listedCount = 0] = decodeUtf8(attributes).split(" ");
    if (kind !== FREE_SUBDOMAIN || labelStart > start)
      longest = { kind: kind as DomainKind, start: labelStart, disposableNames: Number(listedCount) };
  }
  return longest;
}

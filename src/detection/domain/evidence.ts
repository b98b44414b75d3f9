// Finds the entries that match a domain, and its suffix.

import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { omitUndefined } from "../../base/result.ts";
import { MISSPELLED_KIND } from "../../lists/attributes.ts";
import { formatDay, minimumRank } from "../../lists/confidence.ts";
import { describeSources, sourceLabels } from "../../lists/meta.ts";
import { findMailboxOverride, findOverride, NO_OVERRIDES, type OverrideEntry } from "../../lists/overrides.ts";
import { type CompiledLists, ListMatch } from "../../lists/table.ts";
import type { ClassifierSetup } from "../classifier.ts";
import type { Explanation, Match } from "../evidence.ts";

export interface DomainLookup {
  /** Lower-case A-labels, or an address literal. */
  readonly ascii: string;
  readonly bytes: Uint8Array;
  readonly match: ListMatch;
}

/** Looks up a domain in A-labels, or an address literal, which no list has. */
export function lookUpDomain(ascii: string, { lists, minConfidence }: ClassifierSetup): DomainLookup {
  const match = new ListMatch();
  const bytes = encodeUtf8(ascii);
  if (!isLiteral(ascii)) lists.match(bytes, 0, bytes.length, minimumRank(minConfidence), match);
  return { ascii, bytes, match };
}

export function isLiteral(ascii: string): boolean {
  return ascii.startsWith("[");
}

/**
 * Returns all matches without DNS, with entries below the minimum confidence marked as not counted. `normalized` is the
 * canonical address, which may have its own override.
 */
export function findMatches(lookup: DomainLookup, setup: ClassifierSetup, normalized?: string): Match[] {
  return [...findDecidingMatches(lookup, setup, normalized), ...findUncountedMatches(lookup, setup)];
}

/** Returns the override and the entries that count, the deciding one first. */
export function findDecidingMatches(
  { ascii, match }: DomainLookup,
  { lists, overrides = NO_OVERRIDES }: ClassifierSetup,
  normalized?: string,
): Match[] {
  const mailboxOverride = normalized === undefined ? undefined : findMailboxOverride(normalized, overrides);
  const override = mailboxOverride ?? findOverride(ascii, overrides);
  return [...(override === undefined ? [] : [toOverrideMatch(override)]), ...listMatches(ascii, match, lists)];
}

/** Returns public suffix and registrable domain, by the ICANN section of the Public Suffix List. */
export function splitSuffix(
  { ascii, bytes }: DomainLookup,
  { lists }: ClassifierSetup,
): Pick<Explanation, "registrable_domain" | "public_suffix"> {
  if (isLiteral(ascii)) return {};
  let [registrableStart, suffixStart] = [-1, 0];
  while (!lists.isSuffix(bytes, suffixStart, bytes.length) && ascii.includes(".", suffixStart)) {
    registrableStart = suffixStart;
    suffixStart = ascii.indexOf(".", suffixStart) + 1;
  }
  return registrableStart < 0
    ? { public_suffix: ascii }
    : { registrable_domain: ascii.slice(registrableStart), public_suffix: ascii.slice(suffixStart) };
}

export function toOverrideMatch({ entry, override }: OverrideEntry): Match {
  const detail = override.detail ?? (override.disposable ? "denied" : "allowed");
  return { flag: "disposable", entry, kind: "override", sources: ["local overrides"], detail };
}

/** Returns the disposable entry that would decide if its confidence were high enough. */
function findUncountedMatches(
  { ascii, bytes, match: { hasLowConfidenceEntry } }: DomainLookup,
  { lists }: ClassifierSetup,
): Match[] {
  if (!hasLowConfidenceEntry) return [];
  const match = new ListMatch();
  lists.match(bytes, 0, bytes.length, 0, match);
  return listMatches(ascii, match, lists)
    .filter(({ flag }) => flag === "disposable")
    .map((match) => ({ ...match, counted: false }));
}

function listMatches(ascii: string, match: ListMatch, lists: CompiledLists): Match[] {
  const { decidingKind } = match;
  if (decidingKind === "none") return [];
  const entry = ascii.slice(match.entryStart);
  const kind = match.isUserSubdomain ? "family" : match.entryStart === 0 ? "exact" : "parent";
  const { relayProviders, publicOperators, protectedKinds } = lists.meta;
  const createMatch = (flag: Match["flag"], list: string, detail: string | undefined): Match => {
    return { flag, entry, kind, sources: sourceLabels(lists, [list]), ...omitUndefined({ detail }) };
  };
  const matches: Match[] = [];
  if (match.public >= 0) matches.push(createMatch("public_domain", "public", publicOperators[match.public]));
  if (decidingKind === "relay") matches.push(createMatch("relay_domain", "relays", relayProviders[match.relay]));
  if (decidingKind === "mistyped" && kind === "parent") matches.push(createMatch("mistyped", "public", entry));
  else if (decidingKind === "mistyped")
    matches.push({
      ...createMatch("mistyped", "typos", lists.findCorrection("typo", encodeUtf8(entry))),
      kind: "typo",
    });
  if (decidingKind === "protected") {
    const protectedKind = match.protected === MISSPELLED_KIND ? "misspelling" : protectedKinds[match.protected];
    matches.push(createMatch("protected", listOfProtectedKind(protectedKind), protectedKind));
  }
  if (decidingKind === "disposable") {
    const days = omitUndefined({ since: formatDay(match.since), last_seen: formatDay(match.lastSeen) });
    matches.push({ flag: "disposable", entry, kind, ...describeSources(match.entryFlags, lists), ...days });
  }
  return matches;
}

/** Returns the list that a protected kind comes from. Undefined stands for a subdomain of a public domain. */
export function listOfProtectedKind(kind: string | undefined): string {
  if (kind === undefined) return "public";
  if (kind === "removal") return "removals";
  if (kind === "misspelling") return "typos";
  return kind === "academic" ? "academic" : "protected";
}

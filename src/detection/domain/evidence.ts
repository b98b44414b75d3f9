// The entries that match a domain, and its suffix. It knows no local part.

import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { defined } from "../../base/result.ts";
import { MISSPELLED } from "../../lists/attributes.ts";
import {
  CONFIDENCES,
  type Confidence,
  confidenceRank,
  dayText,
  leastRank,
  lineagesOf,
} from "../../lists/confidence.ts";
import { findMailboxOverride, findOverride, NO_OVERRIDES, type OverrideEntry } from "../../lists/overrides.ts";
import { type CompiledLists, ListMatch } from "../../lists/table.ts";
import type { ClassifierSetup } from "../classifier.ts";
import type { Explanation, Match } from "../evidence.ts";
import type { ExchangeMatch } from "../routing-evidence.ts";

export interface DomainLookup {
  /** A-labels, lower case; or an address literal. */
  readonly ascii: string;
  readonly bytes: Uint8Array;
  readonly match: ListMatch;
  /** The canonical address at this domain, which may have an override; undefined without one. */
  readonly normalized: string | undefined;
}

/** Looks up a domain in A-labels; an address literal is in no list. */
export function lookUpDomain(
  ascii: string,
  { lists, minConfidence }: ClassifierSetup,
  normalized?: string,
): DomainLookup {
  const match = new ListMatch();
  const bytes = encodeUtf8(ascii);
  if (!isLiteral(ascii)) lists.match(bytes, 0, bytes.length, leastRank(minConfidence), match);
  return { ascii, bytes, match, normalized };
}

export function isLiteral(ascii: string): boolean {
  return ascii.startsWith("[");
}

/** All matches without DNS; entries below the least confidence are shown as not counted. */
export function listedMatches(looked: DomainLookup, setup: ClassifierSetup): Match[] {
  return [...decidingMatches(looked, setup), ...uncountedMatches(looked, setup)];
}

/** The override and the entries that count, the deciding one first. */
export function decidingMatches(
  { ascii, match, normalized }: DomainLookup,
  { lists, overrides = NO_OVERRIDES }: ClassifierSetup,
): Match[] {
  const ofMailbox = normalized === undefined ? undefined : findMailboxOverride(normalized, overrides);
  const found = ofMailbox ?? findOverride(ascii, overrides);
  return [...(found === undefined ? [] : [overrideMatch(found)]), ...domainMatches(ascii, match, lists)];
}

/** Suffix and registrable domain by the ICANN section, which also decides validity. */
export function suffixParts(
  ascii: string,
  setup: ClassifierSetup,
): Pick<Explanation, "registrable_domain" | "public_suffix"> {
  if (isLiteral(ascii)) return {};
  const labels = ascii.split(".");
  const names = labels.map((_, i) => labels.slice(i).join("."));
  const isSuffix = (name: string): boolean => {
    const bytes = encodeUtf8(name);
    return setup.lists.isSuffix(bytes, 0, bytes.length);
  };
  const found = names.findIndex(isSuffix);
  const at = found < 0 ? names.length - 1 : found;
  return defined({ registrable_domain: names[at - 1], public_suffix: names[at] });
}

export function overrideMatch({ entry, override }: OverrideEntry): Match {
  const detail = override.detail ?? (override.disposable ? "denied" : "allowed");
  return { flag: "disposable", entry, kind: "override", sources: ["local overrides"], detail };
}

/** The disposable entry that would settle the domain if every confidence counted; none when it counts anyway. */
function uncountedMatches({ ascii, bytes, match: { doubted } }: DomainLookup, { lists }: ClassifierSetup): Match[] {
  if (!doubted) return [];
  const match = new ListMatch();
  lists.match(bytes, 0, bytes.length, 0, match);
  return domainMatches(ascii, match, lists)
    .filter(({ flag }) => flag === "disposable")
    .map((found) => ({ ...found, counted: false }));
}

function domainMatches(ascii: string, match: ListMatch, lists: CompiledLists): Match[] {
  const { settling } = match;
  if (settling === "none") return [];
  const entry = ascii.slice(match.entryStart);
  const kind = match.userSubdomain ? "family" : match.entryStart === 0 ? "exact" : "parent";
  const { relayProviders, publicOperators, protectedKinds } = lists.meta;
  const found = (flag: Match["flag"], list: string, detail: string | undefined): Match => {
    return { flag, entry, kind, sources: labels(lists, [list]), ...defined({ detail }) };
  };
  const matches: Match[] = [];
  if (match.public >= 0) matches.push(found("public_domain", "public", publicOperators[match.public]));
  if (settling === "relay") matches.push(found("relay_domain", "relays", relayProviders[match.relay]));
  if (settling === "mistyped")
    matches.push({ ...found("mistyped", "typos", lists.intended("typo", encodeUtf8(entry))), kind: "typo" });
  if (settling === "protected") {
    const guard = match.protected === MISSPELLED ? "misspelling" : protectedKinds[match.protected];
    matches.push(found("protected", guardingList(guard), guard));
  }
  if (settling === "disposable") {
    const days = defined({ since: dayText(match.since), last_seen: dayText(match.lastSeen) });
    matches.push({ flag: "disposable", entry, kind, ...lineageEvidence(match.lineages, lists), ...days });
  }
  return matches;
}

/** The list that a protected domain of this kind comes from. One without a kind is below a public domain. */
export function guardingList(kind: string | undefined): string {
  if (kind === undefined) return "public";
  if (kind === "removal") return "removals";
  if (kind === "misspelling") return "typos";
  return kind === "academic" ? "academic" : "protected";
}

export function exchangeMatch({ flag, kind, entry, provider, lineages }: ExchangeMatch, lists: CompiledLists): Match {
  if (lineages !== undefined) return { flag, entry, kind, ...lineageEvidence(lineages, lists) };
  return { flag, entry, kind, sources: labels(lists, ["exchanges"]), ...defined({ detail: provider }) };
}

function lineageEvidence(lineages: number, lists: CompiledLists): Pick<Match, "sources" | "confidence"> {
  const confidence = CONFIDENCES[confidenceRank(lineages)] as Confidence;
  return { sources: labels(lists, lineagesOf(lineages).map(lineageKey)), confidence };
}

/** The table's sources name our own additions by their file. */
export function lineageKey(letter: string): string {
  return letter === "H" ? "additions" : letter;
}

export function labels(lists: CompiledLists, keys: readonly string[]): string[] {
  return keys.map((key) => lists.meta.sources.find((source) => source.key === key)?.label ?? key);
}

// The evidence about a domain: its parts, the entries that match it, its kind, what DNS said. It knows no local part.

import { domainToUnicode } from "../../address/domain/idna.ts";
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
import {
  type FoundOverride,
  findMailboxOverride,
  findOverride,
  NO_OVERRIDES,
  type OverrideIndex,
} from "../../lists/overrides.ts";
import { type CompiledLists, ListMatch } from "../../lists/table.ts";
import type { ClassifierSetup } from "../classifier.ts";
import type { DnsEvidence, Explanation, Match } from "../evidence.ts";
import type { MailRouting } from "../routing.ts";
import type { ExchangeMatch, RoutingEvidence } from "../routing-evidence.ts";
import { domainKindOf, findNamespace, warningsOf } from "./kind.ts";

export type DomainEvidence = Pick<
  Explanation,
  "domain_unicode" | "registrable_domain" | "public_suffix" | "domain_kind" | "free_host" | "mail_provider" | "warnings"
> & { readonly domain: string; readonly matches: Match[]; readonly dns: DnsEvidence };

/** A domain's look-up by the lists. */
export interface DomainLookup {
  /** A-labels, lower case; or an address literal. */
  readonly ascii: string;
  readonly bytes: Uint8Array;
  readonly match: ListMatch;
  /** The canonical address at this domain, where one mailbox is meant: it may have a decision of its own. */
  readonly normalized: string | undefined;
}

/** Looks a domain in A-labels up; an address literal is in no list. */
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

/** The evidence about a domain, with DNS's answer and what it shows, if it was asked. */
export function domainEvidence(
  looked: DomainLookup,
  routing: MailRouting | undefined,
  routed: RoutingEvidence | undefined,
  setup: ClassifierSetup,
  whole: boolean,
): DomainEvidence {
  const { ascii, bytes, match } = looked;
  const unicode = isLiteral(ascii) ? ascii : domainToUnicode(ascii, setup.parserContext.idna);
  const warnings = warningsOf(ascii, setup.parserContext, setup.lists);
  const kind = isLiteral(ascii) ? undefined : domainKindOf(bytes, 0, bytes.length, match, setup.lists);
  return {
    domain: ascii,
    domain_unicode: unicode,
    ...(whole ? suffixParts(ascii, setup) : {}),
    matches: [
      ...listedMatches(looked, setup),
      ...(routed?.matches ?? []).map((found) => exchangeMatch(found, setup.lists)),
    ],
    ...(kind === undefined ? {} : { domain_kind: kind }),
    ...(kind === "free_subdomain" ? { free_host: freeHostOf(looked, setup.lists) } : {}),
    ...(routed?.mailProvider === undefined ? {} : { mail_provider: routed.mailProvider }),
    dns: routing === undefined ? { status: "skipped" } : dnsEvidence(routing),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** Why a domain is in which class, without DNS; entries below the least confidence are shown as not counted. */
export function listedMatches(looked: DomainLookup, setup: ClassifierSetup): Match[] {
  const { ascii, bytes } = looked;
  const uncounted = uncountedMatches(ascii, bytes, leastRank(setup.minConfidence), setup.lists);
  return [...decidingMatches(looked, setup), ...uncounted];
}

/** The override and the entries that count, the deciding one first. */
export function decidingMatches(looked: DomainLookup, { lists, overrides = NO_OVERRIDES }: ClassifierSetup): Match[] {
  return [...overrideMatches(looked, overrides), ...domainMatches(looked.ascii, looked.match, lists)];
}

function freeHostOf({ ascii, bytes }: DomainLookup, lists: CompiledLists): NonNullable<Explanation["free_host"]> {
  const { start = 0, listed = 0 } = findNamespace(bytes, 0, bytes.length, lists) ?? {};
  return { host: ascii.slice(start), listed };
}

function isLiteral(ascii: string): boolean {
  return ascii.startsWith("[");
}

function dnsEvidence({ status, exchanges, checkedAt, durationMs }: MailRouting): DnsEvidence {
  return {
    status,
    ...(exchanges === undefined ? {} : { exchanges }),
    ...(checkedAt === undefined ? {} : { checked_at: new Date(checkedAt).toISOString() }),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
  };
}

/** Suffix and registrable domain by the ICANN section, which also decides validity. */
export function suffixParts(
  ascii: string,
  setup: ClassifierSetup,
): Pick<Explanation, "registrable_domain" | "public_suffix"> {
  if (isLiteral(ascii)) return {};
  const suffix = setup.parserContext.suffixes.publicSuffix(ascii);
  if (suffix === null) return {};
  const labels = ascii.slice(0, -suffix.length - 1).split(".");
  const label = labels.at(-1) as string;
  return { ...(label === "" ? {} : { registrable_domain: `${label}.${suffix}` }), public_suffix: suffix };
}

/** The decision that counts: the mailbox's own, else the most specific one of its domain. */
function overrideMatches({ ascii, normalized }: DomainLookup, overrides: OverrideIndex): Match[] {
  const ofMailbox = normalized === undefined ? undefined : findMailboxOverride(normalized, overrides);
  const found = ofMailbox ?? findOverride(ascii, overrides);
  if (found === undefined) return [];
  return [overrideMatch(found)];
}

/** A team's own decision. */
export function overrideMatch({ entry, override }: FoundOverride): Match {
  const detail = override.detail ?? (override.disposable ? "denied" : "allowed");
  return { flag: "disposable", entry, kind: "override", sources: ["local overrides"], detail };
}

/** The disposable entry that would settle the domain if every confidence counted; none when it counts anyway. */
function uncountedMatches(ascii: string, bytes: Uint8Array, minimum: number, lists: CompiledLists): Match[] {
  if (minimum === 0 || isLiteral(ascii)) return [];
  const match = new ListMatch();
  lists.match(bytes, 0, bytes.length, 0, match);
  if (match.settling !== "disposable" || confidenceRank(match.lineages) >= minimum) return [];
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
  const found = (flag: Match["flag"], keys: readonly string[], detail: string | undefined): Match => {
    return { flag, entry, kind, sources: labels(lists, keys), ...(detail === undefined ? {} : { detail }) };
  };
  const matches: Match[] = [];
  if (match.public >= 0) matches.push(found("public_domain", ["public"], publicOperators[match.public]));
  if (settling === "relay") matches.push(found("relay_domain", ["relays"], relayProviders[match.relay]));
  if (settling === "mistyped") {
    const intended = lists.intended("typo", encodeUtf8(entry));
    matches.push({ ...found("mistyped", ["typos"], intended), kind: "typo" });
  }
  if (settling === "protected") {
    const guard = match.protected === MISSPELLED ? "misspelling" : protectedKinds[match.protected];
    matches.push(found("protected", [guardingList(guard)], guard));
  }
  if (settling === "disposable") {
    const confidence = CONFIDENCES[confidenceRank(match.lineages)] as Confidence;
    const days = defined({ since: dayText(match.since), last_seen: dayText(match.lastSeen) });
    const listed = found("disposable", lineagesOf(match.lineages).map(lineageKey), undefined);
    matches.push({ ...listed, confidence, ...days });
  }
  return matches;
}

/** The list that a protected domain of this kind comes from. Without a kind it stands below a public domain. */
export function guardingList(kind: string | undefined): string {
  if (kind === undefined) return "public";
  if (kind === "removal") return "removals";
  if (kind === "misspelling") return "typos";
  return kind === "academic" ? "academic" : "protected";
}

export function exchangeMatch({ flag, kind, entry, provider, lineages }: ExchangeMatch, lists: CompiledLists): Match {
  if (lineages === undefined) {
    const sources = labels(lists, ["exchanges"]);
    return { flag, entry, kind, sources, ...(provider === undefined ? {} : { detail: provider }) };
  }
  const confidence = CONFIDENCES[confidenceRank(lineages)] as Confidence;
  return { flag, entry, kind, sources: labels(lists, lineagesOf(lineages).map(lineageKey)), confidence };
}

/** The table's sources name our own additions by their file. */
export function lineageKey(letter: string): string {
  return letter === "H" ? "additions" : letter;
}

/** The sources of these keys, each with its version. */
export function labels(lists: CompiledLists, keys: readonly string[]): string[] {
  return keys.map((key) => lists.meta.sources.find((source) => source.key === key)?.label ?? key);
}

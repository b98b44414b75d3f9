// The evidence for a detection, made by running the same parser, look-up and rules again. For callers that ask, not for bulk
// speed.

import { CanonicalLocalPart, canonicalizeLocalPart, LocalPartContent, readContent } from "../address/canonical.ts";
import { SYNTAX_FAULTS, type SyntaxCode } from "../address/faults.ts";
import { type Mailbox, parseMailbox, scanToDomain } from "../address/mailbox.ts";
import type { SyntaxOptions } from "../address/options.ts";
import { GENERIC_PROVIDER, PROVIDER_RULES, type ProviderRule } from "../address/providers.ts";
import { matchRole } from "../address/role.ts";
import { MailboxScan } from "../address/scan.ts";
import { suggestAddress } from "../address/suggestion.ts";
import { domainWarnings } from "../address/warnings.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/octets.ts";
import { CONFIDENCES, type Confidence, confidenceRank, leastRank, lineagesOf } from "../lists/confidence.ts";
import { findOverride, NO_OVERRIDES, type Overrides } from "../lists/overrides.ts";
import { type CompiledLists, ListMatch } from "../lists/table.ts";
import type { Classifier, ClassifierSetup } from "./classifier.ts";
import { domainKindOf } from "./domain-kind.ts";
import type { DnsEvidence, Explanation, Match } from "./evidence.ts";
import { shownEmail } from "./format.ts";
import type { MailRouting } from "./routing.ts";
import type { ExchangeMatch } from "./routing-evidence.ts";

/** Gives the evidence for the address between `start` and `end`, which `classifier` classified last. */
export type Explain = (bytes: Uint8Array, start: number, end: number, classifier: Classifier) => Explanation;

/** Makes the evidence with the same lists and policy as the classifier. */
export function createExplain(setup: ClassifierSetup): Explain {
  return (bytes, start, end, classifier) => {
    const { fault, faultIndex } = classifier;
    if (fault === undefined) return explainMailbox(bytes, start, end, classifier, setup);
    return explainFault(bytes, start, end, fault, faultIndex, setup);
  };
}

/** The evidence for the malformed address between `start` and `end`, with its fault at `index`. */
function explainFault(
  bytes: Uint8Array,
  start: number,
  end: number,
  code: SyntaxCode,
  index: number,
  setup: ClassifierSetup,
): Explanation {
  const { message, reference } = SYNTAX_FAULTS[code];
  // At the start of a code point, and within the part of the address that is shown.
  let place = index;
  while (place > start && place < end && ((bytes[place] as number) & 0xc0) === 0x80) place -= 1;
  const offset = Math.min(decodeUtf8(bytes, start, place).length, shownEmail(bytes, start, end).length);
  const suggestion = suggest(bytes, start, end, setup);
  return {
    syntax_error: { code, offset, message, reference },
    ...(suggestion === undefined ? {} : { suggestion }),
    data_version: setup.lists.meta.dataVersion,
  };
}

/** The evidence for the well-formed address between `start` and `end`. */
function explainMailbox(
  bytes: Uint8Array,
  start: number,
  end: number,
  { routing, evidence }: Classifier,
  setup: ClassifierSetup,
): Explanation {
  const parsed = parseMailbox(bytes.subarray(start, end), setup.syntax ?? {}, setup.surroundings);
  if (!parsed.ok) throw new Error(`explained as well-formed, parsed as ${parsed.fault.code}`);
  const mailbox = parsed.value;
  const domain = mailbox.domain;
  const match = new ListMatch();
  const octets = encodeUtf8(domain.ascii);
  const minimum = leastRank(setup.minConfidence);
  if (!domain.ascii.startsWith("[")) setup.lists.match(octets, 0, octets.length, minimum, match);
  const content = contentOf(bytes, start, end, setup.syntax ?? {});
  const provider = match.provider === 0 ? GENERIC_PROVIDER : (PROVIDER_RULES[match.provider - 1] as ProviderRule);
  const canonical = new CanonicalLocalPart();
  canonicalizeLocalPart(content, provider, canonical);
  const suggestion =
    match.settling === "none" || match.settling === "disposable" ? suggest(bytes, start, end, setup) : undefined;
  const warnings = domainWarnings(domain.unicode);
  const kind = domainKindOf(octets, match, setup.lists);
  return {
    ...(suggestion === undefined ? {} : { suggestion }),
    local_part: mailbox.localPart,
    domain: domain.ascii,
    domain_unicode: domain.unicode,
    ...suffixParts(domain.ascii, setup),
    smtputf8: mailbox.smtputf8,
    canonicalization: explainCanonical(mailbox, content, match.userSubdomain, provider, canonical),
    matches: [
      ...roleMatches(content, setup.lists, match.public >= 0, canonical.separatorAt),
      ...overrideMatches(domain.ascii, setup.overrides ?? NO_OVERRIDES),
      ...domainMatches(domain.ascii, match, setup.lists),
      ...uncountedMatches(domain.ascii, octets, minimum, setup.lists),
      ...(evidence?.matches ?? []).map((found) => exchangeMatch(found, setup.lists)),
    ],
    ...(kind === undefined ? {} : { domain_kind: kind }),
    ...(evidence?.mailProvider === undefined ? {} : { mail_provider: evidence.mailProvider }),
    dns: routing === undefined ? { status: "skipped" } : dnsEvidence(routing),
    ...(warnings.length === 0 ? {} : { warnings }),
    data_version: setup.lists.meta.dataVersion,
  };
}

function dnsEvidence({ status, exchanges, checkedAt, durationMs }: MailRouting): DnsEvidence {
  return {
    status,
    ...(exchanges === undefined ? {} : { exchanges }),
    ...(checkedAt === undefined ? {} : { checked_at: new Date(checkedAt).toISOString() }),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
  };
}

function suggest(bytes: Uint8Array, start: number, end: number, setup: ClassifierSetup): string | undefined {
  if (end - start > 4096) return undefined;
  const isValid = (address: string): boolean => parseMailbox(address, setup.syntax ?? {}, setup.surroundings).ok;
  return suggestAddress(decodeUtf8(bytes, start, end), setup.lists, isValid);
}

function contentOf(bytes: Uint8Array, start: number, end: number, syntax: SyntaxOptions): LocalPartContent {
  const scan = new MailboxScan();
  const content = new LocalPartContent();
  scanToDomain(bytes, start, end, syntax, scan);
  readContent(bytes, start, scan, content);
  return content;
}

/** Suffix and registrable domain by the ICANN section, which also decides validity. */
function suffixParts(ascii: string, setup: ClassifierSetup): Pick<Explanation, "registrable_domain" | "public_suffix"> {
  if (ascii.startsWith("[")) return {};
  const suffix = setup.surroundings.suffixes.publicSuffix(ascii);
  if (suffix === null) return {};
  const labels = ascii.slice(0, -suffix.length - 1).split(".");
  const label = labels.at(-1) as string;
  return { ...(label === "" ? {} : { registrable_domain: `${label}.${suffix}` }), public_suffix: suffix };
}

function explainCanonical(
  mailbox: Mailbox,
  content: LocalPartContent,
  userSubdomain: boolean,
  provider: ProviderRule,
  canonical: CanonicalLocalPart,
): NonNullable<Explanation["canonicalization"]> {
  const text = decodeUtf8(content.octets, content.start, content.end);
  const tagAt = canonical.separatorAt;
  const rules: string[] = [];
  if (content.unquoted) rules.push("unquoted");
  if (mailbox.localPart.toLowerCase() !== mailbox.localPart) rules.push("lower_case");
  if (tagAt >= 0) rules.push("tag_removed");
  if (canonical.ignoredRemoved) rules.push("ignored_characters_removed");
  if (canonical.hyphensReplaced) rules.push("hyphen_is_dot");
  if (userSubdomain) rules.push("user_subdomain");
  if (provider.domain !== undefined && provider.domain !== mailbox.domain.ascii) rules.push("domain_alias");
  if (userSubdomain) return { provider: provider.id, rules, tag: text };
  if (tagAt < 0) return { provider: provider.id, rules };
  return { provider: provider.id, rules, tag: decodeUtf8(content.octets, tagAt + 1, content.end) };
}

function roleMatches(
  content: LocalPartContent,
  lists: CompiledLists,
  publicDomain: boolean,
  separatorAt: number,
): Match[] {
  const end = matchRole(content, lists, publicDomain, separatorAt);
  if (end < 0) return [];
  const entry = decodeUtf8(content.octets, content.start, end).toLowerCase();
  return [{ flag: "role_address", entry, kind: "role", sources: labels(lists, ["roles"]) }];
}

function overrideMatches(ascii: string, overrides: Overrides): Match[] {
  const override = findOverride(ascii, overrides);
  if (override === undefined) return [];
  return [{ flag: "disposable", entry: override.entry, kind: "override", sources: ["local overrides"] }];
}

/** Why a domain in A-labels is in which class, by the lists only; entries below `minConfidence` are shown as not counted. */
export function explainDomain(ascii: string, lists: CompiledLists, minConfidence?: Confidence): Match[] {
  const match = new ListMatch();
  const octets = encodeUtf8(ascii);
  const minimum = leastRank(minConfidence);
  lists.match(octets, 0, octets.length, minimum, match);
  return [...domainMatches(ascii, match, lists), ...uncountedMatches(ascii, octets, minimum, lists)];
}

/** The disposable entry that would settle the domain if every confidence counted; none when it counts anyway. */
function uncountedMatches(ascii: string, octets: Uint8Array, minimum: number, lists: CompiledLists): Match[] {
  if (minimum === 0 || ascii.startsWith("[")) return [];
  const match = new ListMatch();
  lists.match(octets, 0, octets.length, 0, match);
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
  if (settling === "protected") {
    const guard = protectedKinds[match.protected];
    matches.push(found("protected", [guardingList(guard)], guard));
  }
  if (settling === "disposable") {
    const confidence = CONFIDENCES[confidenceRank(match.lineages)] as Confidence;
    matches.push({ ...found("disposable", lineagesOf(match.lineages).map(lineageKey), undefined), confidence });
  }
  return matches;
}

/** The list that a protected domain of this kind comes from. Without a kind it stands below a public domain. */
function guardingList(kind: string | undefined): string {
  if (kind === undefined) return "public";
  if (kind === "removal") return "removals";
  return kind === "academic" ? "academic" : "protected";
}

function exchangeMatch({ flag, kind, entry, provider, lineages }: ExchangeMatch, lists: CompiledLists): Match {
  if (lineages === undefined) {
    const sources = labels(lists, ["exchanges"]);
    return { flag, entry, kind, sources, ...(provider === undefined ? {} : { detail: provider }) };
  }
  const confidence = CONFIDENCES[confidenceRank(lineages)] as Confidence;
  return { flag, entry, kind, sources: labels(lists, lineagesOf(lineages).map(lineageKey)), confidence };
}

/** The table's sources name our own additions by their file. */
function lineageKey(letter: string): string {
  return letter === "H" ? "additions" : letter;
}

function labels(lists: CompiledLists, keys: readonly string[]): string[] {
  return keys.map((key) => lists.meta.sources.find((source) => source.key === key)?.label ?? key);
}

// Creates a detection's evidence by repeating the domain's lookup, for callers that ask for it.

import { domainToUnicode } from "../address/domain/idna.ts";
import { SYNTAX_FAULTS, type SyntaxCode, utf16Offset } from "../address/faults.ts";
import { parseMailbox } from "../address/mailbox.ts";
import { findProviderCorrection, suggestAddress } from "../address/suggestion.ts";
import { decodeUtf8 } from "../base/bytes/bytes.ts";
import { memoize } from "../base/memoize.ts";
import { omitUndefined } from "../base/result.ts";
import { sourceLabels } from "../lists/meta.ts";
import { NO_OVERRIDES } from "../lists/overrides.ts";
import type { CompiledLists } from "../lists/table.ts";
import type { Classifier, ClassifierSetup } from "./classifier.ts";
import { type DomainLookup, findMatches, isLiteral, lookUpDomain, splitSuffix } from "./domain/evidence.ts";
import { findNamespace, warningsOf } from "./domain/kind.ts";
import type { DnsEvidence, Explanation, Match } from "./evidence.ts";
import { formatEmail } from "./format.ts";
import type { MailRouting } from "./routing.ts";

export const DOMAIN_CACHE_MAX = 8192;

/** Returns the evidence of the address between `start` and `end`, which `classifier` classified last. */
export type Explainer = (bytes: Uint8Array, start: number, end: number, classifier: Classifier) => Explanation;

/**
 * Creates evidence with the classifier's lists and policy. `withSuffix`: include public suffix and registrable domain.
 * `cachesDomains`: addresses at a domain share parts of their evidence, which must not be modified.
 */
export function createExplainer(setup: ClassifierSetup, { withSuffix = true, cachesDomains = false } = {}): Explainer {
  const create = (ascii: string): ReturnType<typeof explainDomain> => explainDomain(ascii, setup, withSuffix);
  const domainOf = cachesDomains ? memoize(DOMAIN_CACHE_MAX, create) : create;
  return (bytes, start, end, classifier) => {
    const { fault, routing, evidence } = classifier;
    if (fault !== undefined) return explainFault(bytes, start, end, fault, classifier.faultIndex, setup);
    const { lists, overrides = NO_OVERRIDES } = setup;
    const domain = domainOf(classifier.domainName(bytes, end));
    const { lookup } = domain;
    const { kind } = classifier.verdict;
    const warnings = [...classifier.localPartWarnings, ...domain.warnings];
    const local = classifier.classifiesDomains ? undefined : explainLocalPart(bytes, start, classifier, lookup, lists);
    const mayHaveMailboxOverride = overrides.size > 0 && !classifier.classifiesDomains;
    return omitUndefined({
      suggestion:
        domain.mayBeMistyped || warnings.includes("typographic_local_part")
          ? suggest(bytes, start, end, setup)
          : undefined,
      local_part: local?.localPart,
      ...domain.names,
      smtputf8: local?.smtputf8,
      canonicalization: local?.canonicalization,
      matches: [
        ...(local?.roles ?? []),
        ...(mayHaveMailboxOverride ? findMatches(lookup, setup, classifier.normalized) : domain.matches),
        ...(evidence?.matches ?? []),
      ],
      domain_kind: kind,
      free_host: kind === "free_subdomain" ? findFreeHost(lookup, setup) : undefined,
      mail_provider: evidence?.mailProvider,
      dns: routing === undefined ? { status: "skipped" } : dnsEvidence(routing),
      warnings: warnings.length === 0 ? undefined : warnings,
      data_version: lists.meta.dataVersion,
    }) as Explanation;
  };
}

/** Returns the part of the evidence that is the same for all addresses at a domain. */
function explainDomain(ascii: string, setup: ClassifierSetup, withSuffix: boolean) {
  const { lists } = setup;
  const lookup = lookUpDomain(ascii, setup);
  return {
    lookup,
    names: {
      domain: ascii,
      domain_unicode: isLiteral(ascii) ? ascii : domainToUnicode(ascii),
      ...(withSuffix ? splitSuffix(lookup, setup) : {}),
    },
    matches: findMatches(lookup, setup),
    warnings: warningsOf(ascii, lists),
    mayBeMistyped: mayBeMistyped(lookup, lists),
  };
}

function explainFault(
  bytes: Uint8Array,
  start: number,
  end: number,
  code: SyntaxCode,
  index: number,
  setup: ClassifierSetup,
): Explanation {
  // `email` may be truncated.
  const offset = Math.min(utf16Offset(bytes, start, end, index), formatEmail(bytes, start, end).length);
  return {
    syntax_error: { code, offset, ...SYNTAX_FAULTS[code] },
    ...omitUndefined({ suggestion: suggest(bytes, start, end, setup) }),
    data_version: setup.lists.meta.dataVersion,
  };
}

/**
 * Reports whether well-formed addresses at a domain may need a suggestion. Domains that the lists know as real need none,
 * but hosts below a mailbox provider are not known as real.
 */
export function mayBeMistyped({ ascii, match }: DomainLookup, lists: CompiledLists): boolean {
  const { decidingKind, protected: kind } = match;
  const isKnown =
    !["none", "mistyped", "disposable"].includes(decidingKind) && (decidingKind !== "protected" || kind >= 0);
  return !isKnown && (ascii.includes("xn--") || findProviderCorrection(ascii, lists) !== undefined);
}

/** Returns the suggestion for an address between `start` and `end`, malformed or not. */
export function suggest(bytes: Uint8Array, start: number, end: number, setup: ClassifierSetup): string | undefined {
  if (end - start > 4096) return undefined;
  const isValid = (address: string): boolean => parseMailbox(address, setup.syntax ?? {}, setup.lists).ok;
  const text = decodeUtf8(bytes, start, end).replace(/[^@]*xn--[^@]*$/i, (ascii) =>
    domainToUnicode(ascii.toLowerCase()),
  );
  if (setup.subject !== "domain" || text.includes("@")) return suggestAddress(text, setup.lists, isValid);
  return suggestAddress(`x@${text}`, setup.lists, isValid)?.slice(2);
}

function explainLocalPart(
  bytes: Uint8Array,
  start: number,
  classifier: Classifier,
  { ascii, match }: DomainLookup,
  lists: CompiledLists,
) {
  const { scan, unquotedLocalPart, canonicalLocalPart, provider, roleEnd, tag } = classifier;
  const localPart = decodeUtf8(bytes, start, scan.atIndex).normalize("NFC");
  const rules: string[] = [];
  if (unquotedLocalPart.hadQuotes) rules.push("unquoted");
  if (localPart.toLowerCase() !== localPart) rules.push("lower_case");
  if (canonicalLocalPart.separatorAt >= 0) rules.push("tag_removed");
  if (canonicalLocalPart.hasRemovedIgnoredChars) rules.push("ignored_characters_removed");
  if (canonicalLocalPart.hasReplacedHyphens) rules.push("hyphen_is_dot");
  if (match.isUserSubdomain) rules.push("user_subdomain");
  if (provider.canonicalDomain !== undefined && provider.canonicalDomain !== ascii) rules.push("domain_alias");
  const canonicalization: NonNullable<Explanation["canonicalization"]> = {
    provider: provider.id,
    rules,
    ...omitUndefined({ tag }),
  };
  const roles: Match[] = [];
  if (roleEnd >= 0) {
    const entry = decodeUtf8(unquotedLocalPart.bytes, unquotedLocalPart.start, roleEnd).toLowerCase();
    roles.push({ flag: "role_address", entry, kind: "role", sources: sourceLabels(lists, ["roles"]) });
  }
  return { localPart, smtputf8: scan.smtputf8, canonicalization, roles };
}

function findFreeHost({ ascii, bytes }: DomainLookup, { lists }: ClassifierSetup): Explanation["free_host"] {
  const { start = 0, disposableNames = 0 } = findNamespace(bytes, 0, bytes.length, lists) ?? {};
  return { host: ascii.slice(start), listed: disposableNames };
}

function dnsEvidence({ status, exchanges, checkedAt, durationMs }: MailRouting): DnsEvidence {
  const checked_at = checkedAt === undefined ? undefined : new Date(checkedAt).toISOString();
  // The `addresses` of an exchange may be undefined, which JSON omits.
  const found = exchanges as DnsEvidence["exchanges"];
  return { status, ...omitUndefined({ exchanges: found, checked_at, duration_ms: durationMs }) };
}

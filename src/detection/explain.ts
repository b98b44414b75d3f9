// The evidence for a detection, by running the same parser, look-up and rules again. For callers that ask, not for bulk
// speed.

import { CanonicalLocalPart, canonicalizeLocalPart, LocalPartContent, readContent } from "../address/canonical.ts";
import { domainToUnicode } from "../address/domain/idna.ts";
import { SYNTAX_FAULTS, type SyntaxCode } from "../address/faults.ts";
import { parseMailbox, scanToDomain } from "../address/mailbox.ts";
import { GENERIC_PROVIDER, PROVIDER_RULES, type ProviderRule } from "../address/providers.ts";
import { matchRole } from "../address/role.ts";
import { MailboxScan } from "../address/scan.ts";
import { suggestAddress } from "../address/suggestion.ts";
import { decodeUtf8 } from "../base/bytes/bytes.ts";
import { defined } from "../base/result.ts";
import type { ListMatch } from "../lists/table.ts";
import type { Classifier, ClassifierSetup } from "./classifier.ts";
import {
  type DomainLookup,
  exchangeMatch,
  isLiteral,
  labels,
  listedMatches,
  lookUpDomain,
  suffixParts,
} from "./domain/evidence.ts";
import { domainKindOf, findNamespace, warningsOf } from "./domain/kind.ts";
import type { DnsEvidence, Explanation, Match } from "./evidence.ts";
import { shownEmail } from "./format.ts";
import type { MailRouting } from "./routing.ts";

/** Returns the evidence for the address between `start` and `end`, which `classifier` classified last. */
export type Explain = (bytes: Uint8Array, start: number, end: number, classifier: Classifier) => Explanation;

/**
 * Makes the evidence with the same lists and policy as the classifier. Only the `whole` of it has the public suffix and
 * the registrable domain, for which the suffix list is loaded.
 */
export function createExplain(setup: ClassifierSetup, whole = true): Explain {
  return (bytes, start, end, classifier) => {
    const { fault, routing, evidence } = classifier;
    if (fault !== undefined) return explainFault(bytes, start, end, fault, classifier.faultIndex, setup);
    const { lists, parserContext } = setup;
    const ascii = classifier.domainName(bytes, end);
    const looked = lookUpDomain(ascii, setup, classifier.ofDomains ? undefined : classifier.normalized);
    const local = classifier.ofDomains ? undefined : explainLocalPart(bytes, start, end, looked, setup);
    const kind = isLiteral(ascii) ? undefined : domainKindOf(looked.bytes, 0, looked.bytes.length, looked.match, lists);
    const warnings = warningsOf(ascii, parserContext, lists);
    return defined({
      suggestion: mayBeMistyped(looked.match) ? suggest(bytes, start, end, setup) : undefined,
      local_part: local?.localPart,
      domain: ascii,
      domain_unicode: isLiteral(ascii) ? ascii : domainToUnicode(ascii, parserContext.idna),
      ...(whole ? suffixParts(ascii, setup) : {}),
      smtputf8: local?.smtputf8,
      canonicalization: local?.canonicalization,
      matches: [
        ...(local?.roles ?? []),
        ...listedMatches(looked, setup),
        ...(evidence?.matches ?? []).map((found) => exchangeMatch(found, lists)),
      ],
      domain_kind: kind,
      free_host: kind === "free_subdomain" ? freeHostOf(looked, setup) : undefined,
      mail_provider: evidence?.mailProvider,
      dns: routing === undefined ? { status: "skipped" } : dnsEvidence(routing),
      warnings: warnings.length === 0 ? undefined : warnings,
      data_version: lists.meta.dataVersion,
    }) as Explanation;
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
  const { message, reference } = SYNTAX_FAULTS[code];
  // At the start of a code point, and within the part of the address that is shown.
  let place = index;
  while (place > start && place < end && ((bytes[place] as number) & 0xc0) === 0x80) place -= 1;
  const offset = Math.min(decodeUtf8(bytes, start, place).length, shownEmail(bytes, start, end).length);
  return {
    syntax_error: { code, offset, message, reference },
    ...defined({ suggestion: suggest(bytes, start, end, setup) }),
    data_version: setup.lists.meta.dataVersion,
  };
}

/** False for a domain in a list. A host below a mailbox provider, such as its site, may be meant or not. */
export function mayBeMistyped({ settling, protected: kind }: ListMatch): boolean {
  return ["none", "mistyped", "disposable"].includes(settling) || (settling === "protected" && kind < 0);
}

export function suggest(bytes: Uint8Array, start: number, end: number, setup: ClassifierSetup): string | undefined {
  if (end - start > 4096) return undefined;
  const isValid = (address: string): boolean => parseMailbox(address, setup.syntax ?? {}, setup.parserContext).ok;
  const { idna } = setup.parserContext;
  const text = decodeUtf8(bytes, start, end).replace(/[^@]*xn--[^@]*$/i, (ascii) =>
    domainToUnicode(ascii.toLowerCase(), idna),
  );
  if (setup.subject !== "domain" || text.includes("@")) return suggestAddress(text, setup.lists, isValid);
  return suggestAddress(`x@${text}`, setup.lists, isValid)?.slice(2);
}

function explainLocalPart(
  bytes: Uint8Array,
  start: number,
  end: number,
  { ascii, match }: DomainLookup,
  { lists, syntax }: ClassifierSetup,
) {
  const scan = new MailboxScan(syntax);
  const content = new LocalPartContent();
  const canonical = new CanonicalLocalPart();
  const provider = match.provider === 0 ? GENERIC_PROVIDER : (PROVIDER_RULES[match.provider - 1] as ProviderRule);
  scanToDomain(bytes, start, end, scan);
  readContent(bytes, start, scan, content);
  canonicalizeLocalPart(content, provider, canonical);
  const localPart = decodeUtf8(bytes, start, scan.at).normalize("NFC");
  const tagAt = canonical.separatorAt;
  const rules = {
    unquoted: content.unquoted,
    lower_case: localPart.toLowerCase() !== localPart,
    tag_removed: tagAt >= 0,
    ignored_characters_removed: canonical.ignoredRemoved,
    hyphen_is_dot: canonical.hyphensReplaced,
    user_subdomain: match.userSubdomain,
    domain_alias: provider.domain !== undefined && provider.domain !== ascii,
  };
  const textFrom = (from: number): string => decodeUtf8(content.bytes, from, content.end);
  const tag = match.userSubdomain ? textFrom(content.start) : tagAt < 0 ? undefined : textFrom(tagAt + 1);
  const canonicalization: NonNullable<Explanation["canonicalization"]> = {
    provider: provider.id,
    rules: Object.entries(rules).flatMap(([rule, applies]) => (applies ? [rule] : [])),
    ...defined({ tag }),
  };
  const roleEnd = matchRole(content, lists, match.public >= 0, tagAt);
  const roles: Match[] = [];
  if (roleEnd >= 0) {
    const entry = decodeUtf8(content.bytes, content.start, roleEnd).toLowerCase();
    roles.push({ flag: "role_address", entry, kind: "role", sources: labels(lists, ["roles"]) });
  }
  return { localPart, smtputf8: scan.smtputf8, canonicalization, roles };
}

function freeHostOf({ ascii, bytes }: DomainLookup, { lists }: ClassifierSetup): Explanation["free_host"] {
  const { start = 0, listed = 0 } = findNamespace(bytes, 0, bytes.length, lists) ?? {};
  return { host: ascii.slice(start), listed };
}

function dnsEvidence({ status, exchanges, checkedAt, durationMs }: MailRouting): DnsEvidence {
  const checked_at = checkedAt === undefined ? undefined : new Date(checkedAt).toISOString();
  return { status, ...defined({ exchanges, checked_at, duration_ms: durationMs }) };
}

// The evidence for a detection, made by running the same parser, look-up and rules again. For callers that ask, not for
// bulk speed.

import { CanonicalLocalPart, canonicalizeLocalPart, LocalPartContent, readContent } from "../address/canonical.ts";
import { domainToUnicode } from "../address/domain/idna.ts";
import { SYNTAX_FAULTS, type SyntaxCode } from "../address/faults.ts";
import { type Mailbox, parseMailbox, scanToDomain } from "../address/mailbox.ts";
import type { SyntaxOptions } from "../address/options.ts";
import { GENERIC_PROVIDER, PROVIDER_RULES, type ProviderRule } from "../address/providers.ts";
import { matchRole } from "../address/role.ts";
import { MailboxScan } from "../address/scan.ts";
import { suggestAddress } from "../address/suggestion.ts";
import { decodeUtf8 } from "../base/bytes/bytes.ts";
import type { CompiledLists, ListMatch } from "../lists/table.ts";
import type { Classifier, ClassifierSetup } from "./classifier.ts";
import { domainEvidence, labels, lookUpDomain } from "./domain/evidence.ts";
import type { Explanation, Match } from "./evidence.ts";
import { shownEmail } from "./format.ts";

/** Gives the evidence for the address between `start` and `end`, which `classifier` classified last. */
export type Explain = (bytes: Uint8Array, start: number, end: number, classifier: Classifier) => Explanation;

/**
 * Makes the evidence with the same lists and policy as the classifier. Only the `whole` of it has the public suffix and
 * the registrable domain, for which the suffix list is loaded.
 */
export function createExplain(setup: ClassifierSetup, whole = true): Explain {
  return (bytes, start, end, classifier) => {
    const { fault, faultIndex } = classifier;
    if (fault === undefined) {
      const explain = setup.subject === "domain" ? explainBareDomain : explainMailbox;
      return explain(bytes, start, end, classifier, setup, whole);
    }
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

function explainMailbox(
  bytes: Uint8Array,
  start: number,
  end: number,
  { routing, evidence, normalized }: Classifier,
  setup: ClassifierSetup,
  whole: boolean,
): Explanation {
  const parsed = parseMailbox(bytes.subarray(start, end), setup.syntax ?? {}, setup.parserContext);
  if (!parsed.ok) throw new Error(`explained as well-formed, parsed as ${parsed.fault.code}`);
  const mailbox = parsed.value;
  const looked = lookUpDomain(mailbox.domain.ascii, setup, normalized);
  const { match } = looked;
  const content = contentOf(bytes, start, end, setup.syntax ?? {});
  const provider = match.provider === 0 ? GENERIC_PROVIDER : (PROVIDER_RULES[match.provider - 1] as ProviderRule);
  const canonical = new CanonicalLocalPart();
  canonicalizeLocalPart(content, provider, canonical);
  const suggestion = mayBeMistyped(match) ? suggest(bytes, start, end, setup) : undefined;
  const { domain, domain_unicode, registrable_domain, public_suffix, matches, ...others } = domainEvidence(
    looked,
    routing,
    evidence,
    setup,
    whole,
  );
  return {
    ...(suggestion === undefined ? {} : { suggestion }),
    local_part: mailbox.localPart,
    domain,
    ...(domain_unicode === undefined ? {} : { domain_unicode }),
    ...(registrable_domain === undefined ? {} : { registrable_domain }),
    ...(public_suffix === undefined ? {} : { public_suffix }),
    smtputf8: mailbox.smtputf8,
    canonicalization: explainCanonical(mailbox, content, match.userSubdomain, provider, canonical),
    matches: [...roleMatches(content, setup.lists, match.public >= 0, canonical.separatorAt), ...matches],
    ...others,
    data_version: setup.lists.meta.dataVersion,
  };
}

/** The evidence for the well-formed domain, of an address or bare, that ends at `end`. */
function explainBareDomain(
  bytes: Uint8Array,
  start: number,
  end: number,
  classifier: Classifier,
  setup: ClassifierSetup,
  whole: boolean,
): Explanation {
  const looked = lookUpDomain(classifier.domainName(bytes, end), setup);
  const suggestion = mayBeMistyped(looked.match) ? suggest(bytes, start, end, setup) : undefined;
  return {
    ...(suggestion === undefined ? {} : { suggestion }),
    ...domainEvidence(looked, classifier.routing, classifier.evidence, setup, whole),
    data_version: setup.lists.meta.dataVersion,
  };
}

/**
 * False for a domain that is known to be meant. A host below a mailbox provider, such as its site, may be meant or not.
 */
export function mayBeMistyped({ settling, protected: kind }: ListMatch): boolean {
  return ["none", "mistyped", "disposable"].includes(settling) || (settling === "protected" && kind < 0);
}

/** The address, or the bare domain, that was probably meant. */
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

function contentOf(bytes: Uint8Array, start: number, end: number, syntax: SyntaxOptions): LocalPartContent {
  const scan = new MailboxScan();
  const content = new LocalPartContent();
  scanToDomain(bytes, start, end, syntax, scan);
  readContent(bytes, start, scan, content);
  return content;
}

function explainCanonical(
  mailbox: Mailbox,
  content: LocalPartContent,
  userSubdomain: boolean,
  provider: ProviderRule,
  canonical: CanonicalLocalPart,
): NonNullable<Explanation["canonicalization"]> {
  const text = decodeUtf8(content.bytes, content.start, content.end);
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
  return { provider: provider.id, rules, tag: decodeUtf8(content.bytes, tagAt + 1, content.end) };
}

function roleMatches(
  content: LocalPartContent,
  lists: CompiledLists,
  publicDomain: boolean,
  separatorAt: number,
): Match[] {
  const end = matchRole(content, lists, publicDomain, separatorAt);
  if (end < 0) return [];
  const entry = decodeUtf8(content.bytes, content.start, end).toLowerCase();
  return [{ flag: "role_address", entry, kind: "role", sources: labels(lists, ["roles"]) }];
}

// Parses a domain, looks it up in lists and overrides, and checks its suffix, without DNS.

import { scanDomain } from "../../address/domain/domain.ts";
import { checkSuffix } from "../../address/domain/suffix.ts";
import type { SyntaxCode } from "../../address/faults.ts";
import { parseMailbox } from "../../address/mailbox.ts";
import type { SyntaxOptions } from "../../address/options.ts";
import { GENERIC_PROVIDER, PROVIDER_RULES, type ProviderRule } from "../../address/providers.ts";
import { MailboxScan } from "../../address/scan.ts";
import { suggestAddress } from "../../address/suggestion.ts";
import { decodeAsciiLowercase, decodeUtf8 } from "../../base/bytes/bytes.ts";
import { DOMAIN_KINDS, type DomainKind } from "../../lists/attributes.ts";
import { type Confidence, minimumRank } from "../../lists/confidence.ts";
import { findOverride, NO_OVERRIDES, type OverrideIndex } from "../../lists/overrides.ts";
import { type CompiledLists, ListMatch } from "../../lists/table.ts";
import { VerdictFactory } from "../verdict.ts";
import type { DomainFacts } from "./facts.ts";
import { domainKindOf, warningsOf } from "./kind.ts";

const NO_LIST_MATCH = new ListMatch();
const MISTYPED_MATCH: ListMatch = Object.assign(new ListMatch(), { decidingKind: "mistyped" });
// No domain is longer; longer text could have too many distinct offsets to intern.
const INTERNED_FAULT_OFFSET_MAX = 255;
// White space, and punctuation that no domain contains.
const TEXT_MARKS = /[\s!-,/:-@[-`{-~]+/;
const DECIDING_KIND_CODE = { none: 0, relay: 1, public: 2, protected: 3, disposable: 4, mistyped: 5 } as const;

export interface DomainReaderSetup {
  readonly lists: CompiledLists;
  readonly syntax?: SyntaxOptions;
  readonly overrides?: OverrideIndex;
  /** Disposable entries below this confidence don't count. Default: DEFAULT_CONFIDENCE. */
  readonly minConfidence?: Confidence;
}

/** Reads domains; equal facts are the same object. */
export class DomainReader {
  private readonly internedFacts: Map<number, DomainFacts> = new Map();
  private readonly internedFaults: Map<string, DomainFacts> = new Map();
  private readonly scan: MailboxScan;
  private readonly match: ListMatch = new ListMatch();
  /** Minimum rank of disposable entries that count. */
  readonly minRank: number;
  readonly verdicts: VerdictFactory;

  constructor(private readonly setup: DomainReaderSetup) {
    this.scan = new MailboxScan(setup.syntax);
    this.minRank = minimumRank(setup.minConfidence);
    this.verdicts = new VerdictFactory((number) => setup.lists.meta.relayProviders[number] as string);
  }

  read(bytes: Uint8Array, start: number, end: number): DomainFacts {
    return this.readValid(bytes, start, end) ?? this.readMalformed(bytes, start, end);
  }

  /** Returns a domain's facts; undefined if it is malformed. */
  readValid(bytes: Uint8Array, start: number, end: number): DomainFacts | undefined {
    const { lists } = this.setup;
    const { scan, match, minRank } = this;
    const { domain } = scan;
    if (!scanDomain(bytes, start, end, scan)) return undefined;
    if (domain.isLiteral) return this.internFacts(GENERIC_PROVIDER, domain.bytes);
    lists.match(domain.bytes, domain.start, domain.end, minRank, match);
    // A listed host needs no check, because no listed name is a public suffix.
    if (!match.isHostListed && !checkSuffix(scan, lists)) return undefined;
    const provider = match.provider === 0 ? GENERIC_PROVIDER : (PROVIDER_RULES[match.provider - 1] as ProviderRule);
    return this.internFacts(provider, domain.isMapped ? domain.bytes : undefined);
  }

  private readMalformed(bytes: Uint8Array, start: number, end: number): DomainFacts {
    const fault = this.scan.fault as SyntaxCode;
    const faultOffset = this.scan.faultIndex - start;
    const match = this.isMistyped(bytes, start, end) ? MISTYPED_MATCH : NO_LIST_MATCH;
    const key = `${fault} ${faultOffset} ${match.decidingKind}`;
    const existing = this.internedFaults.get(key);
    if (existing !== undefined) return existing;
    const facts: DomainFacts = {
      fault,
      faultOffset,
      verdict: this.verdicts.judge(match, undefined),
      provider: GENERIC_PROVIDER,
      isUserSubdomain: false,
      mayHaveMailboxOverrides: false,
      mappedDomain: undefined,
      isShared: faultOffset <= INTERNED_FAULT_OFFSET_MAX,
    };
    if (facts.isShared) this.internedFaults.set(key, facts);
    return facts;
  }

  /** Reports whether the suggestion for a malformed domain is a domain that its text does not contain. */
  private isMistyped(bytes: Uint8Array, start: number, end: number): boolean {
    if (end - start > INTERNED_FAULT_OFFSET_MAX) return false;
    const { lists, syntax = {} } = this.setup;
    const isValid = (address: string): boolean => parseMailbox(address, syntax, lists).ok;
    const text = decodeUtf8(bytes, start, end).toLowerCase();
    const suggestion = suggestAddress(`x@${text}`, lists, isValid)?.slice(2);
    const words = text.split(TEXT_MARKS).map((word) => word.replace(/^\.+|\.+$/g, ""));
    return suggestion !== undefined && !words.includes(suggestion);
  }

  private internFacts(provider: ProviderRule, mappedDomain: Uint8Array | undefined): DomainFacts {
    const { bytes, start, end, isLiteral } = this.scan.domain;
    const match = isLiteral ? NO_LIST_MATCH : this.match;
    const { override, mayHaveMailboxOverrides } = this.findOverrides(provider, match.isUserSubdomain);
    const kind = isLiteral ? undefined : domainKindOf(bytes, start, end, match, this.setup.lists);
    const key = mappedDomain === undefined ? factsKey(match, override, mayHaveMailboxOverrides, kind) : -1;
    const existing = key < 0 ? undefined : this.internedFacts.get(key);
    if (existing !== undefined) return existing;
    const facts: DomainFacts = {
      fault: undefined,
      faultOffset: 0,
      verdict: this.verdicts.judge(match, override, kind, this.hasWarnings(mappedDomain)),
      provider,
      isUserSubdomain: match.isUserSubdomain,
      mayHaveMailboxOverrides,
      mappedDomain,
      isShared: key >= 0,
    };
    if (key >= 0) this.internedFacts.set(key, facts);
    return facts;
  }

  /** Reports whether the domain has warnings. Only internationalized domains, which are mapped, can have some. */
  private hasWarnings(mappedDomain: Uint8Array | undefined): boolean {
    if (mappedDomain === undefined || this.scan.domain.isLiteral) return false;
    return warningsOf(decodeAsciiLowercase(mappedDomain, 0, mappedDomain.length), this.setup.lists).length > 0;
  }

  /** Finds the domain's override, and whether mailboxes at its canonical domain may have their own. */
  private findOverrides(provider: ProviderRule, isUserSubdomain: boolean) {
    const { overrides = NO_OVERRIDES } = this.setup;
    if (overrides.size === 0) return { override: undefined, mayHaveMailboxOverrides: false };
    const { bytes, start, end } = this.scan.domain;
    const domain = decodeAsciiLowercase(bytes, start, end);
    const ownDomain = isUserSubdomain ? domain.slice(domain.indexOf(".") + 1) : domain;
    // An address keeps its own domain if the provider's canonical domain would make it too long.
    const mayHaveMailboxOverrides = [provider.canonicalDomain ?? ownDomain, ownDomain].some((name) =>
      overrides.mayHaveMailboxOverrides(name),
    );
    return { override: findOverride(domain, overrides)?.override.disposable, mayHaveMailboxOverrides };
  }
}

/** Returns a number that is the same if and only if verdict and provider are the same. */
function factsKey(
  match: ListMatch,
  override: boolean | undefined,
  mayHaveMailboxOverrides: boolean,
  kind: DomainKind | undefined,
): number {
  const overrideCode = override === undefined ? 0 : override ? 1 : 2;
  const flags = (match.public >= 0 ? 1 : 0) | (match.isUserSubdomain ? 2 : 0) | (overrideCode << 2);
  const kindCode = kind === undefined ? 0 : DOMAIN_KINDS.indexOf(kind) + 1;
  const numbers = (DECIDING_KIND_CODE[match.decidingKind] << 4) | ((match.relay + 1) << 8) | (match.provider << 20);
  const moreFlags = (match.hasLowConfidenceEntry ? 1 << 18 : 0) | (mayHaveMailboxOverrides ? 1 << 19 : 0);
  return (flags | moreFlags | numbers) + 2 ** 31 * kindCode;
}

// Classifies an address in bytes: combines the parser, the domain's facts, and the provider's rules. Doesn't allocate
// for a plain address. The class is long because its fields are the result.

import {
  CanonicalLocalPart,
  canonicalizeLocalPart,
  normalizeQuoting,
  shortenLocalPart,
  UnquotedLocalPart,
} from "../address/canonical.ts";
import type { SyntaxCode } from "../address/faults.ts";
import { checkAddressLength, scanToDomain } from "../address/mailbox.ts";
import type { ProviderRule } from "../address/providers.ts";
import { matchRole } from "../address/role.ts";
import { ADDRESS_MAX, LOCAL_PART_MAX, MailboxScan } from "../address/scan.ts";
import { type AddressWarning, localPartWarnings } from "../address/warnings.ts";
import { AT, DOT } from "../base/bytes/ascii.ts";
import { ByteCache } from "../base/bytes/byte-cache.ts";
import { decodeAsciiLowercase, decodeUtf8, LOWERCASE } from "../base/bytes/bytes.ts";
import { memoize } from "../base/memoize.ts";
import type { CompiledLists } from "../lists/table.ts";
import type { DomainFacts } from "./domain/facts.ts";
import { DomainReader, type DomainReaderSetup } from "./domain/reader.ts";
import type { MailRouting } from "./routing.ts";
import { isDnsName, judgeRouting, type RoutingEvidence } from "./routing-evidence.ts";
import type { DomainVerdict } from "./verdict.ts";

const JUDGED_ROUTINGS_MAX = 512;
const NO_WARNINGS: readonly AddressWarning[] = [];

export interface ClassifierSetup extends DomainReaderSetup {
  /** Number of domains to cache. Default: 0, for one-off work. */
  readonly cacheEntries?: number;
  /** `domain`: classifies only domains, bare or of an address. Default: `address`. */
  readonly subject?: "address" | "domain";
}

/** Classifies one address after another; its fields are the last result. */
export class Classifier {
  /** Undefined for a well-formed address, for which all fields below are set. */
  fault: SyntaxCode | undefined = undefined;
  faultIndex = 0;
  /** The domain is a known misspelling of a mail provider's, or is malformed and probably another domain. */
  isMistyped = false;
  /** The address is printable ASCII without quotes and backslashes, so JSON needs no escapes. */
  isPlain = false;
  isRole = false;
  hasTag = false;
  /** The local part's scan; not set for a bare domain. */
  readonly scan: MailboxScan;
  readonly unquotedLocalPart: UnquotedLocalPart = new UnquotedLocalPart();
  /** End of the role's name in the unquoted local part; -1 without a role. */
  roleEnd = -1;
  readonly canonicalLocalPart: CanonicalLocalPart = new CanonicalLocalPart();
  /** Contains the canonical domain: a host name in any letter case, or any bytes in lower case. */
  domainBytes: Uint8Array = new Uint8Array(0);
  domainStart = 0;
  domainEnd = 0;
  isDomainLowercase = true;
  /** Index of the domain in the input. */
  domainInputStart = 0;

  readonly classifiesDomains: boolean;
  routing: MailRouting | undefined = undefined;
  evidence: RoutingEvidence | undefined = undefined;

  private facts: DomainFacts | undefined;
  private refinedVerdict: DomainVerdict | undefined;
  private readonly domainReader: DomainReader;
  private readonly cache: ByteCache<DomainFacts> | undefined;
  private readonly judge: (routing: MailRouting) => RoutingEvidence;

  constructor(private readonly setup: ClassifierSetup) {
    this.scan = new MailboxScan(setup.syntax);
    this.classifiesDomains = setup.subject === "domain";
    this.domainReader = new DomainReader(setup);
    const { minRank } = this.domainReader;
    this.judge = memoize(JUDGED_ROUTINGS_MAX, (routing) => judgeRouting(routing, setup.lists, minRank));
    const { cacheEntries = 0 } = setup;
    this.cache = cacheEntries > 0 ? new ByteCache(cacheEntries) : undefined;
  }

  get lists(): CompiledLists {
    return this.setup.lists;
  }

  /** Reports whether facts of an unlisted ASCII domain depend only on its last label, except for hidden addresses. */
  get sharesUnlistedByTld(): boolean {
    return this.setup.overrides === undefined || this.setup.overrides.size === 0;
  }

  get verdict(): DomainVerdict {
    return this.refinedVerdict ?? (this.facts as DomainFacts).verdict;
  }

  /** The role is one whose mail nobody reads, such as `noreply`. */
  get isNoReply(): boolean {
    const { bytes, start } = this.unquotedLocalPart;
    return this.roleEnd >= 0 && this.lists.isNoReply(bytes, start, this.roleEnd);
  }

  /** Warnings about the local part of the last address. The address must be well-formed. */
  get localPartWarnings(): readonly AddressWarning[] {
    if (!this.scan.smtputf8 || this.classifiesDomains) return NO_WARNINGS;
    const { bytes, start, end } = this.unquotedLocalPart;
    return localPartWarnings(decodeUtf8(bytes, start, end));
  }

  /** Canonical form of the last address or domain, which must be well-formed. */
  get normalized(): string {
    const { canonicalLocalPart, domainBytes, domainStart, domainEnd, classifiesDomains } = this;
    const { bytes, start, end } = canonicalLocalPart;
    // For a plain address, TextDecoder would dominate.
    const localPart = this.isPlain ? decodeAsciiLowercase(bytes, start, end) : decodeUtf8(bytes, start, end);
    return `${classifiesDomains ? "" : `${localPart}@`}${decodeAsciiLowercase(domainBytes, domainStart, domainEnd)}`;
  }

  /** Reports whether `text` is the canonical form. Comparing takes a third of the time of creating the string. */
  isNormalized(text: string): boolean {
    const { canonicalLocalPart, domainBytes, domainStart, domainEnd } = this;
    const { bytes, start, end } = canonicalLocalPart;
    const atIndex = end - start;
    if (!this.isPlain || this.classifiesDomains || text.length !== atIndex + 1 + domainEnd - domainStart) return false;
    for (let i = 0; i < atIndex; i += 1) if (text.charCodeAt(i) !== bytes[start + i]) return false;
    for (let i = domainStart, j = atIndex + 1; i < domainEnd; i += 1, j += 1) {
      const byte = domainBytes[i] as number;
      if (text.charCodeAt(j) !== byte || (byte >= 0x41 && byte <= 0x5a)) return false;
    }
    return true;
  }

  /** Classifies the address between `start` and `end`, with its domain's routing if it was looked up. */
  classify(bytes: Uint8Array, start: number, end: number, routing?: MailRouting): void {
    this.classifyByLists(bytes, start, end);
    if (routing !== undefined) this.applyRouting(routing);
  }

  /**
   * Classifies by lists only, and returns the domain to look up, in lower-case A-labels. Returns undefined if the
   * address is malformed, the domain is decided, or it can't be a DNS name.
   */
  domainToLookUp(bytes: Uint8Array, start: number, end: number): string | undefined {
    this.classifyByLists(bytes, start, end);
    if (this.fault !== undefined || this.verdict.isDecided) return undefined;
    const name = this.domainName(bytes, end);
    return isDnsName(name) ? name : undefined;
  }

  /** Returns the last address's domain in lower-case A-labels. The address must be well-formed, and end at `end`. */
  domainName(bytes: Uint8Array, end: number): string {
    const { mappedDomain } = this.facts as DomainFacts;
    return mappedDomain === undefined
      ? decodeAsciiLowercase(bytes, this.domainInputStart, end)
      : decodeAsciiLowercase(mappedDomain, 0, mappedDomain.length);
  }

  /** The last address's provider. The address must be well-formed. */
  get provider(): ProviderRule {
    return (this.facts as DomainFacts).provider;
  }

  /** The last address's tag, which its canonical form omits. The address must be well-formed. */
  get tag(): string | undefined {
    if (!this.hasTag) return undefined;
    const { bytes, start, end } = this.unquotedLocalPart;
    return decodeUtf8(
      bytes,
      (this.facts as DomainFacts).isUserSubdomain ? start : this.canonicalLocalPart.separatorAt + 1,
      end,
    );
  }

  private classifyByLists(bytes: Uint8Array, start: number, end: number): void {
    const scan = this.scan;
    this.refinedVerdict = undefined;
    this.routing = undefined;
    this.evidence = undefined;
    this.isMistyped = false;
    const isBareDomain = this.classifiesDomains && !bytes.subarray(start, end).includes(AT);
    const domainStart = isBareDomain && end > start ? start : scanToDomain(bytes, start, end, scan);
    if (domainStart < 0) {
      this.fault = scan.fault;
      this.faultIndex = scan.faultIndex;
      return;
    }
    const facts = this.lookUpFacts(bytes, domainStart, end);
    this.facts = facts;
    this.isMistyped = facts.verdict.isMistyped;
    this.domainInputStart = domainStart;
    this.isPlain = (isBareDomain || scan.form === "dot-string") && facts.mappedDomain === undefined;
    this.fault = facts.fault;
    if (this.fault !== undefined) {
      this.faultIndex = domainStart + facts.faultOffset;
      return;
    }
    if (this.classifiesDomains) {
      this.setBareDomain(bytes, domainStart, end, facts);
      return;
    }
    const domainLength = facts.mappedDomain === undefined ? end - domainStart : facts.mappedDomain.length;
    if (!checkAddressLength(start, end, domainLength, scan)) {
      this.fault = scan.fault;
      this.faultIndex = scan.faultIndex;
      return;
    }
    this.readLocalPart(bytes, start, facts);
    this.setCanonicalDomain(bytes, domainStart, end, facts);
    if (facts.mayHaveMailboxOverrides) this.applyMailboxOverride(facts.verdict);
  }

  /** Returns a domain's facts; undefined if it is malformed. */
  readValidDomain(bytes: Uint8Array, start: number, end: number): DomainFacts | undefined {
    return this.domainReader.readValid(bytes, start, end);
  }

  private lookUpFacts(bytes: Uint8Array, start: number, end: number): DomainFacts {
    const cache = this.cache;
    if (cache === undefined) return this.domainReader.read(bytes, start, end);
    const cached = cache.get(bytes, start, end);
    if (cached !== undefined) return cached;
    const facts = this.domainReader.read(bytes, start, end);
    cache.set(start, end, facts);
    return facts;
  }

  private applyMailboxOverride(verdict: DomainVerdict): void {
    const override = this.setup.overrides?.get(this.normalized);
    if (override !== undefined)
      this.refinedVerdict = this.domainReader.verdicts.withOverride(verdict, override.disposable);
  }

  private applyRouting(routing: MailRouting): void {
    this.routing = routing;
    if (routing.status === "skipped" || this.fault !== undefined) return;
    // This mailbox has an override. The domain was looked up for other mailboxes.
    if (this.refinedVerdict?.isDecided === true) return;
    const evidence = this.judge(routing);
    this.evidence = evidence;
    this.refinedVerdict = this.domainReader.verdicts.withRouting(this.verdict, evidence);
  }

  /** Sets a fault without reading an address, such as for a line that is too long. */
  rejectUnread(code: SyntaxCode, index: number): void {
    this.isMistyped = false;
    this.fault = code;
    this.faultIndex = index;
  }

  private readLocalPart(bytes: Uint8Array, start: number, facts: DomainFacts): void {
    normalizeQuoting(bytes, start, this.scan, this.unquotedLocalPart);
    canonicalizeLocalPart(this.unquotedLocalPart, facts.provider, this.canonicalLocalPart);
    const { separatorAt } = this.canonicalLocalPart;
    this.hasTag = separatorAt >= 0;
    this.roleEnd = matchRole(this.unquotedLocalPart, this.setup.lists, facts.verdict.isPublic, separatorAt);
    this.isRole = this.roleEnd >= 0;
  }

  /** Sets the canonical domain: the provider's canonical name, or else the mapped form, or else the input. */
  private setCanonicalDomain(bytes: Uint8Array, start: number, end: number, facts: DomainFacts): void {
    shortenLocalPart(this.canonicalLocalPart, LOCAL_PART_MAX);
    const domain = this.canonicalAlias(facts) ?? facts.mappedDomain ?? bytes;
    this.domainBytes = domain;
    this.isDomainLowercase = domain !== bytes;
    this.domainStart = domain === bytes ? start : 0;
    this.domainEnd = domain === bytes ? end : domain.length;
    shortenLocalPart(this.canonicalLocalPart, ADDRESS_MAX - 1 - (this.domainEnd - this.domainStart));
    if (!facts.isUserSubdomain) return;
    // The local part is the first label.
    let dot = this.domainStart;
    while (domain[dot] !== DOT) dot += 1;
    const localPart = this.canonicalLocalPart;
    const length = dot - this.domainStart;
    for (let i = 0; i < length; i += 1)
      localPart.buffer[i] = LOWERCASE[domain[this.domainStart + i] as number] as number;
    localPart.setBufferLength(length);
    this.domainStart = dot + 1;
    this.hasTag = true;
  }

  private setBareDomain(bytes: Uint8Array, start: number, end: number, facts: DomainFacts): void {
    this.canonicalLocalPart.setBufferLength(0);
    this.setCanonicalDomain(bytes, start, end, facts);
    // For a user subdomain, setCanonicalDomain() has set a local part.
    this.canonicalLocalPart.setBufferLength(0);
    this.hasTag = false;
  }

  /** Returns the provider's canonical domain, unless it would make the address too long. */
  private canonicalAlias({ provider: { canonicalDomainBytes: domainBytes } }: DomainFacts): Uint8Array | undefined {
    const { start, end } = this.canonicalLocalPart;
    const fits = domainBytes !== undefined && end - start + 1 + domainBytes.length <= ADDRESS_MAX;
    return fits ? domainBytes : undefined;
  }
}

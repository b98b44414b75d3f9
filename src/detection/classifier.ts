// From an address in bytes to everything that a detection says, without allocating when the address is plain: joins the
// parser, the facts about the domain, and the rules. Its one class is long because its fields are one result.

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
import { AT, DOT } from "../base/bytes/ascii.ts";
import { ByteCache } from "../base/bytes/byte-cache.ts";
import { decodeAsciiLowercase, decodeUtf8, LOWERCASE } from "../base/bytes/bytes.ts";
import type { CompiledLists } from "../lists/table.ts";
import type { DomainFacts } from "./domain/facts.ts";
import { DomainReader, type DomainReaderSetup } from "./domain/reader.ts";
import type { MailRouting } from "./routing.ts";
import { isDnsName, judgeRouting, type RoutingEvidence } from "./routing-evidence.ts";
import type { DomainVerdict } from "./verdict.ts";

const JUDGED_ROUTINGS_MAX = 512;

export interface ClassifierSetup extends DomainReaderSetup {
  /** The number of domains to remember; 0 for one-off work. */
  readonly cacheEntries?: number;
  /** `domain`: only the domain is classified, bare or of an address. Default: `address`. */
  readonly subject?: "address" | "domain";
}

/** Classifies one address after another; its fields are the last result. */
export class Classifier {
  /** The fault; undefined for a well-formed address, for which all fields below are set. */
  fault: SyntaxCode | undefined = undefined;
  faultIndex = 0;
  /** The domain is a misspelling of a mail provider's name, or is malformed and has a suggestion. */
  isMistyped = false;
  /** The address is printable ASCII without quotes and backslashes, so it needs no escape in JSON. */
  isPlain = false;
  isRole = false;
  hasTag = false;
  /** How the local part was read; not set for a bare domain. */
  readonly scan: MailboxScan;
  readonly unquotedLocalPart: UnquotedLocalPart = new UnquotedLocalPart();
  /** The index in the content at which the role's name ends, -1 without one. */
  roleEnd = -1;
  readonly canonicalLocalPart: CanonicalLocalPart = new CanonicalLocalPart();
  /** The canonical domain: a host name in either letter case, or lower-case bytes of any kind. */
  domainBytes: Uint8Array = new Uint8Array(0);
  domainStart = 0;
  domainEnd = 0;
  isDomainLowercase = true;
  /** Index of the domain in the address as written. */
  domainInputStart = 0;

  readonly classifiesDomains: boolean;
  routing: MailRouting | undefined = undefined;
  evidence: RoutingEvidence | undefined = undefined;

  private facts: DomainFacts | undefined;
  private refinedVerdict: DomainVerdict | undefined;
  private readonly domainReader: DomainReader;
  private readonly cache: ByteCache<DomainFacts> | undefined;
  private readonly evidenceByRouting: Map<MailRouting, RoutingEvidence> = new Map();

  constructor(private readonly setup: ClassifierSetup) {
    this.scan = new MailboxScan(setup.syntax);
    this.classifiesDomains = setup.subject === "domain";
    this.domainReader = new DomainReader(setup);
    const { cacheEntries = 0 } = setup;
    this.cache = cacheEntries > 0 ? new ByteCache(cacheEntries) : undefined;
  }

  get lists(): CompiledLists {
    return this.setup.lists;
  }

  /** The facts of a domain in ASCII that no list has depend on its last label only, except for a hidden address. */
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

  /** The canonical form of the last address or bare domain, if it was well-formed. */
  get normalized(): string {
    const { canonicalLocalPart, domainBytes, domainStart, domainEnd, classifiesDomains } = this;
    const { bytes, start, end } = canonicalLocalPart;
    // A decoder costs more than the rest of a plain address.
    const localPart = this.isPlain ? decodeAsciiLowercase(bytes, start, end) : decodeUtf8(bytes, start, end);
    return `${classifiesDomains ? "" : `${localPart}@`}${decodeAsciiLowercase(domainBytes, domainStart, domainEnd)}`;
  }

  /** True when `text` is the canonical form already: comparing costs a third of making the string. */
  isNormalized(text: string): boolean {
    const { canonicalLocalPart, domainBytes, domainStart, domainEnd } = this;
    const { bytes, start, end } = canonicalLocalPart;
    const at = end - start;
    if (!this.isPlain || this.classifiesDomains || text.length !== at + 1 + domainEnd - domainStart) return false;
    for (let i = 0; i < at; i += 1) if (text.charCodeAt(i) !== bytes[start + i]) return false;
    for (let i = domainStart, j = at + 1; i < domainEnd; i += 1, j += 1) {
      const byte = domainBytes[i] as number;
      if (text.charCodeAt(j) !== byte || (byte >= 0x41 && byte <= 0x5a)) return false;
    }
    return true;
  }

  /**
   * Classifies the address between `start` and `end` of `bytes`, with DNS's answer about its domain if it was asked.
   */
  classify(bytes: Uint8Array, start: number, end: number, routing?: MailRouting): void {
    this.classifyByLists(bytes, start, end);
    if (routing !== undefined) this.applyRouting(routing);
  }

  /**
   * Classifies by the lists only, and returns the domain to ask DNS about, in lower-case A-labels. Undefined when the
   * address is malformed, the lists settle the domain, or it is not a name in DNS.
   */
  domainToLookUp(bytes: Uint8Array, start: number, end: number): string | undefined {
    this.classifyByLists(bytes, start, end);
    if (this.fault !== undefined || this.verdict.isDecided) return undefined;
    const name = this.domainName(bytes, end);
    return isDnsName(name) ? name : undefined;
  }

  /** The domain of the last address, which is well-formed and ends at `end` of `bytes`: A-labels, lower case. */
  domainName(bytes: Uint8Array, end: number): string {
    const { mapped } = this.facts as DomainFacts;
    return mapped === undefined
      ? decodeAsciiLowercase(bytes, this.domainInputStart, end)
      : decodeAsciiLowercase(mapped, 0, mapped.length);
  }

  /** The rule of the last address's provider, when the address is well-formed. */
  get provider(): ProviderRule {
    return (this.facts as DomainFacts).provider;
  }

  /** The tag of the last address, which is well-formed: what its canonical form leaves out. */
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
    const bare = this.classifiesDomains && !bytes.subarray(start, end).includes(AT);
    const domainStart = bare && end > start ? start : scanToDomain(bytes, start, end, scan);
    if (domainStart < 0) {
      this.fault = scan.fault;
      this.faultIndex = scan.faultIndex;
      return;
    }
    const facts = this.lookUpFacts(bytes, domainStart, end);
    this.facts = facts;
    this.isMistyped = facts.verdict.isMistyped;
    this.domainInputStart = domainStart;
    this.isPlain = (bare || scan.form === "dot-string") && facts.mapped === undefined;
    this.fault = facts.fault;
    if (this.fault !== undefined) {
      this.faultIndex = domainStart + facts.faultOffset;
      return;
    }
    if (this.classifiesDomains) {
      this.setBareDomain(bytes, domainStart, end, facts);
      return;
    }
    const length = facts.mapped === undefined ? end - domainStart : facts.mapped.length;
    if (!checkAddressLength(start, end, length, scan)) {
      this.fault = scan.fault;
      this.faultIndex = scan.faultIndex;
      return;
    }
    this.readLocalPart(bytes, start, facts);
    this.setCanonicalDomain(bytes, domainStart, end, facts);
    if (facts.mayHaveMailboxOverrides) this.applyMailboxOverride(facts.verdict);
  }

  /** The facts of a well-formed domain; undefined for another one. */
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
    // A mailbox with its own decision, at a domain that others asked about.
    if (this.refinedVerdict?.isDecided === true) return;
    let evidence = this.evidenceByRouting.get(routing);
    if (evidence === undefined) {
      evidence = judgeRouting(routing, this.setup.lists, this.domainReader.minRank);
      // For domains that are in many rows. Most are in one, so a simple cache is enough.
      if (this.evidenceByRouting.size >= JUDGED_ROUTINGS_MAX) this.evidenceByRouting.clear();
      this.evidenceByRouting.set(routing, evidence);
    }
    this.evidence = evidence;
    this.refinedVerdict = this.domainReader.verdicts.withRouting(this.verdict, evidence);
  }

  /** Makes the last address a malformed one that was not read: a line that is too long. */
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

  /** Sets the canonical domain: the provider's one name, the mapped form, or the input. */
  private setCanonicalDomain(bytes: Uint8Array, start: number, end: number, facts: DomainFacts): void {
    shortenLocalPart(this.canonicalLocalPart, LOCAL_PART_MAX);
    const domain = this.canonicalAlias(facts) ?? facts.mapped ?? bytes;
    this.domainBytes = domain;
    this.isDomainLowercase = domain !== bytes;
    this.domainStart = domain === bytes ? start : 0;
    this.domainEnd = domain === bytes ? end : domain.length;
    shortenLocalPart(this.canonicalLocalPart, ADDRESS_MAX - 1 - (this.domainEnd - this.domainStart));
    if (!facts.isUserSubdomain) return;
    // The first label is the local part.
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
    // A user's subdomain has left its first label there.
    this.canonicalLocalPart.setBufferLength(0);
    this.hasTag = false;
  }

  /** The provider's one name, unless it would make the address too long. */
  private canonicalAlias({ provider: { canonicalDomainBytes: domainBytes } }: DomainFacts): Uint8Array | undefined {
    const { start, end } = this.canonicalLocalPart;
    const fits = domainBytes !== undefined && end - start + 1 + domainBytes.length <= ADDRESS_MAX;
    return fits ? domainBytes : undefined;
  }
}

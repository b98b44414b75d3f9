// Reads an address's classes, and single fields of its evidence. Looks up a domain once, and only if a field needs it.

import { lazy, memoize } from "../base/memoize.ts";
import { findMailboxOverride, NO_OVERRIDES } from "../lists/overrides.ts";
import { ROW_CLASS } from "./classes.ts";
import type { Classifier, ClassifierSetup } from "./classifier.ts";
import { findDecidingMatches, lookUpDomain, splitSuffix, toOverrideMatch } from "./domain/evidence.ts";
import { warningsOf } from "./domain/kind.ts";
import { DOMAIN_CACHE_MAX, mayBeMistyped, suggest } from "./explain.ts";
import type { ExtraField, FieldValue, RunField } from "./fields.ts";
import { isWorkAddress } from "./verdict.ts";

function lookUpDomainFields(ascii: string, setup: ClassifierSetup) {
  const lookup = lookUpDomain(ascii, setup);
  return {
    ascii,
    mayBeMistyped: lazy(() => mayBeMistyped(lookup, setup.lists)),
    decidingMatch: findDecidingMatches(lookup, setup)[0],
    warnings: lazy(() => warningsOf(ascii, setup.lists)),
    registrableDomain: lazy(() => splitSuffix(lookup, setup).registrable_domain),
  };
}

/** Reads fields of the address that a classifier classified last. */
export class FieldReader {
  private readonly domainOf: (ascii: string) => ReturnType<typeof lookUpDomainFields>;

  constructor(private readonly setup: ClassifierSetup) {
    this.domainOf = memoize(DOMAIN_CACHE_MAX, (ascii) => lookUpDomainFields(ascii, setup));
  }

  read(
    name: Exclude<ExtraField, RunField>,
    bytes: Uint8Array,
    start: number,
    end: number,
    classifier: Classifier,
  ): FieldValue {
    const { setup } = this;
    if (name === "data_version") return setup.lists.meta.dataVersion;
    if (name === "fault") return classifier.fault;
    if (classifier.fault !== undefined) return name === "suggestion" ? suggest(bytes, start, end, setup) : undefined;
    if (name === "dns_status") return classifier.routing?.status ?? "skipped";
    // Not for an implicit MX, which is the domain itself.
    if (name === "exchange")
      return classifier.routing?.status === "ok" ? classifier.routing.exchanges?.[0]?.exchange : undefined;
    if (name === "mail_provider") return classifier.evidence?.mailProvider;
    if (name === "domain_kind") return classifier.verdict.kind;
    if (name === "work" || name === "academic" || name === "no_reply")
      return (classesOf(classifier, false) & ROW_CLASS[name]) !== 0;
    if (name === "tag") return classifier.tag;
    const domain = this.domainOf(classifier.domainName(bytes, end));
    if (name === "domain") return domain.ascii;
    if (name === "warnings") {
      const { verdict, localPartWarnings } = classifier;
      const warnings = verdict.hasWarning ? [...localPartWarnings, ...domain.warnings()] : localPartWarnings;
      return warnings.length === 0 ? undefined : warnings;
    }
    if (name === "registrable_domain") return domain.registrableDomain();
    if (name === "suggestion") {
      const isDoubtful = domain.mayBeMistyped() || classifier.localPartWarnings.includes("typographic_local_part");
      return isDoubtful ? suggest(bytes, start, end, setup) : undefined;
    }
    const { overrides = NO_OVERRIDES } = setup;
    const override = overrides.size === 0 ? undefined : findMailboxOverride(classifier.normalized, overrides);
    const ownMatch = override === undefined ? domain.decidingMatch : toOverrideMatch(override);
    const match = ownMatch ?? classifier.evidence?.matches[0];
    return name === "matched" ? match?.entry : match?.[name];
  }
}

/**
 * Returns the class bits of the classifier's current address. `isHidden`: the local part or the text around the address
 * puts it in the class `hidden`.
 */
export function classesOf(classifier: Classifier, blank: boolean, isHidden = false): number {
  if (blank) return ROW_CLASS.blank;
  const { fault } = classifier;
  const mistyped = classifier.isMistyped ? ROW_CLASS.mistyped : 0;
  if (fault === "special_use_tld") return ROW_CLASS.invalid | ROW_CLASS.reserved;
  if (fault !== undefined) return ROW_CLASS.invalid | mistyped;
  const verdict = classifier.verdict;
  let bits: number = ROW_CLASS.valid | mistyped;
  if (verdict.isDisposable) bits |= ROW_CLASS.disposable;
  if (verdict.relayProvider !== undefined) bits |= ROW_CLASS.relay;
  if (verdict.isPublic) bits |= ROW_CLASS.public;
  if (verdict.kind === "reserved") bits |= ROW_CLASS.reserved;
  else bits |= verdict.kind === "hidden" || isHidden ? ROW_CLASS.hidden : ROW_CLASS.unreserved;
  if (isWorkAddress(verdict) && !isHidden) bits |= ROW_CLASS.work;
  if (verdict.hasWarning || classifier.localPartWarnings.length > 0) bits |= ROW_CLASS.suspicious;
  if (verdict.acceptsNoMail) bits |= ROW_CLASS.no_mail;
  if (verdict.isUnanswered) bits |= ROW_CLASS.unknown;
  if (verdict.kind === "academic") bits |= ROW_CLASS.academic;
  if (classifier.isRole) bits |= ROW_CLASS.role;
  if (classifier.isNoReply) bits |= ROW_CLASS.no_reply;
  if (classifier.hasTag) bits |= ROW_CLASS.subaddressed;
  return bits;
}

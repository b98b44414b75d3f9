// Determines the classes of an address. Apart from classes.ts, so that the library's types need no classifier.

import { ROW_CLASS } from "./classes.ts";
import type { Classifier } from "./classifier.ts";
import { isWorkAddress } from "./verdict.ts";

/**
 * Returns the class bits of the classifier's current address. `isMachine`: the address belongs to a service that made
 * the commit, so it is `hidden`.
 */
export function classesOf(classifier: Classifier, blank: boolean, isMachine = false): number {
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
  else bits |= verdict.kind === "hidden" || isMachine ? ROW_CLASS.hidden : ROW_CLASS.unreserved;
  if (isWorkAddress(verdict) && !isMachine) bits |= ROW_CLASS.work;
  if (verdict.hasWarning) bits |= ROW_CLASS.suspicious;
  if (verdict.acceptsNoMail) bits |= ROW_CLASS.no_mail;
  if (verdict.isUnanswered) bits |= ROW_CLASS.unknown;
  if (verdict.kind === "academic") bits |= ROW_CLASS.academic;
  if (classifier.isRole) bits |= ROW_CLASS.role;
  if (classifier.isNoReply) bits |= ROW_CLASS.no_reply;
  if (classifier.hasTag) bits |= ROW_CLASS.subaddressed;
  return bits;
}

// Row classes, as bits. --select, --reject and --fail-on choose from them.

import type { Classifier } from "../detection/classifier.ts";
import { isWorkAddress } from "../detection/verdict.ts";

/** Class names in the order of the summary, each with its bit. */
export const ROW_CLASS = {
  valid: 1,
  invalid: 2,
  blank: 4,
  disposable: 8,
  mistyped: 2048,
  suspicious: 8192,
  relay: 16,
  public: 32,
  role: 64,
  no_reply: 262144,
  subaddressed: 128,
  reserved: 256,
  unreserved: 4096,
  hidden: 32768,
  work: 65536,
  academic: 131072,
  no_mail: 512,
  unknown: 1024,
  duplicate: 16384,
} as const;
export type RowClass = keyof typeof ROW_CLASS;

export function classBits(names: readonly RowClass[]): number {
  return names.reduce((bits, name) => bits | ROW_CLASS[name], 0);
}

export function classNames(bits: number): string[] {
  return Object.entries(ROW_CLASS).flatMap(([name, bit]) => ((bits & bit) === 0 ? [] : [name]));
}

export function increment<Name>(counts: Map<Name, number>, name: Name, rows = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + rows);
}

/** Counts the rows of each class, from the counts of each combination of class bits. */
export function rowsByClass(counts: readonly (readonly [classes: number, rows: number])[]): Record<RowClass, number> {
  const rowsOfClass = (bit: number): number =>
    counts.reduce((sum, [classes, rows]) => ((classes & bit) === 0 ? sum : sum + rows), 0);
  const entries = Object.entries(ROW_CLASS).map(([name, bit]) => [name, rowsOfClass(bit)]);
  return Object.fromEntries(entries) as Record<RowClass, number>;
}

/** Classes that rows have only if DNS was queried. */
export const DNS_CLASSES: readonly RowClass[] = ["no_mail", "unknown"];

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

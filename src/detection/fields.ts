// Names and values of a detection's fields, and names of additional ones for --fields.

import type { DomainFlags, ValidDetection } from "./detection.ts";
import type { DomainVerdict } from "./verdict.ts";

/** Columns that CSV and TSV add by default: all of a detection but the address and the evidence. */
export const ADDED_COLUMNS = [
  "syntax_validation",
  "normalized",
  "subaddressing",
  "role_address",
  "public_domain",
  "relay_domain",
  "relay_provider",
  "disposable",
  "detection_source",
] as const satisfies readonly Exclude<keyof ValidDetection, "email" | "explain">[];
export type AddedColumn = (typeof ADDED_COLUMNS)[number];

export function isAddedColumn(name: Field): name is AddedColumn {
  return (ADDED_COLUMNS as readonly string[]).includes(name);
}

export const EXTRA_FIELDS = [
  "fault",
  "suggestion",
  "warnings",
  "domain",
  "registrable_domain",
  "matched",
  "confidence",
  "sources",
  "dns_status",
  "exchange",
  "mail_provider",
  "domain_kind",
  "work",
  "academic",
  "no_reply",
  "classes",
  "tag",
  "duplicate_of",
  "row",
  "data_version",
] as const;
export type ExtraField = (typeof EXTRA_FIELDS)[number];

export const FIELDS = [...ADDED_COLUMNS, ...EXTRA_FIELDS] as const;
export type Field = (typeof FIELDS)[number];

/**
 * What determines a field's value for a well-formed address, apart from parts copied from the address. `verdict`: the
 * domain's verdict, tag and role; `domain`: also the domain's name; `address`: also the address or its row.
 */
export type FieldScope = "verdict" | "domain" | "address";

/** Returns a field's scope. The accelerator reuses a value for all addresses at a domain, unless it is `address`. */
export function scopeOfField(field: Field): FieldScope {
  // The accelerator writes the number in `duplicate_of` itself.
  if (field === "duplicate_of" || isAddedColumn(field)) return "verdict";
  // It leaves rows with a tag, a suggestion, a no-reply role or a local part that is not ASCII to the scanner, so these
  // fields don't depend on the address.
  return field === "row" || field === "classes" ? "address" : "domain";
}

export type RowNumberField = "duplicate_of" | "row";

/** Fields that only a run of rows has. */
export type RunField = RowNumberField | "classes";

export type FieldValue = string | number | boolean | readonly string[] | undefined;

/** Creates a detection. Has one literal per shape, because spreading a common part takes three times as long. */
export function createValidDetection(
  email: string,
  normalized: string,
  { isPublic, relayProvider, isDisposable, source }: DomainVerdict,
  hasTag: boolean,
  isRole: boolean,
): ValidDetection {
  return relayProvider === undefined
    ? {
        email,
        syntax_validation: true,
        normalized,
        subaddressing: hasTag,
        role_address: isRole,
        public_domain: isPublic,
        relay_domain: false,
        disposable: isDisposable,
        detection_source: source,
      }
    : {
        email,
        syntax_validation: true,
        normalized,
        subaddressing: hasTag,
        role_address: isRole,
        public_domain: isPublic,
        relay_domain: true,
        relay_provider: relayProvider,
        disposable: isDisposable,
        detection_source: source,
      };
}

/** Returns a detection's fields but the address and its canonical form, in the documented order. */
export function flagsOf(
  verdict: DomainVerdict,
  hasTag: boolean,
  isRole: boolean,
): Omit<ValidDetection, "email" | "syntax_validation" | "normalized" | "explain"> {
  const { email, syntax_validation, normalized, ...flags } = createValidDetection("", "", verdict, hasTag, isRole);
  return flags;
}

export function domainFlags(verdict: DomainVerdict): DomainFlags {
  const { subaddressing, role_address, ...flags } = flagsOf(verdict, false, false);
  return flags;
}

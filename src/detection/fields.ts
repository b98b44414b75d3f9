// Fields of a row: the names and values of a detection's fields, and the names of more that --fields takes.

import type { DomainFlags, ValidDetection } from "./detection.ts";
import type { DomainVerdict } from "./verdict.ts";

/** Columns that CSV and TSV add unless --fields chooses: all of the shape but the address and the evidence. */
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
  "tag",
  "duplicate_of",
  "row",
  "data_version",
] as const;
export type ExtraField = (typeof EXTRA_FIELDS)[number];

export const FIELDS = [...ADDED_COLUMNS, ...EXTRA_FIELDS] as const;
export type Field = (typeof FIELDS)[number];

/**
 * What decides the value of a field of a well-formed address, or a part that it copies: the verdict about the domain,
 * with whether there is a tag or a role; the name of the domain too; or more of the address, its row, or other rows.
 */
export type FieldScope = "verdict" | "domain" | "address";

/** The accelerator of bulk work copies the values of a field for a whole domain, unless they depend on the address. */
export const FIELD_SCOPE = {
  syntax_validation: "verdict",
  normalized: "verdict",
  subaddressing: "verdict",
  role_address: "verdict",
  public_domain: "verdict",
  relay_domain: "verdict",
  relay_provider: "verdict",
  disposable: "verdict",
  detection_source: "verdict",
  fault: "domain",
  suggestion: "address",
  warnings: "domain",
  domain: "domain",
  registrable_domain: "domain",
  matched: "domain",
  confidence: "domain",
  sources: "domain",
  dns_status: "domain",
  exchange: "domain",
  mail_provider: "domain",
  domain_kind: "domain",
  work: "domain",
  academic: "domain",
  // The accelerator answers no row with such a name.
  no_reply: "domain",
  // The accelerator answers no row with a tag.
  tag: "domain",
  // The accelerator copies the number of the first row.
  duplicate_of: "verdict",
  row: "address",
  data_version: "domain",
} as const satisfies Readonly<Record<Field, FieldScope>>;

export type RowNumberField = "duplicate_of" | "row";

export type FieldValue = string | number | boolean | readonly string[] | undefined;

/** A detection. One literal for each shape, because joining parts costs three times as much. */
export function createValidDetection(
  email: string,
  normalized: string,
  { isPublic, relayProvider, isDisposable, source }: DomainVerdict,
  subaddressing: boolean,
  role: boolean,
): ValidDetection {
  return relayProvider === undefined
    ? {
        email,
        syntax_validation: true,
        normalized,
        subaddressing,
        role_address: role,
        public_domain: isPublic,
        relay_domain: false,
        disposable: isDisposable,
        detection_source: source,
      }
    : {
        email,
        syntax_validation: true,
        normalized,
        subaddressing,
        role_address: role,
        public_domain: isPublic,
        relay_domain: true,
        relay_provider: relayProvider,
        disposable: isDisposable,
        detection_source: source,
      };
}

/** The values of a detection besides the address, in the documented order. */
export function flagsOf(
  verdict: DomainVerdict,
  subaddressing: boolean,
  role: boolean,
): Omit<ValidDetection, "email" | "syntax_validation" | "normalized" | "explain"> {
  const { email, syntax_validation, normalized, ...flags } = createValidDetection("", "", verdict, subaddressing, role);
  return flags;
}

export function domainFlags(verdict: DomainVerdict): DomainFlags {
  const { subaddressing, role_address, ...flags } = flagsOf(verdict, false, false);
  return flags;
}

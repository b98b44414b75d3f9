// The names of what a row can carry: the fields of a detection, and those of its evidence that fit a column. Names only.

/** What CSV and TSV say of an address unless --fields chooses, in the order of the shape: all but the address and the evidence. */
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
] as const;
export type AddedColumn = (typeof ADDED_COLUMNS)[number];

/** What else a row can carry. */
export const MORE_FIELDS = [
  "fault",
  "suggestion",
  "domain",
  "registrable_domain",
  "matched",
  "confidence",
  "sources",
  "dns_status",
  "mail_provider",
  "domain_kind",
  "tag",
  "row",
] as const;
export type MoreField = (typeof MORE_FIELDS)[number];

/** All that --fields can choose. */
export const FIELDS = [...ADDED_COLUMNS, ...MORE_FIELDS] as const;
export type Field = (typeof FIELDS)[number];

/** A field's value; undefined where the row has none. */
export type FieldValue = string | number | readonly string[] | undefined;

// Results as tests expect them: a field that a test does not name is false, so that a new field of a detection changes
// no test but that of the README, which has them all in order.

import { DOMAIN_DETECTION, VALID_DETECTION } from "../../src/detection/detection.ts";
import { ADDED_COLUMNS, type AddedColumn } from "../../src/detection/fields.ts";

type Fields = Readonly<Partial<Record<AddedColumn, unknown>>>;

/** The names of the added columns. */
export const ADDED: string = ADDED_COLUMNS.join(",");
export const INVALID: Fields = { syntax_validation: false };
const FLAGS = ADDED_COLUMNS.filter((name) => VALID_DETECTION.properties[name].type === "boolean");

/** Fields of a well-formed address, in their order. */
export function fieldsOf(normalized: string, overrides: Fields = {}): Fields {
  const flags = Object.fromEntries(FLAGS.map((name) => [name, false]));
  const all = {
    ...flags,
    normalized,
    detection_source: "precomputed",
    ...overrides,
    syntax_validation: true,
  } as Fields;
  return Object.fromEntries(ADDED_COLUMNS.filter((name) => name in all).map((name) => [name, all[name]]));
}

/** Fields of a domain, in their order. */
export function domainFieldsOf(normalized: string, overrides: Fields = {}): Fields {
  const all = Object.entries(fieldsOf(normalized, overrides));
  return Object.fromEntries(all.filter(([name]) => name in DOMAIN_DETECTION.properties));
}

/** The cells of the added columns; `nothing` means a field that is absent. */
export function cellsOf(fields: Fields, delimiter = ",", missing = ""): string {
  return ADDED_COLUMNS.map((name) => fields[name] ?? missing).join(delimiter);
}

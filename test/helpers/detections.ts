// Expected results. Fields that a test does not name are false, so a new field of a detection changes only the test of
// the README, which lists all fields in order.

import { VALID_DETECTION, VALID_DOMAIN_DETECTION } from "../../src/detection/detection.ts";
import { ADDED_COLUMNS, type AddedColumn } from "../../src/detection/fields.ts";

type Fields = Readonly<Partial<Record<AddedColumn, unknown>>>;

/** The names of the added columns. */
export const ADDED: string = ADDED_COLUMNS.join(",");
export const INVALID: Fields = { syntax_validation: false };
const FLAGS = ADDED_COLUMNS.filter((name) => VALID_DETECTION.properties[name].type === "boolean");

/** Returns the fields of a well-formed address, in the order of the output. */
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

/** Returns the fields of a domain, in the order of the output. */
export function domainFieldsOf(normalized: string, overrides: Fields = {}): Fields {
  const all = Object.entries(fieldsOf(normalized, overrides));
  return Object.fromEntries(all.filter(([name]) => name in VALID_DOMAIN_DETECTION.properties));
}

/** Returns the cells of the added columns, joined. `missing` is the cell of an absent field. */
export function cellsOf(fields: Fields, delimiter = ",", missing = ""): string {
  return ADDED_COLUMNS.map((name) => fields[name] ?? missing).join(delimiter);
}

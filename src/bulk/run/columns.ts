// Reads the columns of --by and --key.

import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { formatAlternatives } from "../../base/closest-names.ts";
import { quote } from "../../base/format-text.ts";
import type { Classifier, ClassifierSetup } from "../../detection/classifier.ts";
import { FieldReader } from "../../detection/field-reader.ts";
import { BY_FIELDS, type ByField, CountsBy } from "../counts-by.ts";
import { type InputError, listKindOptions, usage } from "../messages.ts";
import { findColumn, findColumnIndex, parseColumnNumber } from "../rows/csv-header.ts";
import { createJsonLocator } from "../rows/json/lines.ts";
import { parsePath, rejectUnknownKey } from "../rows/json/preamble.ts";
import { createFieldLocator } from "../rows/layout.ts";
import { type LocateField, Row } from "../rows/row.ts";
import type { OpenedRows } from "./open-rows.ts";

/** Maximum bytes of a --by value, enough for URLs. Longer values are cut after a whole character, and end with `…`. */
const MAX_VALUE_BYTES = 2000;

/**
 * Creates the counts of --by: by a column, or by a field if no column has that name. Throws AddrsiftError USAGE if
 * there is no such column or if it contains the addresses. `usesDns`: DNS is on, which some fields need.
 */
export function createCountsBy(
  column: string,
  { layout, names, keys = [] }: Pick<OpenedRows, "layout" | "names" | "keys">,
  setup: ClassifierSetup,
  usesDns: boolean,
): CountsBy {
  const byError = (problem: string): Error => usage(({ option }) => `${option("by", column)} ${problem}`);
  const field = BY_FIELDS.find((name) => name === column);
  if (field !== undefined && names?.some((name) => name.trim() === field) !== true) {
    const needsDns = field === "exchange" || field === "mail_provider";
    if (needsDns && !usesDns)
      throw usage(({ option }) => `${option("by", field)} needs DNS: add ${option("dns", "on")}`);
    if ("additionalColumns" in layout && layout.additionalColumns !== undefined)
      throw byError("is about one address of a row: give one column of addresses");
    return new CountsBy(column, fieldValueReader(field, setup));
  }
  if (layout.kind === "lines" || layout.kind === "scan") {
    throw usage((wording) => {
      const kinds = listKindOptions(wording, ["csv", "tsv", "jsonl"]);
      return `${wording.option("by")} is for ${kinds}, or takes a field: ${formatAlternatives(BY_FIELDS)}`;
    });
  }
  if (layout.kind === "jsonl") {
    const path = parsePath(column);
    const paths = [layout.path, ...(layout.additionalColumns ?? [])];
    if (paths.some((each) => each?.join("\0") === path.join("\0")))
      throw byError("names the addresses: name another key");
    rejectUnknownKey(keys, new Set(keys), path);
    return new CountsBy(column, columnValueReader(createJsonLocator(path)));
  }
  const number = parseColumnNumber(column);
  if (names === undefined && number === undefined) throw byError("is a name, and there is no header: give its number");
  const { delimiter } = layout;
  const index =
    names === undefined ? (number as number) - 1 : findColumn(names, column, { hasHeader: true, delimiter });
  if ([layout.column, ...(layout.additionalColumns ?? [])].includes(index)) {
    throw byError("is the column of the addresses: name another one");
  }
  const readValue = columnValueReader(createFieldLocator(layout, index));
  const readFirstField = columnValueReader(createFieldLocator(layout, 0));
  return new CountsBy(names?.[index]?.trim() ?? column, readValue, index, readFirstField);
}

function fieldValueReader(field: ByField, setup: ClassifierSetup): (row: Row, classifier: Classifier) => string {
  const reader = new FieldReader(setup);
  return ({ bytes, start, end }, classifier) => String(reader.read(field, bytes, start, end, classifier) ?? "");
}

/** Creates a function that reads the value of a column or key. Returns undefined if the layout does not have it. */
export function createKeyReader(key: string, { layout, names, keys }: OpenedRows): ((row: Row) => string) | undefined {
  if (layout.kind === "jsonl") {
    const path = parsePath(key);
    return keys?.includes(path[0] as string) === true
      ? columnValueReader(createJsonLocator(path), Infinity)
      : undefined;
  }
  if (layout.kind === "lines" || layout.kind === "scan") return undefined;
  const index = findColumnIndex(names ?? Array<string>(layout.width).fill(""), key);
  return index === undefined ? undefined : columnValueReader(createFieldLocator(layout, index), Infinity);
}

/** Creates the error for a --key that is not a column or key of the file. */
export function missingKeyError(key: string, name: string, { names, keys, layout }: OpenedRows): InputError {
  const available = names ?? keys ?? [];
  const listed = available.slice(0, 30).map(quote);
  const hasNumbers = available.length === 0 && "width" in layout;
  const choice = hasNumbers ? `a number from 1 to ${layout.width}` : `one of ${listed.join(", ")}`;
  const fix = available.length === 0 && !hasNumbers ? "it has no columns, leave --key out" : `use ${choice}`;
  return usage(() => `--key ${key} is not a column of ${name}: ${fix}`);
}

function columnValueReader(locate: LocateField, maxBytes = MAX_VALUE_BYTES): (row: Row) => string {
  const field = new Row();
  return (row) => {
    field.copyFrom(row);
    locate(field);
    let end = Math.min(field.end, field.start + maxBytes);
    while (end < field.end && end > field.start && ((field.bytes[end] as number) & 0xc0) === 0x80) end -= 1;
    return decodeUtf8(field.bytes, field.start, end) + (end < field.end ? "…" : "");
  };
}

// The query of a stream: the options of `addrsift detect` that are about rows. What they are, what the document says of them, and how
// they are read.

import { type AddrsiftError, usage } from "../../../base/errors.ts";
import { choiceOf, nearNames } from "../../../base/near-names.ts";
import { choice, type Fields, listOf, optional, text } from "../../../base/shapes.ts";
import { ROW_CLASS, type RowClass } from "../../../bulk/classes.ts";
import { FIELDS, type Field } from "../../../detection/fields.ts";
import { CONFIDENCES, type Confidence } from "../../../lists/confidence.ts";

const CLASSES = Object.keys(ROW_CLASS) as readonly RowClass[];

/** Parameters that are `true` or `false`. */
const FLAGS = {
  "no-header": "The CSV has no header. Default: false.",
  part: "The body is a part of a larger input: nothing at its beginning is special, and CSV has no header, in or out. Default: false.",
  domains: "Rows are domains, or addresses of which only the domain counts. Default: false.",
  explain: "Adds the evidence to NDJSON. Default: false.",
  "spreadsheet-safe": "Puts `'` before an added CSV field that a spreadsheet would run as a formula. Default: false.",
  "no-quoted-local": "Refuses quoted local parts.",
  "ascii-only": "Refuses internationalized local parts and domains in Unicode.",
  "allow-domain-literal": "Accepts `[192.0.2.1]` and `[IPv6:...]`.",
  "allow-unknown-tld": "Accepts top-level domains outside the root zone.",
  "allow-reserved": "Accepts special-use top-level domains.",
  "allow-bare-suffix": "Accepts domains that are public suffixes themselves.",
  "allow-long-local": "Accepts local parts over 64 octets.",
} as const;
export type FlagName = keyof typeof FLAGS;

/** Parameters that are any text. */
const TEXTS = {
  delimiter: "The delimiter of the CSV: one ASCII character, or `tab`. Default: what its first line shows.",
  prefix: "Goes before the names of the added columns or keys.",
  "data-version": "Refuses lists of any other version, such as the one that `/readyz` names.",
  into: "Of NDJSON: the one key that is added, with all fields in it.",
} as const;
export type TextName = keyof typeof TEXTS;

const COLUMN =
  "Which column has the address: its header or its number from 1; of NDJSON its key, such as `email` or `user.email`. Given again, up to 100 times, rows have several addresses. Default: the only one that says e-mail.";

// A row is classified in one turn.
const COLUMNS_MAX = 100;

/** The query as it was read. What is not given is undefined, or an empty list. */
export interface StreamQuery {
  readonly flags: ReadonlyMap<FlagName, boolean>;
  readonly texts: ReadonlyMap<TextName, string>;
  readonly columns: readonly string[];
  readonly fields: readonly Field[];
  readonly select: readonly RowClass[];
  readonly reject: readonly RowClass[];
  readonly dns: "auto" | "on" | "off";
  readonly confidence: Confidence | undefined;
  /** Where the counts go, where the request says so. */
  readonly summary: "trailer" | "row" | undefined;
}

const LISTS = { fields: FIELDS, select: CLASSES, reject: CLASSES } as const;
const CHOICES = { dns: ["auto", "on", "off"], "min-confidence": CONFIDENCES, summary: ["trailer", "row"] } as const;

function list<const Words extends readonly string[]>(words: Words, description: string) {
  return optional(listOf(choice(words), description, { minItems: 1 }));
}

/** The parameters as shapes, for the document. */
export const STREAM_PARAMETERS: Fields = {
  column: optional(listOf(text(undefined, { minLength: 1 }), COLUMN, { minItems: 1, maxItems: COLUMNS_MAX })),
  delimiter: optional(text(TEXTS.delimiter, { minLength: 1, maxLength: 3 })),
  prefix: optional(text(TEXTS.prefix)),
  into: optional(text(TEXTS.into, { minLength: 1 })),
  fields: list(
    FIELDS,
    "Which fields rows carry, in this order, separated by commas. Default: the nine of each detection.",
  ),
  select: list(CLASSES, "Keeps only rows of these classes, separated by commas."),
  reject: list(CLASSES, "Drops rows of these classes; beats `select`."),
  dns: optional(choice(CHOICES.dns, "Whether DNS may be asked about domains that no list settles; `auto` is `off`.")),
  "min-confidence": optional(choice(CONFIDENCES, "Counts only disposable entries of this confidence or better.")),
  summary: optional(
    choice(
      CHOICES.summary,
      'Where the counts go: into the trailer field `Addrsift-Summary`, or into a last row, `{"summary":{...}}`. Default: into the trailer when the request has `TE: trailers`.',
    ),
  ),
  "data-version": optional(text(TEXTS["data-version"], { minLength: 1 })),
  ...Object.fromEntries(
    Object.entries(FLAGS).map(([name, description]) => [name, optional(choice(["true", "false"], description))]),
  ),
};

const NAMES = Object.keys(STREAM_PARAMETERS);

/** Reads the part after the `?`, written as forms write it: a `+` is a space. Throws AddrsiftError USAGE. */
export function readStreamQuery(query: string): StreamQuery {
  const given = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!NAMES.includes(name)) throw unknownName(name);
    given.set(name, [...(given.get(name) ?? []), value]);
  }
  return {
    flags: new Map(
      namesOf(FLAGS).flatMap((name) => {
        const value = one(given, name, ["true", "false"]);
        return value === undefined ? [] : [[name, value === "true"] as const];
      }),
    ),
    texts: new Map(
      namesOf(TEXTS).flatMap((name) => {
        const value = one(given, name);
        return value === undefined ? [] : [[name, value] as const];
      }),
    ),
    columns: columnsIn(given.get("column") ?? []),
    fields: many(given, "fields"),
    select: many(given, "select"),
    reject: many(given, "reject"),
    dns: one(given, "dns", CHOICES.dns) ?? "auto",
    confidence: one(given, "min-confidence", CONFIDENCES),
    summary: one(given, "summary", CHOICES.summary),
  };
}

function namesOf<Name extends string>(table: Readonly<Record<Name, string>>): readonly Name[] {
  return Object.keys(table) as Name[];
}

function one<const Words extends readonly string[]>(
  given: ReadonlyMap<string, readonly string[]>,
  name: string,
  words?: Words,
): Words[number] | undefined {
  const [value, ...others] = given.get(name) ?? [];
  if (others.length > 0) throw usage(`${name} is given more than once: give it once`);
  if (value !== undefined && words !== undefined) check(name, value, words);
  return value;
}

function columnsIn(columns: readonly string[]): readonly string[] {
  const { length } = columns;
  if (length <= COLUMNS_MAX) return columns;
  throw usage(`column is given ${length} times: give it at most ${COLUMNS_MAX} times`);
}

function many<Name extends keyof typeof LISTS>(
  given: ReadonlyMap<string, readonly string[]>,
  name: Name,
): readonly (typeof LISTS)[Name][number][] {
  const values = (given.get(name) ?? []).flatMap((text) => text.split(",").map((word) => word.trim()));
  for (const value of values) check(name, value, LISTS[name]);
  return values as (typeof LISTS)[Name][number][];
}

function check(name: string, value: string, words: readonly string[]): void {
  if (words.includes(value)) return;
  const near = nearNames(value, words);
  const meant = near.length === 0 ? "" : `did you mean ${choiceOf(near)}? `;
  throw usage(`${name} does not know ${JSON.stringify(value.slice(0, 40))}: ${meant}choose from ${words.join(", ")}`);
}

function unknownName(name: string): AddrsiftError {
  const near = nearNames(name, NAMES);
  const instead = near.length === 0 ? `use ${choiceOf(NAMES)}` : `did you mean ${choiceOf(near)}?`;
  return usage(`unknown query parameter ${JSON.stringify(name.slice(0, 40))}: ${instead}`);
}

// The options about rows, declared once: the command line's table and the query of a stream are made from them. What
// they may be together is in options.ts.

import type { SyntaxSwitch } from "../../address/options.ts";
import { usage } from "../../base/errors.ts";
import { choiceOf, nearNames } from "../../base/near-names.ts";
import { quoted } from "../../base/shown.ts";
import { FIELDS } from "../../detection/fields.ts";
import { CONFIDENCES, DEFAULT_CONFIDENCE } from "../../lists/confidence.ts";
import { ROW_CLASS, type RowClass } from "../classes.ts";

/** An option, or a parameter of a query. Without `value` it is a switch. */
export interface DeclaredOption {
  /** The long name without dashes. */
  readonly name: string;
  /** The name of the value in help, such as FILE. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** The value is a list of choices, separated by commas; the option may be given again. */
  readonly list?: boolean;
  /** The option may be given again, each time with one value that is taken whole. */
  readonly repeat?: boolean;
  readonly default?: string;
  readonly help: string;
}

type ChoiceOf<Option extends DeclaredOption> = Option extends { choices: readonly (infer Choice)[] } ? Choice : string;

/** The value of one option: true or false, one text, or all texts. */
type ValueOf<Option extends DeclaredOption> = Option extends { value: string }
  ? Option extends { list: true } | { repeat: true }
    ? readonly ChoiceOf<Option>[]
    : ChoiceOf<Option> | (Option extends { default: string } ? never : undefined)
  : boolean;

/** The values of options by their names, as the table declares them. */
export type OptionValues<Option extends DeclaredOption> = { readonly [Each in Option as Each["name"]]: ValueOf<Each> };

/**
 * The values that the texts of an option are, from a command line, an environment variable or a query; `shown` names
 * where they were given. Throws AddrsiftError USAGE for one outside the choices.
 */
export function checkedValues(
  { name, list, choices }: DeclaredOption,
  shown: string,
  texts: readonly string[],
): readonly string[] {
  const values = list === true ? texts.flatMap((text) => text.split(",").map((word) => word.trim())) : texts;
  const unknown = choices && values.find((value) => !choices.includes(value));
  if (choices === undefined || unknown === undefined) return values;
  if (name === "fields" && unknown === "email") {
    throw usage(`${shown} does not know "email": every row has its address already, so leave email out`);
  }
  const near = nearNames(unknown, choices);
  const meant = near.length === 0 ? "" : `did you mean ${choiceOf(near)}? `;
  throw usage(`${shown} does not know ${quoted(unknown)}: ${meant}choose from ${choices.join(", ")}`);
}

export const CLASSES: readonly RowClass[] = Object.keys(ROW_CLASS) as RowClass[];

type Named<Items, More = unknown> = readonly {
  readonly [Name in keyof Items]: Items[Name] & { readonly name: Name } & More;
}[keyof Items][];

/** The rows of a table, each written after its name. */
export function named<const Items extends Readonly<Record<string, object>>>(items: Items): Named<Items> {
  return Object.entries(items).map(([name, item]) => ({ ...item, name })) as unknown as Named<Items>;
}

/** The options of a group. */
export function inGroup<
  const Group extends string,
  const Options extends Readonly<Record<string, Omit<DeclaredOption, "name">>>,
>(group: Group, options: Options): Named<Options, { readonly group: Group }> {
  return named(options).map((option) => ({ ...option, group }));
}

export const SYNTAX_OPTIONS = inGroup("Syntax", {
  "no-quoted-local": { accelerated: true, help: "refuse quoted local parts" },
  "ascii-only": { accelerated: true, help: "refuse internationalized local parts and domains in Unicode" },
  "allow-domain-literal": { accelerated: true, help: "accept [192.0.2.1] and [IPv6:...]" },
  "allow-unknown-tld": { accelerated: true, help: "accept top-level domains outside the root zone" },
  "allow-reserved": { accelerated: true, help: "accept special-use top-level domains (test, localhost, ...)" },
} satisfies Readonly<Record<SyntaxSwitch, object>>);

export const MIN_CONFIDENCE = {
  name: "min-confidence",
  value: "C",
  choices: CONFIDENCES,
  environment: "ADDRSIFT_MIN_CONFIDENCE",
  default: DEFAULT_CONFIDENCE,
  accelerated: true,
  group: "Lists",
  help: "count only disposable entries of this confidence or better",
} as const;

export const DATA_VERSION = {
  name: "data-version",
  value: "V",
  group: "Lists",
  help: "refuse lists of another version than V; addrsift lists status and /readyz show the version",
} as const;

export const BY = {
  name: "by",
  value: "COLUMN",
  repeat: true,
  // By a column of CSV or TSV; CountsBy says whether it is one.
  accelerated: true,
  group: "Bulk",
  help:
    "count rows for each value of this column or key too, in the summary and the report, or of a field: domain, " +
    "registrable_domain, exchange or mail_provider; dates count by their day",
} as const;

export const INPUT_OPTIONS = inGroup("Input", {
  domains: { accelerated: false, help: "the input is domains: each a bare domain or an address" },
  column: {
    accelerated: true,
    value: "NAME|N|PATH",
    repeat: true,
    brief: "column or key with the address",
    help:
      "column with the address, by header or by number from 1; of JSON Lines its key, such as email, " +
      "user.email, emails.0, or users.*.email for the elements of an array (default: the one with email or e-mail in " +
      "its name, else the only one with addresses); " +
      "given again, rows have several addresses, and the added names begin with the name of the column",
  },
  delimiter: {
    accelerated: true,
    value: "C",
    help: "delimiter of the CSV: one ASCII character, or tab (default: found in the first line)",
  },
  "no-header": { accelerated: true, help: "the CSV has no header" },
  skip: {
    accelerated: true,
    value: "N",
    help: "skip N rows above the header of CSV or TSV, such as a title; blank rows there are always skipped",
  },
  part: {
    accelerated: true,
    help:
      "the input is a part of a larger one: its beginning is not special (mark, encoding, packing, sep=), CSV " +
      "and output have no header, and an empty input has an empty output",
  },
});

/** Options about what rows come back with, and which. */
export const OUTPUT_OPTIONS = [
  ...inGroup("Output", {
    prefix: {
      accelerated: true,
      value: "P",
      default: "",
      help: "put P before the names of the added columns or keys",
    },
    into: { accelerated: true, value: "KEY", help: "add one key with all fields to each object of JSON Lines" },
    fields: {
      // FIELD_SCOPE says of each field whether it is.
      accelerated: true,
      value: "LIST",
      choices: FIELDS,
      list: true,
      brief: "fields of rows, such as disposable,fault,suggestion",
      help: "which fields rows carry, in this order",
    },
    explain: { accelerated: false, brief: "add the evidence", help: "add the evidence (table, ndjson, json)" },
    "spreadsheet-safe": {
      accelerated: false,
      help: "put ' before an added CSV field that a spreadsheet would run as a formula",
    },
  }),
  ...inGroup("Filter", {
    select: {
      accelerated: true,
      value: "CLASSES",
      choices: CLASSES,
      list: true,
      brief: "keep only rows of these classes, such as valid",
      help: "keep only rows of these classes",
    },
    reject: {
      accelerated: true,
      value: "CLASSES",
      choices: CLASSES,
      list: true,
      brief: "drop rows of these classes, such as disposable,invalid",
      help: "drop rows of these classes; beats select",
    },
  }),
] as const;

/**
 * Options with which the accelerator answers no row, because the answer then depends on more of an address than its
 * domain and whether there is a tag or a role, or on other rows. Each option about rows says so in `accelerated`.
 */
export const NOT_ACCELERATED: readonly string[] = [
  ...INPUT_OPTIONS,
  ...OUTPUT_OPTIONS,
  ...SYNTAX_OPTIONS,
  MIN_CONFIDENCE,
  BY,
]
  .filter(({ accelerated }) => !accelerated)
  .map(({ name }) => name);

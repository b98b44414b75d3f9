// Declares the options about rows, for the command line and the query of a stream. options.ts checks combinations that
// the declarations can't express.

import type { SyntaxSwitch } from "../../address/options.ts";
import { ROW_CLASS, type RowClass } from "../../detection/classes.ts";
import { FIELDS } from "../../detection/fields.ts";
import { CONFIDENCES, DEFAULT_CONFIDENCE } from "../../lists/confidence.ts";

/** An option, or a query parameter. Without `value` it is a switch. */
export interface DeclaredOption {
  /** Long name without dashes. */
  readonly name: string;
  /** Name of the value in help, such as FILE. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** The value is a comma-separated list of choices. The option may be repeated. */
  readonly list?: true;
  /** The option may be repeated, with one value each time; a number is the maximum. */
  readonly repeat?: true | number;
  /** What to do instead of repeating the option. Default: give it once. */
  readonly repeatFix?: string;
  /** The value is an integer in this range. */
  readonly range?: readonly [min: number, max: number];
  /** The value is a time in this range, parsed to milliseconds. */
  readonly time?: TimeRange;
  /** Returns what is wrong with a value, worded to follow the option's name; undefined if it is valid. */
  readonly fault?: (text: string) => string | undefined;
  readonly required?: true;
  /** Options that can't be combined with this one, each with the fix for the message. */
  readonly excludes?: Readonly<Record<string, string>>;
  /** An option that this one requires. */
  readonly needs?: readonly [name: string, value: string];
  /** Environment variable with the value, or with several if the option may be repeated. If empty, it counts as unset. */
  readonly environment?: string;
  readonly default?: string;
  readonly help: string;
}

interface TimeRange {
  readonly min: string;
  readonly max: string;
  /** Examples for messages. */
  readonly examples: string;
  /** Unit of a bare number; undefined: the unit is required. */
  readonly bare?: "ms" | "s";
}

type ChoiceOf<Option extends DeclaredOption> = Option extends { choices: readonly (infer Choice)[] } ? Choice : string;

/** Type of an option's value: a boolean for a switch, one value, or an array if the option may be repeated. */
type ValueOf<Option extends DeclaredOption> = Option extends { value: string }
  ? Option extends { list: true } | { repeat: true | number }
    ? readonly ChoiceOf<Option>[]
    :
        | (Option extends { range: object } | { time: object } ? number : ChoiceOf<Option>)
        | (Option extends { default: string } | { required: true } ? never : undefined)
  : boolean;

export type OptionValues<Option extends DeclaredOption> = { readonly [Each in Option as Each["name"]]: ValueOf<Each> };

export const CLASSES: readonly RowClass[] = Object.keys(ROW_CLASS) as RowClass[];

type WithNames<Items, More = unknown> = readonly {
  readonly [Name in keyof Items]: Items[Name] & { readonly name: Name } & More;
}[keyof Items][];

/** Converts a record to an array whose items have their key as `name`. */
export function withNames<const Items extends Readonly<Record<string, object>>>(items: Items): WithNames<Items> {
  return Object.entries(items).map(([name, item]) => ({ ...item, name })) as unknown as WithNames<Items>;
}

/** Declares the options of a group. */
export function inGroup<
  const Group extends string,
  const Options extends Readonly<Record<string, Omit<DeclaredOption, "name">>>,
>(group: Group, options: Options): WithNames<Options, { readonly group: Group }> {
  return withNames(options).map((option) => ({ ...option, group }));
}

export const SYNTAX_OPTIONS = inGroup("Syntax", {
  "no-quoted-local": { accelerated: true, help: "reject quoted local parts" },
  "ascii-only": { accelerated: true, help: "reject internationalized local parts and domains in Unicode" },
  "allow-domain-literal": { accelerated: true, help: "accept [192.0.2.1] and [IPv6:...]" },
  "allow-unknown-tld": { accelerated: true, help: "accept top-level domains outside the root zone" },
  "allow-reserved": { accelerated: true, help: "accept special-use top-level domains (test, localhost, ...)" },
} satisfies Readonly<Record<SyntaxSwitch, object>>);

/** The option without a default, for streams: they default to the daemon's setting. */
export const STREAM_CONFIDENCE = {
  name: "min-confidence",
  value: "C",
  choices: CONFIDENCES,
  accelerated: true,
  group: "Lists",
  help: "count only disposable entries of this confidence or better",
} as const;

export const MIN_CONFIDENCE = {
  ...STREAM_CONFIDENCE,
  environment: "ADDRSIFT_MIN_CONFIDENCE",
  default: DEFAULT_CONFIDENCE,
} as const;

export const DATA_VERSION = {
  name: "data-version",
  value: "V",
  group: "Lists",
  help: "require this version of the lists; addrsift lists status and /readyz show the version",
} as const;

export const BY = {
  name: "by",
  value: "COLUMN",
  repeatFix: "run once for each column",
  // The accelerator checks that it is a column of CSV or TSV.
  accelerated: true,
  group: "Bulk",
  help:
    "in the summary, also count rows by the values of this column (name, or number from 1) or key, or of the field " +
    "domain, registrable_domain, exchange or mail_provider; dates are counted by day",
} as const;

export const INPUT_OPTIONS = inGroup("Input", {
  domains: { accelerated: false, help: "the input is domains: each a bare domain or an address" },
  column: {
    accelerated: true,
    value: "NAME|N|PATH",
    // One row is processed within one time slice, so it must not have too many addresses.
    repeat: 100,
    brief: "column or key with the address",
    help:
      "column with the address, by name or by number from 1; for JSON Lines its key, such as email, " +
      "user.email, emails.0, or users.*.email for the elements of an array (default: the one with email or e-mail in " +
      "its name, else the only one with addresses); " +
      "may be repeated for rows with several addresses: the added names then begin with the name of the column",
  },
  delimiter: {
    accelerated: true,
    value: "C",
    help: "delimiter of the CSV: one ASCII character, or tab (default: detected in the first line)",
  },
  "no-header": { accelerated: true, help: "the CSV has no header" },
  skip: {
    accelerated: true,
    value: "N",
    range: [0, 9999],
    default: "0",
    excludes: { part: "a part has no header" },
    help: "number of rows to skip above the header of CSV or TSV, such as a title; blank rows there are always skipped",
  },
  encoding: {
    accelerated: true,
    value: "LABEL",
    excludes: { part: "convert the whole input first" },
    help:
      "encoding of the input, such as windows-1252 or shift_jis; the output is always UTF-8; a byte-order mark takes " +
      "precedence (default: UTF-8)",
  },
  part: {
    accelerated: true,
    help:
      "the input is a part of a larger one: no byte-order mark, encoding, compression or sep= is detected, CSV " +
      "and output have no header, and an empty input has an empty output",
  },
});

/** Options about the fields of output rows, and about which rows are output. */
export const OUTPUT_OPTIONS = [
  ...inGroup("Output", {
    prefix: {
      accelerated: true,
      value: "P",
      default: "",
      help: "prefix of the names of the added columns or keys",
    },
    into: {
      accelerated: true,
      value: "KEY",
      excludes: { prefix: "choose one" },
      help: "add one key with all fields to each object of JSON Lines",
    },
    fields: {
      // scopeOfField() has the scope of each field.
      accelerated: true,
      value: "LIST",
      choices: FIELDS,
      list: true,
      brief: "fields of rows, such as disposable,fault,suggestion",
      help: "fields of the output rows, in this order",
    },
    explain: { accelerated: false, brief: "add the evidence", help: "add the evidence (not to CSV or TSV)" },
    "spreadsheet-safe": {
      accelerated: false,
      help:
        "put ' before an added CSV field that a spreadsheet would run as a formula; fields of the input are copied " +
        "unchanged",
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
      help: "drop rows of these classes, even if select keeps them",
    },
  }),
] as const;

/**
 * Options that disable the accelerator. They make the output of a row depend on other rows, or on more of an address
 * than its domain, its tag and whether it is a role address.
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

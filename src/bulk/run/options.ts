// Converts the options about rows to settings, for the command line and for streams, and rejects options that exclude
// each other. Options that only one of the two has are checked there.

import { TAB } from "../../base/bytes/ascii.ts";
import { formatAlternatives } from "../../base/closest-names.ts";
import { quote } from "../../base/format-text.ts";
import { classBits, ROW_CLASS, type RowClass } from "../../detection/classes.ts";
import type { ClassifierSetup } from "../../detection/classifier.ts";
import { type Field, type FieldScope, scopeOfField } from "../../detection/fields.ts";
import { listKindOptions, usage, type Wording } from "../messages.ts";
import type { FormatFacts } from "../render/format-facts.ts";
import { MAX_COLUMNS } from "../rows/csv.ts";
import { firstDuplicate, parseColumnNumber, parseDelimiter, type TableOptions } from "../rows/csv-header.ts";
import { resolveEncoding } from "../rows/decode-input.ts";
import { type JsonLinesOptions, parsePath } from "../rows/json/preamble.ts";
import type { ScanLayout } from "../rows/scan.ts";
import {
  type BY,
  type INPUT_OPTIONS,
  NOT_ACCELERATED,
  type OptionValues,
  type OUTPUT_OPTIONS,
} from "./option-table.ts";

/** Input kinds whose rows have columns or keys. */
export const COLUMN_KINDS = ["csv", "tsv", "jsonl"] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];
export type InputKind = ColumnKind | "lines" | "scan";

const ROW_KINDS: readonly InputKind[] = ["lines", ...COLUMN_KINDS];

/** Input kinds that an option applies to. Options without an entry apply to all. */
const KINDS_OF_OPTION: Readonly<Record<string, readonly InputKind[]>> = {
  column: COLUMN_KINDS,
  prefix: COLUMN_KINDS,
  "no-header": ["csv", "tsv"],
  skip: ["csv", "tsv"],
  delimiter: ["csv"],
  into: ["jsonl"],
  part: ROW_KINDS,
  domains: ROW_KINDS,
  diff: ["scan"],
  "allow-file": ["scan"],
};

/** The values of the options about rows. `fail-on` and `known` are options of the command line only. */
export type RowOptions = OptionValues<(typeof INPUT_OPTIONS)[number] | (typeof OUTPUT_OPTIONS)[number] | typeof BY> & {
  readonly "fail-on"?: readonly RowClass[];
  readonly known?: readonly string[];
};

export interface OptionContext {
  readonly kind: InputKind;
  /** Names of the options that the caller has set. */
  readonly explicitOptions: ReadonlySet<string>;
  /** Rules for which addresses count as valid and as disposable. */
  readonly policy: Omit<Policy, "subject">;
  readonly scan?: ScanLayout | undefined;
  /** Name of the output format, and all formats to choose from. */
  readonly format: string;
  readonly formats: Readonly<Record<string, FormatFacts>>;
  /** Spells how to turn DNS on; undefined if it is on. */
  readonly dnsRemedy: ((wording: Wording) => string) | undefined;
}

/** How to read an input, and what to do with its rows. */
export type InputSettings = ReturnType<typeof inputSettings>;
export type RowSettings = InputSettings["rows"];
/** Rules for which addresses count as valid and as disposable. */
export type Policy = Required<Pick<ClassifierSetup, "syntax" | "minConfidence">> & Pick<ClassifierSetup, "subject">;

/** Converts options to settings. Throws AddrsiftError USAGE for a bad value and for options that exclude each other. */
export function inputSettings(options: RowOptions, context: OptionContext) {
  const { kind, explicitOptions, policy, scan } = context;
  const delimiter = readDelimiter(options.delimiter);
  rejectUnusedOptions(options, context);
  checkFormat(options, context);
  const csv = kind === "csv" || kind === "tsv" ? tableOptions(options, kind, delimiter) : undefined;
  const jsonl = kind === "jsonl" ? jsonLinesOptions(options) : undefined;
  const column = firstDuplicate(options.column);
  if (column !== undefined) throw usage(({ option }) => `${option("column", column)} is repeated: give it once`);
  checkFields(options, kind);
  checkClasses(options, context);
  const bits = {
    select: classBits(options.select),
    reject: classBits(options.reject),
    /** Class bits that make the exit status 1. */
    failOn: classBits(options["fail-on"] ?? []),
  };
  const requested = (bits.select | bits.reject | bits.failOn) & (ROW_CLASS.duplicate | ROW_CLASS.known);
  const duplicates = requested !== 0 || options.fields.includes("duplicate_of");
  if (options.part && duplicates) {
    throw usage(
      ({ option }) =>
        `duplicate detection does not work with ${option("part")}: leave out ${option("part")}, or duplicate and duplicate_of`,
    );
  }
  return {
    /** How to read CSV or TSV, or JSON Lines. If `csv`, `jsonl` and `scan` are undefined, the input is lines. */
    csv,
    jsonl,
    /** Which parts of a text --scan searches, and what it skips. */
    scan,
    part: options.part,
    /** The name of the encoding that the input is converted from; undefined: UTF-8. */
    encoding: options.encoding === undefined ? undefined : resolveEncoding(options.encoding),
    rows: {
      policy: { ...policy, subject: options.domains ? ("domain" as const) : ("address" as const) },
      /** Fields of the output rows. Undefined: the default fields. */
      fields: options.fields.length === 0 ? undefined : options.fields,
      explain: options.explain,
      ...bits,
      /** True if a field or a class needs duplicate detection. */
      duplicates,
      /** Column, or path of a key, of --by. */
      by: options.by,
      spreadsheetSafe: options["spreadsheet-safe"],
      scope: scopeOf(explicitOptions, options.fields),
    },
  };
}

/** Throws AddrsiftError USAGE for a filter by a class that no row has. */
function checkClasses({ known = [], ...options }: RowOptions, { dnsRemedy }: OptionContext): void {
  for (const name of ["select", "reject", "fail-on"] as const) {
    for (const word of options[name] ?? []) {
      if ((word === "no_mail" || word === "unknown") && dnsRemedy !== undefined)
        throw usage(
          (wording) => `${wording.option(name, word)} needs DNS: add ${dnsRemedy(wording)}, or leave ${word} out`,
        );
      if (word === "known" && known.length === 0) {
        const fix = "use that, or leave known out";
        throw usage(({ option }) => `${option(name, word)} needs addrsift detect --known FILE: ${fix}`);
      }
    }
  }
}

/** Returns how much of an address its output row can depend on, with these options and fields. */
function scopeOf(explicitOptions: Iterable<string>, fields: readonly Field[]): FieldScope {
  const scopes = fields.map(scopeOfField);
  if (scopes.includes("address") || [...explicitOptions].some((name) => NOT_ACCELERATED.includes(name)))
    return "address";
  return scopes.includes("domain") ? "domain" : "verdict";
}

/** Throws AddrsiftError USAGE for an option that does not apply to this input kind. */
function rejectUnusedOptions(options: RowOptions, { kind, explicitOptions }: OptionContext): void {
  for (const name of explicitOptions) {
    const kinds = KINDS_OF_OPTION[name] ?? [kind];
    if (kinds.includes(kind) || (options as Readonly<Record<string, unknown>>)[name] === false) continue;
    throw usage((wording) => {
      const [option, instead] = [wording.option(name), listKindOptions(wording, kinds)];
      return `${option} is for ${instead}, not for ${wording.kind(kind)}: leave it out, or use ${instead}`;
    });
  }
}

/** Throws AddrsiftError USAGE for options that the output format does not support. */
function checkFormat(options: RowOptions, { kind, format, formats }: OptionContext): void {
  const facts = formats[format] as FormatFacts;
  const requireFormat = (
    formatSubject: (wording: Wording) => string,
    isSupported: (facts: FormatFacts) => unknown,
    fields?: string,
  ): void => {
    if (isSupported(facts)) return;
    const others = Object.keys(formats).filter((name) => isSupported(formats[name] as FormatFacts));
    throw usage((wording) => {
      const names = formatAlternatives(others.map(wording.format).filter((name) => name !== ""));
      const chosen = wording.format(format);
      const fault =
        chosen === "" ? "needs another output format" : `and ${wording.formatOption} ${chosen} exclude each other`;
      const columns = fields !== undefined && facts.hasColumns ? `, or add ${wording.option("fields", fields)}` : "";
      return `${formatSubject(wording)} ${fault}: use ${wording.formatOption} ${names}${columns}`;
    });
  };
  const optionFormatter =
    (name: string) =>
    (wording: Wording): string =>
      wording.option(name);
  if (kind === "scan") requireFormat(optionFormatter("scan"), ({ hasLocations }) => hasLocations);
  if (options.fields.length > 0) requireFormat(optionFormatter("fields"), ({ hasFields }) => hasFields);
  if (options.part) requireFormat(optionFormatter("part"), ({ hasIndependentRows }) => hasIndependentRows);
  if (options.explain)
    requireFormat(optionFormatter("explain"), ({ hasExplain }) => hasExplain, "fault,suggestion,matched,confidence");
  if (options["spreadsheet-safe"]) requireFormat(optionFormatter("spreadsheet-safe"), ({ hasFormulas }) => hasFormulas);
  if (options.column.length > 1) {
    const hasSeveral = ({ isFindings, echoes }: FormatFacts): boolean =>
      isFindings === true || echoes?.includes(kind) === true;
    requireFormat((wording) => `a second ${wording.option("column")}`, hasSeveral);
  }
}

function checkFields({ fields, part, domains }: RowOptions, kind: InputKind): void {
  const repeatedField = firstDuplicate(fields);
  if (repeatedField !== undefined)
    throw usage(({ option }) => `${option("fields")} names ${repeatedField} twice: name it once`);
  if (part && fields.includes("row")) {
    throw usage(
      ({ option }) =>
        `${option("part")} and ${option("fields", "row")} exclude each other: a part's rows have other ` +
        `numbers in the whole`,
    );
  }
  if (domains && fields.includes("domain") && kind === "lines") {
    throw usage(
      ({ option }) =>
        `${option("domains")} has rows that begin with the domain: leave domain out of ${option("fields")}, ` +
        `or use normalized`,
    );
  }
}

function tableOptions(options: RowOptions, kind: "csv" | "tsv", delimiter: number | undefined): TableOptions {
  const { column: columns, prefix, part } = options;
  if (part && (columns.length === 0 || columns.some((text) => parseColumnNumber(text) === undefined))) {
    throw usage(({ option }) => `${option("part")} needs a column by its number: add ${option("column", "N")}`);
  }
  if (part && columns.some((text) => (parseColumnNumber(text) as number) > MAX_COLUMNS)) {
    throw usage(
      ({ option }) =>
        `${option("part")} pads rows to the column: give ${option("column")} a number up to ${MAX_COLUMNS}`,
    );
  }
  const [column, ...others] = columns;
  return {
    kind,
    column,
    additionalColumns: others.length > 0 ? others : undefined,
    delimiter: kind === "tsv" ? TAB : delimiter,
    hasHeader: !options["no-header"],
    skip: options.skip,
    prefix,
    spreadsheetSafe: options["spreadsheet-safe"],
  };
}

function jsonLinesOptions({ column, prefix, part, into }: RowOptions): JsonLinesOptions {
  if (part && column.length === 0) {
    throw usage(({ option }) => `${option("part")} needs the key of the address: add ${option("column", "PATH")}`);
  }
  if (into === "") throw usage(({ option }) => `${option("into")} must be the name of a key, not empty`);
  const [path, ...others] = column.map(parsePath);
  return { path, additionalColumns: others.length > 0 ? others : undefined, prefix, into };
}

/** Returns the delimiter's byte; undefined if the option is not set. */
function readDelimiter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const byte = parseDelimiter(text);
  if (byte !== undefined) return byte;
  throw usage(
    ({ option }) => `${option("delimiter")} must be one ASCII character other than a quote, or tab, not ${quote(text)}`,
  );
}

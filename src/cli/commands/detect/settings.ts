// The options of `detect` as one checked value. Options that contradict each other are refused here, before anything is opened.

import { classBits, DNS_CLASSES } from "../../../bulk/classes.ts";
import type { DataFormat } from "../../../bulk/render.ts";
import { columnNumber } from "../../../bulk/rows/csv-header.ts";
import type { DnsOptions } from "../../../dns/resolver.ts";
import { AddrsiftError } from "../../../errors.ts";
import { type Policy, policyOf } from "../../open/classifier.ts";
import { checkDnsOptions } from "../../open/dns.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { DETECT } from "../../options/detect.ts";
import type { GlobalOptions } from "../../options/shared.ts";

type DetectArguments = Arguments<typeof DETECT>;
type Options = DetectArguments["options"];

/** What is done with each row; worker threads get a copy of this. */
export interface RowSettings {
  readonly policy: Policy;
  readonly explain: boolean;
  /** Class bits of rows to keep; 0 keeps all. */
  readonly select: number;
  /** Class bits of rows to drop; beats `select`. */
  readonly reject: number;
  readonly spreadsheetSafe: boolean;
}

/** How CSV is read. */
export interface CsvSettings {
  /** A header's name or a number from 1 on. */
  readonly column: string | undefined;
  /** An octet. */
  readonly delimiter: number;
  readonly hasHeader: boolean;
  /** Put before the names of added columns. */
  readonly prefix: string;
}

/** One call of `detect`. */
export interface DetectSettings {
  readonly global: GlobalOptions;
  /** Empty: rows come from `input`. */
  readonly addresses: readonly string[];
  /** A file, or `-` for standard input; undefined where none is named. */
  readonly input: string | undefined;
  readonly csv: CsvSettings | undefined;
  /** The input is a part of a larger one. */
  readonly part: boolean;
  readonly format: DataFormat | "table" | "auto";
  readonly rows: RowSettings;
  /** Class bits that make the exit status 1. */
  readonly failOn: number;
  readonly dns: DnsOptions & { readonly mode: "auto" | "on" | "off" };
  readonly jobs: number;
  readonly summary: boolean;
  readonly summaryFile: string | undefined;
  /** The channel to notify. */
  readonly notify: string | undefined;
  readonly allowPrivate: readonly string[];
}

// More threads than this are a typing mistake.
const JOBS_MAX = 256;

/** Reads the options. Throws AddrsiftError USAGE for a bad value and for options that contradict each other. */
export function readDetectSettings(args: DetectArguments): DetectSettings {
  const { options } = args;
  const fromStandardInput = args.positionals.includes("-");
  if (fromStandardInput && (args.positionals.length > 1 || options.input !== undefined)) {
    throw usage("- means standard input: give it without addresses and without --input");
  }
  const addresses = fromStandardInput ? [] : args.positionals;
  checkCombinations(args, addresses);
  return {
    global: options,
    addresses,
    input: fromStandardInput ? "-" : options.input,
    csv: readCsv(args, addresses),
    part: options.part,
    format: options.json ? "ndjson" : options.format,
    rows: {
      policy: policyOf(options),
      explain: options.explain,
      select: classBits(options.select),
      reject: classBits(options.reject),
      spreadsheetSafe: options["spreadsheet-safe"],
    },
    failOn: classBits(options["fail-on"]),
    dns: { ...checkDnsOptions(options), mode: options.offline ? "off" : options.dns },
    jobs: readJobs(options),
    summary: options.summary,
    summaryFile: options["summary-file"],
    notify: options.notify,
    allowPrivate: options["allow-private"],
  };
}

function readJobs({ jobs: text }: Options): number {
  const jobs = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (jobs < 1 || jobs > JOBS_MAX) throw usage(`--jobs must be a number from 1 to ${JOBS_MAX}, not "${text}"`);
  return jobs;
}

function readCsv({ options, given }: DetectArguments, addresses: readonly string[]): CsvSettings | undefined {
  const delimiter = readDelimiter(options);
  if (!options.csv) {
    const csvOnly = ["column", "no-header", "delimiter", "prefix"].find((name) => given.has(name));
    if (csvOnly !== undefined) throw usage(`--${csvOnly} needs CSV input: add --csv`);
    return undefined;
  }
  if (addresses.length > 0) throw usage("--csv reads a file or standard input: give no addresses");
  const { column, prefix } = options;
  if (options.part && columnNumber(column ?? "") === undefined) {
    throw usage("--part reads no header: give the column's number, --column N");
  }
  return { column, delimiter, hasHeader: !options["no-header"], prefix };
}

function readDelimiter({ delimiter: text }: Options): number {
  const char = text === "tab" || text === "\\t" ? "\t" : text;
  const octet = char.charCodeAt(0);
  if (char.length !== 1 || octet > 0x7e || octet === 0x22 || octet === 0x0a || octet === 0x0d) {
    throw usage(`--delimiter must be one ASCII character other than a quote, or tab, not ${JSON.stringify(text)}`);
  }
  return octet;
}

function checkCombinations({ options }: DetectArguments, addresses: readonly string[]): void {
  if (options.input !== undefined && addresses.length > 0) {
    throw usage("addresses are given both as arguments and with --input: choose one");
  }
  if (options["summary-file"] === "-") {
    throw usage("--summary-file must be a file, not -: for counts on standard error use --summary");
  }
  if (options.offline && options.notify !== undefined) {
    throw usage("--offline and --notify exclude each other: choose one");
  }
  checkPart(options, addresses);
  checkFormat(options);
  checkDnsClasses(options, addresses);
}

/** The outputs of all parts in sequence must equal the output of the whole: no array, no table. */
function checkPart({ part, format }: Options, addresses: readonly string[]): void {
  if (!part) return;
  if (addresses.length > 0) throw usage("--part reads a file or standard input: give no addresses");
  if (format === "json" || format === "table") {
    throw usage(`--part and --format ${format} exclude each other: use ndjson, csv, tsv or plain`);
  }
}

function checkFormat({ json, format, explain, csv }: Options): void {
  if (json && format !== "auto" && format !== "ndjson") {
    throw usage(`--json and --format ${format} exclude each other: choose one`);
  }
  const shown = format === "auto" && csv && !json ? "csv" : format;
  if (explain && (shown === "csv" || shown === "tsv" || shown === "plain")) {
    throw usage(`--explain and --format ${shown} exclude each other: use ndjson, json or table`);
  }
}

/** Bulk work asks DNS only when told to. Without DNS no row is of such a class, so a check for it would always seem to pass. */
function checkDnsClasses(options: Options, addresses: readonly string[]): void {
  if (addresses.length > 0 || (options.dns === "on" && !options.offline)) return;
  const lists = ["select", "reject", "fail-on"] as const;
  for (const option of lists) {
    const asked = options[option].find((name) => DNS_CLASSES.includes(name));
    if (asked === undefined) continue;
    const instead = options.offline ? "--dns on instead of --offline" : "--dns on";
    throw usage(`--${option} ${asked} finds no row when DNS is not asked: add ${instead}, or leave ${asked} out`);
  }
}

function usage(message: string): AddrsiftError {
  return new AddrsiftError("USAGE", message);
}

// The options of `detect` as one checked value. Options that contradict each other are refused here, before anything is
// opened: a person who adds an option sees which others it may contradict.

import { readFileSync } from "node:fs";
import { usage } from "../../../base/errors.ts";
import type { RowClass } from "../../../bulk/classes.ts";
import type { ScanLayout } from "../../../bulk/rows/scan.ts";
import { COLUMN_KINDS, inputSettings, refuseDnsClasses } from "../../../bulk/run/options.ts";
import { checkDnsOptions } from "../../open/dns.ts";
import { policyOf } from "../../open/known.ts";
import type { NotifyChoice } from "../../open/notify.ts";
import { DETECT, LINT_FORMATS } from "../../options/detect.ts";
import { type Arguments, type RawOptions, wholeNumber } from "../../options/table.ts";
import { inputError } from "../../terminal/small-input.ts";

type DetectArguments = Arguments<typeof DETECT>;
type Options = DetectArguments["options"];

export type DetectSettings = ReturnType<typeof readDetectSettings>;

const ADDRESSES: readonly RowClass[] = ["unreserved", "reserved"];
/** Megabytes: 166 million mailboxes. */
export const MEMORY_MAX = 4000;

export function readDetectSettings({ positionals, options, given }: DetectArguments) {
  const { kind, addresses, inputs } = readNames(positionals, options);
  checkCombinations(options, addresses.length > 0);
  const { home, quiet, "no-color": noColor, "data-version": version } = options;
  const input = inputSettings(
    { ...options, select: shownClasses(options) },
    { kind, given, policy: policyOf(options), scan: readScan(options) },
  );
  const compares = (["known", "key"] as const).find((name) => options[name] !== undefined);
  if (compares !== undefined && !input.rows.duplicates) {
    throw usage(`--${compares} is for duplicates: add --fields duplicate_of, or --select or --reject duplicate`);
  }
  return {
    /** The options of every command, and of those with lists. */
    global: { home, quiet, "no-color": noColor, "data-version": version },
    /** Empty: rows come from `inputs`. */
    addresses,
    /** Files, and `-` for standard input; empty where none is named. */
    inputs,
    ...input,
    format: options.json ? ("ndjson" as const) : options.format,
    dns: { ...checkDnsOptions(options), mode: options.offline ? ("off" as const) : options.dns },
    /** For comparing rows. */
    memoryMb: wholeNumber("memory", options.memory, 1, MEMORY_MAX),
    known: options.known,
    key: options.key,
    summary: options.summary,
    summaryFile: options["summary-file"],
    report: readReport(options, given, addresses.length > 0),
    notify: readNotify(options),
  };
}

/** The kind of input, and the arguments as what they are: addresses, or names of inputs. */
function readNames(positionals: readonly string[], options: Options) {
  const kinds = ([...COLUMN_KINDS, "lines", "scan"] as const).filter((name) => options[name]);
  if (kinds.length > 1) throw usage(`--${kinds.slice(0, 2).join(" and --")} exclude each other: choose one`);
  const areFiles = kinds.length > 0;
  const fromStandardInput = positionals.includes("-");
  if (!areFiles && fromStandardInput && (positionals.length > 1 || options.input.length > 0)) {
    throw usage("- means standard input: give it without addresses and without --input");
  }
  const inputs = areFiles || fromStandardInput ? [...options.input, ...positionals] : options.input;
  if (inputs.filter((name) => name === "-").length > 1) throw usage("- is given twice: standard input is read once");
  const addresses = areFiles || fromStandardInput ? [] : positionals;
  return { kind: kinds[0] ?? ("lines" as const), addresses, inputs };
}

/** The classes of --select; for a format of findings else those of --fail-on, or those that most people look for. */
function shownClasses({ select, format, "fail-on": failOn, scan }: Options): readonly RowClass[] {
  if (select.length > 0) return select;
  if (isLint(format)) return failOn.length > 0 ? failOn : scan ? ADDRESSES : ["invalid", "disposable"];
  // A part of a text that is not valid was probably not meant as an address.
  return scan ? ADDRESSES : [];
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw inputError(file, error);
  }
}

/** The parts of a text that are looked at. */
function readScan({ scan, diff, "allow-file": file }: Options): ScanLayout | undefined {
  if (!scan) return undefined;
  const lines = (file === undefined ? "" : readText(file)).toLowerCase().split("\n");
  const allowed = lines.map((line) => line.replace(/(?:^|\s)#.*/, "").trim());
  return { diff, allowed: new Set(allowed.filter((line) => line !== "")) };
}

function isLint(format: string): boolean {
  return LINT_FORMATS.some((known) => known === format);
}

function readNotify(options: Options): NotifyChoice | undefined {
  const { notify: channel, "notify-required": required, "allow-private": allowPrivate } = options;
  return channel === undefined ? undefined : { channel, required, allowPrivate };
}

/** The page about the run; its options are those of the call as they are typed: the name of each, and its values. */
function readReport(options: Options, given: ReadonlySet<string>, hasAddresses: boolean) {
  const { report: file, "report-addresses": shown } = options;
  if (file === undefined && shown) throw usage("--report-addresses needs a report: add --report FILE");
  if (file === undefined) return undefined;
  if (file === "-") throw usage("--report must be a file, not -");
  if (hasAddresses) throw usage("--report is about a file or standard input: give no addresses");
  const values = options as RawOptions;
  const typed = [...given].flatMap((name) => {
    const value = values[name];
    if (value === true) return [`--${name}`];
    const texts = [value].flat().map(String);
    const isRepeated = DETECT.options.some((option) => option.name === name && "repeat" in option);
    return isRepeated ? texts.flatMap((text) => [`--${name}`, text]) : [`--${name}`, texts.join(",")];
  });
  return { file, addresses: shown, options: typed };
}

function checkCombinations(options: Options, hasAddresses: boolean): void {
  if (options.input.length > 0 && hasAddresses) {
    throw usage("addresses are given both as arguments and with --input: choose one");
  }
  if (options.by.length > 0 && hasAddresses) {
    throw usage("--by counts rows of a file or standard input: give no addresses");
  }
  for (const name of ["known", "key"] as const) {
    if (options[name] === undefined || !hasAddresses) continue;
    throw usage(`--${name} is about rows of a file or standard input: give no addresses`);
  }
  if (options.known === "-") throw usage("--known must be a file, not -");
  if (options["summary-file"] === "-") {
    throw usage("--summary-file must be a file, not -: for counts on standard error use --summary");
  }
  if (options.offline && options.notify !== undefined) {
    throw usage("--offline and --notify exclude each other: choose one");
  }
  if (options["notify-required"] && options.notify === undefined) {
    throw usage("--notify-required needs a channel: add --notify CHANNEL");
  }
  checkPart(options, hasAddresses);
  checkFormat(options);
  if (isLint(options.format) && hasAddresses) {
    throw usage(`--format ${options.format} names places in files: name them with --input, --lines, --csv or --scan`);
  }
  // Bulk work asks DNS only with --dns on.
  if (!hasAddresses && (options.dns !== "on" || options.offline)) {
    refuseDnsClasses(options, () => (options.offline ? "--dns on instead of --offline" : "--dns on"));
  }
}

/** The outputs of all parts in sequence must equal the output of the whole: no array, no table. */
function checkPart({ part, format }: Options, hasAddresses: boolean): void {
  if (!part) return;
  if (hasAddresses) throw usage("--part reads a file or standard input: give no addresses");
  if (format === "json" || format === "table" || isLint(format)) {
    throw usage(`--part and --format ${format} exclude each other: use ndjson, csv, tsv or plain`);
  }
}

function checkFormat(options: Options): void {
  const { json, format, explain, fields, csv, tsv, jsonl, column, scan } = options;
  if (scan && (format === "tsv" || format === "plain")) {
    throw usage(`--scan and --format ${format} exclude each other: use lint, github, ndjson, json, csv or table`);
  }
  if (fields.length > 0 && (format === "plain" || isLint(format))) {
    throw usage(`--fields and --format ${format} exclude each other: use ndjson, json, csv, tsv or table`);
  }
  if (json && format !== "auto" && format !== "ndjson") {
    throw usage(`--json and --format ${format} exclude each other: choose one`);
  }
  const own = csv ? "csv" : tsv ? "tsv" : jsonl ? "ndjson" : format;
  const shown = json ? "ndjson" : format === "auto" ? own : format;
  const hasSeveral = shown === own || shown === "plain" || isLint(shown) || (jsonl && shown === "json");
  if (column.length > 1 && !hasSeveral) {
    throw usage(
      `--format ${shown} shows one address of a row: give --column once, or use ${own}, plain, lint or github`,
    );
  }
  if (options["spreadsheet-safe"] && shown !== "csv") {
    throw usage("--spreadsheet-safe is for CSV output: add --format csv, or leave it out");
  }
  if (explain && (shown === "csv" || shown === "tsv" || shown === "plain" || isLint(shown))) {
    const hasColumns = shown === "csv" || shown === "tsv";
    const columns = hasColumns ? ", or take columns with --fields, such as fault,suggestion,matched,confidence" : "";
    throw usage(`--explain and --format ${shown} exclude each other: use ndjson, json or table${columns}`);
  }
}

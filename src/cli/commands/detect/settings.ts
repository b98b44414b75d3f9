// The options of `detect` as one checked value. Options that contradict each other are refused here, before anything is
// opened: a person who adds an option sees which others it may contradict.

import { readFileSync } from "node:fs";
import { usage } from "../../../base/errors.ts";
import { choiceOf } from "../../../base/near-names.ts";
import type { RowClass } from "../../../bulk/classes.ts";
import { type DataFormat, FORMAT_TABLE, type FormatFacts, sameFormatAsInput } from "../../../bulk/render/formats.ts";
import type { ScanLayout } from "../../../bulk/rows/scan.ts";
import { COLUMN_KINDS, type InputKind, inputSettings, refuseDnsClasses } from "../../../bulk/run/options.ts";
import { checkDnsOptions } from "../../open/dns.ts";
import { policyOf } from "../../open/known.ts";
import type { NotifyChoice } from "../../open/notify.ts";
import { DETECT, SCREEN_FORMATS, type ScreenFormat } from "../../options/detect.ts";
import { type Arguments, type RawOptions, wholeNumber } from "../../options/table.ts";
import { inputError } from "../../terminal/small-input.ts";

type DetectArguments = Arguments<typeof DETECT>;
type Options = DetectArguments["options"];

export type Format = DataFormat | ScreenFormat;
const FORMATS: Readonly<Record<Format | "auto", FormatFacts>> = {
  ...FORMAT_TABLE,
  ...SCREEN_FORMATS,
  // For rows without columns or keys, the terminal decides; each format that it may be has these.
  auto: { hasFields: true, hasExplain: true, hasLocations: true, hasIndependentRows: true },
};

export type DetectSettings = ReturnType<typeof readDetectSettings>;

const ADDRESSES: readonly RowClass[] = ["unreserved", "reserved"];
/** Megabytes: 166 million mailboxes. */
export const MEMORY_MAX = 4000;

export function readDetectSettings({ positionals, options, given }: DetectArguments) {
  const { kind, addresses, inputs } = readNames(positionals, options);
  checkCombinations(options, kind, addresses.length > 0);
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
    allowFile: options["allow-file"],
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
  if (showsFindings(format)) return failOn.length > 0 ? failOn : scan ? ADDRESSES : ["invalid", "disposable"];
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

function showsFindings(format: Options["format"]): boolean {
  return FORMATS[format].isFindings === true;
}

/** The formats that offer something, as a choice. */
function formatsWith(offers: (format: FormatFacts) => unknown): string {
  return choiceOf(
    Object.entries(FORMATS).flatMap(([name, format]) => (name !== "auto" && offers(format) ? [name] : [])),
  );
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

function checkCombinations(options: Options, kind: InputKind, hasAddresses: boolean): void {
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
  checkFormat(options, kind);
  if (showsFindings(options.format) && hasAddresses) {
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
  if (!FORMATS[format].hasIndependentRows) {
    const others = formatsWith((other) => other.hasIndependentRows);
    throw usage(`--part and --format ${format} exclude each other: use ${others}`);
  }
}

function checkFormat(options: Options, kind: InputKind): void {
  const { json, explain, fields, column, "spreadsheet-safe": spreadsheetSafe } = options;
  if (json && options.format !== "auto" && options.format !== "ndjson") {
    throw usage(`--json and --format ${options.format} exclude each other: choose one`);
  }
  const own = kind === "lines" || kind === "scan" ? "auto" : sameFormatAsInput(kind);
  const name = json ? "ndjson" : options.format === "auto" ? own : options.format;
  const format = FORMATS[name];
  const exclude = (option: string, others: string): Error =>
    usage(`--${option} and --format ${name} exclude each other: use ${others}`);
  if (kind === "scan" && !format.hasLocations)
    throw exclude(
      "scan",
      formatsWith((other) => other.hasLocations),
    );
  if (fields.length > 0 && !format.hasFields)
    throw exclude(
      "fields",
      formatsWith((other) => other.hasFields),
    );
  const hasSeveral = (other: FormatFacts): boolean =>
    other.isFindings === true || other.echoes?.includes(kind) === true;
  if (column.length > 1 && kind !== "lines" && !hasSeveral(format)) {
    throw usage(`--format ${name} shows one address of a row: give --column once, or use ${formatsWith(hasSeveral)}`);
  }
  if (spreadsheetSafe && !format.hasFormulas) {
    throw usage("--spreadsheet-safe is for CSV output: add --format csv, or leave it out");
  }
  if (explain && !format.hasExplain) {
    const columns = format.hasColumns
      ? ", or take columns with --fields, such as fault,suggestion,matched,confidence"
      : "";
    throw exclude("explain", formatsWith((other) => other.hasExplain) + columns);
  }
}

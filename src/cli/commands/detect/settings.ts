// Converts the options of `detect` to one checked value. Contradictions are rejected here, before any file is opened.

import { readFileSync } from "node:fs";
import { isAddrsiftError, usageError } from "../../../base/errors.ts";
import {
  type DataFormat,
  FORMAT_FACTS,
  type FormatFacts,
  sameFormatAsInput,
} from "../../../bulk/render/format-facts.ts";
import { AllowList } from "../../../bulk/rows/allow-list.ts";
import type { ScanLayout } from "../../../bulk/rows/scan.ts";
import { COLUMN_KINDS, type InputKind, inputSettings } from "../../../bulk/run/options.ts";
import type { RowClass } from "../../../detection/classes.ts";
import { parseDnsOptions } from "../../composition/dns.ts";
import { parsePolicy } from "../../composition/lists.ts";
import type { NotifyOptions, RunNotification } from "../../composition/notify.ts";
import { DETECT, SCREEN_FORMATS, type ScreenFormat } from "../../options/detect.ts";
import type { Arguments, OptionSpec } from "../../options/table.ts";
import { inputError } from "../../terminal/read-value.ts";

type DetectArguments = Arguments<typeof DETECT>;
type Options = DetectArguments["options"];

export type Format = DataFormat | ScreenFormat;
const FORMATS: Readonly<Record<Format | "auto", FormatFacts>> = {
  ...FORMAT_FACTS,
  ...SCREEN_FORMATS,
  // Becomes table, lint or ndjson, which have these in common.
  auto: { hasFields: true, hasExplain: true, hasLocations: true, hasIndependentRows: true },
};

export type DetectSettings = ReturnType<typeof readDetectSettings> & {
  /** Sends the outcome to the channel of --notify. */
  readonly notification?: RunNotification;
};

const VALID_CLASSES: readonly RowClass[] = ["unreserved", "reserved"];
export function readDetectSettings({ positionals, options, explicitOptions }: DetectArguments) {
  const { kind, addresses, inputs } = splitPositionals(positionals, options);
  rejectConflicts(options, explicitOptions, addresses.length > 0);
  const { home, quiet, "no-color": noColor, "data-version": version, offline, dns, memory } = options;
  // Bulk input uses DNS only with --dns on.
  const usesDns = addresses.length > 0 || (dns === "on" && !offline);
  const input = inputSettings(
    { ...options, select: selectedClasses(options) },
    {
      ...{ kind, explicitOptions, policy: parsePolicy(options), scan: readScanLayout(options) },
      ...{ format: requestedFormat(options, kind), formats: FORMATS },
      dnsRemedy: usesDns ? undefined : ({ option }) => option("dns", offline ? "on in place of --offline" : "on"),
    },
  );
  const { rows, part, scan } = input;
  // A list of customers' domains repeats them.
  const hasReport = options.report !== undefined && !part && scan === undefined && rows.policy.subject !== "domain";
  const countsDuplicates = rows.duplicates || hasReport;
  const option = (["known", "key"] as const).find((name) => explicitOptions.has(name));
  if (option !== undefined && !countsDuplicates) {
    throw usageError(
      `--${option} is for duplicates: add --fields duplicate_of, --report FILE, or --select or --reject known or duplicate`,
    );
  }
  return {
    /** Options of every command, and of commands that open lists. */
    global: { home, quiet, "no-color": noColor, "data-version": version },
    /** If empty, rows come from `inputs`. */
    addresses,
    /** Files, and `-` for standard input. If empty, standard input. */
    inputs,
    ...input,
    countsDuplicates,
    format: options.json ? ("ndjson" as const) : options.format,
    dns: { ...parseDnsOptions(options), mode: offline ? ("off" as const) : dns },
    /** Limit for duplicate detection. */
    memoryMb: memory,
    known: options.known,
    knownColumn: options["known-column"],
    allowFile: options["allow-file"],
    key: options.key,
    isRedacted: options.redact || options.format === "sarif",
    summary: options.summary,
    summaryFile: options["summary-file"],
    report: readReport(options, explicitOptions),
    notify: readNotify(options),
  };
}

/** Returns the kind of input, and the arguments as addresses or as inputs. */
function splitPositionals(positionals: readonly string[], options: Options) {
  const kinds = ([...COLUMN_KINDS, "lines", "scan"] as const).filter((name) => options[name]);
  if (kinds.length > 1) throw usageError(`--${kinds.slice(0, 2).join(" and --")} exclude each other: choose one`);
  const areFiles = kinds.length > 0;
  const fromStandardInput = positionals.includes("-");
  if (!areFiles && fromStandardInput && (positionals.length > 1 || options.input.length > 0)) {
    throw usageError("- means standard input: give it without addresses and without --input");
  }
  const inputs = areFiles || fromStandardInput ? [...options.input, ...positionals] : options.input;
  if (inputs.filter((name) => name === "-").length > 1)
    throw usageError("- is repeated: standard input can be read only once");
  const addresses = areFiles || fromStandardInput ? [] : positionals;
  return { kind: kinds[0] ?? ("lines" as const), addresses, inputs };
}

/** Returns the classes to output: those of --select; formats of findings default to --fail-on or to common findings. */
function selectedClasses({ select, format, "fail-on": failOn, scan }: Options): readonly RowClass[] {
  if (select.length > 0) return select;
  if (isFindingsFormat(format)) return failOn.length > 0 ? failOn : scan ? VALID_CLASSES : ["invalid", "disposable"];
  // In free text, an invalid address was probably not meant as one.
  return scan ? VALID_CLASSES : [];
}

function readScanLayout({ scan, diff, "allow-file": file }: Options): ScanLayout | undefined {
  if (!scan) return undefined;
  try {
    return { isDiff: diff, allowList: new AllowList(file === undefined ? "" : readFileSync(file, "utf8"), file) };
  } catch (error) {
    throw isAddrsiftError(error) ? error : inputError(file as string, error);
  }
}

function isFindingsFormat(format: Options["format"]): boolean {
  return FORMATS[format].isFindings === true;
}

function readNotify(options: Options): NotifyOptions | undefined {
  const { "notify-label": label, "notify-required": required } = options;
  const channels = [...new Set(options.notify)];
  return channels.length === 0 ? undefined : { channels, label, required, allowPrivate: options["allow-private"] };
}

/** Groups of options that affect how rows are read and classified. */
const READ_GROUPS: readonly (string | undefined)[] = ["Input", "DNS", "Lists", "Syntax"];
/** Options that affect which rows are duplicates. */
const DUPLICATE_OPTIONS = ["memory", "known", "known-column"];

/** Returns the settings of the report, which shows the options as they were typed. */
function readReport(options: Options, explicitOptions: ReadonlySet<string>) {
  const { report: file, "report-addresses": showsAddresses, scan, prefix } = options;
  if (file === undefined) return undefined;
  const specOf = (name: string): OptionSpec | undefined => DETECT.options.find((option) => option.name === name);
  const wordsOf = (name: string): string[] => {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value === true) return [`--${name}`];
    const texts = [value].flat().map(String);
    // The name of an option is not accepted as the next argument.
    const setTo = (text: string) => (text.startsWith("-") ? [`--${name}=${text}`] : [`--${name}`, text]);
    return specOf(name)?.repeat ? texts.flatMap(setTo) : setTo(texts.join(","));
  };
  const names = [...explicitOptions];
  const wordsOfNames = (isIncluded: (name: string) => boolean) => names.filter(isIncluded).flatMap(wordsOf);
  return {
    file,
    addresses: showsAddresses,
    prefix,
    options: names.flatMap(wordsOf),
    readOptions: scan
      ? undefined
      : wordsOfNames((name) => name === "home" || (name !== "input" && READ_GROUPS.includes(specOf(name)?.group))),
    duplicateOptions: wordsOfNames((name) => DUPLICATE_OPTIONS.includes(name)),
  };
}

/** Options for rows of files and standard input, not for addresses as arguments. */
const FILE_ONLY_OPTIONS = ["input", "by", "known", "key", "part", "report"] as const;

function rejectConflicts(options: Options, explicitOptions: ReadonlySet<string>, hasAddresses: boolean): void {
  const { format, json, redact } = options;
  const fileOption = FILE_ONLY_OPTIONS.find((name) => explicitOptions.has(name));
  if (hasAddresses && fileOption !== undefined) {
    throw usageError(
      `--${fileOption} is for rows of a file or standard input: name files with --csv, --tsv, --jsonl or --lines`,
    );
  }
  if (json && format !== "auto" && format !== "ndjson") {
    throw usageError(`--json and --format ${format} exclude each other: choose one`);
  }
  if (redact && !isFindingsFormat(format)) throw usageError("--redact is for messages: add --format lint or github");
  if (isFindingsFormat(format) && hasAddresses) {
    throw usageError(`--format ${format} reports file locations: name files with --input, --lines, --csv or --scan`);
  }
}

/** Returns the format that the options name; for CSV, TSV and JSON Lines the default is that of the input. */
function requestedFormat({ json, format }: Options, kind: InputKind): Format | "auto" {
  if (json) return "ndjson";
  return format === "auto" && kind !== "lines" && kind !== "scan" ? sameFormatAsInput(kind) : format;
}

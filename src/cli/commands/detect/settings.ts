// The options of `detect` as one checked value. Options that contradict each other are refused here, before anything is
// opened: a person who adds an option sees which others it may contradict.

import { readFileSync } from "node:fs";
import { usageError } from "../../../base/errors.ts";
import type { RowClass } from "../../../bulk/classes.ts";
import {
  type DataFormat,
  FORMAT_FACTS,
  type FormatFacts,
  sameFormatAsInput,
} from "../../../bulk/render/format-facts.ts";
import type { ScanLayout } from "../../../bulk/rows/scan.ts";
import { COLUMN_KINDS, type InputKind, inputSettings } from "../../../bulk/run/options.ts";
import { parseDnsOptions } from "../../composition/dns.ts";
import { parsePolicy } from "../../composition/lists.ts";
import type { NotifyOptions } from "../../composition/notify.ts";
import { DETECT, SCREEN_FORMATS, type ScreenFormat } from "../../options/detect.ts";
import type { Arguments } from "../../options/table.ts";
import { inputError } from "../../terminal/read-value.ts";

type DetectArguments = Arguments<typeof DETECT>;
type Options = DetectArguments["options"];

export type Format = DataFormat | ScreenFormat;
const FORMATS: Readonly<Record<Format | "auto", FormatFacts>> = {
  ...FORMAT_FACTS,
  ...SCREEN_FORMATS,
  // For rows without columns or keys, the terminal decides; each format that it may be has these.
  auto: { hasFields: true, hasExplain: true, hasLocations: true, hasIndependentRows: true },
};

export type DetectSettings = ReturnType<typeof readDetectSettings>;

const VALID_CLASSES: readonly RowClass[] = ["unreserved", "reserved"];
export function readDetectSettings({ positionals, options, given }: DetectArguments) {
  const { kind, addresses, inputs } = splitPositionals(positionals, options);
  rejectConflicts(options, given, addresses.length > 0);
  const { home, quiet, "no-color": noColor, "data-version": version, offline, dns, memory } = options;
  // Bulk work asks DNS only with --dns on.
  const asksDns = addresses.length > 0 || (dns === "on" && !offline);
  const input = inputSettings(
    { ...options, select: selectedClasses(options) },
    {
      ...{ kind, given, policy: parsePolicy(options), scan: readScanLayout(options) },
      ...{ format: requestedFormat(options, kind), formats: FORMATS },
      dnsRemedy: asksDns ? undefined : ({ option }) => option("dns", offline ? "on in place of --offline" : "on"),
    },
  );
  const compares = (["known", "key"] as const).find((name) => options[name] !== undefined);
  if (compares !== undefined && !input.rows.duplicates) {
    throw usageError(`--${compares} is for duplicates: add --fields duplicate_of, or --select or --reject duplicate`);
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
    dns: { ...parseDnsOptions(options), mode: offline ? ("off" as const) : dns },
    /** For comparing rows. */
    memoryMb: memory,
    known: options.known,
    allowFile: options["allow-file"],
    key: options.key,
    summary: options.summary,
    summaryFile: options["summary-file"],
    report: readReport(options, given),
    notify: readNotify(options),
  };
}

/** The kind of input, and the arguments as what they are: addresses, or names of inputs. */
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

/** The classes of --select; for a format of findings else those of --fail-on, or those that most people look for. */
function selectedClasses({ select, format, "fail-on": failOn, scan }: Options): readonly RowClass[] {
  if (select.length > 0) return select;
  if (isFindingsFormat(format)) return failOn.length > 0 ? failOn : scan ? VALID_CLASSES : ["invalid", "disposable"];
  // A part of a text that is not valid was probably not meant as an address.
  return scan ? VALID_CLASSES : [];
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw inputError(file, error);
  }
}

/** The parts of a text that are looked at. */
function readScanLayout({ scan, diff, "allow-file": file }: Options): ScanLayout | undefined {
  if (!scan) return undefined;
  const lines = (file === undefined ? "" : readText(file)).toLowerCase().split("\n");
  const allowed = lines.map((line) => line.replace(/(?:^|\s)#.*/, "").trim());
  return { diff, allowed: new Set(allowed.filter((line) => line !== "")) };
}

function isFindingsFormat(format: Options["format"]): boolean {
  return FORMATS[format].isFindings === true;
}

function readNotify(options: Options): NotifyOptions | undefined {
  const {
    notify: channel,
    "notify-label": label,
    "notify-required": required,
    "allow-private": allowPrivate,
  } = options;
  return channel === undefined ? undefined : { channel, label, required, allowPrivate };
}

/** The page about the run; its options are those of the call as they are typed: the name of each, and its values. */
function readReport(options: Options, given: ReadonlySet<string>) {
  const { report: file, "report-addresses": shown } = options;
  if (file === undefined) return undefined;
  const values = options as Readonly<Record<string, unknown>>;
  const typed = [...given].flatMap((name) => {
    const value = values[name];
    if (value === true) return [`--${name}`];
    const texts = [value].flat().map(String);
    const isRepeated = DETECT.options.some((option) => option.name === name && "repeat" in option);
    return isRepeated ? texts.flatMap((text) => [`--${name}`, text]) : [`--${name}`, texts.join(",")];
  });
  return { file, addresses: shown, options: typed };
}

/** Options about rows of files, and those that name a file which must not be standard input or output. */
const FILE_ONLY_OPTIONS = ["input", "by", "known", "key", "part", "report"] as const;
const NOT_A_FILE_HINTS = { known: "name one", report: "name one", "summary-file": "for counts use --summary" } as const;

function rejectConflicts(options: Options, given: ReadonlySet<string>, hasAddresses: boolean): void {
  const { format, json } = options;
  const other = FILE_ONLY_OPTIONS.find((name) => given.has(name));
  if (hasAddresses && other !== undefined) {
    throw usageError(`--${other} is for rows of a file or standard input: give no addresses as arguments`);
  }
  for (const name of ["known", "report", "summary-file"] as const) {
    if (options[name] === "-") throw usageError(`--${name} must be a file, not -: ${NOT_A_FILE_HINTS[name]}`);
  }
  if (json && format !== "auto" && format !== "ndjson") {
    throw usageError(`--json and --format ${format} exclude each other: choose one`);
  }
  if (isFindingsFormat(format) && hasAddresses) {
    throw usageError(`--format ${format} names places in files: name them with --input, --lines, --csv or --scan`);
  }
}

/** The format that the options name; without one, of rows with columns or keys their own. */
function requestedFormat({ json, format }: Options, kind: InputKind): Format | "auto" {
  if (json) return "ndjson";
  return format === "auto" && kind !== "lines" && kind !== "scan" ? sameFormatAsInput(kind) : format;
}

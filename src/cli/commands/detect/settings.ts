// Options of `detect` that contradict each other or are no value, judged before anything is opened, with arguments as in bulk.

import { columnNumber } from "../../../bulk/rows/csv-header.ts";
import { AddrsiftError } from "../../../errors.ts";
import type { Arguments } from "../../options/arguments.ts";

// More threads than this are a slip of the finger.
const JOBS_MAX = 256;

/** Refuses options that contradict each other. Throws AddrsiftError USAGE. */
export function checkOptions(args: Arguments): void {
  if (args.text("input") !== undefined && args.positionals.length > 0) {
    throw usage("addresses are given both as arguments and with --input: choose one");
  }
  if (args.text("summary-file") === "-") {
    throw usage("--summary-file must be a file, not -: for counts on standard error use --summary");
  }
  if (args.flag("offline") && args.text("notify") !== undefined) {
    throw usage("--offline sends nothing, and --notify sends something: choose one");
  }
  jobsOf(args);
  checkCsv(args);
  checkPart(args);
  checkFormat(args);
  checkUnknown(args);
}

/** How many threads --jobs asks for. Throws AddrsiftError USAGE. */
export function jobsOf(args: Arguments): number {
  const text = args.text("jobs") as string;
  const jobs = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (jobs < 1 || jobs > JOBS_MAX) throw usage(`--jobs ${text} is no number of threads: give 1 to ${JOBS_MAX}`);
  return jobs;
}

/** The octet that --delimiter names. Throws AddrsiftError USAGE. */
export function delimiterOf(args: Arguments): number {
  const text = args.text("delimiter") as string;
  const char = text === "tab" || text === "\\t" ? "\t" : text;
  const octet = char.charCodeAt(0);
  if (char.length !== 1 || octet > 0x7e || octet === 0x22 || octet === 0x0a || octet === 0x0d) {
    throw usage(`--delimiter takes one ASCII character other than a quote, or tab, not ${JSON.stringify(text)}`);
  }
  return octet;
}

function checkCsv(args: Arguments): void {
  delimiterOf(args);
  if (args.flag("csv")) {
    if (args.positionals.length > 0) throw usage("--csv reads a file or standard input: give no addresses");
    return;
  }
  // As given, for some have defaults.
  const csvOnly = ["column", "no-header", "delimiter", "prefix"].find(
    (name) => args.flag(name) || typeof args.raw[name] === "string",
  );
  if (csvOnly !== undefined) throw usage(`--${csvOnly} belongs to CSV input: add --csv`);
}

/** The number of the column that --column names in a part, whose header stands elsewhere. Throws AddrsiftError USAGE. */
export function partColumn(args: Arguments): number {
  const number = columnNumber(args.text("column") ?? "");
  if (number === undefined) throw usage("--part has no header to find the column in: give its number, --column N");
  return number;
}

/** The outputs of all parts, one behind the other, must be that of the whole: no array, no table. */
function checkPart(args: Arguments): void {
  if (!args.flag("part")) return;
  if (args.positionals.length > 0) throw usage("--part reads a file or standard input: give no addresses");
  const format = args.text("format");
  if (format === "json" || format === "table") {
    throw usage(`--part and --format ${format} exclude each other: use ndjson, csv, tsv or plain`);
  }
  if (args.flag("csv")) partColumn(args);
}

function checkFormat(args: Arguments): void {
  const format = args.text("format");
  if (args.flag("json") && format !== "auto" && format !== "ndjson") {
    throw usage(`--json and --format ${format} exclude each other: choose one`);
  }
  if (
    args.flag("explain") &&
    ((args.flag("csv") && format === "auto" && !args.flag("json")) ||
      format === "csv" ||
      format === "tsv" ||
      format === "plain")
  ) {
    throw usage(`--explain has no place in ${format === "auto" ? "csv" : format}: use --format ndjson, json or table`);
  }
}

/** In bulk nobody asks DNS unless told to, and a check for what can't be looks as if it had passed. */
function checkUnknown(args: Arguments): void {
  if (args.positionals.length > 0 || (args.text("dns") === "on" && !args.flag("offline"))) return;
  const option = ["select", "reject", "fail-on"].find((name) => args.list(name).includes("unknown"));
  if (option === undefined) return;
  const instead = args.flag("offline") ? "--dns on in place of --offline" : "--dns on";
  throw usage(`--${option} unknown finds no row when DNS is not asked: add ${instead}, or leave unknown out`);
}

function usage(message: string): AddrsiftError {
  return new AddrsiftError("USAGE", message);
}

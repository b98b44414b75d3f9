// The option table of `addrsift detect`. A plain call loads only this table, because it needs no other.

import { choiceOf } from "../../base/near-names.ts";
import { DATA_FORMATS, type FormatFacts } from "../../bulk/render/formats.ts";
import {
  BY,
  CLASSES,
  DATA_VERSION,
  INPUT_OPTIONS,
  inGroup,
  MIN_CONFIDENCE,
  OUTPUT_OPTIONS,
  SYNTAX_OPTIONS,
} from "../../bulk/run/option-table.ts";
import { ALLOW_PRIVATE, type CommandSpec, DNS_MODE, DNS_OPTIONS } from "./table.ts";

/** Formats for people and for CI. */
export const SCREEN_FORMATS = {
  table: { hasFields: true, hasExplain: true, hasLocations: true },
  lint: { hasLocations: true, isFindings: true },
  github: { hasLocations: true, isFindings: true },
} as const satisfies Readonly<Record<string, FormatFacts>>;

export type ScreenFormat = keyof typeof SCREEN_FORMATS;

const FORMATS = [...DATA_FORMATS, ...(Object.keys(SCREEN_FORMATS) as ScreenFormat[])] as const;

/** Megabytes: 166 million mailboxes. */
export const MEMORY_MAX = 4000;

export const DETECT = {
  name: "detect",
  summary: "classify e-mail addresses given as arguments, from --input, or from standard input",
  argument: "[ADDRESS...]",
  argumentFiles: true,
  options: [
    ...inGroup("Input", {
      input: {
        short: "i",
        value: "FILE",
        repeat: true,
        brief: "read one address a line from FILE; - is standard input",
        help: "read one address a line from FILE, packed with gzip or not; - is standard input; may be given again",
      },
      lines: { help: "arguments are files with one address a line, as with --input" },
      csv: {
        brief: "arguments are CSV files; columns are added",
        help: "read CSV (RFC 4180); arguments are files with the same header; CSV output adds fields to its columns",
      },
      tsv: {
        help: "read and write rows between tabs, with \\t \\n \\r \\\\ escaped and \\N for null; arguments are files",
      },
      jsonl: {
        brief: "arguments are JSON Lines; fields are added",
        help: "read JSON Lines; arguments are files; each object comes back as it was, with our fields added",
      },
      scan: {
        brief: "find addresses in any text, files and folders",
        help:
          "find addresses in any text; arguments are files and folders; each address is a row, with its file, " +
          "line and column; lines with the words addrsift: allow and binary files are passed over",
      },
      diff: {
        help:
          "with --scan: the input is a unified diff, or the output of git log -p; only added lines count, with " +
          "the names and line numbers of the new files, and of a log its authors and messages",
      },
      "allow-file": {
        value: "FILE",
        help: "with --scan: pass over the addresses and @DOMAINs in FILE, one a line; # begins a comment",
      },
    }),
    ...INPUT_OPTIONS,
    ...OUTPUT_OPTIONS,
    ...inGroup("Output", {
      format: {
        short: "f",
        value: "FORMAT",
        choices: ["auto", ...FORMATS],
        default: "auto",
        brief: choiceOf(FORMATS),
        help:
          "output format; auto is table for arguments and short lists on a terminal, csv with --csv, tsv with " +
          "--tsv, otherwise ndjson; lint (FILE:LINE:COL: message) and github (annotations) show only what --fail-on " +
          "looks for, with --scan by default all",
      },
      json: { help: "same as --format ndjson: one JSON object a line for each address" },
    }),
    ...inGroup("Filter", {
      "fail-on": {
        value: "CLASSES",
        choices: CLASSES,
        list: true,
        brief: "exit with 1 when a row is of one of these classes",
        help: "exit with 1 when a row is of one of these classes",
      },
    }),
    ...inGroup("DNS", {
      dns: {
        ...DNS_MODE,
        default: "auto",
        brief: "ask DNS about domains in no list: auto, on or off",
        help: "ask DNS about domains that are in no list; auto asks for arguments, not for bulk input",
      },
      offline: {
        brief: "send no network packets",
        excludes: { notify: "use --dns off in place of --offline" },
        help: "send no network packets; overrides --dns",
      },
    }),
    ...DNS_OPTIONS,
    MIN_CONFIDENCE,
    DATA_VERSION,
    ...SYNTAX_OPTIONS,
    ...inGroup("Bulk", {
      memory: {
        value: "MB",
        range: [1, MEMORY_MAX],
        default: "512",
        help: "memory in megabytes for duplicate and duplicate_of; a mailbox takes at most 48 bytes",
      },
      known: {
        value: "FILE",
        help:
          "compare with the rows of FILE too (CSV, TSV, JSON or lines, with any columns), which are not written: " +
          "duplicate and duplicate_of refer to them",
      },
      key: {
        value: "COLUMN",
        help: "duplicate_of is the value of this column or key of the first row, in place of its number",
      },
    }),
    BY,
    ...inGroup("Bulk", {
      summary: {
        brief: "print counts by class at the end",
        help: "print counts by class on standard error at the end, also with --quiet",
      },
      report: {
        value: "FILE",
        brief: "write a page about the run, with charts",
        help: "write a page about the run to FILE (HTML), with charts and without addresses",
      },
      "report-addresses": {
        needs: ["report", "FILE"],
        help: "show addresses in the report, with the numbers of their rows",
      },
      "summary-file": { value: "FILE", help: "write the summary to FILE as JSON" },
    }),
    ...inGroup("Notify", {
      notify: {
        value: "CHANNEL",
        help:
          "send the counts to this channel (its ID) at the end; addresses are never sent; what can't be sent now " +
          "is kept, with a warning",
      },
      "notify-required": {
        needs: ["notify", "CHANNEL"],
        help: "exit with 2 when the channel is not notified at the end",
      },
    }),
    ALLOW_PRIVATE,
  ],
  examples: {
    "addrsift detect jane.doe+news@gmail.com": "one address",
    "addrsift detect --explain someone@duck.com": "with the evidence",
    "addrsift detect < addresses.txt > results.ndjson": "a file; one JSON object a line",
    "addrsift detect --csv < customers.csv > checked.csv": "a CSV file, with the fields of the result",
    "addrsift detect --csv --fields disposable,fault,suggestion < customers.csv":
      "a CSV file, with the columns that you choose",
    "addrsift detect --jsonl --into checked < users.jsonl": "JSON Lines; each object gets one more key",
    "addrsift detect -f plain --reject disposable,invalid,blank < in.txt > out.txt":
      "print only the lines that pass, unchanged",
    "addrsift detect --notify ch_7Qw2eRt5yUi8oPa1 < in.txt > results.ndjson": "send the counts to a channel at the end",
    "addrsift detect --fail-on disposable,invalid -i seed.txt > /dev/null":
      "in CI: exit with 1 when one is found, and say which",
    "git diff | addrsift detect --scan --diff -f lint --select unreserved":
      "addresses of real people that a change adds",
  },
} as const satisfies CommandSpec;

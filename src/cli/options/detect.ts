// The option table of `addrsift detect`. A plain call loads no other table.

import { formatAlternatives } from "../../base/closest-names.ts";
import { nameFault } from "../../base/user-input.ts";
import { DATA_FORMATS, type FormatFacts } from "../../bulk/render/format-facts.ts";
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
  sarif: { hasLocations: true, isFindings: true },
} as const satisfies Readonly<Record<string, FormatFacts>>;

export type ScreenFormat = keyof typeof SCREEN_FORMATS;

const FORMATS = [...DATA_FORMATS, ...(Object.keys(SCREEN_FORMATS) as ScreenFormat[])] as const;

/** In megabytes. Enough to compare 166 million mailboxes. */
export const MAX_MEMORY_MB = 4000;

const rejectOtherFormat = (file: string) => {
  const [extension] = /\.(?:pdf|docx?|odt|xlsx?|ods|csv|json|png)$/i.exec(file) ?? [];
  return extension && `writes HTML, not ${extension}: give a name such as report.html; a browser prints it as PDF`;
};
const rejectStdin = (fix: string) => (file: string) => (file === "-" ? `must be a file, not -: ${fix}` : undefined);

export const DETECT = {
  name: "detect",
  summary: "classify email addresses given as arguments, from --input, or from standard input",
  argument: "[ADDRESS...]",
  argumentFiles: true,
  options: [
    ...inGroup("Input", {
      input: {
        short: "i",
        value: "FILE",
        repeat: true,
        brief: "read addresses from FILE, one per line; - is stdin",
        help: "read one address per line from FILE, also gzip-compressed; - is standard input; may be repeated",
      },
      lines: { help: "arguments are files with one address per line, as with --input" },
      csv: {
        brief: "arguments are CSV files; columns are added",
        help: "read CSV (RFC 4180); arguments are files with the same header; CSV output adds fields to its columns",
      },
      tsv: {
        help: "read and write tab-separated rows, with \\t \\n \\r \\\\ escaped and \\N for null; arguments are files",
      },
      jsonl: {
        brief: "arguments are JSON Lines; fields are added",
        help: "read JSON Lines; arguments are files; each object is echoed with fields added",
      },
      scan: {
        brief: "find addresses in any text, files and folders",
        help:
          "find addresses in any text; arguments are files and folders; each address is a row, with its file, " +
          "line and column; skips binary files, and lines with the words addrsift: allow",
      },
      diff: {
        help:
          "with --scan: the input is a unified diff or the output of git log -p; only added lines are scanned, " +
          "with the names and line numbers of the new files, and in a log also authors and messages",
      },
      "allow-file": {
        value: "FILE",
        help:
          "with --scan: skip the addresses in FILE, one per line; @DOMAIN means all at a domain and its subdomains, " +
          "NAME@ a name at any domain, ./FILE and FOLDER/ paths (* and ** are wildcards); # begins a comment",
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
        brief: formatAlternatives(FORMATS),
        help:
          "output format; auto is table on a terminal for arguments, csv with " +
          "--csv, tsv with --tsv, otherwise ndjson; lint (FILE:LINE:COL: message), github (annotations) and sarif show only rows of the " +
          "--select or --fail-on classes",
      },
      json: { help: "same as --format ndjson: one JSON object per line for each address" },
      redact: { help: "with --format lint or github: hide addresses in messages and file names, as sarif does" },
    }),
    ...inGroup("Filter", {
      "fail-on": {
        value: "CLASSES",
        choices: CLASSES,
        list: true,
        brief: "exit with status 1 if a row has one of these classes",
        help: "exit with status 1 if a row has one of these classes",
      },
    }),
    ...inGroup("DNS", {
      dns: {
        ...DNS_MODE,
        default: "auto",
        brief: "look up unlisted domains in DNS: auto, on or off",
        help: "look up unlisted domains in DNS; auto does so for arguments but not for bulk input",
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
        range: [1, MAX_MEMORY_MB],
        default: "512",
        help: "memory in megabytes for duplicate and duplicate_of; at most 48 bytes per mailbox",
      },
      known: {
        value: "FILE",
        repeat: true,
        fault: rejectStdin("name one"),
        help:
          "also compare with the rows of FILE (CSV, TSV, JSON or lines, with any columns), which are not output: " +
          "known, duplicate and duplicate_of refer to them; may be repeated",
      },
      "known-column": {
        value: "COLUMN",
        needs: ["known", "FILE"],
        help: "column or key of the addresses in each FILE of --known, by name or number; by default it is detected",
      },
      key: {
        value: "COLUMN",
        help: "set duplicate_of to the first row's value in this column or key instead of its number",
      },
    }),
    { ...BY, help: `${BY.help}; the report has the counts too` },
    ...inGroup("Bulk", {
      summary: {
        brief: "print counts by class at the end",
        help: "print counts by class on standard error at the end, also with --quiet",
      },
      report: {
        value: "FILE",
        fault: (file) => rejectStdin("name one")(file) ?? rejectOtherFormat(file),
        brief: "write an HTML report with charts",
        help: "write an HTML report of the run to FILE, with charts and without addresses",
      },
      "report-addresses": {
        needs: ["report", "FILE"],
        help: "show addresses and their row numbers in the report",
      },
      "summary-file": {
        value: "FILE",
        fault: rejectStdin("for counts use --summary"),
        help: "write the summary to FILE as JSON",
      },
    }),
    ...inGroup("Notify", {
      notify: {
        value: "CHANNEL",
        repeat: true,
        help:
          "send the counts to this channel (its ID) at the end; addresses are never sent; what can't be sent now " +
          "is queued, with a warning; may be repeated",
      },
      "notify-label": {
        value: "TEXT",
        needs: ["notify", "CHANNEL"],
        // Notifications contain no addresses.
        fault: (label) => (label.includes("@") ? "looks like an address: use a name without @" : nameFault(label)),
        help: "name of the run in the notification, at most 100 characters, without an address",
      },
      "notify-required": {
        needs: ["notify", "CHANNEL"],
        help: "exit with status 2 if a channel is not notified at the end",
      },
    }),
    ALLOW_PRIVATE,
  ],
  examples: {
    "addrsift detect jane.doe+news@gmail.com": "one address",
    "addrsift detect --explain someone@duck.com": "with the evidence",
    "addrsift detect < addresses.txt > results.ndjson": "a file; one JSON object per line",
    "addrsift detect --csv < customers.csv > checked.csv": "a CSV file, with the fields of the result",
    "addrsift detect --csv --fields disposable,fault,suggestion < customers.csv": "a CSV file, with selected fields",
    "addrsift detect --jsonl --into checked < users.jsonl": "JSON Lines; each object gets one more key",
    "addrsift detect -f plain --reject disposable,invalid,blank < in.txt > out.txt":
      "print only the lines that pass, unchanged",
    "addrsift detect --notify ch_7Qw2eRt5yUi8oPa1 < in.txt > results.ndjson": "send the counts to a channel at the end",
    "addrsift detect --fail-on disposable,invalid -i seed.txt > /dev/null":
      "in CI: exit with 1 if any is found, and list them",
    "git diff --text | addrsift detect --scan --diff -f lint --select unreserved":
      "addresses of real people that a change adds",
  },
} as const satisfies CommandSpec;

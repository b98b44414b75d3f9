// The command line as data: each command and option once. Parsing, --help, the man pages and the docs test are made from it.

import { ROW_CLASS } from "../bulk/classes.ts";
import { DATA_FORMATS } from "../bulk/render.ts";
import { CONFIDENCES } from "../lists/confidence.ts";
import { ALLOW_PRIVATE, CHANNELS_COMMANDS } from "./spec-channels.ts";
import { KEYS_COMMANDS } from "./spec-keys.ts";
import { serveSpec } from "./spec-serve.ts";

/** One option. Without `value` it is a switch. */
export interface OptionSpec {
  /** The long name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** The name of the value in help, such as FILE. */
  readonly value?: string;
  /** The only values there are. */
  readonly choices?: readonly string[];
  /** The value is a comma-separated list of choices; the option may be given again. */
  readonly list?: boolean;
  /** The option may be given again, each time with one value that is taken whole. */
  readonly repeat?: boolean;
  readonly default?: string;
  readonly help: string;
}

/** One command. */
export interface CommandSpec {
  /** Its words, such as `lists lookup`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments as shown in help: `[ADDRESS...]`, `<DOMAIN>`. */
  readonly argument?: string;
  readonly options: readonly OptionSpec[];
  /** Command lines with what they do, for help and man page. */
  readonly examples: readonly (readonly [string, string])[];
}

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  {
    name: "home",
    value: "DIR",
    help: "where the store and updated lists are (default: $ADDRSIFT_HOME, else $XDG_DATA_HOME/addrsift, else ~/.local/share/addrsift)",
  },
  { name: "quiet", help: "nothing on standard error but errors" },
  { name: "no-color", help: "no colour, as with the environment variable NO_COLOR" },
];

const CLASSES = Object.keys(ROW_CLASS);

const SYNTAX_OPTIONS: readonly OptionSpec[] = [
  { name: "no-quoted-local", help: "refuse quoted local parts" },
  { name: "ascii-only", help: "refuse internationalized local parts and domains in Unicode" },
  { name: "allow-domain-literal", help: "accept [192.0.2.1] and [IPv6:...]" },
  { name: "allow-unknown-tld", help: "accept top-level domains outside the root zone" },
  { name: "allow-reserved", help: "accept special-use top-level domains (test, localhost, ...)" },
  { name: "allow-bare-suffix", help: "accept domains that are public suffixes themselves" },
  { name: "allow-long-local", help: "accept local parts over 64 octets" },
];

const DNS_OPTIONS: readonly OptionSpec[] = [
  {
    name: "dns-timeout",
    value: "MS",
    default: "2000",
    help: "milliseconds that DNS has for one domain, retries and all, 1 to 600000",
  },
  {
    name: "dns-server",
    value: "ADDR[:PORT]",
    list: true,
    help: "ask this name server instead of the system's; may be given again (default: $ADDRSIFT_DNS_SERVERS)",
  },
];

const MIN_CONFIDENCE: OptionSpec = {
  name: "min-confidence",
  value: "C",
  choices: CONFIDENCES,
  default: "legacy",
  help: "count only disposable entries of this confidence or better",
};

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "detect",
    summary: "classify e-mail addresses given as arguments, from --input, or from standard input",
    argument: "[ADDRESS...]",
    options: [
      { name: "input", short: "i", value: "FILE", help: "read one address a line from FILE; - is standard input" },
      { name: "csv", help: "the input is CSV (RFC 4180); CSV output keeps its columns and adds nine" },
      {
        name: "column",
        value: "NAME|N",
        help: "the CSV column with the address, by header or by number from 1 (default: the one header that says e-mail)",
      },
      { name: "delimiter", value: "C", default: ",", help: "the CSV delimiter: one ASCII character, or tab" },
      { name: "no-header", help: "the CSV has no header" },
      { name: "prefix", value: "P", default: "", help: "put P before the names of the added CSV columns" },
      {
        name: "format",
        short: "f",
        value: "FORMAT",
        choices: ["auto", "table", ...DATA_FORMATS],
        default: "auto",
        help: "output format; auto is a table for arguments on a terminal, csv for --csv, else ndjson",
      },
      { name: "json", help: "the same as --format ndjson: one JSON object for each address, one a line" },
      { name: "explain", help: "add the evidence (table, ndjson, json)" },
      { name: "select", value: "LIST", choices: CLASSES, list: true, help: "keep only rows of these classes" },
      {
        name: "reject",
        value: "LIST",
        choices: CLASSES,
        list: true,
        help: "drop rows of these classes; beats --select",
      },
      {
        name: "fail-on",
        value: "LIST",
        choices: CLASSES,
        list: true,
        help: "exit with 1 when any row is of such a class",
      },
      {
        name: "dns",
        value: "MODE",
        choices: ["auto", "on", "off"],
        default: "auto",
        help: "live DNS for domains that no list settles; auto is on for arguments and off for bulk input",
      },
      { name: "offline", help: "send not one packet, whatever --dns says" },
      ...DNS_OPTIONS,
      MIN_CONFIDENCE,
      ...SYNTAX_OPTIONS,
      {
        name: "jobs",
        value: "N",
        default: "1",
        help: "worker threads for bulk input, 1 to 256; the order of rows stays",
      },
      { name: "summary", help: "counts by class on standard error at the end" },
      { name: "summary-file", value: "FILE", help: "write the summary to FILE as JSON" },
      {
        name: "notify",
        value: "CHANNEL",
        help: "send the counts to a channel, by its id, when the work ends; no address is sent",
      },
      ALLOW_PRIVATE,
      { name: "spreadsheet-safe", help: "put ' before an added CSV field that a spreadsheet would run as a formula" },
    ],
    examples: [
      ["addrsift detect jane.doe+news@gmail.com", "one address"],
      ["addrsift detect --explain someone@duck.com", "with the evidence"],
      ["addrsift detect < addresses.txt > results.ndjson", "a file, one JSON object a line"],
      ["addrsift detect --csv < customers.csv > checked.csv", "a CSV file, nine columns added"],
      ["addrsift detect --format plain --reject disposable,invalid,blank < in.txt > out.txt", "as a filter"],
      [
        "addrsift detect --notify ch_7Qw2eRt5yUi8oPa1 < addresses.txt > results.ndjson",
        "and tell a channel how it went",
      ],
      [
        "addrsift detect --fail-on disposable,invalid --quiet -i seed.txt > /dev/null",
        "in CI: exit 1 when one is found",
      ],
    ],
  },
  {
    name: "lists export",
    summary: "print one class of the effective lists, sorted, one entry a line",
    options: [
      {
        name: "class",
        value: "CLASS",
        choices: ["disposable", "public", "relay", "role", "tld"],
        help: "which list; relay prints domain<TAB>provider",
      },
    ],
    examples: [["addrsift lists export --class disposable > disposable.txt", "all disposable domains"]],
  },
  {
    name: "lists lookup",
    summary: "say in which classes a domain is, by which entry and from which sources",
    argument: "<DOMAIN>",
    options: [{ name: "json", help: "print a JSON object" }],
    examples: [["addrsift lists lookup mail.10minutemail.com", "why a domain is called what it is"]],
  },
  {
    name: "lists status",
    summary: "version, age, counts and sources of the lists in use",
    options: [{ name: "json", help: "print a JSON object" }],
    examples: [["addrsift lists status", "what the verdicts rest on"]],
  },
  ...CHANNELS_COMMANDS,
  ...KEYS_COMMANDS,
  serveSpec([...DNS_OPTIONS, MIN_CONFIDENCE, ...SYNTAX_OPTIONS]),
];

/** Groups of commands, for help. */
export const GROUPS: Readonly<Record<string, string>> = {
  channels: "a team's notification channels, by mail and webhook",
  keys: "API keys for the daemon",
  lists: "look into the lists that verdicts rest on",
};

/** The command of these words. */
export function commandSpec(name: string): CommandSpec {
  const spec = COMMANDS.find((command) => command.name === name);
  if (spec === undefined) throw new Error(`no command ${name}`);
  return spec;
}

// The option table of `addrsift detect`. The quick way through a plain call loads it, and none of the other commands' tables.

import { ROW_CLASS, type RowClass } from "../../bulk/classes.ts";
import { DATA_FORMATS } from "../../bulk/render.ts";
import { ALLOW_PRIVATE, DNS_OPTIONS, MIN_CONFIDENCE, SYNTAX_OPTIONS } from "./shared.ts";
import type { CommandSpec } from "./types.ts";

const CLASSES = Object.keys(ROW_CLASS) as readonly RowClass[];

export const DETECT = {
  name: "detect",
  summary: "classify e-mail addresses given as arguments, from --input, or from standard input",
  argument: "[ADDRESS...]",
  options: [
    {
      name: "input",
      short: "i",
      value: "FILE",
      once: true,
      help: "read one address a line from FILE; - is standard input",
    },
    { name: "csv", help: "the input is CSV (RFC 4180); CSV output keeps its columns and adds nine" },
    {
      name: "column",
      value: "NAME|N",
      help: "the CSV column with the address, by header or by number from 1 (default: the one header that says e-mail)",
    },
    { name: "delimiter", value: "C", default: ",", help: "the CSV delimiter: one ASCII character, or tab" },
    { name: "no-header", help: "the CSV has no header" },
    {
      name: "part",
      help: "the input is a part of a larger one: nothing at its beginning is special (mark, encoding, packing, sep=), CSV has no header, no output has one, and no rows in is no rows out",
    },
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
    { name: "summary", help: "counts by class on standard error at the end, with --quiet too" },
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
    ["addrsift detect --notify ch_7Qw2eRt5yUi8oPa1 < addresses.txt > results.ndjson", "and tell a channel how it went"],
    ["addrsift detect --fail-on disposable,invalid --quiet -i seed.txt > /dev/null", "in CI: exit 1 when one is found"],
  ],
} as const satisfies CommandSpec;

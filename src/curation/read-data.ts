// Reads the hand-maintained lists in data/, and formats lines of the merged list. Lists are sorted, tab-separated text;
// the last column is the source or reason. Errors name file and line. compileTable() finds contradictions of lists.

import { existsSync, readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { basename, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { DOMAIN_KINDS } from "../lists/attributes.ts";
import {
  CONFIDENCES,
  confidenceRank,
  entryFlags,
  firstDayOf,
  formatDay,
  lastDayOf,
  sourceLettersOf,
} from "../lists/confidence.ts";
import { EXCHANGE_CLASSES } from "../lists/exchanges.ts";
import { isHostName, isPublicSuffix, isRegistrySuffix } from "./names.ts";
import { CurationError } from "./sources.ts";

export type Rows = ReadonlyMap<string, readonly string[]>;

/** Returns what is wrong with a row. `name` is its first column. */
type RowCheck = (name: string, row: readonly string[]) => string | undefined;

export interface RowShape {
  readonly file: string;
  readonly columns: readonly string[];
  readonly check: RowCheck;
}

/** Parses a list; `#` lines are comments. Throws CurationError. */
export function parseRows(text: string, shape: RowShape): Rows {
  const rows = new Map<string, readonly string[]>();
  let previous = "";
  text.split("\n").forEach((line, index) => {
    if (line === "" || line.startsWith("#")) return;
    const row = line.split("\t");
    const [name = ""] = row;
    const fault = rowFault(row, name, previous, shape);
    if (fault !== undefined) throw new CurationError(`data/${shape.file}:${index + 1}: ${fault}`);
    previous = name;
    rows.set(name, row);
  });
  if (rows.size === 0) throw new CurationError(`data/${shape.file} is empty`);
  return rows;
}

function rowFault(row: readonly string[], name: string, previous: string, shape: RowShape): string | undefined {
  if (row.length !== shape.columns.length) return `${row.length} columns, not ${shape.columns.join(", ")}`;
  const blank = row.findIndex((field) => field.trim() !== field || field === "");
  if (blank >= 0) return `column ${shape.columns[blank]} is empty or has white space around it`;
  if (Buffer.compare(Buffer.from(name), Buffer.from(previous)) <= 0) return `${name} is out of order or doubled`;
  return shape.check(name, row);
}

function allOf(...checks: readonly RowCheck[]): RowCheck {
  return (name, row) => checks.reduce<string | undefined>((fault, check) => fault ?? check(name, row), undefined);
}

function nameMust(isGood: (name: string) => boolean, fault: string): RowCheck {
  return (name) => (isGood(name) ? undefined : `${name} ${fault}`);
}

function oneOf(column: number, values: readonly string[]): RowCheck {
  return (_, row) =>
    values.includes(row[column] as string) ? undefined : `${row[column]} is unknown: use ${values.join(", ")}`;
}

function identifier(column: number): RowCheck {
  return (_, row) => (/^[a-z0-9_]+$/.test(row[column] ?? "") ? undefined : `${row[column]} is not an identifier`);
}

const hostName = nameMust(isHostName, "is not a host name in lower-case A-labels");
const host = allOf(
  hostName,
  nameMust((name) => !isPublicSuffix(name), "is a public suffix, so it would match strangers"),
);
// Suffixes of the private section are allowed, because each is also its owner's domain (gov.scot, freedesktop.org,
// iki.fi).
const guardedHost = allOf(
  hostName,
  nameMust((name) => !isRegistrySuffix(name), "is a public suffix: put it into restricted-suffixes.tsv"),
);
const kindOfDomain = oneOf(1, DOMAIN_KINDS);
const role = allOf(
  nameMust(
    (name) => name === name.toLowerCase().normalize("NFC") && !/[\s@+"]/.test(name),
    "is not a plain lower-case local part",
  ),
  nameMust((name) => Array.from(name).length > 1, "is a single letter"),
  oneOf(1, ["exact", "prefix"]),
  oneOf(2, ["role", "no_reply"]),
);
const suffix = nameMust(isPublicSuffix, "is not a public suffix: put it into protected.tsv");
const soldSuffix = nameMust(
  (name) => isPublicSuffix(name) && !isRegistrySuffix(name),
  "must be a suffix of the private section",
);
const mailSuffix = nameMust(
  (name) => isPublicSuffix(name) && name.includes("."),
  "is not a public suffix of two labels or more",
);
const typo: RowCheck = (name, [, intended = ""]) =>
  isHostName(intended) ? undefined : `${intended} is not a host name (of ${name})`;
// Only IPv4, because only A records of exchangers are looked up. A "shared" entry decides no verdict, so it may be a
// suffix with unrelated owners.
const ipv4 = nameMust(isIPv4, "is not an IPv4 address");
const exchanger = allOf(
  oneOf(1, ["exact", "suffix", "address"]),
  oneOf(2, EXCHANGE_CLASSES),
  identifier(3),
  (name, row) => (row[1] === "address" ? ipv4 : row[2] === "shared" ? guardedHost : host)(name, row),
);

/** File, columns and row check of each hand-maintained list. */
export const MAINTAINED_LISTS = {
  additions: shape("disposable-additions.tsv", "domain, source", host),
  relays: shape(
    "relays.tsv",
    "domain, provider, match, source",
    allOf(host, identifier(1), oneOf(2, ["exact", "subdomains"])),
  ),
  public: shape("public.tsv", "domain, operator, country, source", guardedHost),
  protected: shape("protected.tsv", "domain, kind, reason", allOf(guardedHost, kindOfDomain)),
  removals: shape("removals.tsv", "domain, kind, source", allOf(host, oneOf(1, ["removal"]))),
  formerProviders: shape("former-providers.tsv", "domain, lists", host),
  freeHosts: shape("free-subdomain-hosts.tsv", "host, source", host),
  soldSuffixes: shape("sold-suffixes.tsv", "suffix, source", soldSuffix),
  replyHosts: shape("reply-hosts.tsv", "host, source", guardedHost),
  restrictedSuffixes: shape("restricted-suffixes.tsv", "suffix, kind, reason", allOf(suffix, kindOfDomain)),
  providers: shape("providers.tsv", "operator, rule, source"),
  roles: shape("roles.tsv", "local part, match, kind, source", role),
  specialUse: shape("special-use.tsv", "label or name, reference"),
  mailSuffixes: shape("mail-suffixes.tsv", "suffix, evidence", mailSuffix),
  typos: shape("typos.tsv", "name, intended, reason", typo),
  typoTlds: shape("typo-tlds.tsv", "name, intended, reason"),
  exchanges: shape("mail-exchangers.tsv", "host or address, match, class, provider, source", exchanger),
} as const;

function shape(file: string, columns: string, check: RowCheck = () => undefined): RowShape {
  return { file, columns: columns.split(", "), check };
}

export type ListName = keyof typeof MAINTAINED_LISTS;
export type MaintainedLists = Readonly<Record<ListName, Rows>>;

export function readMaintainedLists(root: string): MaintainedLists {
  const lists = Object.entries(MAINTAINED_LISTS).map(([name, shape]) => [
    name,
    parseRows(readDataFile(root, shape.file), shape),
  ]);
  return Object.fromEntries(lists) as MaintainedLists;
}

/** Returns the path of a data/ file in the package, which has these files (5 MB) compressed by brotli. */
export function packedDataPath(file: string): string {
  return `dist/data/${basename(file)}.br`;
}

/** Reads a file of data/ from a clone or the package. */
export function readDataFile(root: string, file: string): string {
  const path = join(root, "data", file);
  if (existsSync(path)) return readFileSync(path, "utf8");
  return brotliDecompressSync(readFileSync(join(root, packedDataPath(file)))).toString();
}

export function readDataLines(root: string, file: string): string[] {
  return splitLines(readDataFile(root, file));
}

/** Returns the lines of a text, without blank lines and comments. */
export function splitLines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

/** Formats a line of the merged list: domain, source letters, confidence, and the first and last day, if known. */
export function formatDisposableLine(domain: string, entry: number): string {
  const flags = entryFlags(entry);
  const days = [formatDay(firstDayOf(entry)), formatDay(lastDayOf(entry))];
  const columns = [domain, sourceLettersOf(flags).join(""), CONFIDENCES[confidenceRank(flags)], ...days];
  return `${columns.join("\t").trimEnd()}\n`;
}

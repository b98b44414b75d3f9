// Reads the hand-kept lists under data/, and the merged one. Lists are tab-separated text, sorted, each row with its
// source or reason. Each row is checked here, and a fault names file and line; contradictions between lists are found
// by the compiler.

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { DOMAIN_KINDS, isDomainKind } from "../lists/attributes.ts";
import {
  byteOf,
  CONFIDENCES,
  type Confidence,
  confidenceRank,
  dayOf,
  dayText,
  LINEAGE_BIT,
  type Lineage,
  lastDayOf,
  lineagesOf,
  packEntry,
} from "../lists/confidence.ts";
import { EXCHANGE_CLASSES, type ExchangeClass } from "../lists/exchanges.ts";
import { isHostName, isPublicSuffix, isRegistrySuffix } from "./names.ts";
import { CurationError } from "./sources.ts";

export type Rows = ReadonlyMap<string, readonly string[]>;

export interface RowShape {
  readonly file: string;
  readonly columns: readonly string[];
  /** Checks the first column; gives what is wrong, or undefined. */
  check?(name: string, row: readonly string[]): string | undefined;
}

/** Parses a list; `#` lines are comments. No column may be empty; the last one is the source or reason. */
export function parseRows(text: string, shape: RowShape): Rows {
  const rows = new Map<string, readonly string[]>();
  let previous = "";
  text.split("\n").forEach((line, index) => {
    if (line === "" || line.startsWith("#")) return;
    const row = line.split("\t");
    const [name = ""] = row;
    const wrong = faultOf(row, name, previous, shape);
    if (wrong !== undefined) throw new CurationError(`data/${shape.file}:${index + 1}: ${wrong}`);
    previous = name;
    rows.set(name, row);
  });
  if (rows.size === 0) throw new CurationError(`data/${shape.file} is empty`);
  return rows;
}

function faultOf(row: readonly string[], name: string, previous: string, shape: RowShape): string | undefined {
  if (row.length !== shape.columns.length) return `${row.length} columns, not ${shape.columns.join(", ")}`;
  const blank = row.findIndex((field) => field.trim() !== field || field === "");
  if (blank >= 0) return `column ${shape.columns[blank]} is empty or has white space around it`;
  if (Buffer.compare(Buffer.from(name), Buffer.from(previous)) <= 0) return `${name} is out of order or doubled`;
  return shape.check?.(name, row);
}

const host = (name: string): string | undefined => {
  if (!isHostName(name)) return `${name} is not a host name in lower-case A-labels`;
  return isPublicSuffix(name) ? `${name} is a public suffix, so it would match strangers` : undefined;
};
// A private suffix may be protected or public: it is also its owner's own domain (gov.scot, freedesktop.org, iki.fi).
const guardedHost = (name: string): string | undefined => {
  if (!isHostName(name)) return `${name} is not a host name in lower-case A-labels`;
  return isRegistrySuffix(name) ? `${name} is a public suffix: put it into restricted-suffixes.tsv` : undefined;
};
const oneOf =
  (column: number, values: readonly string[]) =>
  (name: string, row: readonly string[]): string | undefined =>
    host(name) ??
    (values.includes(row[column] as string) ? undefined : `${row[column]} is unknown: use ${values.join(", ")}`);

/** The hand-kept lists: file, columns and checks. */
export const HAND_KEPT = {
  additions: { file: "disposable-additions.tsv", columns: ["domain", "source"], check: host },
  relays: {
    file: "relays.tsv",
    columns: ["domain", "provider", "match", "source"],
    check: oneOf(2, ["exact", "subdomains"]),
  },
  public: { file: "public.tsv", columns: ["domain", "operator", "country", "source"], check: guardedHost },
  protected: { file: "protected.tsv", columns: ["domain", "kind", "reason"], check: checkProtected },
  removals: { file: "removals.tsv", columns: ["domain", "kind", "source"], check: oneOf(1, ["removal"]) },
  freeHosts: { file: "free-subdomain-hosts.tsv", columns: ["host", "source"], check: host },
  soldSuffixes: { file: "sold-suffixes.tsv", columns: ["suffix", "source"], check: checkSoldSuffix },
  replyHosts: { file: "reply-hosts.tsv", columns: ["host", "source"], check: guardedHost },
  restrictedSuffixes: { file: "restricted-suffixes.tsv", columns: ["suffix", "kind", "reason"], check: checkSuffixRow },
  providers: { file: "providers.tsv", columns: ["operator", "rule", "source"] },
  roles: { file: "roles.tsv", columns: ["local part", "match", "source"], check: checkRole },
  specialUse: { file: "special-use.tsv", columns: ["label or name", "reference"] },
  mailSuffixes: { file: "mail-suffixes.tsv", columns: ["suffix", "evidence"], check: checkMailSuffix },
  typos: { file: "typos.tsv", columns: ["name", "intended", "reason"], check: checkTypo },
  typoTlds: { file: "typo-tlds.tsv", columns: ["name", "intended", "reason"] },
  exchanges: {
    file: "mail-exchangers.tsv",
    columns: ["host or address", "match", "class", "provider", "source"],
    check: checkExchange,
  },
} as const satisfies Readonly<Record<string, RowShape>>;

export type ListName = keyof typeof HAND_KEPT;
export type HandKept = Readonly<Record<ListName, Rows>>;

function checkRole(name: string, row: readonly string[]): string | undefined {
  if (name !== name.toLowerCase().normalize("NFC") || /[\s@+"]/.test(name))
    return `${name} is not a plain lower-case local part`;
  if (Array.from(name).length < 2) return `${name} is a single letter`;
  return row[1] === "exact" || row[1] === "prefix" ? undefined : `${row[1]} is neither exact nor prefix`;
}

function checkSoldSuffix(name: string): string | undefined {
  return isPublicSuffix(name) && !isRegistrySuffix(name)
    ? undefined
    : `${name} must be a suffix of the private section`;
}

function checkMailSuffix(name: string): string | undefined {
  return isPublicSuffix(name) && name.includes(".")
    ? undefined
    : `${name} is not a public suffix of two labels or more`;
}

// Not from node:net, because a look-up that checks nothing would wait for that module.
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

function checkExchange(name: string, row: readonly string[]): string | undefined {
  const [, match, ofClass = "", provider = ""] = row;
  if (!EXCHANGE_CLASSES.includes(ofClass as ExchangeClass)) {
    return `unknown class ${ofClass}: use ${EXCHANGE_CLASSES.join(", ")}`;
  }
  if (!/^[a-z0-9_]+$/.test(provider)) return `${provider} is not an identifier`;
  // Only IPv4 addresses of exchangers are asked for.
  if (match === "address") return IPV4.test(name) ? undefined : `${name} is not an IPv4 address`;
  if (match !== "exact" && match !== "suffix") return `unknown match ${match}: use exact, suffix or address`;
  // An entry that shows nothing may cover strangers' hosts.
  return ofClass === "shared" ? guardedHost(name) : host(name);
}

function checkProtected(name: string, row: readonly string[]): string | undefined {
  return guardedHost(name) ?? checkKind(row);
}

function checkSuffixRow(name: string, row: readonly string[]): string | undefined {
  return isPublicSuffix(name) ? checkKind(row) : `${name} is not a public suffix: put it into protected.tsv`;
}

function checkKind([, kind = ""]: readonly string[]): string | undefined {
  return isDomainKind(kind) ? undefined : `${kind} is unknown: use ${DOMAIN_KINDS.join(", ")}`;
}

function checkTypo(name: string, row: readonly string[]): string | undefined {
  return isHostName(row[1] as string) ? undefined : `${row[1]} is not a host name (of ${name})`;
}

export function readHandKept(root: string): HandKept {
  const entries = Object.entries(HAND_KEPT).map(([name, shape]) => [
    name,
    parseRows(readData(root, shape.file), shape),
  ]);
  return Object.fromEntries(entries) as HandKept;
}

/** The path of a file under data/ as the package has it: packed, because all of them have 5 MB. */
export function packedFile(file: string): string {
  return `dist/data/${basename(file)}.gz`;
}

/** A file under data/ as text: as it is in a clone, else as the package has it. */
export function readData(root: string, file: string): string {
  const path = join(root, "data", file);
  if (existsSync(path)) return readFileSync(path, "utf8");
  return gunzipSync(readFileSync(join(root, packedFile(file)))).toString();
}

/** False for a folder that has the lists but not what they were made from. */
export function hasSources(root: string): boolean {
  return existsSync(join(root, "data/sources")) || existsSync(join(root, packedFile("canaries.txt")));
}

/** The lines of a generated list, without comments. */
export function readLines(root: string, file: string): string[] {
  return readData(root, file)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** The merged list as the data build wrote it: packed entries by domain. Throws CurationError. */
export function readDisposable(root: string): ReadonlyMap<string, number> {
  return new Map(readLines(root, "disposable.txt").map(parseDisposable));
}

/** A line of the merged list: domain, letters of its sources, confidence, and its first and last day, if known. */
export function disposableLine(domain: string, entry: number): string {
  const byte = byteOf(entry);
  const days = [dayText(dayOf(entry)), dayText(lastDayOf(entry))];
  const columns = [domain, lineagesOf(byte).join(""), CONFIDENCES[confidenceRank(byte)], ...days];
  return `${columns.join("\t").trimEnd()}\n`;
}

export function parseDisposable(line: string): [string, number] {
  const [domain = "", letters = "", confidence, since = "", lastSeen = ""] = line.split("\t");
  const bits: number[] = Array.from(letters, (letter) => LINEAGE_BIT[letter as Lineage] ?? 0);
  const rank = CONFIDENCES.indexOf(confidence as Confidence);
  if (bits.length === 0 || bits.includes(0) || rank < 0)
    throw new CurationError(`data/disposable.txt: ${line} has unknown letters or an unknown confidence`);
  const lineages = bits.reduce((sum, bit) => sum | bit, 0);
  return [domain, packEntry(lineages, rank, since || undefined, lastSeen || undefined)];
}

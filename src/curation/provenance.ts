// The origin of the lists in force, domain by domain: which sources list it, whether that counts or not, and what a hand-kept list
// gives as reason. Read from the files beside the compiled table, which itself holds only what decides.

import { join } from "node:path";
import { readRegular } from "../durable/read.ts";
import type { ListsMeta } from "../lists/meta.ts";
import { REMOVALS_FILE, snapshotFile } from "./ingredients.ts";
import { findParent } from "./names.ts";
import { HAND_KEPT, type ListName, readData, readLines } from "./read-data.ts";
import { snapshotParts } from "./snapshot.ts";
import { CurationError, DISPOSABLE_KEYS, type DisposableKey } from "./sources.ts";
import { removalsName, snapshotName } from "./update/home-lists.ts";

/** A source that lists a domain or one above it. */
export interface Vote {
  /** The source's letter; H for our own additions. */
  readonly key: DisposableKey | "H";
  readonly entry: string;
  /** The rule about the name by which no list in force has this entry. */
  readonly leftOut?: string;
}

type RowsByName = ReadonlyMap<string, readonly string[]>;

interface Names {
  has(domain: string): boolean;
}

const NO_NAMES: Names = { has: () => false };

/** The places of the files, and the lists that they are of. */
export interface ProvenanceParts {
  /** The package's folder. */
  readonly root: string;
  /** A folder in which an update may have left newer files. */
  readonly home: string | undefined;
  /** The meta data of the lists in force. */
  readonly meta: ListsMeta;
  /** True for a suffix of either section of the Public Suffix List. */
  isPublicSuffix(domain: string): boolean;
}

/** The contents of the files. Each is read when it is asked for. */
export class Provenance {
  /** Sources whose file is not the one that the lists in force were made from. */
  readonly unread: readonly DisposableKey[];
  private readonly sources: ReadonlyMap<Vote["key"], Names>;
  private readonly lists = new Map<ListName, RowsByName>();
  private takenOff: RowsByName | undefined;

  constructor(private readonly parts: ProvenanceParts) {
    const read = DISPOSABLE_KEYS.map((key) => ({ key, names: this.namesOf(key, parts.meta) }));
    this.unread = read.filter(({ names }) => names === undefined).map(({ key }) => key);
    this.sources = new Map<Vote["key"], Names>([
      ...read.map(({ key, names = NO_NAMES }) => [key, names] as const),
      ["H", this.list("additions")],
    ]);
  }

  /** Sources that list the domain or one above it, with the nearest entry of each. */
  votes(domain: string): Vote[] {
    return [...this.sources].flatMap(([key, names]) => {
      const entry = names.has(domain) ? domain : findParent(domain, (parent) => names.has(parent));
      if (entry === undefined) return [];
      const leftOut = this.leftOut(entry);
      return [{ key, entry, ...(leftOut === undefined ? {} : { leftOut }) }];
    });
  }

  /** The reason or the place that the hand-kept list gives for an entry. */
  reason(list: ListName, entry: string): string | undefined {
    const row = this.list(list).get(entry);
    return (row ?? (list === "removals" ? this.communityRemovals().get(entry) : undefined))?.at(-1);
  }

  private leftOut(entry: string): string | undefined {
    if (this.parts.isPublicSuffix(entry) || this.list("freeHosts").has(entry))
      return `${entry} is a host of other people's domains`;
    const suffixes = this.list("restrictedSuffixes");
    const above = findParent(entry, (parent) => suffixes.has(parent));
    return above === undefined ? undefined : `${above} is only for verified bodies: ${suffixes.get(above)?.at(-1)}`;
  }

  private list(name: ListName): RowsByName {
    const rows = this.lists.get(name) ?? byName(readLines(this.parts.root, HAND_KEPT[name].file));
    this.lists.set(name, rows);
    return rows;
  }

  private communityRemovals(): RowsByName {
    this.takenOff ??= new Map([
      ...byName((this.homeText(removalsName(this.parts.meta.dataVersion)) ?? "").split("\n")),
      ...byName(readLines(this.parts.root, REMOVALS_FILE)),
    ]);
    return this.takenOff;
  }

  /** The names of the snapshot that the lists in force were made from; undefined when neither folder has it any more. */
  private namesOf(key: DisposableKey, meta: ListsMeta): Names | undefined {
    const digest = meta.sources.find((source) => source.key === key)?.digest;
    if (digest === undefined) return undefined;
    const ofHome = (): string | undefined => this.homeText(snapshotName(key, digest));
    for (const read of [() => readData(this.parts.root, snapshotFile(key)), ofHome]) {
      const text = read();
      if (!text?.includes(`\n# digest: ${digest}\n`)) continue;
      try {
        const { body } = snapshotParts(text, `${key}.txt`);
        return { has: (domain) => hasLine(body, domain) };
      } catch (error) {
        if (!(error instanceof CurationError)) throw error;
      }
    }
    return undefined;
  }

  /** A file that an update left; undefined when there is none that can be read. */
  private homeText(name: string): string | undefined {
    if (this.parts.home === undefined) return undefined;
    try {
      return readRegular(join(this.parts.home, "lists", name))?.toString();
    } catch {
      return undefined;
    }
  }
}

function byName(lines: readonly string[]): RowsByName {
  return new Map(
    lines
      .filter((line) => !line.startsWith("#"))
      .map((line) => line.split("\t"))
      .map((row) => [row[0] as string, row]),
  );
}

/** True for a text of sorted lines that has this one. A few are asked for, and a set of two hundred thousand would take longer to make. */
function hasLine(text: string, line: string): boolean {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const start = text.lastIndexOf("\n", ((low + high) >>> 1) - 1) + 1;
    const end = text.indexOf("\n", start);
    const found = text.slice(start, end);
    if (found === line) return true;
    if (found < line) low = end + 1;
    else high = start;
  }
  return false;
}

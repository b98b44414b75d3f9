// The origin of the lists in force, domain by domain: which sources list it, whether that counts or not, and what a hand-kept list
// gives as reason. Read from the files beside the compiled table, which itself holds only what decides.

import { join } from "node:path";
import { defined } from "../base/result.ts";
import { readRegular } from "../durable/read.ts";
import type { ListsMeta } from "../lists/meta.ts";
import { REMOVALS_FILE, snapshotFile } from "./ingredients.ts";
import { NAMES_OF_A_PARENT } from "./merge.ts";
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
  /** ISO date on which the source first had it. */
  readonly since?: string;
  /** ISO date on which a daily list last had it. */
  readonly last?: string;
  /** The number of names below the entry in a daily list, which has not the entry itself. */
  readonly below?: number;
  /** The rule about the name by which no list in force has this entry. */
  readonly leftOut?: string;
}

type RowsByName = ReadonlyMap<string, readonly string[]>;

interface Names {
  /** The columns of a name: itself, its first day and its last; undefined when it is not there. */
  row(domain: string): readonly string[] | undefined;
  below(domain: string): number;
}

const NO_NAMES: Names = { row: () => undefined, below: () => 0 };

/** The places of the files, and the lists that they are of. */
export interface ProvenanceParts {
  readonly root: string;
  /** A folder in which an update may have left newer files. */
  readonly home: string | undefined;
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
      ["H", { row: (domain) => this.list("additions").get(domain)?.slice(0, 1), below: () => 0 }],
    ]);
  }

  /** Sources that list the domain or one above it, with the nearest entry of each. */
  votes(domain: string): Vote[] {
    return [...this.sources].flatMap(([key, names]) => {
      const nearest = (test: (name: string) => boolean): string | undefined =>
        test(domain) ? domain : findParent(domain, test);
      const entry = nearest((name) => names.row(name) !== undefined);
      // Many names below one make it an entry, as the merge says.
      const parent =
        key !== "C" || entry !== undefined
          ? undefined
          : nearest((name) => !this.isFreeHost(name) && names.below(name) >= NAMES_OF_A_PARENT);
      const shown = entry ?? parent;
      if (shown === undefined) return [];
      const [, since, last] = names.row(shown) ?? [];
      const leftOut = this.leftOut(key, shown);
      return [
        {
          key,
          entry: shown,
          ...defined({ since, last }),
          ...(entry === undefined ? { below: names.below(shown) } : {}),
          ...defined({ leftOut }),
        },
      ];
    });
  }

  /** The reason or the place that the hand-kept list gives for an entry. */
  reason(list: ListName, entry: string): string | undefined {
    return this.list(list).get(entry)?.at(-1);
  }

  private leftOut(key: Vote["key"], entry: string): string | undefined {
    const intended = this.list("typos").get(entry)?.[1];
    if (intended !== undefined) return `${entry} is a misspelling of ${intended}`;
    if (key === "T" || key === "E") {
      const when = this.communityRemovals().get(entry)?.at(-1);
      if (when !== undefined) return `${entry} was ${when}`;
    }
    if (this.isFreeHost(entry)) return `${entry} is a host of other people's domains`;
    const suffixes = this.list("restrictedSuffixes");
    const above = findParent(entry, (parent) => suffixes.has(parent));
    return above === undefined ? undefined : `${above} is only for verified bodies: ${suffixes.get(above)?.at(-1)}`;
  }

  private isFreeHost(name: string): boolean {
    return this.parts.isPublicSuffix(name) || this.list("freeHosts").has(name);
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
        const below = (domain: string): number => body.split(`.${domain}\t`).length - 1;
        return { row: (domain) => findLine(body, domain)?.split("\t"), below };
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

/** The line of a text of sorted lines that begins with this name. Callers ask for a few, and a map of all two hundred thousand lines would take longer. */
function findLine(text: string, name: string): string | undefined {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const start = text.lastIndexOf("\n", ((low + high) >>> 1) - 1) + 1;
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end);
    const tab = line.indexOf("\t");
    const found = tab < 0 ? line : line.slice(0, tab);
    if (found === name) return line;
    if (found < name) low = end + 1;
    else high = start;
  }
  return undefined;
}

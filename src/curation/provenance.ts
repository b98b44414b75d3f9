// The origin of the lists in force, domain by domain: which sources list it, and the reason in a hand-kept list. Read
// from the files beside the compiled table, which has only what decides.

import { join } from "node:path";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { kept, once } from "../base/kept.ts";
import { defined } from "../base/result.ts";
import { readRegular } from "../durable/files.ts";
import { AttributeReader } from "../lists/attributes.ts";
import { LINEAGE_BIT } from "../lists/confidence.ts";
import { KIND } from "../lists/format.ts";
import type { CompiledLists } from "../lists/table.ts";
import { findParent, isPublicSuffix, nearest } from "./names.ts";
import { HAND_KEPT, type ListName, linesOf, type Rows, readData } from "./read-data.ts";
import {
  DISPOSABLE_KEYS,
  type DisposableKey,
  NAMES_OF_A_PARENT,
  REMOVALS_FILE,
  removalsName,
  snapshotFile,
  snapshotName,
} from "./sources.ts";

/** A source that lists a domain or one above it. */
export interface Vote {
  /** The source's letter; H for our own additions. */
  readonly key: DisposableKey | "H";
  readonly entry: string;
  /** ISO date on which the source first had it. */
  readonly since?: string;
  /** ISO date on which a daily list last had it. */
  readonly lastSeen?: string;
  /** The number of names below the entry in a daily list without the entry. */
  readonly below?: number;
  /** The rule about the name by which no list in force has this entry. */
  readonly leftOut?: string;
}

interface ProvenanceParts {
  readonly root: string;
  readonly home: string | undefined;
  readonly lists: CompiledLists;
}

/** The contents of the files, each read when it is first needed. */
export class Provenance {
  /** Sources whose file is not the one that the lists in force were made from. */
  readonly unread: Set<DisposableKey> = new Set();
  private readonly list = kept(Number.POSITIVE_INFINITY, (name: ListName) =>
    byName(readData(this.parts.root, HAND_KEPT[name].file)),
  );
  private readonly source = kept(Number.POSITIVE_INFINITY, (key: DisposableKey) => this.readSource(key));
  private readonly takenOff = once(() => this.readRemovals());

  constructor(private readonly parts: ProvenanceParts) {}

  /** Sources that list the domain or one above it, with the nearest entry of each. */
  votes(domain: string): Vote[] {
    // The lists in force leave names out: those below an entry that is as certain, and those that a rule keeps out.
    const mayHaveMore = this.lineages(domain) === 0 && nearest(domain, (name) => this.isKnown(name)) !== undefined;
    return ([...DISPOSABLE_KEYS, "H"] as const).flatMap((key) => {
      const listed = nearest(domain, (name) => (this.lineages(name) & LINEAGE_BIT[key]) !== 0);
      const entry = mayHaveMore && key !== "H" ? this.entryInFile(key, domain) : listed;
      return entry === undefined ? [] : [this.vote(key, entry)];
    });
  }

  private vote(key: Vote["key"], entry: string): Vote {
    const [, since, lastSeen] = (key === "H" ? undefined : this.row(key, entry)) ?? [];
    const below = key === "C" && since === undefined ? this.below(entry) : 0;
    return {
      key,
      entry,
      ...defined({ since, lastSeen, below: below || undefined, leftOut: this.leftOut(key, entry) }),
    };
  }

  private entryInFile(key: DisposableKey, domain: string): string | undefined {
    const entry = nearest(domain, (name) => this.row(key, name) !== undefined);
    // Many names below one make it an entry, as the merge says.
    return key !== "C" || entry !== undefined
      ? entry
      : nearest(domain, (name) => !this.isFreeHost(name) && this.below(name) >= NAMES_OF_A_PARENT);
  }

  /** The sources of a name in the lists in force, as bits. */
  private lineages(name: string): number {
    const attributes = this.attributes(KIND.domain, name);
    if (attributes === undefined) return 0;
    const reader = new AttributeReader();
    reader.read(attributes, 0);
    return reader.lineages;
  }

  /** True for a name that the lists in force have, or that a rule keeps out of them. */
  private isKnown(name: string): boolean {
    const kinds = [KIND.domain, KIND.namespace, KIND.typo];
    return (
      kinds.some((kind) => this.attributes(kind, name) !== undefined) || (name.includes(".") && this.isFreeHost(name))
    );
  }

  private attributes(kind: (typeof KIND)[keyof typeof KIND], name: string): Uint8Array | undefined {
    const bytes = encodeUtf8(name);
    return this.parts.lists.attributesOf(kind, bytes, 0, bytes.length);
  }

  /** The reason or source of an entry in a hand-kept list. */
  reason(list: ListName, entry: string): string | undefined {
    return this.list(list).get(entry)?.at(-1);
  }

  private leftOut(key: Vote["key"], entry: string): string | undefined {
    if (key === "T" || key === "E") {
      const when = this.takenOff().get(entry)?.at(-1);
      if (when !== undefined) return `${entry} was ${when}`;
    }
    if (this.lineages(entry) !== 0) return undefined;
    const intended = this.list("typos").get(entry)?.[1];
    if (intended !== undefined) return `${entry} is a misspelling of ${intended}`;
    if (this.isFreeHost(entry)) return `${entry} is a host of other people's domains`;
    const suffixes = this.list("restrictedSuffixes");
    const above = findParent(entry, (parent) => suffixes.has(parent));
    return above === undefined ? undefined : `${above} is only for verified bodies: ${suffixes.get(above)?.at(-1)}`;
  }

  private isFreeHost(name: string): boolean {
    return isPublicSuffix(name) || this.list("freeHosts").has(name);
  }

  private readRemovals(): Rows {
    const { root, lists } = this.parts;
    const ofHome = byName(this.homeText(removalsName(lists.meta.dataVersion)) ?? "");
    return new Map([...ofHome, ...byName(readData(root, REMOVALS_FILE))]);
  }

  /** The columns of a name in a source: itself, its first day and its last; undefined when it is not there. */
  private row(key: DisposableKey, name: string): string[] | undefined {
    return findLine(this.source(key), name)?.split("\t");
  }

  private below(domain: string): number {
    return this.source("C").split(`.${domain}\t`).length - 1;
  }

  /** The body of the snapshot that the lists in force were made from; empty when it is gone. */
  private readSource(key: DisposableKey): string {
    const { root, lists } = this.parts;
    const digest = lists.meta.sources.find((source) => source.key === key)?.digest ?? "";
    const text = this.homeText(snapshotName(key, digest)) ?? readData(root, snapshotFile(key));
    const isMeant = text.includes(`\n# digest: ${digest}\n`);
    if (!isMeant) this.unread.add(key);
    return isMeant ? text.replace(/^(?:#[^\n]*\n)+/, "") : "";
  }

  /** A file of an update; undefined when it can't be read. */
  private homeText(name: string): string | undefined {
    if (this.parts.home === undefined) return undefined;
    try {
      return readRegular(join(this.parts.home, "lists", name))?.toString();
    } catch {
      return undefined;
    }
  }
}

function byName(text: string): Rows {
  const rows = linesOf(text).map((line) => line.split("\t"));
  return new Map(rows.map((row) => [row[0] as string, row]));
}

/** The line of a sorted text that begins with this name; for a few names faster than a map. */
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

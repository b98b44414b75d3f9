// Finds where an entry comes from: which sources list it, or the reason in a hand-maintained list. Reads the source
// files, because the compiled table has only what affects verdicts.

import { join } from "node:path";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { lazy, memoize } from "../base/memoize.ts";
import { omitUndefined } from "../base/result.ts";
import { readFileIfExists } from "../durable/files.ts";
import { AttributeReader } from "../lists/attributes.ts";
import { SOURCE_BIT } from "../lists/confidence.ts";
import { KIND } from "../lists/format.ts";
import type { CompiledLists } from "../lists/table.ts";
import { closestAncestor, closestName, isPublicSuffix } from "./names.ts";
import { type ListName, MAINTAINED_LISTS, type Rows, readDataFile, splitLines } from "./read-data.ts";
import {
  DISPOSABLE_KEYS,
  type DisposableKey,
  MIN_CHILDREN_TO_LIST_PARENT,
  REMOVALS_FILE,
  removalsFileName,
  snapshotFileName,
  snapshotPath,
} from "./sources.ts";

/** A source's entry for a domain or an ancestor. */
export interface SourceEntry {
  /** The source's letter; H for our own additions. */
  readonly key: DisposableKey | "H";
  readonly entry: string;
  /** ISO date on which the source first had it. */
  readonly since?: string;
  /** ISO date on which a daily list last had it. */
  readonly lastSeen?: string;
  /** Number of the entry's children in a daily list that does not have the entry itself. */
  readonly childCount?: number;
  /** Why the lists in use don't have this entry. */
  readonly ignoredReason?: string;
}

/** Reads each file on first use. */
export class Provenance {
  /** Sources whose file is not the one that the lists in use were built from. */
  readonly unreadSources: Set<DisposableKey> = new Set();
  private readonly list = memoize(Number.POSITIVE_INFINITY, (name: ListName) =>
    indexByName(readDataFile(this.deps.root, MAINTAINED_LISTS[name].file)),
  );
  private readonly source = memoize(Number.POSITIVE_INFINITY, (key: DisposableKey) => this.readSource(key));
  private readonly communityRemovals = lazy(() => this.readRemovals());

  constructor(
    private readonly deps: { readonly root: string; readonly home: string | undefined; readonly lists: CompiledLists },
  ) {}

  /** Returns each source's closest entry for the domain or an ancestor. */
  listSources(domain: string): SourceEntry[] {
    // The compiled lists lack redundant entries below a listed ancestor, and names that a rule rejects.
    const mayHaveMore =
      this.sourceBits(domain) === 0 && closestName(domain, (name) => this.isKnown(name)) !== undefined;
    return ([...DISPOSABLE_KEYS, "H"] as const).flatMap((key) => {
      const listedName = closestName(domain, (name) => (this.sourceBits(name) & SOURCE_BIT[key]) !== 0);
      const entry = mayHaveMore && key !== "H" ? this.entryInFile(key, domain) : listedName;
      return entry === undefined ? [] : [this.describeEntry(key, entry)];
    });
  }

  private describeEntry(key: SourceEntry["key"], entry: string): SourceEntry {
    const [, since, lastSeen] = (key === "H" ? undefined : this.row(key, entry)) ?? [];
    const childCount = (key === "C" && since === undefined && this.countSubdomains(entry)) || undefined;
    const ignoredReason = this.findIgnoredReason(key, entry);
    return { key, entry, ...omitUndefined({ since, lastSeen, childCount, ignoredReason }) };
  }

  private entryInFile(key: DisposableKey, domain: string): string | undefined {
    const entry = closestName(domain, (name) => this.row(key, name) !== undefined);
    if (key !== "C" || entry !== undefined) return entry;
    // As in the merge, enough children make their parent an entry.
    const hasChildren = (name: string): boolean => this.countSubdomains(name) >= MIN_CHILDREN_TO_LIST_PARENT;
    return closestName(domain, (name) => !this.isFreeHost(name) && hasChildren(name));
  }

  private sourceBits(name: string): number {
    const attributes = this.attributes(KIND.domain, name);
    if (attributes === undefined) return 0;
    const reader = new AttributeReader();
    reader.read(attributes, 0);
    return reader.entryFlags;
  }

  /** Reports whether the lists in use have the name, or a rule rejects it. */
  private isKnown(name: string): boolean {
    const kinds = [KIND.domain, KIND.namespace, KIND.typo];
    return (
      kinds.some((kind) => this.attributes(kind, name) !== undefined) || (name.includes(".") && this.isFreeHost(name))
    );
  }

  private attributes(kind: (typeof KIND)[keyof typeof KIND], name: string): Uint8Array | undefined {
    const bytes = encodeUtf8(name);
    return this.deps.lists.attributesOf(kind, bytes, 0, bytes.length);
  }

  /** Returns the last column of an entry in a hand-maintained list: its reason or source. */
  reason(list: ListName, entry: string): string | undefined {
    return this.list(list).get(entry)?.at(-1);
  }

  private findIgnoredReason(key: SourceEntry["key"], entry: string): string | undefined {
    if (key === "T" || key === "E") {
      const removal = this.communityRemovals().get(entry)?.at(-1);
      if (removal !== undefined) return `${entry} was ${removal}`;
    }
    if (this.sourceBits(entry) !== 0) return undefined;
    const intended = this.list("typos").get(entry)?.[1];
    if (intended !== undefined) return `${entry} is a misspelling of ${intended}`;
    if (this.isFreeHost(entry)) return `${entry} is a host of other people's domains`;
    const suffixes = this.list("restrictedSuffixes");
    const restrictedSuffix = closestAncestor(entry, (parent) => suffixes.has(parent));
    return restrictedSuffix === undefined
      ? undefined
      : `${restrictedSuffix} is only for verified bodies: ${suffixes.get(restrictedSuffix)?.at(-1)}`;
  }

  private isFreeHost(name: string): boolean {
    return isPublicSuffix(name) || this.list("freeHosts").has(name);
  }

  private readRemovals(): Rows {
    const { root, lists } = this.deps;
    const homeRows = indexByName(this.readHomeFile(removalsFileName(lists.meta.dataVersion)) ?? "");
    return new Map([...homeRows, ...indexByName(readDataFile(root, REMOVALS_FILE))]);
  }

  /** Returns a name's columns in a source: name, first and last day. Undefined if it is not listed. */
  private row(key: DisposableKey, name: string): string[] | undefined {
    return findLine(this.source(key), name)?.split("\t");
  }

  private countSubdomains(domain: string): number {
    return this.source("C").split(`.${domain}\t`).length - 1;
  }

  /** Returns the body of the snapshot that the lists in use were built from; empty if it is missing. */
  private readSource(key: DisposableKey): string {
    const { root, lists } = this.deps;
    const digest = lists.meta.sources.find((source) => source.key === key)?.digest ?? "";
    const text = this.readHomeFile(snapshotFileName(key, digest)) ?? readDataFile(root, snapshotPath(key));
    const matchesDigest = text.includes(`\n# digest: ${digest}\n`);
    if (!matchesDigest) this.unreadSources.add(key);
    return matchesDigest ? text.replace(/^(?:#[^\n]*\n)+/, "") : "";
  }

  private readHomeFile(name: string): string | undefined {
    if (this.deps.home === undefined) return undefined;
    try {
      return readFileIfExists(join(this.deps.home, "lists", name))?.toString();
    } catch {
      return undefined;
    }
  }
}

function indexByName(text: string): Rows {
  const rows = splitLines(text).map((line) => line.split("\t"));
  return new Map(rows.map((row) => [row[0] as string, row]));
}

/** Finds the line of a name in sorted text by binary search; for a few names faster than a map. */
function findLine(text: string, name: string): string | undefined {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const start = text.lastIndexOf("\n", ((low + high) >>> 1) - 1) + 1;
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end);
    const [lineName = ""] = line.split("\t", 1);
    if (lineName === name) return line;
    if (lineName < name) low = end + 1;
    else high = start;
  }
  return undefined;
}

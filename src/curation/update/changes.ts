// Compares two versions of the disposable domains.

import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { AttributeReader } from "../../lists/attributes.ts";
import { confidenceRank, entryFlags, minimumRank, sourceLettersOf } from "../../lists/confidence.ts";
import { KIND } from "../../lists/format.ts";
import type { CompiledLists } from "../../lists/table.ts";

/** A changed domain. `before` and `after` are its entries' source bits and rank, or 0 without an entry. */
export interface Change {
  readonly domain: string;
  readonly before: number;
  readonly after: number;
}

export function diffDisposable(lists: CompiledLists, after: ReadonlyMap<string, number>): Change[] {
  const currentEntries = readDisposable(lists);
  return Array.from(new Set([...currentEntries.keys(), ...after.keys()]), (domain) => {
    return { domain, before: currentEntries.get(domain) ?? 0, after: entryFlags(after.get(domain) ?? 0) };
  })
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => (a.domain < b.domain ? -1 : 1));
}

export function readDisposable(lists: CompiledLists): Map<string, number> {
  const attributes = new AttributeReader();
  const entries = new Map<string, number>();
  for (const entry of lists.entries()) {
    if (entry.kind !== KIND.domain) continue;
    attributes.read(entry.attributes, 0);
    if (attributes.entryFlags > 0) entries.set(decodeUtf8(entry.name), attributes.entryFlags);
  }
  return entries;
}

/**
 * Counts the domains that became disposable, and those that no longer are, at the default confidence. `aged` counts those
 * of the latter that only a daily list decides: it has not had them for too many of its days.
 */
export function countChanges(changes: readonly Change[]) {
  const added = changes.filter(({ before, after }) => !countsByDefault(before) && countsByDefault(after));
  const removed = changes.filter(({ before, after }) => countsByDefault(before) && !countsByDefault(after));
  const aged = removed.filter(({ before, after }) => sourceLettersOf(before ^ after).every((key) => key === "C"));
  return { added: added.length, removed: removed.length, aged: aged.length };
}

export function countsByDefault(entryFlags: number): boolean {
  return entryFlags !== 0 && confidenceRank(entryFlags) >= minimumRank();
}

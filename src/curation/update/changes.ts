// Compares two versions of the disposable domains.

import { decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { AttributeReader } from "../../lists/attributes.ts";
import { countsByDefault, minimumRank, sourceLettersOf } from "../../lists/confidence.ts";
import { KIND } from "../../lists/format.ts";
import { type CompiledLists, ListMatch } from "../../lists/table.ts";

/** A changed domain. `before` and `after` have the source bits and rank of its deciding entry, or 0 without one. */
export interface Change {
  readonly domain: string;
  readonly before: number;
  readonly after: number;
}

export function diffDisposable(before: CompiledLists, after: CompiledLists): Change[] {
  const [entriesBefore, entriesAfter] = [readDisposable(before), readDisposable(after)];
  return [...new Set([...entriesBefore.keys(), ...entriesAfter.keys()])]
    .filter((domain) => entriesBefore.get(domain) !== entriesAfter.get(domain))
    .map((domain) => ({ domain, before: decidingEntry(before, domain), after: decidingEntry(after, domain) }))
    .filter((change) => change.before !== change.after)
    .sort((a, b) => (a.domain < b.domain ? -1 : 1));
}

/** Returns the flags of the closest entry that counts by default, or else of any, of the domain or a parent. */
function decidingEntry(lists: CompiledLists, domain: string): number {
  const bytes = encodeUtf8(domain);
  const match = new ListMatch();
  lists.match(bytes, 0, bytes.length, minimumRank(), match);
  if (match.decidingKind === "none") lists.match(bytes, 0, bytes.length, 0, match);
  return match.entryFlags;
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

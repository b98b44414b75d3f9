// Changes a home's overrides. Replaces the whole file atomically under its lock.

import { fileAccess, fileState, resolveSymlinks, writeDurably } from "../durable/files.ts";
import { ensureFolder } from "../durable/folder.ts";
import { withLock } from "../durable/lock.ts";
import {
  entryOf,
  HEADER,
  HomeOverrides,
  isRow,
  OVERRIDES_FILE,
  type OverrideRecord,
  readLines,
  writeRow,
} from "./overrides.ts";

/** New records by entry; undefined removes the entry. */
export type OverrideChanges = ReadonlyMap<string, OverrideRecord | undefined>;

/**
 * Applies the changes that `computeChanges` returns, and returns the previous overrides. Keeps comments and unchanged
 * rows byte for byte, and the mode and group of an existing folder and file. Throws AddrsiftError DATA for an invalid
 * line, and OPERATION if the file can't be read or written.
 */
export async function changeOverrides(
  folder: string,
  computeChanges: (current: HomeOverrides) => OverrideChanges,
): Promise<HomeOverrides> {
  ensureFolder(folder);
  const path = resolveSymlinks(`${folder}/${OVERRIDES_FILE}`);
  return withLock(`${path}.lock`, async () => {
    const current = new HomeOverrides({ path, text: readLines(path), nowMs: 0 });
    const text = applyChanges(current.source.text, computeChanges(current));
    // Throws if the new text could not be read back.
    new HomeOverrides({ path, text: `\n${text}`, nowMs: 0 });
    await writeDurably(path, text, fileState(path), `${path}.previous`, fileAccess(path));
    return current;
  });
}

/** Returns the new text, sorted by entry. Comments belong to the row after them; if it is removed, to the next. */
function applyChanges(text: string, changes: OverrideChanges): string {
  const lines = text.split("\n").slice(1, -1);
  // The head of the file is everything before the header. Without a header, it ends with a blank line above the first row.
  const start = [...lines, HEADER].findIndex((line) => line === HEADER || isRow(line));
  const head = lines.slice(0, isRow(lines[start] ?? HEADER) ? lines.lastIndexOf("", start) + 1 : start);
  const blocks = new Map<string, readonly string[]>();
  let block: string[] = [];
  for (const line of lines.slice(head.length)) {
    if (line !== HEADER) block.push(line);
    if (!isRow(line)) continue;
    blocks.set(entryOf(line), block);
    block = [];
  }
  for (const [entry, record] of changes) {
    const comments = blocks.get(entry)?.slice(0, -1) ?? [];
    blocks.set(entry, record === undefined ? comments : [...comments, writeRow(record)]);
  }
  const sorted = [...blocks].sort(([one], [other]) => (one < other ? -1 : 1));
  return [...head, HEADER, ...sorted.flatMap(([, lines]) => lines), ...block].map((line) => `${line}\n`).join("");
}

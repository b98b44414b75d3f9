// Changes a home's overrides: the file is read and written as a whole under its lock, so that a crash leaves the old or
// the new one.

import { fileState, realPlace, writeDurably } from "../durable/files.ts";
import { makeFolder } from "../durable/folder.ts";
import { withLock } from "../durable/lock.ts";
import {
  HEADER,
  HomeOverrides,
  isRow,
  OVERRIDES_FILE,
  type OverrideRecord,
  type OverridesRow,
  readLines,
  writeRow,
} from "./overrides.ts";

/**
 * Runs `work` over the overrides, then writes what it made of them, and returns its result. Remarks, and rows that
 * `work` did not change, stay as a person wrote them. Throws AddrsiftError DATA for a file with a wrong line, and
 * OPERATION.
 */
export async function changeOverrides<T>(folder: string, work: (overrides: ChangedOverrides) => T): Promise<T> {
  makeFolder(folder, OVERRIDES_FILE);
  const path = realPlace(`${folder}/${OVERRIDES_FILE}`);
  return withLock(`${path}.lock`, async () => {
    const changed = new ChangedOverrides(new HomeOverrides({ path, text: readLines(path), nowMs: 0 }, "whole"));
    const result = work(changed);
    const text = changed.text();
    if (text === undefined) return result;
    // The new text must be readable.
    new HomeOverrides({ path, text: `\n${text}`, nowMs: 0 }, "pieces");
    await writeDurably(path, text, fileState(path), `${path}.previous`);
    return result;
  });
}

/** Overrides by entry, and their changes. Rows stay text, because a file may have a million. */
export class ChangedOverrides {
  private readonly changes = new Map<string, OverrideRecord | undefined>();

  constructor(private readonly before: HomeOverrides) {}

  get(entry: string): OverrideRecord | undefined {
    return this.changes.has(entry) ? this.changes.get(entry) : this.before.record(entry);
  }

  set(entry: string, record: OverrideRecord): void {
    this.changes.set(entry, record);
  }

  delete(entry: string): void {
    if (this.get(entry) !== undefined) this.changes.set(entry, undefined);
  }

  /** The new text, sorted by entry; undefined when nothing changed. Remarks above a removed row go to the next one. */
  text(): string | undefined {
    if (this.changes.size === 0) return undefined;
    const { text } = this.before.source;
    const rows = [...this.before.rowsInOrder()];
    const added = [...this.changes.keys()].filter((entry) => this.before.record(entry) === undefined);
    const all = [...rows, ...added.map((entry): OverridesRow => ({ entry, from: 1, at: 1, end: 1 }))];
    all.sort((one, other) => (one.entry < other.entry ? -1 : 1));
    const head = headEnd(text);
    const pieces = [text.slice(1, head), `${HEADER}\n`];
    for (const { entry, from, at, end } of all) {
      if (from < at) pieces.push(remarks(text.slice(Math.max(from, head), at)));
      const record = this.changes.get(entry);
      if (!this.changes.has(entry)) pieces.push(text.slice(at, end));
      else if (record !== undefined) pieces.push(`${writeRow(record)}\n`);
    }
    pieces.push(remarks(text.slice(Math.max(rows.at(-1)?.end ?? 1, head))));
    return pieces.join("");
  }
}

/** Where the remarks at the beginning end: they are above the header, or where there is none, above the first row. */
function headEnd(text: string): number {
  for (let at = 1; at < text.length; at = text.indexOf("\n", at) + 1) {
    const line = text.slice(at, text.indexOf("\n", at));
    if (line === HEADER || isRow(line)) return at;
  }
  return text.length;
}

function remarks(lines: string): string {
  return lines
    .split("\n")
    .filter((line) => line !== HEADER)
    .join("\n");
}

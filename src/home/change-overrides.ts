// Changes a home's overrides: the file is read and written as a whole under its lock, so that a crash leaves the old or the new one.

import { makeFolder } from "../durable/folder.ts";
import { withLock } from "../durable/lock.ts";
import { fileState, realPlace } from "../durable/read.ts";
import { writeDurably } from "../durable/write.ts";
import {
  HEADER,
  HomeOverrides,
  isRow,
  OVERRIDES_FILE,
  type OverrideRecord,
  type OverridesText,
  readLines,
  readRow,
  writeRow,
} from "./overrides.ts";

/**
 * Runs `work` over the overrides by entry, then writes what it made of them; gives its result. Remarks, and rows that `work` did not
 * change, stay as a person wrote them. Throws AddrsiftError DATA for a file with a wrong line, and OPERATION.
 */
export async function changeOverrides<T>(folder: string, work: (kept: Map<string, OverrideRecord>) => T): Promise<T> {
  makeFolder(folder, OVERRIDES_FILE);
  const path = realPlace(`${folder}/${OVERRIDES_FILE}`);
  return withLock(`${path}.lock`, async () => {
    const before = readParts(new HomeOverrides({ path, text: readLines(path), nowMs: 0 }, "whole").source);
    const kept = new Map([...before.rows].map(([entry, { record }]) => [entry, record]));
    const result = work(kept);
    const same =
      kept.size === before.rows.size && [...kept].every(([entry, record]) => before.rows.get(entry)?.record === record);
    if (same) return result;
    const text = writeParts(before, kept);
    // The new text must be readable.
    new HomeOverrides({ path, text: `\n${text}`, nowMs: 0 }, "whole");
    await writeDurably(path, [text], fileState(path), `${path}.previous`);
    return result;
  });
}

/** A row as a person may have written it, and the remarks above it. */
interface Row {
  readonly record: OverrideRecord;
  readonly line: string;
  readonly above: readonly string[];
}

/** A file in parts: remarks at its beginning, rows by entry, remarks at its end. */
interface Parts {
  readonly head: readonly string[];
  readonly rows: ReadonlyMap<string, Row>;
  readonly tail: readonly string[];
}

function readParts({ text }: OverridesText): Parts {
  const lines = text.split("\n").slice(1, -1);
  // Remarks at the beginning stand above the header, or where there is none, above the first row.
  const first = lines.findIndex((line) => line === HEADER || isRow(line));
  const head = lines.slice(0, first < 0 ? lines.length : first);
  const rows = new Map<string, Row>();
  let above: string[] = [];
  for (const line of lines.slice(head.length)) {
    if (isRow(line)) {
      const record = readRow(line);
      rows.set(record.entry, { record, line, above });
      above = [];
    } else if (line !== HEADER) above.push(line);
  }
  return { head, rows, tail: above };
}

/** The file's new text, sorted by entry. Remarks above a removed row go to the next one. */
function writeParts({ head, rows, tail }: Parts, kept: ReadonlyMap<string, OverrideRecord>): string {
  const entries = [...new Set([...rows.keys(), ...kept.keys()])].sort();
  const lines = entries.flatMap((entry) => {
    const [row, record] = [rows.get(entry), kept.get(entry)];
    const above = row?.above ?? [];
    if (record === undefined) return above;
    return [...above, record === row?.record ? row.line : writeRow(record)];
  });
  return [...head, HEADER, ...lines, ...tail].map((line) => `${line}\n`).join("");
}

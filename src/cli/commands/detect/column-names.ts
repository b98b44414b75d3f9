// Reads the names of a file's columns or keys, for completion. An unreadable file has none.

import { decodeUtf8 } from "../../../base/bytes/bytes.ts";
import { formatFromFileName, openRows } from "../../../bulk/run/open-rows.ts";
import type { COLUMN_KINDS } from "../../../bulk/run/options.ts";
import { DETECT } from "../../options/detect.ts";
import { checkArguments } from "../../options/table.ts";
import { openFile } from "../../terminal/input.ts";
import { readDetectSettings } from "./settings.ts";

// The shell waits, so a longer header is not read.
const READ_BYTES = 65_536;
const MAX_NAMES = 1000;

/** Reads the names from a file of this kind, else of the kind that the file name suggests. */
export async function readColumnNames(
  typedKind: (typeof COLUMN_KINDS)[number] | undefined,
  file: string,
): Promise<readonly string[]> {
  const kind = typedKind ?? formatFromFileName(file) ?? "csv";
  try {
    const { source } = openFile(file);
    try {
      if (kind === "jsonl") {
        const bytes = new Uint8Array(READ_BYTES);
        return keyPaths(parseFirstObject(decodeUtf8(bytes, 0, await source.read(bytes, 0))));
      }
      const texts = new Map([
        [kind, ["true"]],
        ["column", ["1"]],
      ]);
      const settings = readDetectSettings(checkArguments(DETECT, [file], texts));
      const tools = { readBytes: READ_BYTES, gunzip: () => source, onNote: () => {} };
      return ((await openRows(source, settings, tools)).names ?? []).slice(0, MAX_NAMES);
    } finally {
      source.close();
    }
  } catch {
    return [];
  }
}

function parseFirstObject(text: string): unknown {
  const start = text.indexOf("{");
  for (let end = text.indexOf("}", start); end > 0; end = text.indexOf("}", end + 1)) {
    try {
      return JSON.parse(text.slice(start, end + 1));
    } catch {}
  }
  return undefined;
}

function keyPaths(value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => [key, ...keyPaths(child).map((name) => `${key}.${name}`)]);
}

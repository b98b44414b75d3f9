// Rows of another file, which are compared with those of a run but not written.

import { AddrsiftError } from "../../base/errors.ts";
import { quoted } from "../../base/shown.ts";
import { Classifier, type ClassifierSetup } from "../../detection/classifier.ts";
import { columnValue } from "../counts-by.ts";
import type { Duplicates } from "../duplicates.ts";
import { RowsFault, usage } from "../face.ts";
import { Pipeline } from "../pipeline.ts";
import type { ByteSource } from "../ports.ts";
import type { Renderer } from "../render/render.ts";
import { columnIndex } from "../rows/csv-header.ts";
import { readPath } from "../rows/json/beginning.ts";
import { JsonValue } from "../rows/json/lines.ts";
import { fieldOf } from "../rows/layout.ts";
import type { Row } from "../rows/row.ts";
import type { TextTools } from "../rows/text.ts";
import { Summary } from "../summary.ts";
import { type OpenedRows, openAnyRows } from "./open-rows.ts";
import type { RowSettings } from "./options.ts";
import { readHere } from "./take-rows.ts";

const NO_OUTPUT: Renderer = { begin: () => {}, row: () => {}, end: () => {} };
const ALL_CLASSES = -1;

/**
 * Adds the rows of a file of known mailboxes to those that are compared; the values of the column `key` name them.
 * Throws AddrsiftError when it has no mailboxes or no such key.
 */
export async function takeKnown(
  { name, source, key }: { readonly name: string; readonly source: ByteSource; readonly key: string | undefined },
  duplicates: Duplicates,
  setup: ClassifierSetup,
  rows: RowSettings,
  tools: TextTools & { readonly watch: () => boolean },
): Promise<void> {
  const opened = await openAnyRows(source, name, tools).catch((error: unknown) => {
    if (!(error instanceof RowsFault) || error.code !== "USAGE") throw error;
    const way = error.offers.skip === undefined ? "name the column of its addresses email" : "leave out the rows above";
    throw usage(() => `--known ${name}: ${error.message.split(": ")[0]}: ${way}`);
  });
  duplicates.keyOf = key === undefined ? undefined : keyReader(key, opened);
  if (key !== undefined && duplicates.keyOf === undefined) throw noKey(key, name, opened);
  const summary = new Summary(false);
  const sink = { write: async () => {} };
  const answers = { renderer: NO_OUTPUT, sink, select: 0, reject: ALL_CLASSES, explain: undefined };
  const pipeline = new Pipeline({ classifier: new Classifier(setup), summary, duplicates, ...answers });
  duplicates.countsRepeats = false;
  await readHere(name, opened, {
    pipeline,
    format: "table",
    rows,
    kernelEntries: 0,
    live: undefined,
    watch: tools.watch,
  });
  duplicates.countsRepeats = true;
  if (duplicates.mailboxes === 0 && summary.rows > 0) {
    throw new AddrsiftError("INPUT", `--known ${name} has no valid address: is this the right file?`);
  }
}

/** Reads the value of a column or key; undefined where such rows do not have it. */
export function keyReader(key: string, { layout, names, keys }: OpenedRows): ((row: Row) => string) | undefined {
  if (layout.kind === "jsonl") {
    const path = readPath(key);
    return keys?.includes(path[0] as string) === true ? columnValue(new JsonValue(path), Infinity) : undefined;
  }
  if (layout.kind === "lines" || layout.kind === "scan") return undefined;
  const index = columnIndex(names ?? Array<string>(layout.width).fill(""), key);
  return index === undefined ? undefined : columnValue(fieldOf(layout, index), Infinity);
}

/** The error for a key that the rows of a file do not have. */
export function noKey(key: string, name: string, { names, keys, layout }: OpenedRows): RowsFault {
  const there = names ?? keys ?? [];
  const shown = there.slice(0, 30).map(quoted);
  const hasNumbers = there.length === 0 && "width" in layout;
  const choice = hasNumbers ? `a number from 1 to ${layout.width}` : `one of ${shown.join(", ")}`;
  const way = there.length === 0 && !hasNumbers ? "it has no columns, leave --key out" : `use ${choice}`;
  return usage(() => `--key ${key} is not a column of ${name}: ${way}`);
}

// `addrsift lists export`: one class of the lists in force as lines, or all of them as a table.

import { AddrsiftError } from "../../../base/errors.ts";
import { leastRank } from "../../../lists/confidence.ts";
import { knownInUse } from "../../open/overrides.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_EXPORT } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { EXPORT_FORMATS, type ExportRow, exportRows, type WriteRows } from "./export-table.ts";

// Written at once, in UTF-16 units.
const PIECE_UNITS = 1 << 18;

/** Prints entries sorted by octets: those of one class, or with a format all. */
export function listsExport({ options }: Arguments<typeof LISTS_EXPORT>, runtime: Runtime): number {
  const { class: name, format } = options;
  if (name === undefined && format === undefined) {
    throw new AddrsiftError("USAGE", "the class is missing: add --class disposable, or --format csv for all classes");
  }
  const { overrides, lists } = knownInUse(options, runtime, "whole");
  const all = exportRows(lists, overrides, leastRank(options["min-confidence"]));
  const rows = name === undefined ? all : all.filter((row) => row.class === name);
  const write: WriteRows = format === undefined ? plainLines : EXPORT_FORMATS[format];
  let piece = "";
  for (const text of write(rows, `lists ${lists.meta.dataVersion}`)) {
    piece += text;
    if (piece.length < PIECE_UNITS) continue;
    runtime.stdout.write(piece);
    piece = "";
  }
  runtime.stdout.write(piece);
  return 0;
}

function* plainLines(rows: readonly ExportRow[]): Generator<string> {
  for (const row of rows) yield row.class === "relay" ? `${row.entry}\t${row.provider}\n` : `${row.entry}\n`;
}

// The form of the output for each format, those for people and for CI included.

import type { Renderer } from "../../../bulk/render/render.ts";
import { dataOutput, fieldChoice, ownFormat, type RowLayout, type RowOutput } from "../../../bulk/row-layout.ts";
import type { RowSettings } from "../../../bulk/run/settings.ts";
import { createExplain } from "../../../detection/explain.ts";
import type { TableScreen } from "../../terminal/text-table.ts";
import { TableRenderer } from "./human-table.ts";
import { githubLine, LintRenderer, lintLine } from "./lint.ts";
import type { DetectSettings } from "./settings.ts";

/** Every format that rows are written in. */
export type Format = Exclude<DetectSettings["format"], "auto">;

/** The format of a call: the one that is named, else a table for addresses at a terminal, places in text as lines there, and for inputs that of their rows. */
export function formatOf(
  { format, addresses, csv, jsonl, scan }: Pick<DetectSettings, "format" | "addresses" | "csv" | "jsonl" | "scan">,
  atTerminal: boolean,
): Format {
  if (format !== "auto") return format;
  if (scan !== undefined && atTerminal) return "lint";
  if (addresses.length > 0) return atTerminal ? "table" : "ndjson";
  return ownFormat({ kind: csv?.kind ?? (jsonl === undefined ? "lines" : "jsonl") } as RowLayout);
}

/** The output in a format; loads the code that it needs. */
export async function rowOutput(
  format: Format,
  rows: RowSettings,
  screen: TableScreen,
  colour: boolean,
): Promise<RowOutput> {
  if (!showsEvidence(format)) return dataOutput(format, rows);
  if (format === "table") {
    const create = await TableRenderer.creator(screen, colour, rows.explain);
    return { format, createRenderer: (setup) => create(fieldChoice(rows, setup)), createExplain };
  }
  const line = format === "lint" ? lintLine : githubLine;
  const createRenderer = (): Renderer => new LintRenderer(line, rows.select, rows.failOn);
  return { format, createRenderer, createExplain };
}

/** True for the formats that show evidence without --explain. */
function showsEvidence(format: Format): format is "table" | "lint" | "github" {
  return format === "table" || format === "lint" || format === "github";
}

// The renderer of each output format, those for people and for CI included.

import { createRenderer, type DataFormat, type Renderer } from "../../../bulk/render.ts";
import type { Runtime } from "../../runtime.ts";
import { TableRenderer } from "./human-table.ts";
import { githubLine, LintRenderer, lintLine } from "./lint.ts";
import type { DetectSettings } from "./settings.ts";

/** Every format that rows are written in. */
export type Format = Exclude<DetectSettings["format"], "auto">;

/** True for the formats that show evidence without --explain. */
export function showsEvidence(format: Format): boolean {
  return format === "table" || format === "lint" || format === "github";
}

/** True where the output of rows depends on the rows before them, so that one thread must write it. */
export function isInSequence(format: Format): boolean {
  return format === "json" || showsEvidence(format);
}

/** The renderer of a format for rows that have no columns of their own. */
export async function rendererOf(
  format: Format,
  { rows, global }: DetectSettings,
  runtime: Runtime,
): Promise<Renderer> {
  if (format === "lint") return new LintRenderer(lintLine, rows.select, rows.failOn);
  if (format === "github") return new LintRenderer(githubLine, rows.select, rows.failOn);
  if (format === "table") return TableRenderer.create(runtime, !global["no-color"], rows.explain);
  return createRenderer(format satisfies DataFormat, rows.spreadsheetSafe);
}

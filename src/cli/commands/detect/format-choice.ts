// The renderer of each output format, those for people and for CI included.

import type { FieldChoice, Renderer } from "../../../bulk/render/render.ts";
import { createRowRenderer, type RowLayout } from "../../../bulk/row-layout.ts";
import { renderOptions } from "../../../bulk/run/field-choice.ts";
import type { RowSettings } from "../../../bulk/run/settings.ts";
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

/** True where the output of rows depends on the rows before them, as row numbers do, so that one thread must write it. */
export function isInSequence(format: Format, { fields }: RowSettings): boolean {
  return format === "json" || showsEvidence(format) || fields?.includes("row") === true;
}

/** Makes the renderer of a format; `header` is the first line of rows that come back with columns added. */
export type CreateRenderer = (fields: FieldChoice | undefined, layout: RowLayout, header?: Uint8Array) => Renderer;

/** Loads what the format needs. */
export async function rendererOf(
  format: Format,
  { rows, global }: DetectSettings,
  runtime: Runtime,
): Promise<CreateRenderer> {
  if (format === "lint") return () => new LintRenderer(lintLine, rows.select, rows.failOn);
  if (format === "github") return () => new LintRenderer(githubLine, rows.select, rows.failOn);
  if (format === "table") return TableRenderer.creator(runtime, !global["no-color"], rows.explain);
  return (fields, layout, header) => createRowRenderer(layout, format, renderOptions(rows, fields), header);
}

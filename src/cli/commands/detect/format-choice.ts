// The renderer of each output format, the human table included.

import { createRenderer, type DataFormat, type Renderer } from "../../../bulk/render.ts";
import type { Runtime } from "../../runtime.ts";
import { TableRenderer } from "./human-table.ts";
import type { DetectSettings } from "./settings.ts";

/** The renderer of a format for rows that have no columns of their own. */
export async function rendererOf(
  format: DataFormat | "table",
  { rows, global }: DetectSettings,
  runtime: Runtime,
): Promise<Renderer> {
  if (format !== "table") return createRenderer(format, rows.spreadsheetSafe);
  return TableRenderer.create(runtime, !global["no-color"], rows.explain);
}

// Which renderer an output format has, the human table included.

import { createRenderer, type DataFormat, type Renderer } from "../../../bulk/render.ts";
import type { Host } from "../../open/compose.ts";
import type { Arguments } from "../../options/arguments.ts";
import { TableRenderer } from "./human-table.ts";

/** The format that the options name, or `auto`'s choice. */
export function formatOf(args: Arguments, auto: DataFormat | "table"): DataFormat | "table" {
  if (args.flag("json")) return "ndjson";
  const format = args.text("format") as DataFormat | "table" | "auto";
  return format === "auto" ? auto : format;
}

/** The renderer of a format for rows without columns of their own. */
export async function rendererOf(format: DataFormat | "table", args: Arguments, host: Host): Promise<Renderer> {
  if (format !== "table") return createRenderer(format, args.flag("spreadsheet-safe"));
  return TableRenderer.create(host, !args.flag("no-color"), args.flag("explain"));
}

// Chooses the output format and creates its renderer, also for the formats for people and for CI.

import { existsSync, statSync } from "node:fs";
import { sameFormatAsInput } from "../../../bulk/render/format-facts.ts";
import { createDataOutput, type RowOutput, selectFields } from "../../../bulk/render/formats.ts";
import { createExplainer } from "../../../detection/explain.ts";
import { SCREEN_FORMATS, type ScreenFormat } from "../../options/detect.ts";
import type { Runtime } from "../../runtime.ts";
import { loadColors } from "../../terminal/text-table.ts";
import { formatGithub, LintRenderer } from "./lint.ts";
import { SarifRenderer } from "./sarif.ts";
import type { DetectSettings, Format } from "./settings.ts";
import { TableRenderer } from "./table.ts";

/** Returns the output format. Without --format, a terminal gets a table for arguments, and lint for --scan. */
export function chooseFormat(settings: DetectSettings, atTerminal: boolean): Format {
  const { format, addresses, csv, jsonl, scan } = settings;
  if (format !== "auto") return format;
  if (scan !== undefined && atTerminal) return "lint";
  if (addresses.length > 0) return atTerminal ? "table" : "ndjson";
  return sameFormatAsInput(csv?.kind ?? (jsonl === undefined ? "lines" : "jsonl"));
}

type CreateRenderer = RowOutput["createRenderer"];
type OpenScreenFormat = (
  settings: DetectSettings,
  runtime: Runtime,
  isBatched: boolean,
) => CreateRenderer | Promise<CreateRenderer>;

const SCREEN_RENDERERS: Readonly<Record<ScreenFormat, OpenScreenFormat>> = {
  table: async ({ rows, global }, runtime, isBatched) => {
    const colors = await loadColors(runtime, !global["no-color"]);
    const options = { isBatched, isDetailed: rows.explain, failOn: rows.failOn };
    return (setup) => new TableRenderer(colors, runtime, options, selectFields(rows, setup));
  },
  lint:
    ({ rows, isRedacted }) =>
    () =>
      new LintRenderer(rows, isRedacted),
  github: async ({ rows, isRedacted }) => {
    const { pathInRepository } = await import("./list-files.ts");
    return () => new LintRenderer(rows, isRedacted, formatGithub, pathInRepository);
  },
  sarif: async ({ rows }, { load }) => {
    const { pathInRepository } = await import("./list-files.ts");
    return () => new SarifRenderer(rows, load("../package.json"), pathInRepository);
  },
};

export async function openOutput(settings: DetectSettings, runtime: Runtime): Promise<RowOutput> {
  const { addresses, inputs, rows } = settings;
  const name = chooseFormat(settings, runtime.stdout.isTerminal);
  if (!isScreenFormat(name)) return createDataOutput(name, rows);
  const isBatched = addresses.length > 0 || (inputs.length > 0 && inputs.every(isRegularFile));
  return {
    name,
    format: SCREEN_FORMATS[name],
    createRenderer: await SCREEN_RENDERERS[name](settings, runtime, isBatched),
    createExplain: (setup) => createExplainer(setup, { withSuffix: rows.explain, cachesDomains: true }),
  };
}

function isScreenFormat(name: Format): name is ScreenFormat {
  return Object.hasOwn(SCREEN_FORMATS, name);
}

function isRegularFile(name: string): boolean {
  return existsSync(name) && statSync(name).isFile();
}

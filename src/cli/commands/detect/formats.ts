// Chooses the output format and creates its renderer, also for the formats for people and for CI.

import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { LF } from "../../../base/bytes/ascii.ts";
import { sameFormatAsInput } from "../../../bulk/render/format-facts.ts";
import { createDataOutput, type RowOutput, selectFields } from "../../../bulk/render/formats.ts";
import { createExplainer } from "../../../detection/explain.ts";
import { SCREEN_FORMATS, type ScreenFormat } from "../../options/detect.ts";
import type { Runtime } from "../../runtime.ts";
import { loadColors } from "../../terminal/text-table.ts";
import { formatGithub, LintRenderer } from "./lint.ts";
import { SarifRenderer } from "./sarif.ts";
import type { DetectSettings, Format } from "./settings.ts";
import { batchRows, TableRenderer } from "./table.ts";

/**
 * Returns the output format. Without --format, a terminal gets a table for arguments and for short files of lines, and
 * lint for --scan; otherwise the format matches the input.
 */
export function chooseFormat(
  settings: DetectSettings,
  atTerminal: boolean,
  fitsScreen: () => boolean = () => false,
): Format {
  const { format, addresses, csv, jsonl, scan, part } = settings;
  if (format !== "auto") return format;
  if (scan !== undefined && atTerminal) return "lint";
  if (addresses.length > 0) return atTerminal ? "table" : "ndjson";
  if (atTerminal && csv === undefined && jsonl === undefined && !part && fitsScreen()) return "table";
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

/** Opens the output. Reads the inputs ahead only if the output may become a table. */
export async function openOutput(settings: DetectSettings, runtime: Runtime): Promise<RowOutput> {
  const { format, addresses, inputs, rows } = settings;
  const { stdout } = runtime;
  const mayBeTable = addresses.length === 0 && (format === "table" || (format === "auto" && stdout.isTerminal));
  const lines = mayBeTable ? countLines(inputs) : 0;
  const name = chooseFormat(settings, stdout.isTerminal, () => lines !== undefined && lines <= batchRows(stdout));
  if (!isScreenFormat(name)) return createDataOutput(name, rows);
  return {
    name,
    format: SCREEN_FORMATS[name],
    createRenderer: await SCREEN_RENDERERS[name](settings, runtime, lines !== undefined),
    createExplain: (setup) => createExplainer(setup, { withSuffix: rows.explain, cachesDomains: true }),
  };
}

function isScreenFormat(name: Format): name is ScreenFormat {
  return Object.hasOwn(SCREEN_FORMATS, name);
}

// More than a screenful of the longest addresses.
const MAX_SCREEN_BYTES = 16 * 1024;

/** Counts the lines of the inputs: undefined if one is not a regular file, infinite if they can't fit on a screen. */
function countLines(names: readonly string[]): number | undefined {
  let lines = 0;
  for (const name of names.length === 0 ? ["-"] : names) {
    const bytes = new Uint8Array(MAX_SCREEN_BYTES);
    let descriptor: number | undefined;
    try {
      if (!(name === "-" ? fstatSync(0) : statSync(name)).isFile()) return undefined;
      if (name !== "-") descriptor = openSync(name, "r");
      // A positioned read leaves standard input's offset unchanged.
      const count = readSync(descriptor ?? 0, bytes, 0, MAX_SCREEN_BYTES, 0);
      const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
      const lineFeeds = bytes.subarray(0, count).filter((byte) => byte === LF).length;
      lines +=
        count === MAX_SCREEN_BYTES || isGzip ? Number.POSITIVE_INFINITY : lineFeeds + (bytes[count - 1] === LF ? 0 : 1);
    } catch {
      // Opening the input reports the error.
      return undefined;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }
  return lines;
}

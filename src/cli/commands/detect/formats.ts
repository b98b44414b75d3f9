// The form of the output for each format, those for people and for CI included.

import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { LF } from "../../../base/bytes/ascii.ts";
import type { Renderer } from "../../../bulk/render/render.ts";
import { dataOutput, fieldChoice, ownFormat, type RowOutput } from "../../../bulk/row-layout.ts";
import type { RowLayout } from "../../../bulk/rows/layout.ts";
import type { ClassifierSetup } from "../../../detection/classifier.ts";
import { createExplain, type Explain } from "../../../detection/explain.ts";
import { loadPaint, type TableScreen } from "../../terminal/text-table.ts";
import { screenRows, TableRenderer } from "./human-table.ts";
import { githubLine, LintRenderer, lintLine } from "./lint.ts";
import type { DetectSettings } from "./settings.ts";

export type Format = Exclude<DetectSettings["format"], "auto">;

/**
 * The format of a call: the one that is named; at a terminal, a table for addresses and for files of lines if it has
 * room, and lines for places in text; else that of the rows.
 */
export function formatOf(settings: DetectSettings, atTerminal: boolean, hasRoom: () => boolean = () => false): Format {
  const { format, addresses, csv, jsonl, scan, part } = settings;
  if (format !== "auto") return format;
  if (scan !== undefined && atTerminal) return "lint";
  if (addresses.length > 0) return atTerminal ? "table" : "ndjson";
  if (atTerminal && csv === undefined && jsonl === undefined && !part && hasRoom()) return "table";
  return ownFormat({ kind: csv?.kind ?? (jsonl === undefined ? "lines" : "jsonl") } as RowLayout);
}

/** The form of the output. Inputs are looked at only where they may become a table. */
export async function openOutput(settings: DetectSettings, screen: TableScreen): Promise<RowOutput> {
  const { format: asked, addresses, inputs, rows, global } = settings;
  const { stdout } = screen;
  const mayBeTable = addresses.length === 0 && (asked === "table" || (asked === "auto" && stdout.isTerminal));
  const lines = mayBeTable ? linesOf(inputs) : 0;
  const format = formatOf(settings, stdout.isTerminal, () => lines !== undefined && lines <= screenRows(stdout));
  if (format !== "table" && format !== "lint" && format !== "github") return dataOutput(format, rows);
  const explain = (setup: ClassifierSetup): Explain => createExplain(setup, { whole: rows.explain, shared: true });
  if (format === "table") {
    const paint = await loadPaint(screen, !global["no-color"]);
    const form = { waits: lines !== undefined, full: rows.explain };
    const createRenderer = (setup: ClassifierSetup): Renderer =>
      new TableRenderer(paint, screen, form, fieldChoice(rows, setup));
    return { format, createRenderer, createExplain: explain };
  }
  const line = format === "lint" ? lintLine : githubLine;
  const createRenderer = (): Renderer => new LintRenderer(line, rows.select, rows.failOn);
  return { format, createRenderer, createExplain: explain };
}

// A screenful of the longest addresses has fewer bytes.
const SCREEN_BYTES = 16 * 1024;

/** How many lines the inputs have; undefined when one is not a regular file, infinite when no screen has room. */
function linesOf(names: readonly string[]): number | undefined {
  let lines = 0;
  for (const name of names.length === 0 ? ["-"] : names) {
    const bytes = new Uint8Array(SCREEN_BYTES);
    let descriptor: number | undefined;
    try {
      if (!(name === "-" ? fstatSync(0) : statSync(name)).isFile()) return undefined;
      if (name !== "-") descriptor = openSync(name, "r");
      // With a position, what is read of standard input stays to be read.
      const count = readSync(descriptor ?? 0, bytes, 0, SCREEN_BYTES, 0);
      const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
      const ends = bytes.subarray(0, count).filter((byte) => byte === LF).length;
      lines += count === SCREEN_BYTES || isPacked ? Number.POSITIVE_INFINITY : ends + (bytes[count - 1] === LF ? 0 : 1);
    } catch {
      // Reading the input says what is wrong with it.
      return undefined;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }
  return lines;
}

// `addrsift detect`: what a call asks for decides which code is loaded. Addresses alone need the least.

import { createRenderer, DATA_FORMATS, type DataFormat } from "../../../bulk/render/render.ts";
import { type Arguments, checkArguments } from "../../options/arguments.ts";
import { DETECT } from "../../options/detect.ts";
import type { Runtime } from "../../runtime.ts";
import { detectAddresses } from "./addresses.ts";
import { type DetectSettings, readDetectSettings } from "./settings.ts";

/** Runs `detect` with these addresses and no options; gives the exit status. */
export function detectOnly(addresses: readonly string[], runtime: Runtime): Promise<number> {
  return detect(checkArguments(DETECT, addresses, {}, runtime.env), runtime);
}

export async function detect(args: Arguments<typeof DETECT>, runtime: Runtime): Promise<number> {
  const settings = readDetectSettings(args);
  const format = plainFormat(settings, runtime);
  if (format === undefined) return (await import("./full.ts")).detectFully(settings, runtime);
  const { spreadsheetSafe } = settings.rows;
  const create = () => createRenderer(format, { spreadsheetSafe });
  const output = { format, createRenderer: create, createExplain: undefined };
  return detectAddresses(settings, runtime, output, undefined, undefined);
}

/** The format of a call that answers addresses with detections and does nothing besides; undefined for any other call. */
function plainFormat(settings: DetectSettings, { stdout }: Pick<Runtime, "stdout">): DataFormat | undefined {
  const { addresses, format, rows, summary, summaryFile, notify } = settings;
  const { fields, explain, duplicates } = rows;
  if (addresses.length === 0 || summary || explain || duplicates) return undefined;
  if (fields !== undefined || summaryFile !== undefined || notify !== undefined) return undefined;
  if (format === "auto") return stdout.maybeTerminal ? undefined : "ndjson";
  return DATA_FORMATS.find((known) => known === format);
}

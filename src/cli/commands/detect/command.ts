// `addrsift detect`: what a call asks for decides which code is loaded. Addresses without options need the least.

import { createRenderer, DATA_FORMATS } from "../../../bulk/render/render.ts";
import type { RowOutput } from "../../../bulk/row-layout.ts";
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
  if (settings.addresses.length === 0) return (await import("./files.ts")).detectFiles(settings, runtime);
  const output = plainOutput(settings, runtime);
  const extras = output === undefined ? await (await import("./extras.ts")).openExtras(settings, runtime) : { output };
  return detectAddresses(settings, runtime, extras);
}

/** The output of a call that answers with detections and does nothing besides; undefined for any other call. */
function plainOutput(
  { format: asked, rows, summary, summaryFile, notify }: DetectSettings,
  { stdout }: Pick<Runtime, "stdout">,
): RowOutput | undefined {
  const { fields, explain, duplicates, spreadsheetSafe } = rows;
  if (summary || explain || duplicates) return undefined;
  if (fields !== undefined || summaryFile !== undefined || notify !== undefined) return undefined;
  const own = asked === "auto" && !stdout.maybeTerminal ? "ndjson" : asked;
  const format = DATA_FORMATS.find((known) => known === own);
  if (format === undefined) return undefined;
  return { format, createRenderer: () => createRenderer(format, { spreadsheetSafe }), createExplain: undefined };
}

// `addrsift detect` with all it can do: addresses, files or standard input, every format, summary and evidence.

import type { Notify } from "../../open/tell.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { DETECT } from "../../options/detect.ts";
import type { Runtime } from "../../runtime.ts";
import { detectAddresses } from "./addresses.ts";
import { openEnd } from "./end.ts";
import { formatOf, linesOf, rowOutput } from "./formats.ts";
import { screenRows } from "./human-table.ts";
import { readDetectSettings } from "./settings.ts";
import { detectInputs, openDuplicates } from "./stream.ts";

export async function detect(args: Arguments<typeof DETECT>, runtime: Runtime): Promise<number> {
  const settings = readDetectSettings(args);
  const { addresses, global, notify: channel, notifyRequired, allowPrivate, rows } = settings;
  const { stdout, stderr, now } = runtime;
  let notify: Notify | undefined;
  if (channel !== undefined) {
    const { openCompletion } = await import("../../open/tell.ts");
    notify = await openCompletion(channel, notifyRequired, { ...global, "allow-private": allowPrivate }, runtime);
  }
  // Inputs are looked at only where they may become a table.
  const mayBeTable = settings.format === "table" || (settings.format === "auto" && stdout.isTerminal);
  const lines = mayBeTable && addresses.length === 0 ? linesOf(settings.inputs) : 0;
  const format = formatOf(settings, stdout.isTerminal, () => lines !== undefined && lines <= screenRows(stdout));
  const output = await rowOutput(format, rows, runtime, { colour: !global["no-color"], waits: lines !== undefined });
  if (addresses.length === 0) return detectInputs(settings, runtime, output, notify);
  const end = await openEnd({ ...settings, aloud: settings.summary, notify, stderr, now });
  return detectAddresses(settings, runtime, output, end, openDuplicates(settings));
}

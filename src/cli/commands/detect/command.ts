// `addrsift detect`: loads only the code that a call needs.

import type { Pipeline } from "../../../bulk/pipeline.ts";
import { Row } from "../../../bulk/rows/row.ts";
import { openRun } from "../../../bulk/run/open-run.ts";
import { isOutputClosed } from "../../../bulk/streams.ts";
import { DETECT } from "../../options/detect.ts";
import { type Arguments, checkArguments } from "../../options/table.ts";
import type { Runtime } from "../../runtime.ts";
import { type AddressRequest, prepareAddresses, printDetections, warnAboutNonAddress } from "./addresses.ts";
import { type DetectSettings, readDetectSettings } from "./settings.ts";

/** Runs a call whose switches were parsed without commander. */
export function detectWithSwitches(
  addresses: readonly string[],
  switches: readonly string[],
  runtime: Runtime,
): Promise<number> {
  const texts = new Map(switches.map((name) => [name, ["true"]]));
  return detect(checkArguments(DETECT, addresses, texts, runtime.env), runtime);
}

export async function detect(args: Arguments<typeof DETECT>, runtime: Runtime): Promise<number> {
  const settings = readDetectSettings(args);
  if (settings.notify === undefined) return runDetection(settings, runtime);
  const { prepareNotification } = await import("../../composition/notify.ts");
  const notification = await prepareNotification(settings.notify, settings.global, runtime);
  try {
    return await runDetection({ ...settings, notification }, runtime);
  } catch (error) {
    if (!isOutputClosed(error)) await notification.fail(error);
    throw error;
  }
}

async function runDetection(settings: DetectSettings, runtime: Runtime): Promise<number> {
  const { addresses, rows, dns, global } = settings;
  if (addresses.length === 0) return (await import("./files.ts")).detectFiles(settings, runtime);
  const request = { addresses, policy: rows.policy, dns: dns.mode === "off" ? undefined : dns, global };
  const isPlain = isPlainRequest(settings, runtime.stdout.maybeTerminal);
  return isPlain ? printDetections(request, runtime) : detectAddresses(request, settings, runtime);
}

/** Reports whether the call asks for nothing but all detections as JSON Lines. */
function isPlainRequest({ format, rows, ...settings }: DetectSettings, maybeTerminal: boolean): boolean {
  if (format === "auto" ? maybeTerminal : format !== "ndjson") return false;
  const { fields, explain, select, reject, failOn, duplicates } = rows;
  if (fields !== undefined || explain || duplicates || (select | reject | failOn) !== 0) return false;
  return !settings.summary && settings.summaryFile === undefined && settings.notify === undefined;
}

/** Classifies the addresses as rows, and returns the exit status. */
async function detectAddresses(request: AddressRequest, settings: DetectSettings, runtime: Runtime): Promise<number> {
  const { rows } = settings;
  const { openRunOutputs } = await import("./run-outputs.ts");
  const { output, reporting, duplicates } = await openRunOutputs(settings, runtime);
  // One synchronous write is the fastest for a few rows.
  const sink = { write: async (bytes: Uint8Array): Promise<void> => runtime.stdout.write(bytes) };
  const { summary } = reporting;
  const opened = { layout: { kind: "lines" } } as const;
  const run = { rows, output, opened, summary, sink, duplicates, allowsBlank: false };
  const context = prepareAddresses(request, runtime, (setup, classifier) => openRun({ setup, classifier, ...run }));
  const { pipeline } = context;
  let isComplete = true;
  try {
    await processAddresses(context.rows, pipeline);
  } catch (error) {
    if (!isOutputClosed(error)) throw error;
    isComplete = false;
  }
  warnAboutNonAddress(request, runtime);
  summary.warnings.addInput(pipeline.warnings, "");
  return reporting.finish(context.setup, isComplete ? {} : undefined);
}

/** Processes the addresses as they are, without trimming. */
async function processAddresses(rows: ReturnType<typeof prepareAddresses>["rows"], pipeline: Pipeline): Promise<void> {
  pipeline.begin();
  const row = new Row();
  for (const { bytes, lookup } of rows) {
    row.setLine(bytes, 0, bytes.length);
    row.bytes = bytes;
    row.end = bytes.length;
    const routing = await lookup?.promise;
    pipeline.nextRouting = () => routing;
    pipeline.accept(row);
    if (pipeline.isFull) await pipeline.flush();
  }
  await pipeline.end();
}

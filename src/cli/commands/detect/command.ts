// `addrsift detect` with all it can do: arguments, a file or standard input, every format, summary and evidence.

import { LINES } from "../../../bulk/row-layout.ts";
import { fieldChoice } from "../../../bulk/run/field-choice.ts";
import { createExplain } from "../../../detection/explain.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { DETECT } from "../../options/detect.ts";
import type { Runtime } from "../../runtime.ts";
import { type Format, rendererOf } from "./format-choice.ts";
import { openSummaryFile } from "./late-file.ts";
import type { Notify } from "./notify.ts";
import { detectAddresses, type RunEnd } from "./run.ts";
import { type DetectSettings, readDetectSettings } from "./settings.ts";
import { detectStream } from "./stream.ts";
import { summaryText } from "./summary-text.ts";

/** Runs `detect`; gives the exit status. */
export async function detect(args: Arguments<typeof DETECT>, runtime: Runtime): Promise<number> {
  const settings = readDetectSettings(args);
  const notify =
    settings.notify === undefined
      ? undefined
      : await (await import("./notify.ts")).openCompletion(settings, runtime, settings.notify);
  if (settings.addresses.length === 0) return detectStream(settings, runtime, notify);
  const { format: named } = settings;
  const format: Format = named === "auto" ? (runtime.stdout.isTerminal ? "table" : "ndjson") : named;
  const create = await rendererOf(format, settings, runtime);
  return detectAddresses(settings, runtime, {
    renderer: (setup) => create(fieldChoice(settings.rows, setup), LINES),
    createExplain: settings.rows.explain || format === "table" ? createExplain : undefined,
    end: openEnd(settings, runtime, notify),
  });
}

function openEnd(settings: DetectSettings, runtime: Runtime, notify: Notify | undefined): RunEnd {
  const writeSummary = openSummaryFile(settings.summaryFile);
  return {
    withNames: settings.summary || writeSummary !== undefined,
    finish: async (report, status) => {
      if (settings.summary) runtime.stderr.write(summaryText(report));
      writeSummary?.(report, status);
      return (await notify?.(report, status)) ?? status;
    },
  };
}

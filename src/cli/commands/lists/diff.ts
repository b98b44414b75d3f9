// `addrsift lists diff`: which domains an update would change. Nothing is written.

import type { Change } from "../../../curation/update/changes.ts";
import { CONFIDENCES, type Confidence, confidenceRank, lineagesOf } from "../../../lists/confidence.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_DIFF } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson } from "../../terminal/record-table.ts";
import { tellPerson, warn } from "../../terminal/say.ts";
import { failureOf, runUpdate, sourcesJson, warnOfSources } from "./updating.ts";

/** Prints the changes: `+`, `-` or `~`, the domain, its confidence and the letters of its sources, between tabs. */
export async function listsDiff({ options }: Arguments<typeof LISTS_DIFF>, runtime: Runtime): Promise<number> {
  const report = await runUpdate(options, runtime, { dryRun: true, again: true });
  warnOfSources(report.sources, runtime);
  if (report.result === "refused") warn(runtime, `the lists can't be compared: ${report.reason}`);
  else if (options.json) {
    printJson(runtime, {
      data_version: report.after,
      previous_data_version: report.before,
      sources: sourcesJson(report.sources),
      changes: report.changes.map(changeJson),
    });
  } else {
    runtime.stdout.write(report.changes.map((change) => `${changeLine(change)}\n`).join(""));
    if (report.changes.length === 0) tellPerson(runtime, options, "no domain would change");
  }
  return failureOf(report) === undefined ? 0 : 2;
}

function changeLine({ domain, before, after }: Change): string {
  const sign = before === 0 ? "+" : after === 0 ? "-" : "~";
  const shown = after === 0 ? before : after;
  return [sign, domain, confidenceOf(shown), lineagesOf(shown).join("")].join("\t");
}

function changeJson({ domain, before, after }: Change): object {
  const side = (lineages: number): object | null =>
    lineages === 0 ? null : { confidence: confidenceOf(lineages), sources: lineagesOf(lineages) };
  return { domain, before: side(before), after: side(after) };
}

function confidenceOf(lineages: number): Confidence {
  return CONFIDENCES[confidenceRank(lineages)] as Confidence;
}

// `addrsift lists update`: newer lists, checked and put in force; the channels are told.

import { counted, shownNumber } from "../../../base/shown.ts";
import { createEvent } from "../../../channels/events.ts";
import { countChanges } from "../../../curation/update/changes.ts";
import { HomeLists } from "../../../curation/update/home-lists.ts";
import type { UpdateReport } from "../../../curation/update/update.ts";
import { homeFolder } from "../../open/home.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_UPDATE } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson } from "../../terminal/record-table.ts";
import { warn } from "../../terminal/say.ts";
import { printLines } from "../../terminal/text-table.ts";
import { tellChannels } from "../detect/notify.ts";
import { failureOf, runUpdate, sourcesJson, tellOfUpdate, warnOfFailure, warnOfSources } from "./updating.ts";

type Options = Arguments<typeof LISTS_UPDATE>["options"];

/** Updates the lists. The status is 2 when a source was left out or the lists could not be updated. */
export async function listsUpdate({ options }: Arguments<typeof LISTS_UPDATE>, runtime: Runtime): Promise<number> {
  const dryRun = options["dry-run"];
  const report = await runUpdate(options, runtime, { dryRun, again: options.again });
  const { added, removed } = countChanges(report.changes);
  warnOfSources(report.sources, runtime);
  if (report.result === "refused") warn(runtime, `the lists are not updated, those in use stay: ${report.reason}`);
  if (options.json) {
    printJson(runtime, {
      result: report.result,
      dry_run: dryRun,
      data_version: report.after,
      previous_data_version: report.before,
      disposable_added: added,
      disposable_removed: removed,
      sources: sourcesJson(report.sources),
    });
  } else if (!options.quiet && report.result !== "refused") {
    printLines(runtime, [resultLine(report, dryRun, added, removed)]);
  }
  if (!dryRun) await warnOfFailure(runtime, () => tell(options, runtime, report));
  return failureOf(report) === undefined ? 0 : 2;
}

function resultLine({ result, before, after }: UpdateReport, dryRun: boolean, added: number, removed: number): string {
  if (result === "unchanged") return `the lists ${before} are up to date`;
  if (result === "rolled_back") return `the lists ${before} stay: what is new was rolled back (--again takes it)`;
  const domains = counted(added, "domain becomes disposable", "domains become disposable");
  const what = `${domains}, ${shownNumber(removed)} no more`;
  return dryRun
    ? `the lists ${after} would replace ${before}: ${what}`
    : `the lists ${after} are in use, before ${before}: ${what}`;
}

/** Tells the channels. A failure is told once, until an update succeeds: a job that runs each hour would repeat it. */
async function tell(options: Options, runtime: Runtime, report: UpdateReport): Promise<void> {
  const { before, after, result } = report;
  const home = new HomeLists(homeFolder(options, runtime));
  const failure = failureOf(report);
  const state = home.state();
  if (result === "updated") await tellOfUpdate(options, runtime, report);
  if (failure !== undefined && state.failure !== failure) {
    const data = { data_version: result === "updated" ? after : before, reason: failure };
    await tellChannels(options, runtime, createEvent("lists.update_failed", data, runtime.now()));
  }
  if (failure !== state.failure) await home.saveState({ ...state, failure });
}

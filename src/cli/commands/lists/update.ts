// `addrsift lists update`, `diff` and `rollback`: newer lists, checked and put in force, or those before; channels are
// notified. One file, because they share the request, the lines about sources and the event.

import { AddrsiftError, isAddrsiftError, usage } from "../../../base/errors.ts";
import { isLoopbackHost } from "../../../base/ip.ts";
import { counted, shownNumber } from "../../../base/shown.ts";
import { SOURCES } from "../../../curation/sources.ts";
import { type Change, changesOf, countChanges, disposableOf } from "../../../curation/update/changes.ts";
import { HomeLists } from "../../../curation/update/home-lists.ts";
import {
  type Origin,
  type SourceReport,
  type UpdateReport,
  type UpdateRequest,
  updateLists,
} from "../../../curation/update/update.ts";
import { type Home, warningText } from "../../../home/lists.ts";
import { CONFIDENCES, type Confidence, confidenceRank, lineagesOf } from "../../../lists/confidence.ts";
import type { ListsMeta } from "../../../lists/meta.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { openClient, sourceUrls } from "../../open/http.ts";
import { builtInLists, homeFolder, openListsInUse, requireHome } from "../../open/known.ts";
import { tellChannels } from "../../open/tell.ts";
import { type Arguments, timeMs } from "../../options/arguments.ts";
import type { LISTS_DIFF, LISTS_ROLLBACK, LISTS_UPDATE } from "../../options/lists.ts";
import type { GlobalOptions } from "../../options/shared.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson } from "../../terminal/record-table.ts";
import { shownText, tellPerson, warn } from "../../terminal/say.ts";
import { printLines } from "../../terminal/text-table.ts";

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
  if (!dryRun) await warnOfFailure(runtime, () => tellOutcome(options, runtime, report));
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

/** Notifies the channels. A failure is reported once, until an update succeeds: a job that runs each hour would repeat it. */
async function tellOutcome(options: Options, runtime: Runtime, report: UpdateReport): Promise<void> {
  const { before, after, result } = report;
  const home = new HomeLists(homeFolder(options, runtime));
  const failure = failureOf(report);
  const state = home.state();
  if (result === "updated") await tellOfUpdate(options, runtime, report);
  if (failure !== undefined && state.failure !== failure) {
    const data = { data_version: result === "updated" ? after : before, reason: failure };
    await tellChannels(options, runtime, "lists.update_failed", data);
  }
  if (failure !== state.failure) await home.saveState({ ...state, failure });
}

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

/** Takes the previous lists back; updates do not take the later ones again by themselves. */
export async function listsRollback({ options }: Arguments<typeof LISTS_ROLLBACK>, runtime: Runtime): Promise<number> {
  const home = requireHome(options, runtime);
  const { before, after, origin } = await rollBack(home, runtime);
  const version = before.meta.dataVersion;
  const now = after.meta.dataVersion;
  if (options.json) printJson(runtime, { data_version: now, previous_data_version: version, origin });
  else if (!options.quiet) {
    printLines(runtime, [
      `the lists ${now} (${origin}) are in use again; updates do not take ${version} by themselves`,
    ]);
  }
  const changes = changesOf(before, disposableOf(after));
  await warnOfFailure(runtime, () => tellOfUpdate(options, runtime, { before: version, after: now, changes }));
  return 0;
}

async function rollBack(home: Home, runtime: Runtime) {
  const { lists: before, origin, warning } = openListsInUse(home, runtime.root, "whole");
  if (origin !== "home") {
    const why = warning === undefined ? "the built-in lists are in use" : warning.problem;
    throw new AddrsiftError("OPERATION", `there is nothing to roll back, because ${why}: run addrsift lists update`);
  }
  const homeLists = new HomeLists(home.folder);
  const builtIn = (): ListsMeta => builtInLists(runtime.root, "pieces").meta;
  return homeLists.locked(async () => {
    for (const file of await homeLists.rollBack(before.meta, builtIn))
      warn(runtime, `the lists in ${file} can't be used: those before them are taken`);
    const { lists: after, origin: now } = openListsInUse(home, runtime.root, "whole");
    return { before, after, origin: now };
  });
}

type FetchOptions = Arguments<typeof LISTS_DIFF>["options"];

const LOOPBACK_RANGES = ["127.0.0.0/8", "::1/128"];
const CLEAR_LINE = "\r\x1b[K";
const SHOWN_NAMES = 3;

/** Updates, or finds out what would change. Throws AddrsiftError USAGE for wrong options. */
async function runUpdate(
  options: FetchOptions,
  runtime: Runtime,
  how: Pick<UpdateRequest, "dryRun" | "again">,
): Promise<UpdateReport> {
  const home = requireHome(options, runtime);
  const request = {
    origin: originOf(options, runtime),
    timeoutMs: timeMs("timeout", options.timeout, "s", 3600),
    ...how,
  };
  const inForce = (): CompiledLists => {
    const { lists, warning } = openListsInUse(home, runtime.root, "whole");
    if (warning !== undefined) warn(runtime, warningText(warning));
    return lists;
  };
  const showing = runtime.stderr.isTerminal && !options.quiet;
  const clear = (): unknown => showing && runtime.stderr.write(CLEAR_LINE);
  try {
    return await updateLists(request, {
      root: runtime.root,
      home: new HomeLists(home.folder),
      inForce,
      client: (url) => openClient([...options["allow-private"], ...loopbackOf(url)], runtime),
      now: runtime.now,
      progress: (step) => showing && runtime.stderr.write(`${CLEAR_LINE}addrsift: ${shownText(step)}`),
    });
  } finally {
    clear();
  }
}

function loopbackOf(url: string): readonly string[] {
  return isLoopbackHost(new URL(url).hostname) ? LOOPBACK_RANGES : [];
}

function originOf({ source, from }: Pick<FetchOptions, "source" | "from">, runtime: Runtime): Origin {
  if (from === undefined) return { urls: sourceUrls(source, runtime) };
  if (source.length > 0) throw usage("--from and --source exclude each other: give one of them");
  if (from === "") throw usage("--from is empty: give a folder");
  return { folder: from };
}

/** Says on standard error what was left out, and what stays out. */
function warnOfSources(sources: readonly SourceReport[], runtime: Runtime): void {
  for (const { key, reason, stayOut = [] } of sources) {
    const name = `the source ${key} (${SOURCES[key].name})`;
    if (reason !== undefined) warn(runtime, `${name} is left out, and what it said before stays: ${reason}`);
    if (stayOut.length > 0) {
      const shown = stayOut.slice(0, SHOWN_NAMES).join(", ");
      const more = stayOut.length > SHOWN_NAMES ? ", …" : "";
      const names = counted(stayOut.length, "new name", "new names");
      warn(runtime, `${name} has ${names} that must not be disposable and stay out: ${shown}${more}`);
    }
  }
}

/** The reason why an update counts as failed, in one line; undefined when it does not. */
function failureOf({ result, reason, sources }: UpdateReport): string | undefined {
  if (result === "refused" && sources.every((one) => one.result !== "left_out")) return reason;
  const out = sources.filter((one) => one.result === "left_out").map((one) => `${one.key}: ${one.reason}`);
  return out.length > 0 ? out.join("; ") : result === "refused" ? reason : undefined;
}

function sourcesJson(sources: readonly SourceReport[]): object[] {
  return sources.map(({ key, result, reason, stayOut = [] }) => {
    return { key, result, ...(reason === undefined ? {} : { reason }), stay_out: stayOut };
  });
}

async function tellOfUpdate(
  options: GlobalOptions,
  runtime: Runtime,
  { before, after, changes }: Pick<UpdateReport, "before" | "after" | "changes">,
): Promise<void> {
  const { added, removed } = countChanges(changes);
  const data = { data_version: after, previous_data_version: before };
  const changed = { disposable_added: added, disposable_removed: removed };
  await tellChannels(options, runtime, "lists.updated", { ...data, ...changed });
}

async function warnOfFailure(runtime: Runtime, tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch (error) {
    if (!isAddrsiftError(error)) throw error;
    warn(runtime, `no channel was told of the update: ${error.message}`);
  }
}

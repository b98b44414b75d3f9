// `addrsift lists update`, `diff` and `rollback`: install newer or previous lists, and notify channels.

import { AddrsiftError, errorMessage } from "../../../base/errors.ts";
import { escapeInvisible, formatFirst, formatNumber, pluralize, quote } from "../../../base/format-text.ts";
import { isLoopbackHost } from "../../../base/ip.ts";
import { omitUndefined } from "../../../base/result.ts";
import type { EventData } from "../../../channels/events.ts";
import type { EventName } from "../../../channels/kinds.ts";
import { SOURCES, type SourceKey } from "../../../curation/sources.ts";
import { type Change, countChanges, diffDisposable } from "../../../curation/update/changes.ts";
import { sourceFileName } from "../../../curation/update/fetch.ts";
import { describeFailures, groupByReason, HomeLists } from "../../../curation/update/home-lists.ts";
import {
  isAvailable,
  type SourceReport,
  type UpdateOrigin,
  type UpdateReport,
  updateLists,
} from "../../../curation/update/update.ts";
import { formatWarning } from "../../../home/lists.ts";
import {
  CONFIDENCES,
  type Confidence,
  confidenceRank,
  countsByDefault,
  sourceLettersOf,
} from "../../../lists/confidence.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { createClient } from "../../../outbound/client.ts";
import { createProxyFor } from "../../../outbound/proxy.ts";
import { clientDeps, createLazyGuard } from "../../composition/channels.ts";
import { openBuiltInLists, openListsInUse, requireHome } from "../../composition/lists.ts";
import type { ArgumentsOf } from "../../options/commands.ts";
import { parseSourceUrls } from "../../options/source.ts";
import type { Runtime } from "../../runtime.ts";
import { Printer } from "../../terminal/printer.ts";
import { StatusLine } from "../../terminal/progress.ts";

const BUILT_IN_LISTS_IN_USE = "the built-in lists are in use: run addrsift lists update";

/** Updates the lists. The exit status is 2 if the update failed or a source was skipped. */
export async function listsUpdate({ options }: ArgumentsOf<"lists update">, runtime: Runtime): Promise<number> {
  const { "dry-run": dryRun, json } = options;
  const openedHome = openHome(options, runtime);
  const { out, homeLists, notify } = openedHome;
  const report = await runUpdate(openedHome, options, runtime, dryRun);
  const { result, reason, before, after } = report;
  const data = toUpdatedData(before, after, report.changes);
  warnAboutSources(report, out);
  if (result === "failed") out.warn(`the lists were not updated, those in use are kept: ${reason}`);
  if (json)
    out.json({ result, ...omitUndefined({ reason }), dry_run: dryRun, ...data, sources: toSourcesJson(report) });
  else if (!out.quiet && result !== "failed")
    out.lines([...describeSources(report), describeResult(report, dryRun, data)]);
  const newFailures = failuresOf(report);
  const failure = describeFailures(newFailures);
  if (!dryRun) {
    await notifyOrWarn(out, async () => {
      const { failures = {} } = homeLists.readState();
      if (result === "updated") await notify("lists.updated", data);
      // Report a failure once until an update succeeds: an hourly job would repeat it.
      if (failure !== undefined && Object.entries(newFailures).some(([key, text]) => failures[key] !== text))
        await notify("lists.update_failed", { data_version: result === "updated" ? after : before, reason: failure });
      if (failure !== undefined || Object.keys(failures).length > 0)
        await homeLists.withLock(() => saveFailures(report, homeLists, runtime));
    });
  }
  return failure === undefined ? 0 : 2;
}

/** Replaces the failures of the update's sources. Reads the state again, because a rollback may have changed it. */
async function saveFailures(report: UpdateReport, homeLists: HomeLists, runtime: Runtime): Promise<void> {
  const { failures = {}, ...state } = homeLists.readState();
  if (state.problem !== undefined) return;
  const newFailures = failuresOf(report);
  const hasSource = (key: string): boolean =>
    key === "" || report.sources.some((source) => source.key === key && source.result !== "missing");
  const kept = Object.entries(failures).filter(([key]) => !hasSource(key));
  const time = Object.keys(newFailures).length === 0 ? {} : { failedAt: new Date(runtime.now()).toISOString() };
  await homeLists.saveState({ ...state, ...time, failures: { ...Object.fromEntries(kept), ...newFailures } });
}

function describeResult(report: UpdateReport, dryRun: boolean, data: EventData["lists.updated"]): string {
  const { result, sources } = report;
  const { data_version: after, previous_data_version: before } = data;
  const unused = sources.flatMap((source) => (isAvailable(source) ? [] : [source.key]));
  if (result === "unchanged" && unused.length > 0)
    return `the lists ${before} are unchanged; not updated: ${unused.join(", ")}`;
  if (result === "unchanged") return `the lists ${before} are up to date`;
  if (result === "rolled_back")
    return `keeping lists ${before}; the newer version was rolled back (--again includes it)`;
  return `the lists ${after} ${dryRun ? "would replace" : "have replaced"} ${before}: ${formatCounts(data)}`;
}

function formatCounts({ disposable_added: added, disposable_removed: removed }: EventData["lists.updated"]): string {
  const domains = pluralize(added, "domain becomes disposable", "domains become disposable");
  return `${domains}, ${pluralize(removed, "domain is", "domains are")} no longer disposable`;
}

function describeSources({ sources, changes }: UpdateReport): string[] {
  return sources.flatMap(({ key, result, names: { added, removed, keptCount } }) => {
    const { name, daily } = SOURCES[key];
    if (result === "rolled_back") return `${key} (${name}): held back, because this text was rolled back`;
    if (added.length + removed.length === 0 && !(daily && result === "new")) return [];
    const counts = `${pluralize(added.length, "name", "names")} added, ${formatNumber(removed.length)} removed`;
    const aged = daily
      ? `, ${formatNumber(countChanges(changes).aged)} no longer count (dropped over 90 days ago)`
      : "";
    return `${key} (${name}): ${counts}, ${formatNumber(keptCount)} kept${aged}`;
  });
}

/**
 * Prints one line per change, tab-separated: the sign (`+` if the domain becomes disposable, `-` if it no longer is,
 * otherwise `~`), the domain, its confidence and the letters of its sources. Top-level domains follow in the same form.
 */
export async function listsDiff({ options }: ArgumentsOf<"lists diff">, runtime: Runtime): Promise<number> {
  const openedHome = openHome(options, runtime);
  const { out } = openedHome;
  const { last } = options;
  const report = last ? compareWithPrevious(openedHome) : await runUpdate(openedHome, options, runtime, true);
  const { result, reason, before, after, sources, changes } = report;
  warnAboutSources(report, out);
  const data = toUpdatedData(before, after, changes);
  const tlds = sources.find(({ key }) => key === "rootZone")?.names ?? { added: [], removed: [] };
  if (result === "failed") out.warn(`the lists can't be compared: ${reason}`);
  if (options.json) {
    const tldChanges = { tlds_added: tlds.added, tlds_removed: tlds.removed };
    const changeList = changes.map(({ domain, before, after }) => {
      return { domain, before: toEntryJson(before), after: toEntryJson(after) };
    });
    const outcome = { result, ...omitUndefined({ reason }), ...data };
    const sourceChanges = last ? {} : { ...tldChanges, sources: toSourcesJson(report) };
    out.json({ ...outcome, ...sourceChanges, changes: changeList });
  } else if (result !== "failed") {
    const rows = [
      ...changes.map(formatChange),
      ...tlds.added.map((tld) => ["+", tld, "none → tld", "none → rootZone"]),
      ...tlds.removed.map((tld) => ["-", tld, "tld → none", "rootZone → none"]),
    ];
    out.write(rows.map((row) => `${row.join("\t")}\n`).join(""));
    // Without a line, no difference would seem to be the whole answer.
    const isHeldBack = result === "rolled_back" || sources.some((source) => source.result === "rolled_back");
    for (const line of [...describeSources(report), describeResult(report, !last, data)])
      out[isHeldBack ? "notice" : "info"](line);
  }
  return Object.keys(failuresOf(report)).length === 0 ? 0 : 2;
}

/** Compares the disposable domains of the lists in use with those before the last update. */
function compareWithPrevious({ homeLists, openInUse, openBuiltIn }: OpenedHome): UpdateReport {
  const { lists: current, origin } = openInUse();
  const { dataVersion: after } = current.meta;
  if (origin !== "home")
    return { result: "failed", reason: BUILT_IN_LISTS_IN_USE, before: after, after, sources: [], changes: [] };
  const previous = homeLists.openPrevious(after) ?? openBuiltIn();
  const changes = diffDisposable(previous, current);
  return { result: "updated", before: previous.meta.dataVersion, after, sources: [], changes };
}

function formatChange({ domain, before, after }: Change): string[] {
  const sign = countsByDefault(before) === countsByDefault(after) ? "~" : countsByDefault(after) ? "+" : "-";
  const formatStates = (format: (entryFlags: number) => string): string =>
    [...new Set([before, after].map((entryFlags) => (entryFlags === 0 ? "none" : format(entryFlags))))].join(" → ");
  const letters = formatStates((entryFlags) => sourceLettersOf(entryFlags).join(""));
  return [sign, domain, formatStates(confidenceOf), letters];
}

function toEntryJson(entryFlags: number): object | null {
  if (entryFlags === 0) return null;
  const sources = sourceLettersOf(entryFlags);
  return { confidence: confidenceOf(entryFlags), counted: countsByDefault(entryFlags), sources };
}

function confidenceOf(entryFlags: number): Confidence {
  return CONFIDENCES[confidenceRank(entryFlags)] as Confidence;
}

/** Restores the previous lists. Updates will not install the rolled-back version again unless told to. */
export async function listsRollback({ options }: ArgumentsOf<"lists rollback">, runtime: Runtime): Promise<void> {
  const openedHome = openHome(options, runtime);
  const { out, homeLists, notify } = openedHome;
  const { before, after, origin, isRepair } = await rollBackHome(openedHome).catch(failurePrinter(out, options));
  const removed = before.meta.dataVersion;
  const restored = after.meta.dataVersion;
  const changes = toUpdatedData(removed, restored, diffDisposable(before, after));
  if (options.json) out.json({ result: "restored", ...changes, origin });
  else if (!out.quiet) {
    const { heldBack = [] } = homeLists.readState();
    const heldTexts = heldBack.length === 0 ? "" : ` and the latest texts of ${heldBack.join(", ")}`;
    const note = isRepair
      ? "lists.bin was damaged or missing"
      : `updates skip ${removed}${heldTexts} until a source changes; lists allow or lists deny corrects a domain for good`;
    out.lines([`the lists ${restored} (${origin}) are in use again: ${formatCounts(changes)}; ${note}`]);
  }
  const data = isRepair ? changes : { ...changes, rolled_back: true };
  await notifyOrWarn(out, () => notify("lists.updated", data));
}

async function rollBackHome({ out, homeLists, openInUse, openBuiltIn }: OpenedHome) {
  const openRemoved = (): CompiledLists => {
    const { lists, origin, warning } = openInUse();
    if (origin === "home" || warning !== undefined) return lists;
    throw new AddrsiftError("OPERATION", `there is nothing to roll back, because ${BUILT_IN_LISTS_IN_USE}`);
  };
  // Without home lists, fail before the lock creates a home.
  openRemoved();
  return homeLists.withLock(async () => {
    // An update may have replaced the lists before it released the lock.
    const before = openRemoved();
    const isRepair = await homeLists.repair();
    const skippedFiles = isRepair ? [] : await homeLists.rollBack(before.meta, () => openBuiltIn().meta);
    for (const file of skippedFiles) out.warn(`the lists in ${file} can't be used: trying the version before`);
    const { lists: after, origin: newOrigin } = openInUse();
    return { before, after, origin: newOrigin, isRepair };
  });
}

type FetchOptions = Omit<ArgumentsOf<"lists diff">["options"], "last">;
type OpenedHome = ReturnType<typeof openHome>;

/** Opens the home of the lists. Throws AddrsiftError OPERATION if there is none. */
function openHome(options: ArgumentsOf<"lists rollback">["options"], runtime: Runtime) {
  const { root } = runtime;
  const home = requireHome(options, runtime);
  return {
    out: new Printer(runtime, options),
    homeLists: new HomeLists(home.folder),
    openInUse: () => openListsInUse(home, root, "in-memory"),
    openBuiltIn: () => openBuiltInLists(root, "in-memory"),
    notify: async <Name extends EventName>(name: Name, data: EventData[Name]): Promise<void> => {
      const { notifyChannels } = await import("../../composition/notify.ts");
      await notifyChannels(options, runtime, name, data);
    },
  };
}

/** Returns a handler that prints an error as JSON if the options say so, and throws it again. */
function failurePrinter(out: Printer, { json }: { readonly json: boolean }) {
  return (error: unknown): never => {
    if (json) out.json({ result: "failed", reason: errorMessage(error) });
    throw error;
  };
}

const LOOPBACK_RANGES = ["127.0.0.0/8", "::1/128"];

async function runUpdate(
  { out, homeLists, openInUse }: OpenedHome,
  options: FetchOptions,
  { root, env, stdin, stderr, now }: Runtime,
  dryRun: boolean,
): Promise<UpdateReport> {
  const { source, from, timeout: timeoutMs, again: installRolledBack } = options;
  const origin: UpdateOrigin = from === undefined ? { urls: parseSourceUrls(source, { stdin }) } : { folder: from };
  const request = { origin, timeoutMs, dryRun, installRolledBack };
  const showsProgress = stderr.isTerminal && !out.quiet;
  const line = new StatusLine(stderr);
  try {
    return await updateLists(request, {
      root,
      home: homeLists,
      openCurrent: async () => {
        const isRepaired = !dryRun && (await homeLists.repair());
        const { lists, origin, warning } = openInUse();
        if (warning !== undefined) out.warn(formatWarning(warning));
        const { dataVersion } = lists.meta;
        if (isRepaired) out.warn(`${homeLists.file} was damaged or missing: restored lists ${dataVersion} (${origin})`);
        return lists;
      },
      client: (url) => {
        const loopback = isLoopbackHost(new URL(url).hostname) ? LOOPBACK_RANGES : [];
        const guard = createLazyGuard([...options["allow-private"], ...loopback], env);
        // Updates belong to the operator, so they use the proxy of the environment.
        return createClient({ proxy: createProxyFor(env), ...clientDeps(guard), forOperator: true });
      },
      now,
      progress: (step) => showsProgress && line.show(escapeInvisible(step)),
    }).catch(failurePrinter(out, options));
  } finally {
    line.clear();
  }
}

function warnAboutSources({ result, sources }: UpdateReport, out: Printer): void {
  // A failed update ends with a line that says what is kept.
  const consequence = result === "failed" ? "" : "; the previous entries are kept";
  for (const [reason, keys] of groupByReason(skippedReasons(sources))) {
    const names = keys.map((key) => `${key} (${SOURCES[key as SourceKey].name})`).join(", ");
    out.warn(`skipped ${names}${consequence}: ${reason}`);
  }
  const missingFiles = sources.filter(({ result }) => result === "missing").map(({ key }) => sourceFileName(key));
  if (missingFiles.length > 0) {
    const fix = "fetch all sources for a complete update";
    out.notice(`the folder has no ${missingFiles.join(", ")}; previous entries are kept: ${fix}`);
  }
  for (const { key, ignoredNames = [], invalidLines = [], wasHeldBack = false, olderFileDate } of sources) {
    const name = `source ${key} (${SOURCES[key].name})`;
    if (olderFileDate !== undefined)
      out.notice(`${name}: the file is from ${olderFileDate}, older than the previous list: fetch it again`);
    if (wasHeldBack) out.notice(`${name} has changed since it was rolled back, and is no longer held back`);
    if (invalidLines.length > 0) {
      const lines = pluralize(invalidLines.length, "line that is not a domain name", "lines that are not domain names");
      out.notice(`${name}: skipped ${lines}, such as ${quote(invalidLines[0] as string)}`);
    }
    if (ignoredNames.length === 0) continue;
    const names = pluralize(ignoredNames.length, "protected name was", "protected names were");
    out.warn(`${name}: ${names} ignored: ${formatFirst(ignoredNames)}`);
  }
}

function skippedReasons(sources: readonly SourceReport[]): Readonly<Record<string, string>> {
  return Object.fromEntries(sources.flatMap(({ key, reason }) => (reason === undefined ? [] : [[key, reason]])));
}

/** Returns the failures of an update as its home's state stores them. */
function failuresOf({ result, reason = "", sources }: UpdateReport): Readonly<Record<string, string>> {
  const skipped = skippedReasons(sources);
  return result === "failed" && Object.keys(skipped).length === 0 ? { "": reason } : skipped;
}

function toSourcesJson({ sources, changes }: UpdateReport): object[] {
  return sources.map(({ key, result, reason, names, ignoredNames: ignored = [], invalidLines = [] }) => {
    const { added, removed, keptCount: kept } = names;
    const aged = SOURCES[key].daily && result === "new" ? countChanges(changes).aged : undefined;
    const counts = { added: added.length, removed: removed.length, kept, ...omitUndefined({ aged }) };
    return { key, result, ...omitUndefined({ reason }), ...counts, ignored, invalid_lines: invalidLines.length };
  });
}

function toUpdatedData(before: string, after: string, changes: readonly Change[]): EventData["lists.updated"] {
  const { added, removed } = countChanges(changes);
  return { data_version: after, previous_data_version: before, disposable_added: added, disposable_removed: removed };
}

async function notifyOrWarn(out: Printer, notify: () => Promise<void>): Promise<void> {
  await notify().catch((error: unknown) => out.warn(`the channels could not be notified: ${errorMessage(error)}`));
}

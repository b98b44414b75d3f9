// Parts that `lists update`, `lists diff` and `lists rollback` share: the request made of options, the lines that say what became of it,
// and the event for the channels.

import { AddrsiftError, isAddrsiftError } from "../../../base/errors.ts";
import { isLoopbackHost } from "../../../base/ip.ts";
import { counted } from "../../../base/shown.ts";
import { createEvent } from "../../../channels/events.ts";
import { SOURCES } from "../../../curation/sources.ts";
import { countChanges } from "../../../curation/update/changes.ts";
import { HomeLists } from "../../../curation/update/home-lists.ts";
import {
  type Origin,
  type SourceReport,
  type UpdateReport,
  type UpdateRequest,
  updateLists,
} from "../../../curation/update/update.ts";
import { warningText } from "../../../home/lists.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { openClient } from "../../open/channels.ts";
import { requireHome } from "../../open/home.ts";
import { openListsInUse } from "../../open/lists.ts";
import { sourceUrls } from "../../open/source-urls.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_DIFF } from "../../options/lists.ts";
import type { GlobalOptions } from "../../options/shared.ts";
import type { Runtime } from "../../runtime.ts";
import { shownText } from "../../terminal/escape.ts";
import { warn } from "../../terminal/say.ts";
import { tellChannels } from "../detect/notify.ts";

type FetchOptions = Arguments<typeof LISTS_DIFF>["options"];

const LOOPBACK_RANGES = ["127.0.0.0/8", "::1/128"];
const CLEAR_LINE = "\r\x1b[K";
const SHOWN_NAMES = 3;

/** Updates, or finds out what would change. Throws AddrsiftError USAGE for wrong options. */
export async function runUpdate(
  options: FetchOptions,
  runtime: Runtime,
  how: Pick<UpdateRequest, "dryRun" | "again">,
): Promise<UpdateReport> {
  const home = requireHome(options, runtime);
  const request = { origin: originOf(options, runtime), timeoutMs: 1000 * secondsOf(options.timeout), ...how };
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

/** A URL on this machine was given by the person who may reach it. */
function loopbackOf(url: string): readonly string[] {
  return isLoopbackHost(new URL(url).hostname) ? LOOPBACK_RANGES : [];
}

function originOf({ source, from }: Pick<FetchOptions, "source" | "from">, runtime: Runtime): Origin {
  if (from === undefined) return { urls: sourceUrls(source, runtime) };
  if (source.length > 0) throw new AddrsiftError("USAGE", "--from and --source exclude each other: give one of them");
  if (from === "") throw new AddrsiftError("USAGE", "--from is empty: give a folder");
  return { folder: from };
}

function secondsOf(text: string): number {
  const seconds = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= 3600) return seconds;
  throw new AddrsiftError("USAGE", `--timeout must be a number from 1 to 3600, not "${shownText(text)}"`);
}

/** Says on standard error what was left out, and what stays out. */
export function warnOfSources(sources: readonly SourceReport[], runtime: Runtime): void {
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
export function failureOf({ result, reason, sources }: UpdateReport): string | undefined {
  if (result === "refused" && sources.every((one) => one.result !== "left_out")) return reason;
  const out = sources.filter((one) => one.result === "left_out").map((one) => `${one.key}: ${one.reason}`);
  return out.length > 0 ? out.join("; ") : result === "refused" ? reason : undefined;
}

/** The sources as in JSON. */
export function sourcesJson(sources: readonly SourceReport[]): object[] {
  return sources.map(({ key, result, reason, stayOut = [] }) => {
    return { key, result, ...(reason === undefined ? {} : { reason }), stay_out: stayOut };
  });
}

/** Tells the channels that other lists are in use. */
export async function tellOfUpdate(
  options: GlobalOptions,
  runtime: Runtime,
  { before, after, changes }: Pick<UpdateReport, "before" | "after" | "changes">,
): Promise<void> {
  const { added, removed } = countChanges(changes);
  const data = { data_version: after, previous_data_version: before };
  const changed = { disposable_added: added, disposable_removed: removed };
  await tellChannels(options, runtime, createEvent("lists.updated", { ...data, ...changed }, runtime.now()));
}

/** Turns the AddrsiftError of telling channels into a warning. */
export async function warnOfFailure(runtime: Runtime, tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch (error) {
    if (!isAddrsiftError(error)) throw error;
    warn(runtime, `the channels are not told of the update: ${error.message}`);
  }
}

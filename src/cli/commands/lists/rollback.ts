// `addrsift lists rollback`: the lists before the last update.

import { createEvent } from "../../../channels/events.ts";
import { changesOf, countChanges, disposableOf } from "../../../curation/update/changes.ts";
import { HomeLists } from "../../../curation/update/home-lists.ts";
import { AddrsiftError, isAddrsiftError } from "../../../errors.ts";
import { confidenceRank, leastRank } from "../../../lists/confidence.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { requireHome } from "../../open/home.ts";
import { openListsInUse } from "../../open/lists.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_ROLLBACK } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson } from "../../terminal/record-table.ts";
import { warn } from "../../terminal/say.ts";
import { printLines } from "../../terminal/text-table.ts";
import { tellChannels } from "../detect/end/notify.ts";

/** Takes the previous lists back; updates do not take the later ones again by themselves. */
export async function listsRollback({ options }: Arguments<typeof LISTS_ROLLBACK>, runtime: Runtime): Promise<number> {
  const home = requireHome(options, runtime);
  const before = openListsInUse(home, runtime.root, "whole");
  if (before.origin !== "home") {
    const why = before.warning === undefined ? "the built-in lists are in use" : before.warning.problem;
    throw new AddrsiftError("OPERATION", `there is nothing to roll back, because ${why}: run addrsift lists update`);
  }
  const version = before.lists.meta.dataVersion;
  const homeLists = new HomeLists(home.folder);
  const { lists, origin } = await homeLists.locked(async () => {
    await homeLists.rollBack(version);
    const after = openListsInUse(home, runtime.root, "whole");
    const stay = digestsOf(after.lists);
    await homeLists.forgetSources(digestsOf(before.lists).filter((digest) => !stay.includes(digest)));
    return after;
  });
  const now = lists.meta.dataVersion;
  if (options.json) printJson(runtime, { data_version: now, previous_data_version: version, origin });
  else if (!options.quiet) {
    printLines(runtime, [
      `the lists ${now} (${origin}) are in use again; updates do not take ${version} by themselves`,
    ]);
  }
  const counts = (lineages: number): boolean => lineages !== 0 && confidenceRank(lineages) >= leastRank();
  const { added, removed } = countChanges(changesOf(before.lists, disposableOf(lists)), counts);
  const data = { data_version: now, previous_data_version: version };
  const changed = { disposable_added: added, disposable_removed: removed };
  try {
    await tellChannels(options, runtime, createEvent("lists.updated", { ...data, ...changed }, runtime.now()));
  } catch (error) {
    if (!isAddrsiftError(error)) throw error;
    warn(runtime, `the channels are not told of it: ${error.message}`);
  }
  return 0;
}

function digestsOf({ meta }: CompiledLists): string[] {
  return meta.sources.flatMap(({ digest }) => (digest === undefined ? [] : [digest]));
}

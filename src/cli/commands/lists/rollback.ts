// `addrsift lists rollback`: the lists before the last update.

import { AddrsiftError } from "../../../base/errors.ts";
import { changesOf, disposableOf } from "../../../curation/update/changes.ts";
import { HomeLists } from "../../../curation/update/home-lists.ts";
import type { Home, ListsInUse } from "../../../home/lists.ts";
import type { ListsMeta } from "../../../lists/meta.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { requireHome } from "../../open/home.ts";
import { builtInLists, openListsInUse } from "../../open/lists.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_ROLLBACK } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson } from "../../terminal/record-table.ts";
import { warn } from "../../terminal/say.ts";
import { printLines } from "../../terminal/text-table.ts";
import { tellOfUpdate, warnOfFailure } from "./updating.ts";

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

interface RolledBack {
  readonly before: CompiledLists;
  readonly after: CompiledLists;
  readonly origin: ListsInUse["origin"];
}

async function rollBack(home: Home, runtime: Runtime): Promise<RolledBack> {
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

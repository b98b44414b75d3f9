// The line of --version: what a report of a problem needs.

import { counted } from "../base/shown.ts";
import { findHome } from "./open/home.ts";
import { ageInDays, openListsInUse } from "./open/lists.ts";
import type { Runtime } from "./runtime.ts";

/** `addrsift 0.1.0, lists 2026-11-20-… (2 days old), Node 20.20.2`, with the lists in use; without them where they can't be read. */
export function versionLine(home: string | undefined, runtime: Runtime): string {
  const { version } = runtime.load("../package.json");
  return [`addrsift ${version}`, ...listsVersion(home, runtime), `Node ${runtime.nodeVersion}`].join(", ");
}

function listsVersion(home: string | undefined, runtime: Runtime): string[] {
  try {
    const { lists } = openListsInUse(findHome({ home }, runtime), runtime.root, "pieces");
    return [`lists ${lists.meta.dataVersion} (${counted(ageInDays(lists, runtime), "day", "days")} old)`];
  } catch {
    // The version must be told even where nothing else works.
    return [];
  }
}

// The overrides in use: those of the home. Every command and the daemon take them from here. A one-off reads a few kilobytes of
// their compiled table; where the table can't be used, a file of its own reads the records.

import { NO_OVERRIDES, type OverrideIndex, OverrideMap } from "../../lists/overrides.ts";
import { overridesInPieces } from "../../overrides/compiled-file.ts";
import {
  type OverridesInForce,
  type ReadingOverrides,
  type ReadRecords,
  readOverrides,
} from "../../overrides/in-force.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Runtime } from "../runtime.ts";
import { warn } from "../terminal/say.ts";
import type { Known } from "./classifier.ts";
import { findHome, type Home } from "./home.ts";
import { type ListsOptions, listsInUse } from "./lists.ts";

/** The file of the build that reads the records. */
interface RecordsReader {
  readonly readRecords: ReadRecords;
}

/** All overrides of a home that are in force. */
export function overridesInForce(home: Home, runtime: Runtime, reading: ReadingOverrides = {}): OverridesInForce {
  const readRecords: ReadRecords = (folder, warn) =>
    (runtime.bundle("overrides") as RecordsReader).readRecords(folder, warn);
  return readOverrides(home.folder, runtime.now(), readRecords, reading);
}

/** All that is known of domains and addresses beforehand. */
export interface KnownInUse extends Known {
  readonly overrides: OverrideMap;
}

/** The lists and the overrides for many addresses. */
export function knownInUse(options: ListsOptions, runtime: Runtime): KnownInUse {
  return { lists: listsInUse(options, runtime, "whole"), overrides: overridesInUse(options, runtime) };
}

/** The same for a command that may not need them: read when first asked for. */
export function lazyKnown(options: GlobalOptions, runtime: Runtime): () => Known {
  let known: Known | undefined;
  return () => {
    known ??= { lists: listsInUse(options, runtime, "whole"), overrides: overridesForFew(options, runtime) };
    return known;
  };
}

/** The overrides for a command. What is wrong with them is a warning on standard error. */
export function overridesInUse(
  options: GlobalOptions,
  runtime: Runtime,
  unread?: ReadingOverrides["unread"],
): OverrideMap {
  const home = findHome(options, runtime);
  if (home === undefined) return new OverrideMap(new Map());
  const { overrides, warnings } = overridesInForce(home, runtime, { unread });
  if (!options.quiet) for (const line of warnings) warn(runtime, line);
  return overrides;
}

/** The same for a few addresses, without details; a look-up throws AddrsiftError DATA when it finds damage. */
export function overridesForFew(options: GlobalOptions, runtime: Runtime): OverrideIndex {
  const home = findHome(options, runtime);
  if (home === undefined) return NO_OVERRIDES;
  const found = overridesInPieces(home.folder, runtime.now());
  return found.usable ? found.content : overridesInUse(options, runtime, found);
}

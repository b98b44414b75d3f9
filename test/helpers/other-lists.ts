// Compiles lists that differ visibly from the built-in ones: our own lists, and a single disposable domain. Compiling
// the lists of all sources would take seconds of CPU time.

import { createBuildInputs, createTableInput, type Snapshots } from "../../src/curation/build-inputs.ts";
import { compileTable } from "../../src/curation/compile.ts";
import { readDataFile } from "../../src/curation/read-data.ts";
import { parseSnapshot } from "../../src/curation/snapshot.ts";
import { SOURCE_KEYS, snapshotPath } from "../../src/curation/sources.ts";
import { maintainedLists } from "./build-inputs.ts";
import { ROOT } from "./classify.ts";
import { entryOf } from "./entries.ts";

/** Returns a compiled table with this version, in which only `domain` is disposable. */
export function compileOtherLists(dataVersion: string, domain: string): Uint8Array {
  const rootZone = parseSnapshot(readDataFile(ROOT, snapshotPath("rootZone")), "rootZone");
  const snapshotOf = (key: string): object => (key === "rootZone" ? rootZone : { ...rootZone, key, names: new Map() });
  const snapshots = Object.fromEntries(SOURCE_KEYS.map((key) => [key, snapshotOf(key)])) as unknown as Snapshots;
  const inputs = { lists: maintainedLists(), canaries: [], suffixEngine: "", releaseDate: "" };
  const input = createTableInput(createBuildInputs(inputs, snapshots, new Map()), new Map([[domain, entryOf("D")]]));
  return compileTable({ ...input, dataVersion });
}

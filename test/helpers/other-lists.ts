// Lists that differ from the built-in ones in a way that a test can see: those that we keep by hand, and a disposable
// domain. Reading and compiling what others keep takes seconds of CPU time.

import { createBuildInputs, createTableInput, type Snapshots } from "../../src/curation/build-inputs.ts";
import { compileTable } from "../../src/curation/compile.ts";
import { readDataFile } from "../../src/curation/read-data.ts";
import { parseSnapshot } from "../../src/curation/snapshot.ts";
import { SOURCE_KEYS, snapshotPath } from "../../src/curation/sources.ts";
import { handKept } from "./build-inputs.ts";
import { ROOT } from "./classify.ts";
import { entryOf } from "./entries.ts";

/** A compiled table of that version in which `domain` is disposable. */
export function compileOtherLists(dataVersion: string, domain: string): Uint8Array {
  const rootZone = parseSnapshot(readDataFile(ROOT, snapshotPath("rootZone")), "rootZone");
  const snapshotOf = (key: string): object => (key === "rootZone" ? rootZone : { ...rootZone, key, names: new Map() });
  const snapshots = Object.fromEntries(SOURCE_KEYS.map((key) => [key, snapshotOf(key)])) as unknown as Snapshots;
  const own = { lists: handKept(), canaries: [], suffixEngine: "" };
  const input = createTableInput(createBuildInputs(own, snapshots, new Map()), new Map([[domain, entryOf("D")]]));
  return compileTable({ ...input, dataVersion });
}

// Lists that differ from the built-in ones in a way that a test can see: those that we keep by hand, and a disposable
// domain. Reading and compiling what others keep takes seconds of CPU time.

import { compileTable } from "../../src/curation/compile.ts";
import { type Snapshots, tableInput, withSnapshots } from "../../src/curation/ingredients.ts";
import { readData } from "../../src/curation/read-data.ts";
import { parseSnapshot } from "../../src/curation/snapshot.ts";
import { SOURCE_KEYS, snapshotFile } from "../../src/curation/sources.ts";
import { ROOT } from "./classify.ts";
import { entryOf } from "./entries.ts";
import { handKept } from "./ingredients.ts";

/** A compiled table of that version in which `domain` is disposable. */
export function otherLists(dataVersion: string, domain: string): Uint8Array {
  const rootZone = parseSnapshot(readData(ROOT, snapshotFile("rootZone")), "rootZone");
  const snapshotOf = (key: string): object => (key === "rootZone" ? rootZone : { ...rootZone, key, names: new Map() });
  const snapshots = Object.fromEntries(SOURCE_KEYS.map((key) => [key, snapshotOf(key)])) as unknown as Snapshots;
  const own = { lists: handKept(), canaries: [], suffixEngine: "" };
  const input = tableInput(withSnapshots(own, snapshots, new Map()), new Map([[domain, entryOf("D")]]));
  return compileTable({ ...input, dataVersion });
}

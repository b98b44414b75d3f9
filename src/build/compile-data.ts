// The compiled table of data/, in memory, whole or packed small, and what `lists update` needs of data/.

import { compileTable } from "../curation/compile.ts";
import { REMOVALS_FILE, readIngredients, snapshotFile, tableInput } from "../curation/ingredients.ts";
import { packSources } from "../curation/packed-sources.ts";
import { HAND_KEPT, readData, readDisposable } from "../curation/read-data.ts";
import { SOURCE_KEYS } from "../curation/sources.ts";
import { type Confidence, confidenceRank, leastRank, octetOf } from "../lists/confidence.ts";
import { packTable } from "../lists/packed.ts";
import { listsFromOctets } from "../lists/table.ts";

export function compileData(root: string): Uint8Array {
  return compileTable(tableInput(readIngredients(root), readDisposable(root)));
}

/** Packs the table of `root`/data with only the disposable entries of this confidence or better. Its version says so. */
export function packData(root: string, least: Confidence): Uint8Array {
  const input = tableInput(readIngredients(root), readDisposable(root));
  const counted = [...input.disposable].filter(([, entry]) => confidenceRank(octetOf(entry)) >= leastRank(least));
  const dataVersion = `${input.dataVersion}-${least}`;
  const lists = listsFromOctets("the lists", compileTable({ ...input, disposable: new Map(counted), dataVersion }));
  return new TextEncoder().encode(packTable(lists.entries(), lists.meta));
}

/** Packs the files of `root`/data that an update reads. */
export function packIngredients(root: string): Uint8Array {
  const handKept = Object.values(HAND_KEPT).map(({ file }) => file);
  const files = [...handKept, "canaries.txt", REMOVALS_FILE, ...SOURCE_KEYS.map(snapshotFile)];
  const texts = new Map(files.map((file) => [file, readData(root, file)]));
  return packSources(texts, listsFromOctets("the lists", compileData(root)));
}

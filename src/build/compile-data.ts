// The compiled table of data/, in memory, whole or packed small.

import { compileTable } from "../curation/compile.ts";
import { readIngredients, tableInput } from "../curation/ingredients.ts";
import { readDisposable } from "../curation/read-data.ts";
import { byteOf, type Confidence, confidenceRank, leastRank } from "../lists/confidence.ts";
import { packTable } from "../lists/packed.ts";
import { listsFromBytes } from "../lists/table.ts";

export function compileData(root: string): Uint8Array {
  return compileTable(tableInput(readIngredients(root), readDisposable(root)));
}

/**
 * Packs the table of `root`/data with only the disposable entries of this confidence or better. Its version says so.
 */
export function packData(root: string, least: Confidence): Uint8Array {
  const input = tableInput(readIngredients(root), readDisposable(root));
  const counted = [...input.disposable].filter(([, entry]) => confidenceRank(byteOf(entry)) >= leastRank(least));
  const dataVersion = `${input.dataVersion}-${least}`;
  const lists = listsFromBytes("the lists", compileTable({ ...input, disposable: new Map(counted), dataVersion }));
  return new TextEncoder().encode(packTable(lists.entries(), lists.meta));
}

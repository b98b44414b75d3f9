// The compiled table of data/, in memory.

import { compileTable } from "../curation/compile.ts";
import { readIngredients, tableInput } from "../curation/ingredients.ts";
import { readDisposable } from "../curation/read-data.ts";

/** Compiles `root`/data. */
export function compileData(root: string): Uint8Array {
  return compileTable(tableInput(readIngredients(root), readDisposable(root)));
}

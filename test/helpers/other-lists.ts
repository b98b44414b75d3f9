// Lists that differ from the built-in ones in a way that a test can see: the real data, with a version and one disposable domain more.

import { compileTable } from "../../src/curation/compile.ts";
import { readIngredients, tableInput } from "../../src/curation/ingredients.ts";
import { readDisposable } from "../../src/curation/read-data.ts";
import { ROOT } from "./classify.ts";
import { entryOf } from "./entries.ts";

/** A compiled table of that version in which `domain` is disposable. */
export function otherLists(dataVersion: string, domain: string): Uint8Array {
  const input = tableInput(readIngredients(ROOT), readDisposable(ROOT));
  const disposable = new Map(input.disposable).set(domain, entryOf("D"));
  return compileTable({ ...input, dataVersion, disposable });
}

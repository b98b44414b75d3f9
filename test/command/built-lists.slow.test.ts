// The built lists are those of data/: compiling takes seconds, so this is apart from the unit tests of the table.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compileTable } from "../../src/curation/compile.ts";
import { mergeSources, readIngredients, tableInput } from "../../src/curation/ingredients.ts";
import { LISTS_PATH, ROOT } from "../helpers/classify.ts";

it("dist/lists.bin is what data/ compiles to (else: npm run build)", () => {
  const ingredients = readIngredients(ROOT);
  const compiled = compileTable(tableInput(ingredients, mergeSources(ingredients).disposable));
  expect(Buffer.compare(Buffer.from(compiled), readFileSync(LISTS_PATH))).toBe(0);
});

// Build step: data/ to the compiled table dist/lists.bin.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileTable } from "../curation/compile.ts";
import { readIngredients, tableInput } from "../curation/ingredients.ts";
import { readDisposable } from "../curation/read-data.ts";

const root = join(import.meta.dirname, "../../..");
const input = tableInput(readIngredients(root), readDisposable(root));
const table = compileTable(input);
mkdirSync(join(root, "dist"), { recursive: true });
writeFileSync(join(root, "dist/lists.bin"), table);
console.log(`dist/lists.bin: version ${input.dataVersion}, ${(table.length / 1e6).toFixed(1)} MB`);

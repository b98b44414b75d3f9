// Creates a second package with the same programs and ten times as many disposable domains.
//   node --import ./.ci/ts.mjs test/bench/tenfold.mjs FOLDER

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTableInput, mergeSources, readBuildInputs } from "../../src/curation/build-inputs.ts";
import { compileTable } from "../../src/curation/compile.ts";
import { ROOT } from "../helpers/programs.mjs";

const root = process.argv[2];

// Copies instead of links: Node would resolve a link of the main program to the original root.
for (const path of ["package.json", "bin", "dist"]) {
  cpSync(join(ROOT, path), join(root, path), { recursive: true });
}

const inputs = readBuildInputs(ROOT);
const input = createTableInput(inputs, mergeSources(inputs).disposable);
const disposable = new Map(input.disposable);
for (const [domain, entryFlags] of input.disposable) {
  for (let i = 1; i < 10; i += 1) disposable.set(`bench${i}${domain}`, entryFlags);
}
const table = compileTable({ ...input, disposable });
writeFileSync(join(root, "dist/lists.bin"), table);
console.log(`lists x 10: ${disposable.size} disposable domains, ${(table.length / 1e6).toFixed(1)} MB\n`);

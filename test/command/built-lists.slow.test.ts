// Tests that the built lists match data/. Compiling takes seconds, so the unit tests of the table don't do it.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createTableInput, mergeSources, readBuildInputs } from "../../src/curation/build-inputs.ts";
import { compileTable } from "../../src/curation/compile.ts";
import { LISTS_PATH, ROOT } from "../helpers/classify.ts";

it("dist/lists.bin equals the compiled data/ (if not: npm run build)", () => {
  const inputs = readBuildInputs(ROOT);
  const compiled = compileTable(createTableInput(inputs, mergeSources(inputs).disposable));
  expect(Buffer.compare(Buffer.from(compiled), readFileSync(LISTS_PATH))).toBe(0);
});

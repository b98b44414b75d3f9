// The built lists are those of data/: compiling takes seconds, so this stands apart from the unit tests of the table.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compileData } from "../../src/build/compile-data.ts";
import { LISTS_PATH, ROOT } from "../helpers/classify.ts";

it("dist/lists.bin is what data/ compiles to (else: npm run build)", () => {
  const compiled = compileData(ROOT);
  expect(Buffer.compare(Buffer.from(compiled), readFileSync(LISTS_PATH))).toBe(0);
});

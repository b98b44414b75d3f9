// Tests that imports between the modules of src/ follow the table in CONTRIBUTING. Biome rejects import cycles.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../helpers/classify.ts";

/** Every module may import it. */
const BASE = "base";
const ROW = /^\| \d \| `src\/([^`]+?)\/?` \| .* \| ([^|]*?) \|$/gm;
// Values, types, dynamic imports, and `typeof import("…")` in types.
const IMPORT = /\b(?:from|import|import\()\s*"(\.[^"]+)"/g;

const rows = Array.from(
  readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8").matchAll(ROW),
  ([, module = "", may = ""]) => ({
    module,
    may,
    named: Array.from(may.matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
  }),
);
const order = rows.map(({ module }) => module);
const allowed = new Map(
  rows.map(({ module, may, named }, at) => {
    const all = order.slice(0, at).filter((other) => !named.includes(other));
    return [module, new Set([module, BASE, ...(may.startsWith("all") ? all : named)])];
  }),
);

const SRC = join(ROOT, "src");
const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));

function moduleOf(path: string): string {
  const [module = ""] = relative(SRC, path).split(sep);
  return module;
}

function importsOf(file: string): string[] {
  return Array.from(readFileSync(file, "utf8").matchAll(IMPORT), ([, path = ""]) => join(file, "..", path));
}

it("the table of modules has exactly the folders of src", () => {
  expect(new Set(files.map(moduleOf))).toEqual(new Set(order));
});

it("in the table of modules, a module may import only modules of earlier rows", () => {
  expect(rows.flatMap(({ named }, at) => named.filter((name) => !order.slice(0, at).includes(name)))).toEqual([]);
});

it.each(order)("the table of modules allows every import of src/%s", (module) => {
  const outside = files
    .filter((file) => moduleOf(file) === module)
    .flatMap((file) => {
      return importsOf(file)
        .filter((path) => path.startsWith(SRC) && allowed.get(module)?.has(moduleOf(path)) === false)
        .map((path) => `${relative(SRC, file)} imports ${relative(SRC, path)}`);
    });
  expect(outside).toEqual([]);
});

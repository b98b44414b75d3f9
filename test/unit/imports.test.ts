// Tests that imports between the modules of src/ follow the table in CONTRIBUTING, and that no files import each other
// in a cycle.

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

/** Returns the first import cycle, ending with the file it begins with, or undefined. */
function findCycle(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const free = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (free.has(file)) return undefined;
    for (const next of imports.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    free.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

it("src has no import cycles, type imports included", () => {
  const cycle = findCycle(new Map(files.map((file) => [file, importsOf(file)])));
  expect(cycle?.map((file) => relative(SRC, file))).toBeUndefined();
});

it.each(['import { x } from "./b.ts";', 'type X = typeof import("./b.ts").x;', 'const b = import("./b.ts");'])(
  "findCycle finds an import cycle through %s",
  (line) => {
    const back = Array.from(line.matchAll(IMPORT), ([, path = ""]) => join("/b.ts", "..", path));
    expect(
      findCycle(
        new Map([
          ["/a.ts", back],
          ["/b.ts", ["/a.ts"]],
        ]),
      ),
    ).toEqual(["/a.ts", "/b.ts", "/a.ts"]);
  },
);

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

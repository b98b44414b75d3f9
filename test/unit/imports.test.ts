// The table of rooms in CONTRIBUTING is what the files of src/ import.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../helpers/classify.ts";

/** Is below all rooms. */
const BASE = "base";
const ROW = /^\| \d \| `src\/([^`]+?)\/?` \| .* \| ([^|]*?) \|$/gm;
// In each form: of values, of types, when needed, and within a type, `typeof import("…")`.
const IMPORT = /\b(?:from|import|import\()\s*"(\.[^"]+)"/g;

const rows = Array.from(
  readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8").matchAll(ROW),
  ([, room = "", may = ""]) => ({
    room,
    may,
    named: Array.from(may.matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
  }),
);
const order = rows.map(({ room }) => room);
const allowed = new Map(
  rows.map(({ room, may, named }, at) => {
    const all = order.slice(0, at).filter((other) => !named.includes(other));
    return [room, new Set([room, BASE, ...(may.startsWith("all") ? all : named)])];
  }),
);

const SRC = join(ROOT, "src");
const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));

function roomOf(path: string): string {
  const [room = ""] = relative(SRC, path).split(sep);
  return room;
}

function importsOf(file: string): string[] {
  return Array.from(readFileSync(file, "utf8").matchAll(IMPORT), ([, path = ""]) => join(file, "..", path));
}

/** The first files that import each other in a circle, with the first one again at the end; undefined where there are none. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const free = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (free.has(file)) return undefined;
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next, [...path, file]);
      if (circle !== undefined) return circle;
    }
    free.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = visit(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

describe("the files of src", () => {
  it("the files of src import each other in no circle, in types neither", () => {
    const circle = circleIn(new Map(files.map((file) => [file, importsOf(file)])));
    expect(circle?.map((file) => relative(SRC, file))).toBeUndefined();
  });

  it.each(['import { x } from "./b.ts";', 'type X = typeof import("./b.ts").x;', 'const b = import("./b.ts");'])(
    "a circle through %s is seen",
    (line) => {
      const back = Array.from(line.matchAll(IMPORT), ([, path = ""]) => join("/b.ts", "..", path));
      expect(
        circleIn(
          new Map([
            ["/a.ts", back],
            ["/b.ts", ["/a.ts"]],
          ]),
        ),
      ).toEqual(["/a.ts", "/b.ts", "/a.ts"]);
    },
  );
});

describe("the table of rooms", () => {
  it("has a row for each folder of src, and no other", () => {
    expect(new Set(files.map(roomOf))).toEqual(new Set(order));
  });

  it("names in each row only rooms of rows before it", () => {
    expect(rows.flatMap(({ named }, at) => named.filter((name) => !order.slice(0, at).includes(name)))).toEqual([]);
  });

  it.each(order)("allows what src/%s imports", (room) => {
    const outside = files
      .filter((file) => roomOf(file) === room)
      .flatMap((file) => {
        return importsOf(file)
          .filter((path) => path.startsWith(SRC) && allowed.get(room)?.has(roomOf(path)) === false)
          .map((path) => `${relative(SRC, file)} imports ${relative(SRC, path)}`);
      });
    expect(outside).toEqual([]);
  });
});

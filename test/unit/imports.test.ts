// The table of rooms in CONTRIBUTING is what the files of src/ import.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../helpers/classify.ts";

/** Stands below all rooms. */
const BASE = "base";
const ROW = /^\| \d \| `src\/([^`]+?)\/?` \| .* \| ([^|]*?) \|$/gm;
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
        const imported = Array.from(readFileSync(file, "utf8").matchAll(IMPORT), ([, path = ""]) =>
          join(file, "..", path),
        );
        return imported
          .filter((path) => path.startsWith(SRC) && allowed.get(room)?.has(roomOf(path)) === false)
          .map((path) => `${relative(SRC, file)} imports ${relative(SRC, path)}`);
      });
    expect(outside).toEqual([]);
  });
});

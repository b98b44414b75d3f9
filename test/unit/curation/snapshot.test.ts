// Snapshots of sources survive writing and reading, and no change of them goes unnoticed.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  agedNames,
  daysTaken,
  digestOf,
  parseSnapshot,
  type Snapshot,
  sizeOf,
  snapshotLabel,
  snapshotText,
} from "../../../src/curation/snapshot.ts";
import { CurationError } from "../../../src/curation/sources.ts";

const CONTENT = { names: ["a.com", "b.org"], since: ["", "2026-05-11"], last: [] };
const SNAPSHOT: Snapshot = {
  key: "D",
  origin: "pypi:disposable-email-domains",
  version: "0.0.293",
  taken: "2026-11-22",
  history: undefined,
  ...CONTENT,
  digest: digestOf(CONTENT),
  validators: undefined,
};

describe("a snapshot", () => {
  it("a snapshot is read as it was written, whatever a server said of it", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.domain()), fc.option(fc.stringMatching(/^[!-~]{1,40}$/)), (domains, etag) => {
        const names = domains.sort();
        const validators = etag === null ? undefined : { url: "https://a.example/", etag, lastModified: undefined };
        const content = { names, since: names.map((_, i) => (i % 2 === 0 ? "" : "2026-05-11")), last: [] };
        const snapshot = { ...SNAPSHOT, ...content, digest: digestOf(content), validators };
        expect(parseSnapshot(snapshotText(snapshot), "f")).toEqual(snapshot);
      }),
    );
  });

  it("a snapshot is refused after any change of its names, and when it is cut off", () => {
    const text = snapshotText(SNAPSHOT);
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
    ["npm:@scope/lists", "1.2.3", "@scope/lists@1.2.3"],
    ["https://example.org/list.txt", "2026-11-22", "disposable-email-domains@2026-11-22"],
  ])("from %s is called %s", (origin, version, label) => {
    expect(snapshotLabel({ ...SNAPSHOT, origin, version })).toBe(label);
  });
});

describe("the names of a next day", () => {
  it("keep their first day, and new ones have that day", () => {
    const next = agedNames(SNAPSHOT, ["a.com", "b.org", "c.net"], "2026-12-01");
    expect(next.since).toEqual(["", "2026-05-11", "2026-12-01"]);
    expect(next.last).toEqual([]);
  });

  it("forget what a list dropped: when it is back it is new", () => {
    const next = { ...SNAPSHOT, ...agedNames(SNAPSHOT, ["a.com"], "2026-12-01") };
    expect(agedNames(next, ["a.com", "b.org"], "2026-12-02").since).toEqual(["", "2026-12-02"]);
  });

  it("stay in a daily list after their last day, and only the newest day is its size", () => {
    const empty: Snapshot = { ...SNAPSHOT, key: "C", names: [], since: [], last: [] };
    const first = { ...empty, ...agedNames(empty, ["b.com", "c.com"], "2026-12-01") };
    const second = { ...empty, ...agedNames(first, ["a.com", "c.com", "d.com"], "2026-12-03") };
    expect(second).toMatchObject({
      names: ["a.com", "b.com", "c.com", "d.com"],
      since: ["2026-12-03", "2026-12-01", "2026-12-01", "2026-12-03"],
      last: ["2026-12-03", "2026-12-01", "2026-12-03", "2026-12-03"],
    });
    expect(daysTaken(second)).toEqual(["2026-12-01", "2026-12-03"]);
    expect([sizeOf(second), sizeOf(first), sizeOf(SNAPSHOT)]).toEqual([3, 2, 2]);
    const whole = { ...second, digest: digestOf(second) };
    expect(parseSnapshot(snapshotText(whole), "f")).toEqual(whole);
  });
});

// Snapshots of sources survive writing and reading, and no change of them goes unnoticed.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf, parseSnapshot, type Snapshot, snapshotLabel, snapshotText } from "../../../src/curation/snapshot.ts";
import { CurationError } from "../../../src/curation/sources.ts";

const NAMES = ["a.com", "b.org"];
const SNAPSHOT: Snapshot = {
  key: "D",
  origin: "pypi:disposable-email-domains",
  version: "0.0.293",
  taken: "2026-11-22",
  names: NAMES,
  digest: digestOf(NAMES),
  validators: undefined,
};

describe("a snapshot", () => {
  it("a snapshot is read as it was written, whatever a server said of it", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.domain()), fc.option(fc.stringMatching(/^[!-~]{1,40}$/)), (domains, etag) => {
        const names = domains.sort();
        const validators = etag === null ? undefined : { url: "https://a.example/", etag, lastModified: undefined };
        const snapshot = { ...SNAPSHOT, names, digest: digestOf(names), validators };
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

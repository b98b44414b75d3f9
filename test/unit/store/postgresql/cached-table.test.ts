// Tests a store's cache with responses in any order. Over a real database: test/daemon/postgresql-store.test.ts.

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { closedObject, text } from "../../../../src/base/shapes.ts";
import type { Collection } from "../../../../src/store/collection.ts";
import { CachedTable, DatabaseClock, type RunQuery } from "../../../../src/store/postgresql/cached-table.ts";
import { Database } from "../../../../src/store/postgresql/database.ts";
import { pg } from "../../../helpers/postgres.mjs";

const FRUIT: Collection<{ colour: string }> = {
  name: "fruit",
  shape: closedObject({ colour: text() }),
};

/** Answers of a database whose store has one record, after so many changes. */
function answers(version: number): RunQuery {
  const content = JSON.stringify({ colour: `colour ${version}` });
  const store = { version, mark: `m${version}`, baseMark: null, nowMs: 0, isReadOnly: false, hasStores: true };
  return async () => [{ ...store, collection: "fruit", schema: 1, id: "a", content }];
}

describe("a cached table", () => {
  it("the cached table ignores a response that arrives after a later one", async () => {
    const database = new Database({ url: "postgresql://db/mail", load: () => pg, warn: () => {} });
    const copy = new CachedTable(database, "records", [FRUIT]);
    // The first question is for all records. In the later ones the mark is unknown, so a second question follows.
    for (const [late, [old, fresh]] of [
      [1, [1, 2]],
      [1, [3, 4]],
      [2, [5, 6]],
    ] as const) {
      let asked = 0;
      const slow: RunQuery = async (query) => {
        const answer = await answers(old)(query);
        asked += 1;
        if (asked === late) expect(await copy.update(answers(fresh), false)).toBe(true);
        return answer;
      };
      expect(await copy.update(slow, false)).toBe(false);
      const { document, version } = copy.snapshot ?? expect.unreachable();
      expect([version, document.get("fruit")?.get("a")]).toEqual([fresh, { colour: `colour ${fresh}` }]);
    }
  });

  it("the cached table ignores a response that is older than its own process's change", () => {
    const database = new Database({ url: "postgresql://db/mail", load: () => pg, warn: () => {} });
    const copy = new CachedTable(database, "records", [FRUIT]);
    for (const [version, left] of [
      [2, 2],
      [1, 2],
      [3, 3],
    ] as const) {
      copy.setSnapshot({ document: new Map(), version, mark: `m${version}` }, version);
      expect(copy.snapshot?.version).toBe(left);
    }
  });
});

describe("the database clock", () => {
  it("the database clock uses the fastest response, and goes back only after a reset", () => {
    const spy = vi.spyOn(performance, "now").mockReturnValue(0);
    onTestFinished(() => spy.mockRestore());
    const clock = new DatabaseClock();
    const after = (databaseMs: number): number => {
      clock.observe(databaseMs);
      return clock.now();
    };
    const told = [1_000_000, 1_000_400, 1_000_000, 990_000, 990_400].map(after);
    expect(told).toEqual([1_000_000, 1_000_400, 1_000_400, 990_000, 990_400]);
  });
});

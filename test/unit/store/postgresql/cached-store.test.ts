// Tests a store's cache with responses in any order. Over a real database: test/daemon/postgresql-store.test.ts.

import { expect, it, onTestFinished, vi } from "vitest";
import { closedObject, text } from "../../../../src/base/shapes.ts";
import type { Collection } from "../../../../src/store/collection.ts";
import { CachedStore, DatabaseClock, type RunQuery } from "../../../../src/store/postgresql/cached-store.ts";
import { Database } from "../../../../src/store/postgresql/database.ts";
import { pg } from "../../../helpers/postgres.mjs";

const FRUIT: Collection<{ color: string }> = { name: "fruit", shape: closedObject({ color: text() }) };

/** Responses of a database whose store has one record, after `version` changes. */
function databaseAt(version: number): RunQuery {
  const content = JSON.stringify({ color: `color ${version}` });
  const store = { version, mark: `m${version}`, baseMark: null, nowMs: 0, isReadOnly: false, hasStores: true };
  return async () => [{ ...store, collection: "fruit", schema: 1, id: "a", content }];
}

it("the cached store ignores a response that arrives after a later one", async () => {
  const database = new Database({ url: "postgresql://db/mail", load: () => pg, installCommand: "", warn: () => {} });
  const cache = new CachedStore(database, "records", [FRUIT]);
  // The first update queries all records. Later updates find an unknown mark, so they send a second query.
  for (const [delayedQuery, [oldVersion, newVersion]] of [
    [1, [1, 2]],
    [1, [3, 4]],
    [2, [5, 6]],
  ] as const) {
    let queries = 0;
    const slowDatabase: RunQuery = async (query) => {
      const response = await databaseAt(oldVersion)(query);
      queries += 1;
      if (queries === delayedQuery) expect(await cache.update(databaseAt(newVersion), false)).toBe(true);
      return response;
    };
    expect(await cache.update(slowDatabase, false)).toBe(false);
    const { document, version } = cache.snapshot ?? expect.unreachable();
    expect([version, document.get("fruit")?.get("a")]).toEqual([newVersion, { color: `color ${newVersion}` }]);
  }
});

it("the cached store ignores a response that is older than a change by its own process", () => {
  const database = new Database({ url: "postgresql://db/mail", load: () => pg, installCommand: "", warn: () => {} });
  const cache = new CachedStore(database, "records", [FRUIT]);
  for (const [version, cachedVersion] of [
    [2, 2],
    [1, 2],
    [3, 3],
  ] as const) {
    cache.setSnapshot({ document: new Map(), version, mark: `m${version}` }, version);
    expect(cache.snapshot?.version).toBe(cachedVersion);
  }
});

it("the database clock does not go back after a slow response, but follows a clock that was set back", () => {
  const spy = vi.spyOn(performance, "now").mockReturnValue(0);
  onTestFinished(() => spy.mockRestore());
  const clock = new DatabaseClock();
  const nowAfter = (databaseMs: number): number => {
    clock.observe(databaseMs);
    return clock.now();
  };
  const times = [1_000_000, 1_000_400, 1_000_000, 990_000, 990_400].map(nowAfter);
  expect(times).toEqual([1_000_000, 1_000_400, 1_000_400, 990_000, 990_400]);
});

// A copy of a store in memory whose answers come in any order, and the clock of a database. Over a real database it is in
// test/daemon/store-table.test.ts.

import { describe, expect, it } from "vitest";
import type { Collection } from "../../../../src/store/collection.ts";
import { Observers } from "../../../../src/store/document.ts";
import { Database } from "../../../../src/store/postgresql/database.ts";
import { type Ask, DatabaseClock, TableCopy } from "../../../../src/store/postgresql/table-copy.ts";
import { pg } from "../../../helpers/postgres.mjs";

const FRUIT: Collection<{ colour: string }> = {
  name: "fruit",
  isRecord: (value): value is { colour: string } => value !== null,
  migrations: [],
};

/** Answers of a database whose store has one record, after so many changes. */
function answers(revision: number): Ask {
  const content = JSON.stringify({ colour: `colour ${revision}` });
  const record = { revision, mark: `m${revision}`, collection: "fruit", schema: 1, id: "a", content };
  const progress = { revision, change: null, mark: null, content: null, now_ms: 0, read_only: false, has_stores: true };
  return async ({ text }) => (text.includes("addrsift_records") ? [record] : [progress]);
}

describe("a copy of a store", () => {
  it("a copy of a store takes no answer that came after one to a later question", async () => {
    const database = new Database({ url: "postgresql://db/mail", load: () => pg, warn: () => {} });
    const copy = new TableCopy(database, "records", [FRUIT], new Observers());
    for (const late of ["addrsift_records", "addrsift_changes"]) {
      let overtaken = false;
      const [old, fresh] = late === "addrsift_records" ? [1, 2] : [3, 4];
      const slow: Ask = async (query) => {
        const answer = await answers(old)(query);
        if (query.text.includes(late) && !overtaken) {
          overtaken = true;
          expect(await copy.update(answers(fresh), false)).toBe(true);
        }
        return answer;
      };
      expect(await copy.update(slow, false)).toBe(false);
      const { document, revision } = copy.known ?? expect.unreachable();
      expect([revision, document.contents.get("fruit")?.records.get("a")]).toEqual([
        fresh,
        { colour: `colour ${fresh}` },
      ]);
    }
  });
});

describe("the clock of a database", () => {
  it("goes by the quickest answer, and back only where it was set", () => {
    const clock = new DatabaseClock();
    const after = (offset: number): number => {
      clock.note(performance.now() + offset);
      return Math.round((clock.now() - performance.now()) / 100) * 100;
    };
    const told = [1_000_000, 1_000_400, 1_000_000, 990_000, 990_400].map(after);
    expect(told).toEqual([1_000_000, 1_000_400, 1_000_400, 990_000, 990_400]);
  });
});

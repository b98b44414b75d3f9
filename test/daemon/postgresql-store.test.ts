// Tests a store in a PostgreSQL database with several stores open, like processes on several machines.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { closedObject, text } from "../../src/base/shapes.ts";
import type { Collection } from "../../src/store/collection.ts";
import { PostgresBackend } from "../../src/store/postgresql/backend.ts";
import { Database } from "../../src/store/postgresql/database.ts";
import { Store } from "../../src/store/store.ts";
import { startFaultProxy } from "../helpers/fault-proxy.mjs";
import { memoryFolder } from "../helpers/memory.ts";
import { PASSWORD, POSTGRES_PROGRAMS, type Postgres, pg, startPostgres } from "../helpers/postgres.mjs";

interface Fruit {
  readonly id: string;
  readonly color: string;
}

const FRUIT: Collection<Fruit> = { name: "fruit", shape: closedObject({ id: text(), color: text() }) };

describe.skipIf(POSTGRES_PROGRAMS === undefined)("a store in PostgreSQL", () => {
  let server: Postgres;
  let url: string;
  let warnings: string[];
  const opened: { store: Store; database: Database }[] = [];

  beforeAll(async () => {
    // In memory, because a busy disk can be slower than the store's timeouts.
    server = await startPostgres(memoryFolder());
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    // A failed test may have left the server killed.
    await server.start();
    url = await server.create();
    warnings = [];
  });
  afterEach(async () => {
    for (const { store, database } of opened.splice(0)) {
      await store.close();
      await database.close();
    }
    expect(warnings.join("\n")).not.toContain(PASSWORD);
  });

  function open<R>(collection: Collection<R>, databaseUrl = url): Store {
    const database = new Database({
      url: databaseUrl,
      load: () => pg,
      installCommand: "",
      warn: (line) => warnings.push(line),
    });
    const store = new Store((...parts) => new PostgresBackend(database, "records", ...parts), [collection]);
    opened.push({ store, database });
    return store;
  }
  const put = (store: Store, id: string, color: string): Promise<unknown> =>
    store.change((transaction) => transaction.records(FRUIT).set(id, { id, color }));
  const ids = (store: Store): string[] => [...store.records(FRUIT).keys()];
  const sleepers = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
  /** Blocks the commit of each change that inserts a record. Returns a function that unblocks all commits. */
  async function blockCommits(): Promise<() => Promise<unknown>> {
    // A sequence, because its state is visible outside of the transaction.
    const waitLoop = "WHILE NOT (SELECT is_called FROM gate) LOOP PERFORM pg_sleep(0.1); END LOOP;";
    await server.ask(url, "CREATE SEQUENCE gate");
    await server.ask(
      url,
      `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${waitLoop} RETURN NULL; END $$`,
    );
    const deferred = "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold()";
    await server.ask(url, `CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON addrsift_records ${deferred}`);
    return () => server.ask(url, "SELECT nextval('gate')");
  }

  it("PostgreSQL store: an empty database is read as an empty store, without creating tables", async () => {
    const store = open(FRUIT);
    await store.refresh();
    expect(ids(store)).toEqual([]);
    expect(await server.ask(url, "SELECT tablename FROM pg_tables WHERE tablename LIKE 'addrsift%'")).toEqual([]);
  });

  it("PostgreSQL store: refresh() reads the changes that other stores have acknowledged", async () => {
    const [one, other] = [open(FRUIT), open(FRUIT)];
    await Promise.all([put(one, "a", "red"), put(other, "b", "blue")]);
    await put(one, "c", "green");
    await put(other, "b", "black");
    await one.change((transaction) => transaction.records(FRUIT).delete("a"));
    for (const store of [one, other, open(FRUIT)]) {
      await store.refresh();
      expect([...store.records(FRUIT).values()].map(({ id, color }) => `${id} ${color}`).sort()).toEqual([
        "b black",
        "c green",
      ]);
    }
  });

  it("PostgreSQL store: records are returned in order of creation", async () => {
    const store = open(FRUIT);
    const names = ["z", "a", "m", "10", "b"];
    for (const id of names) await put(store, id, "red");
    await store.change((transaction) => {
      for (const id of ["y", "c"]) transaction.records(FRUIT).set(id, { id, color: "red" });
    });
    await put(store, "z", "blue");
    const other = open(FRUIT);
    await other.refresh();
    expect(ids(other)).toEqual([...names, "y", "c"]);
  });

  it("PostgreSQL store: no change is lost if three stores change a record at the same time", async () => {
    const stores = [open(FRUIT), open(FRUIT), open(FRUIT)];
    await put(stores[0] as Store, "n", "");
    const add = (store: Store): Promise<unknown> =>
      store.change((transaction) => {
        const { color } = transaction.records(FRUIT).get("n") as Fruit;
        transaction.records(FRUIT).set("n", { id: "n", color: `${color}x` });
      });
    for (let i = 0; i < 20; i++) await Promise.all(stores.map(add));
    await stores[0]?.refresh();
    expect(stores[0]?.records(FRUIT).get("n")?.color).toHaveLength(60);
  });

  it("PostgreSQL store: polling fetches only newer records", async () => {
    const [one, other] = [open(FRUIT), open(FRUIT)];
    await put(one, "a", "red");
    await put(one, "b", "red");
    await other.refresh();
    const before = other.records(FRUIT);
    other.startPolling();
    await put(one, "b", "blue");
    await put(one, "c", "blue");
    await expect.poll(() => ids(other)).toEqual(["a", "b", "c"]);
    // The unchanged record was not fetched again, and the previous map did not change.
    expect(other.records(FRUIT).get("a")).toBe(before.get("a"));
    expect([...before.values()].map(({ color }) => color)).toEqual(["red", "red"]);
  });

  it("PostgreSQL store: all records are read again after too many missed changes, or if the database was restored", async () => {
    const [one, other] = [open(FRUIT), open(FRUIT)];
    await put(one, "a", "red");
    await other.refresh();
    for (const id of ["b", "c", "d"]) await put(one, id, "red");
    await server.ask(url, "UPDATE addrsift_stores SET marks = marks[1:2]");
    await server.ask(url, "DELETE FROM addrsift_records WHERE id = 'b'");
    await other.refresh();
    expect(ids(other)).toEqual(["a", "c", "d"]);
    await server.ask(url, "UPDATE addrsift_stores SET marks = array_fill('other'::text, ARRAY[4])");
    await server.ask(url, "DELETE FROM addrsift_records WHERE id = 'd'");
    await Promise.all([one.refresh(), other.refresh()]);
    expect([ids(one), ids(other)]).toEqual([
      ["a", "c"],
      ["a", "c"],
    ]);
    await put(one, "e", "red");
    await other.refresh();
    expect(ids(other)).toEqual(["a", "c", "e"]);
    // A restored backup has fewer versions, followed by other changes.
    await server.ask(url, "UPDATE addrsift_stores SET version = 2, marks = marks[2:3]");
    await server.ask(url, "DELETE FROM addrsift_records WHERE id = 'e'");
    await put(open(FRUIT), "f", "red");
    await Promise.all([one.refresh(), other.refresh()]);
    expect([ids(one), ids(other)]).toEqual([
      ["a", "c", "f"],
      ["a", "c", "f"],
    ]);
  });

  it("PostgreSQL store: tombstones are deleted after 200 changes", async () => {
    const [store, other, late] = [open(FRUIT), open(FRUIT), open(FRUIT)];
    for (const id of ["a", "b"]) await put(store, id, "red");
    await late.refresh();
    const remove = (id: string): Promise<boolean> =>
      store.change((transaction) => transaction.records(FRUIT).delete(id));
    await remove("a");
    await server.ask(url, "UPDATE addrsift_stores SET version = 399");
    await other.refresh();
    await server.ask(url, "UPDATE addrsift_records SET version = 399 WHERE id = 'b'");
    const tombstones = "SELECT id FROM addrsift_records WHERE content IS NULL";
    expect(await server.ask(url, tombstones)).toEqual([{ id: "a" }]);
    await remove("b");
    expect(await server.ask(url, tombstones)).toEqual([{ id: "b" }]);
    await Promise.all([other.refresh(), late.refresh()]);
    expect([ids(other), ids(late)]).toEqual([[], []]);
  });

  it("PostgreSQL store: records of a later schema are rejected", async () => {
    const store = open(FRUIT);
    await put(store, "a", "red");
    await server.ask(url, "UPDATE addrsift_records SET schema = 2");
    const message = /from a later addrsift \(fruit has schema 2, supported is 1\): install that version again/;
    await expect(put(open(FRUIT), "b", "red")).rejects.toThrow(message);
  });

  it.each([
    [`{"secret":"${PASSWORD}"}`, "a record of fruit is not valid"],
    [`${PASSWORD} is not JSON`, "a record is not JSON"],
  ])("PostgreSQL store: the content %j is reported as damage, and not quoted", async (content, fault) => {
    await put(open(FRUIT), "a", "red");
    await server.ask(url, `UPDATE addrsift_records SET content = '${content}'`);
    const store = open(FRUIT);
    await expect(store.refresh()).rejects.toMatchObject({ code: "STORE" });
    // The caller gets the error. Only a polling store also warns.
    expect(warnings).toEqual([]);
    const title = new URL(url).pathname.slice(1);
    expect(() => ids(store)).toThrow(
      `the database ${title} on 127.0.0.1 is damaged (${fault}): restore the tables addrsift_* from a backup`,
    );
  });

  it("PostgreSQL store: an unknown collection is accepted if all its records were deleted", async () => {
    const VEGETABLES = { ...FRUIT, name: "vegetables" };
    const other = open(VEGETABLES);
    await other.change((transaction) => transaction.records(VEGETABLES).set("leek", { id: "leek", color: "green" }));
    const store = open(FRUIT);
    await expect(store.refresh()).rejects.toThrow(/it has vegetables, which this version does not know/);
    await other.change((transaction) => transaction.records(VEGETABLES).clear());
    await put(store, "a", "red");
    expect(ids(store)).toEqual(["a"]);
  });

  it("PostgreSQL store: tables of another addrsift version are rejected", async () => {
    await server.ask(url, "CREATE TABLE addrsift_stores (name text PRIMARY KEY, revision bigint)");
    await server.ask(url, "CREATE TABLE addrsift_records (store text, collection text, id text, content text)");
    const message =
      /has tables of another addrsift version: drop all tables addrsift_\*, and create the keys and channels again$/;
    const store = open(FRUIT);
    await expect(store.refresh()).rejects.toThrow(message);
    await expect(put(store, "a", "red")).rejects.toThrow(message);
  });

  it("PostgreSQL store: a change fails with UNCERTAIN if the outcome of its commit stays unknown", async () => {
    const proxy = await startFaultProxy(server.port);
    const store = open(FRUIT, url.replace(`:${server.port}/`, `:${proxy.port}/`));
    await put(store, "a", "red");
    await blockCommits();
    const ending = put(store, "b", "red");
    await expect.poll(() => server.ask(url, sleepers)).toHaveLength(1);
    await proxy.close();
    await expect(ending).rejects.toMatchObject({
      code: "UNCERTAIN",
      message: expect.stringMatching(
        /lost the connection during a commit; the change may have been made: check before retrying/,
      ),
    });
  });

  it("PostgreSQL store: an open store whose tables are dropped does not create empty ones", async () => {
    const store = open(FRUIT);
    await put(store, "a", "red");
    await server.ask(url, "DROP TABLE addrsift_records, addrsift_stores");
    await expect(store.refresh()).rejects.toThrow(/has no addrsift tables: create a key first, or restore the tables/);
    await expect(put(store, "b", "red")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await server.ask(url, "SELECT tablename FROM pg_tables WHERE tablename LIKE 'addrsift%'")).toEqual([]);
    await put(open(FRUIT), "c", "red");
  });

  it("PostgreSQL store: the store uses the database's clock, not this machine's", async () => {
    const store = open(FRUIT);
    await store.refresh();
    const databaseMs = async (): Promise<number> => {
      const [row] = await server.ask(url, "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms");
      return Number(row?.["ms"]);
    };
    // The store's clock is accurate to the duration of a query.
    const startedMs = performance.now();
    await store.refresh();
    const toleranceMs = performance.now() - startedMs + 100;
    const before = await databaseMs();
    const storeMs = store.clock(() => 0)();
    expect(storeMs).toBeGreaterThan(before - toleranceMs);
    expect(storeMs).toBeLessThan((await databaseMs()) + toleranceMs);
  });

  it("PostgreSQL store: without the database, cached records are served for 5 s, then reads fail until the database is back", async () => {
    const [store, command] = [open(FRUIT), open(FRUIT)];
    const read = (): string => {
      try {
        return ids(store).join();
      } catch (error) {
        return String(error);
      }
    };
    await put(store, "a", "red");
    store.startPolling();
    const cachedAtMs = performance.now();
    await store.refresh();
    await server.kill("SIGINT");
    const first = read();
    if (performance.now() - cachedAtMs < 5000) expect(first).toBe("a");
    await expect.poll(() => warnings.length).toBe(1);
    await expect(put(store, "b", "red")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(command.refresh()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect.poll(read).toMatch(/the database test_\d+ on 127\.0\.0\.1 does not answer \(ECONNREFUSED\): start it/);
    expect(performance.now() - cachedAtMs).toBeGreaterThan(4900);
    await server.start();
    await command.refresh();
    expect(ids(command)).toEqual(["a"]);
    await expect.poll(() => warnings.length).toBe(2);
    expect(warnings[1]).toMatch(/ answers again$/);
    await put(store, "b", "red");
    expect(ids(store)).toEqual(["a", "b"]);
  });

  it("PostgreSQL store: no stale records are served while a change hangs after losing its lock", async () => {
    const proxy = await startFaultProxy(server.port);
    const proxiedUrl = url.replace(`:${server.port}/`, `:${proxy.port}/`);
    const [one, other] = [open(FRUIT, `${proxiedUrl}?application_name=slow`), open(FRUIT)];
    await put(one, "a", "red");
    await server.ask(
      url,
      `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF current_setting('application_name') = 'slow' THEN PERFORM pg_sleep(60); END IF; RETURN NEW; END $$`,
    );
    await server.ask(url, "CREATE TRIGGER slow BEFORE INSERT ON addrsift_records FOR EACH ROW EXECUTE FUNCTION slow()");
    one.startPolling();
    const hanging = put(one, "b", "red").catch((error: unknown) => error);
    await expect.poll(() => server.ask(url, sleepers)).toHaveLength(1);
    proxy.freeze();
    await server.ask(url, `SELECT pg_terminate_backend(pid) FROM (${sleepers}) AS s`);
    await put(other, "c", "red");
    let [refreshes, isOver] = [0, false];
    void hanging.then(() => {
      isOver = true;
    });
    for (; !isOver; refreshes++) {
      // A refresh waits for at most five seconds.
      const isFresh = await one.refresh().then(
        () => true,
        () => false,
      );
      if (isFresh) expect(ids(one)).toContain("c");
      await new Promise((later) => setTimeout(later, 100));
    }
    expect(refreshes).toBeGreaterThan(1);
    await one.refresh();
    expect(ids(one)).toEqual(["a", "c"]);
    await proxy.close();
  });

  it("PostgreSQL store: idle connections may be lost, and a change whose response was lost is found to be committed", async () => {
    const proxy = await startFaultProxy(server.port);
    const store = open(FRUIT, url.replace(`:${server.port}/`, `:${proxy.port}/`));
    for (const id of ["a", "b"]) {
      await put(store, id, "red");
      proxy.drop();
      await store.refresh();
      proxy.drop();
    }
    const unblock = await blockCommits();
    const ending = put(store, "c", "red");
    await expect.poll(() => server.ask(url, sleepers)).toHaveLength(1);
    proxy.drop();
    await unblock();
    await ending;
    expect(ids(store)).toEqual(["a", "b", "c"]);
    await proxy.close();
  });

  it("PostgreSQL store: if a connection is lost during COMMIT, the store finds out whether the change was committed", async () => {
    const [store, other] = [open(FRUIT), open(FRUIT)];
    await put(store, "a", "red");
    // Ends all other connections while changes run: some during a change, some at its end.
    let isOver = false;
    const ending = (async () => {
      const all = "datname = current_database() AND pid <> pg_backend_pid()";
      while (!isOver) await server.ask(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${all}`);
    })();
    const wasAcknowledged = new Map<string, boolean>();
    const outcomes = (): Set<boolean> => new Set(wasAcknowledged.values());
    for (let i = 0; i < 100 || outcomes().size < 2; i++) {
      const id = `n${i}`;
      await put(store, id, "red").then(
        () => wasAcknowledged.set(id, true),
        () => wasAcknowledged.set(id, false),
      );
    }
    isOver = true;
    await ending;
    expect(outcomes()).toEqual(new Set([true, false]));
    await other.refresh();
    const stored = other.records(FRUIT);
    for (const [id, isStored] of wasAcknowledged) expect([id, stored.has(id)]).toEqual([id, isStored]);
  });
});

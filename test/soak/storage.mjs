// The stores of the soaks: files of a home, or a PostgreSQL server that is killed at random, as the processes are.
// Records are read without our own code.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openObject } from "../../src/base/shapes.ts";
import { PostgresBackend } from "../../src/store/postgresql/backend.ts";
import { Database } from "../../src/store/postgresql/database.ts";
import { Store } from "../../src/store/store.ts";
import { pg, startPostgres } from "../helpers/postgres.mjs";
import { pause } from "../helpers/programs.mjs";

const FILES = { records: "store.json", deliveries: "deliveries.json" };
const DOWN_MS = 500;
// Messages that a process may print while the database is down.
const UNAVAILABLE_MESSAGE =
  /the database \S+ on \S+ (?:does not answer|answers again|lost the connection)|the store is unavailable|may have been made/;

/** Opens the storage of a home's records: its files, or a new PostgreSQL server. */
export function openStorage(home, isShared) {
  return isShared ? openPostgresStorage(home) : openFileStorage(home);
}

/** Reads the collections of a file. Throws for incomplete JSON. */
function readStore(path) {
  const { format, collections } = JSON.parse(readFileSync(path, "utf8"));
  if (format !== 1) throw new Error(`the format is ${format}`);
  return collections;
}

/** Opens the store of a process that a soak starts: in the database of the environment, else in the home. */
export async function openSoakStore(folder, name, collections, warn) {
  const { ADDRSIFT_STORE: url } = process.env;
  if (url === undefined) return new Store({ folder, file: FILES[name], warn }, collections);
  const store = openTable(url, name, collections, warn);
  // If the database is down, each read reports it.
  await store.refresh().catch(() => {});
  store.startPolling();
  return store;
}

function openTable(url, name, collections, warn) {
  const database = new Database({ url, load: () => pg, warn });
  return new Store((...parts) => new PostgresBackend(database, name, ...parts), collections);
}

/** Reports whether a failed change can be retried when the database is back. */
export function isRetryable(error) {
  return error.code === "UNAVAILABLE" || error.code === "UNCERTAIN";
}

/** Opens the files of a home. */
export function openFileStorage(home) {
  const path = join(home, FILES.records);
  return {
    label: "",
    homeOf: () => home,
    isExpectedMessage: () => false,
    victims: [],
    write: async (channels) => {
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const document = { format: 1, collections: { channels: { schema: 1, records: channels } } };
      writeFileSync(path, JSON.stringify(document), { mode: 0o600 });
    },
    read: async (name) => {
      try {
        return readStore(join(home, FILES[name]));
      } catch (error) {
        if (error.code === "ENOENT") return {};
        throw error;
      }
    },
    /** Checks that at any moment a reader finds complete JSON in a file that only its owner can read. */
    check: () => {
      readStore(path);
      for (const [file, expected] of [
        [path, 0o600],
        [home, 0o700],
      ]) {
        const mode = statSync(file).mode & 0o777;
        if (mode !== expected) throw new Error(`the mode of ${file} is ${mode.toString(8)}`);
      }
    },
    leftovers: () =>
      readdirSync(home).filter(
        (name) => !/^(?:store|deliveries)\.json(?:\.lock)?(?:\.previous)?(?:\.new)?$/.test(name),
      ),
    close: async () => {},
  };
}

/** A PostgreSQL server. Each process has its own home, as on a separate machine. */
async function openPostgresStorage(home) {
  const server = await startPostgres();
  const url = await server.create();
  // All processes that the soak starts inherit it.
  process.env["ADDRSIFT_STORE"] = url;
  // Long-running processes create no tables, so create them here, as a command would.
  const collection = { name: "keys", shape: openObject({}) };
  const creator = openTable(url, "records", [collection], console.error);
  await creator.change((tx) => tx.records(collection).set("none", {}));
  await creator.change((tx) => tx.records(collection).delete("none"));
  const read = async (name) => {
    // Without the table there are no records.
    const [{ exists }] = await server.ask(url, "SELECT to_regclass('addrsift_records') IS NOT NULL AS exists");
    const fromStore = `FROM addrsift_records WHERE store = '${name}' AND content IS NOT NULL`;
    const rows = exists ? await server.ask(url, `SELECT collection, id, content ${fromStore}`) : [];
    const collections = {};
    for (const { collection, id, content } of rows) {
      collections[collection] ??= { records: {} };
      collections[collection].records[id] = JSON.parse(content);
    }
    return collections;
  };
  return {
    label: ", over PostgreSQL",
    homeOf: (daemon) => `${home}-${daemon}`,
    isExpectedMessage: (text) => UNAVAILABLE_MESSAGE.test(text),
    victims: [
      {
        kill: async () => {
          await server.kill("SIGKILL");
          await pause(Math.random() * DOWN_MS);
          await server.start();
        },
      },
    ],
    write: async (channels) => {
      const collection = { name: "channels", shape: openObject({}) };
      const store = await openSoakStore(home, "records", [collection], console.error);
      await store.change((tx) => {
        for (const [id, record] of Object.entries(channels)) tx.records(collection).set(id, record);
      });
      await store.close();
    },
    read,
    check: () => {},
    leftovers: () => [],
    close: async () => {
      delete process.env["ADDRSIFT_STORE"];
      await server.remove();
    },
  };
}

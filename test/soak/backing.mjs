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
// What a process may say while the database is down.
const UNAVAILABLE =
  /the database \S+ on \S+ (?:does not answer|answers again|lost the connection)|the store is unavailable|may have been made/;

/** Opens what records of a home are in: its files, or a new PostgreSQL server. */
export function openBacking(home, isShared) {
  return isShared ? postgresBacking(home) : fileBacking(home);
}

/** The collections of a file with their records by id; throws for what is not whole JSON. */
function readStore(path) {
  const { format, collections } = JSON.parse(readFileSync(path, "utf8"));
  if (format !== 1) throw new Error(`the format is ${format}`);
  return collections;
}

/** A store in a process that a soak starts: where the environment says, else in the home. */
export async function openSoakStore(folder, name, collections, warn) {
  const { ADDRSIFT_STORE: url } = process.env;
  if (url === undefined) return new Store({ folder, file: FILES[name], warn }, collections);
  const store = openTable(url, name, collections, warn);
  // The database may be down: each reading says so.
  await store.refresh().catch(() => {});
  store.startPolling();
  return store;
}

function openTable(url, name, collections, warn) {
  const database = new Database({ url, load: () => pg, warn });
  return new Store((...parts) => new PostgresBackend(database, name, ...parts), collections);
}

/** True for the failure of a change that may be tried again when the database is back. */
export function isAway(error) {
  return error.code === "UNAVAILABLE" || error.code === "UNCERTAIN";
}

/** The files of a home. */
export function fileBacking(home) {
  const path = join(home, FILES.records);
  return {
    what: "",
    homeOf: () => home,
    mayBeSaid: () => false,
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
    // Any reader at any moment finds whole JSON in a file that is its owner's alone.
    look: () => {
      readStore(path);
      for (const [file, wanted] of [
        [path, 0o600],
        [home, 0o700],
      ]) {
        const mode = statSync(file).mode & 0o777;
        if (mode !== wanted) throw new Error(`the mode of ${file} is ${mode.toString(8)}`);
      }
    },
    left: () =>
      readdirSync(home).filter(
        (name) => !/^(?:store|deliveries)\.json(?:\.lock)?(?:\.previous)?(?:\.new)?$/.test(name),
      ),
    close: async () => {},
  };
}

/** A PostgreSQL server. Each process has its own home, as on a separate machine. */
async function postgresBacking(home) {
  const server = await startPostgres();
  const url = await server.create();
  // For all processes that the soak starts.
  process.env["ADDRSIFT_STORE"] = url;
  // A process that stays makes no tables: a command makes those of a new database.
  const first = { name: "keys", shape: openObject({}) };
  const maker = openTable(url, "records", [first], console.error);
  await maker.change((tx) => tx.records(first).set("none", {}));
  await maker.change((tx) => tx.records(first).delete("none"));
  const read = async (name) => {
    // No table yet: no record.
    const [{ there }] = await server.ask(url, "SELECT to_regclass('addrsift_records') IS NOT NULL AS there");
    const ofStore = `FROM addrsift_records WHERE store = '${name}' AND content IS NOT NULL`;
    const rows = there ? await server.ask(url, `SELECT collection, id, content ${ofStore}`) : [];
    const collections = {};
    for (const { collection, id, content } of rows) {
      collections[collection] ??= { records: {} };
      collections[collection].records[id] = JSON.parse(content);
    }
    return collections;
  };
  return {
    what: ", over PostgreSQL",
    homeOf: (seat) => `${home}-${seat}`,
    mayBeSaid: (text) => UNAVAILABLE.test(text),
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
    look: () => {},
    left: () => [],
    close: async () => {
      delete process.env["ADDRSIFT_STORE"];
      await server.remove();
    },
  };
}

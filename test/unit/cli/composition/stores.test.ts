// Tests when a daemon reports that its store files can't be read or changed.

import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { DELIVERIES } from "../../../../src/channels/delivery/record.ts";
import { openStores } from "../../../../src/cli/composition/stores.ts";
import { KEYS } from "../../../../src/keys/keys.ts";
import type { Store } from "../../../../src/store/store.ts";
import { memoryRuntime } from "../../../helpers/in-process.ts";
import { scratch } from "../../../helpers/run.ts";

async function openDaemonStores() {
  const files = scratch();
  onTestFinished(files.remove);
  const warnings: string[] = [];
  const stores = await openStores({ home: files.path }, memoryRuntime(), "daemon", (line) => warnings.push(line));
  return { home: files.path, warnings, ...stores };
}

const change = (store: Store): Promise<unknown> => store.change(() => {}).catch(() => {});

it("each store file reports once that it can't be changed, and that it can be changed again", async () => {
  const { home, warnings, start, records, deliveries } = await openDaemonStores();
  start();
  const locks = ["store.json.lock", "deliveries.json.lock"].map((name) => join(home, name));
  for (const lock of locks) mkdirSync(lock);
  for (const store of [records, deliveries, records, deliveries]) await change(store);
  expect(warnings.splice(0)).toEqual(locks.map((lock) => `can't lock ${lock}: it is a folder, move it away`));
  for (const lock of locks) rmdirSync(lock);
  for (const store of [deliveries, records, deliveries]) await change(store);
  expect(warnings).toEqual(["deliveries.json can be changed again", "store.json can be changed again"]);
});

it("an unreadable store file is reported only after the start", async () => {
  const { home, warnings, start, records, deliveries } = await openDaemonStores();
  for (const name of ["store.json", "deliveries.json"]) writeFileSync(join(home, name), "{broken");
  expect(() => records.records(KEYS)).toThrow("store.json is damaged");
  expect(warnings).toEqual([]);
  start();
  for (let i = 0; i < 2; i++) expect(() => deliveries.records(DELIVERIES)).toThrow("deliveries.json is damaged");
  expect(warnings).toEqual([expect.stringContaining("deliveries.json is damaged")]);
});

// Creates a copy of the package with shortened lists, for tests of updates. Merging and compiling the real lists takes
// seconds of CPU time.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTableInput, mergeSources, readBuildInputs, type Snapshots } from "../../src/curation/build-inputs.ts";
import { compileTable } from "../../src/curation/compile.ts";
import { digestNames, formatSnapshot, type Snapshot } from "../../src/curation/snapshot.ts";
import { SOURCE_KEYS, SOURCES } from "../../src/curation/sources.ts";
import { ROOT } from "./classify.ts";
import { copyPackage } from "./package-copy.mjs";

export interface SmallPackage {
  readonly root: string;
  /** Path of the command. */
  readonly command: string;
  readonly snapshots: Snapshots;
}

const ONE_IN = 50;
// Files of data/ that are shortened too.
const LONG_FILES = ["protected.tsv", "roles.tsv", "typos.tsv"];

/**
 * Creates a package in `root` whose long lists have every fiftieth name. Sources also keep their names in `keptNames`.
 */
export function createSmallPackage(root: string, keptNames: readonly string[]): SmallPackage {
  const command = copyPackage(root);
  const full = readBuildInputs(ROOT);
  const names = [...keptNames, ...full.communityRemovals.keys()];
  const snapshots = Object.fromEntries(
    SOURCE_KEYS.map((key) => [key, shortenSnapshot(full.snapshots[key], names)]),
  ) as Snapshots;
  mkdirSync(join(root, "data/sources"), { recursive: true });
  for (const name of readdirSync(join(ROOT, "data")).filter((file) => /\.(tsv|txt)$/.test(file))) {
    const text = readFileSync(join(ROOT, "data", name), "utf8");
    const lines = LONG_FILES.includes(name) ? text.split("\n").filter((_, i) => i % ONE_IN === 0) : [text];
    writeFileSync(join(root, "data", name), lines.join("\n"));
  }
  for (const snapshot of Object.values(snapshots)) {
    writeFileSync(join(root, `data/sources/${snapshot.key}.txt`), formatSnapshot(snapshot));
  }
  const inputs = readBuildInputs(root);
  const table = compileTable(createTableInput(inputs, mergeSources(inputs).disposable));
  writeFileSync(join(root, "dist/lists.bin"), table);
  return { root, command, snapshots };
}

function shortenSnapshot(snapshot: Snapshot, keptNames: readonly string[]): Snapshot {
  if (snapshot.key === "rootZone") return snapshot;
  const rows = [...snapshot.names].filter(([name], i) => i % ONE_IN === 0 || keptNames.includes(name));
  // Daily lists are dated today, so that updating with the same list changes nothing.
  const day = SOURCES[snapshot.key].daily === true ? new Date().toISOString().slice(0, 10) : undefined;
  const names = new Map(day === undefined ? rows : rows.map(([name, [since = day]]) => [name, [since, day]]));
  const dated = day === undefined ? {} : { version: day, date: day };
  return { ...snapshot, ...dated, names, digest: digestNames(names) };
}

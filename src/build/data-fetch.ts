// Maintainers' program: takes new snapshots of the sources, from the pinned packages or, with --upstream, from where
// their lists are kept, and notes what the community list took off. `npm run data:build` makes the lists of them.
//   npm run data:fetch [-- [--upstream] [KEY...]]

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ipaddr from "ipaddr.js";
import * as undici from "undici";
import { nextRemovals, removalsText } from "../curation/community-removals.ts";
import { type Ingredients, intakeRules, readIngredients, type Snapshots } from "../curation/ingredients.ts";
import { takeIn } from "../curation/intake.ts";
import { agedNames, digestOf, type Snapshot, snapshotLabel, snapshotText } from "../curation/snapshot.ts";
import {
  CurationError,
  REMOVALS_FILE,
  SOURCE_KEYS,
  SOURCES,
  type SourceKey,
  snapshotFile,
  UPDATED_KEYS,
} from "../curation/sources.ts";
import { fetchSource } from "../curation/update/fetch.ts";
import { createClient } from "../outbound/client.ts";
import { createGuard } from "../outbound/guard.ts";
import { systemLookup } from "../outbound/lookup.ts";
import { installed, installedVersion, PACKAGED_KEYS, type PackagedList, packagedList } from "./data-packages.ts";
import { UNICODE_PACKAGE, unassignedText } from "./unicode-runs.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "data/sources");
const TIMEOUT_MS = 60_000;

async function main(given: readonly string[]): Promise<void> {
  const upstream = given.includes("--upstream");
  const args = given.filter((arg) => arg !== "--upstream");
  const unknown = args.find((arg) => !SOURCE_KEYS.includes(arg as SourceKey));
  if (unknown !== undefined) throw new CurationError(`unknown source ${unknown}: use ${SOURCE_KEYS.join(", ")}`);
  const keys = args.length === 0 ? (upstream ? UPDATED_KEYS : PACKAGED_KEYS) : (args as SourceKey[]);
  const before = readIngredients(ROOT);
  const taken = new Date().toISOString().slice(0, 10);
  const fresh: Snapshot[] = [];
  for (const key of keys) {
    const list = upstream ? await upstreamList(key, taken) : packagedList(key, FOLDER);
    const snapshot = snapshotOf(key, list, before, taken);
    if (snapshot !== undefined) fresh.push(snapshot);
  }
  const snapshots = { ...before.snapshots, ...Object.fromEntries(fresh.map((one) => [one.key, one])) } as Snapshots;
  const removals = nextRemovals(before.communityRemovals, before.snapshots.D, { snapshots, lists: before.lists });
  for (const one of fresh) writeFileSync(join(ROOT, "data", snapshotFile(one.key)), snapshotText(one));
  writeFileSync(join(ROOT, "data", REMOVALS_FILE), removalsText(removals, snapshots.D));
  if (!upstream) {
    const packages = installed(FOLDER);
    const unassigned = await unassignedText(packages, installedVersion(packages, UNICODE_PACKAGE));
    writeFileSync(join(FOLDER, "unassigned.txt"), unassigned);
  }
  const named = fresh.map((one) => `${one.key} ${snapshotLabel(one)} (${one.names.length})`);
  console.log(`data:fetch: ${named.length === 0 ? "nothing new" : named.join(", ")}`);
  console.log(`  ${removals.size} do not count because the community list took them off: data/${REMOVALS_FILE}`);
}

/** The list where it is kept; its version is the day. */
async function upstreamList(key: SourceKey, taken: string): Promise<PackagedList> {
  const { url } = SOURCES[key];
  if (url === undefined) throw new CurationError(`the source ${key} has no URL: only a package has it`);
  const client = createClient({ undici: () => undici, guard: () => createGuard(ipaddr, []), lookup: systemLookup });
  const fetched = await fetchSource(client, { url, known: undefined, timeoutMs: TIMEOUT_MS });
  if (fetched.status !== "text") {
    throw new CurationError(`${key}: ${fetched.status === "failed" ? fetched.reason : "the server sent nothing"}`);
  }
  return { origin: url, version: taken, text: fetched.text };
}

function snapshotOf(
  key: SourceKey,
  { origin, version, text }: PackagedList,
  before: Ingredients,
  taken: string,
): Snapshot | undefined {
  const names = takeIn(key, text, intakeRules(key, before));
  const old = before.snapshots[key];
  const content = agedNames(old, names, taken);
  const digest = digestOf(content);
  if (old.digest === digest && old.version === version && old.origin === origin) return undefined;
  return { key, origin, version, taken, ...content, history: old.history, digest };
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CurationError)) throw error;
  console.error(`addrsift: ${error.message}`);
  process.exitCode = 2;
}

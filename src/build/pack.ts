// Maintainers' program: packs dist/ for npm. REPOSITORY is the repository on GitHub that publishes the package: npm
// rejects a release from another one. The package's documents name it instead of OWNER/addrsift, and its README links to
// files there that the package lacks.
//   [REPOSITORY=owner/addrsift] npm run pack:npm [-- FOLDER]

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CurationError } from "../curation/sources.ts";
import { makeTemporaryFolder, runProgram } from "./generated.ts";

const ROOT = join(import.meta.dirname, "../..");
const CONTENTS = ["bin", "dist", "man", "LICENSE", "NOTICE", "README.md", "CHANGELOG.md"];

/** Throws CurationError if there is no build. */
export function requireDist(): void {
  if (!existsSync(join(ROOT, "dist"))) throw new CurationError("there is no folder dist/: run npm run build");
}

/** Copies the package's files to a folder. Returns its manifest. */
export function makePackage(folder: string): Record<string, string> {
  const { REPOSITORY } = process.env;
  requireDist();
  for (const name of CONTENTS) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  const manifest = readPublishedManifest(REPOSITORY);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  if (REPOSITORY === undefined) return manifest;
  const documents = readdirSync(join(folder, "man"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const path of [join(folder, "README.md"), ...documents]) {
    const text = readFileSync(path, "utf8");
    if (text.includes("OWNER/addrsift")) writeFileSync(path, text.replaceAll("OWNER/addrsift", REPOSITORY));
  }
  const readme = join(folder, "README.md");
  const start = `](https://github.com/${REPOSITORY}/blob/v${manifest["version"]}/`;
  const text = readFileSync(readme, "utf8").replaceAll(/\]\((?!https?:|#|NOTICE|man\/examples\/)/g, start);
  writeFileSync(readme, text.replaceAll(".png)", ".png?raw=true)"));
  return manifest;
}

/** Reads package.json without the keys that only development needs. */
function readPublishedManifest(repository: string | undefined): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const key of ["scripts", "devDependencies", "overrides", "allowScripts"]) delete manifest[key];
  const homepage = `https://github.com/${repository}`;
  const links = { homepage, bugs: `${homepage}/issues`, repository: { type: "git", url: `git+${homepage}.git` } };
  return repository === undefined ? manifest : { ...manifest, ...links };
}

/** Packs the package in `folder` into a file in `out`. */
export function packNpm(folder: string, out: string): void {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", out], { cwd: folder, stdio: ["ignore", 1, 2] });
}

if (process.argv[1] === import.meta.filename) {
  await runProgram(() => {
    const out = resolve(process.argv[2] ?? ".");
    mkdirSync(out, { recursive: true });
    const folder = makeTemporaryFolder();
    makePackage(folder);
    packNpm(folder, out);
  });
}

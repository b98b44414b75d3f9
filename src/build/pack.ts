// Maintainers' program: packs what is in dist/ for npm. REPOSITORY is the repository on GitHub that publishes it: npm
// refuses a release from another one, and the package's documents name it in place of OWNER/addrsift.
//   [REPOSITORY=owner/addrsift] npm run pack:npm [-- FOLDER]

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const CONTENTS = ["bin", "dist", "man", "LICENSE", "NOTICE", "README.md", "CHANGELOG.md"];
const HAS_NAME = /\.(?:md|mjs|yml|yaml|html|[17])$/;

/** Puts the package's files into a folder, and returns its manifest. */
export function makePackage(folder: string): Record<string, string> {
  const { REPOSITORY } = process.env;
  for (const name of CONTENTS) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  const manifest = publishedManifest(REPOSITORY);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  if (REPOSITORY === undefined) return manifest;
  const documents = readdirSync(join(folder, "man"), { recursive: true, encoding: "utf8" }).map(
    (name) => `man/${name}`,
  );
  for (const name of ["README.md", ...documents].filter((name) => HAS_NAME.test(name))) {
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("OWNER/addrsift", REPOSITORY));
  }
  return manifest;
}

/** The manifest without what only development needs, such as scripts that npm would ask about. */
function publishedManifest(repository: string | undefined): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const key of ["scripts", "devDependencies", "overrides"]) delete manifest[key];
  const homepage = `https://github.com/${repository}`;
  const places = { homepage, bugs: `${homepage}/issues`, repository: { type: "git", url: `git+${homepage}.git` } };
  return repository === undefined ? manifest : { ...manifest, ...places };
}

/** Makes the file for npm, of the package in this folder. */
export function packNpm(folder: string, out: string): void {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", out], { cwd: folder, stdio: ["ignore", 1, 2] });
}

if (process.argv[1] === import.meta.filename) {
  const out = resolve(process.argv[2] ?? ".");
  mkdirSync(out, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "addrsift-pack-"));
  try {
    makePackage(folder);
    packNpm(folder, out);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

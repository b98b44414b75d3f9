// Builds the package again, in another folder, and compares every file with dist: two builds must produce the same
// bytes.
//   npm run build:check

import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT, scratchFolder } from "./helpers/programs.mjs";

const folder = scratchFolder("rebuild");
for (const name of [".ci", "src", "data", "package.json", "package-lock.json", "tsconfig.json"]) {
  cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: (path) => !path.includes("node_modules") });
}
symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: folder, stdio: "inherit" });
if (status !== 0) throw new Error(`the build ended with ${status}`);
report(filesOf(join(ROOT, "dist")), filesOf(join(folder, "dist")));

/**
 * Returns the bytes of the files under a folder by path, without Node's compile cache, and without source maps, which
 * contain the paths of linked packages.
 */
function filesOf(dist) {
  const names = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(".compiled") && !entry.name.endsWith(".map"))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(names.map((path) => [path.slice(dist.length + 1), readFileSync(path)]));
}

function report(before, after) {
  const all = new Set([...before.keys(), ...after.keys()]);
  const different = [...all].filter((name) => !before.has(name) || !after.get(name)?.equals(before.get(name)));
  for (const name of different) console.log(`MISS: dist/${name} differs`);
  console.log(`two builds: ${all.size} files, ${different.length} differ`);
  if (different.length > 0) process.exitCode = 1;
}

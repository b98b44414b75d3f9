// Before any test: `dist/` is built when something that it is made from is newer, so that nobody tests a stale build.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
// What the build reads, and the last files that each of its steps writes.
const SOURCES = ["src", "data", "package.json", "tsconfig.json"];
const OUTPUTS = ["dist/lib/index.js", "dist/lists.bin", "dist/addrsift.cjs", "dist/main.cjs", "dist/worker.cjs"];

export default function buildWhenStale(): void {
  const built = Math.min(...OUTPUTS.map((path) => modified(join(ROOT, path))));
  const changed = Math.max(...SOURCES.map((path) => newest(join(ROOT, path))));
  if (changed <= built) return;
  console.log("dist/ is older than its sources: npm run build");
  const { status } = spawnSync("npm", ["run", "--silent", "build"], {
    cwd: ROOT,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm run build ended with ${status}`);
}

/** Milliseconds since 1970; 0 for what is not there. */
function modified(path: string): number {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

/** The latest change of a file, or of any file below a folder. */
function newest(path: string): number {
  if (!statSync(path).isDirectory()) return modified(path);
  const below = readdirSync(path, { withFileTypes: true }).filter(({ name }) => name !== "node_modules");
  return Math.max(0, ...below.map(({ name }) => newest(join(path, name))));
}

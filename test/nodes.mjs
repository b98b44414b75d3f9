// The test suite under other versions of Node than the one that is installed: each is taken from the npm registry.
//   npm run test:nodes [-- 20.19.0 24]

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
/** The oldest one that is promised, and the newest of each line that is kept. */
const VERSIONS = ["20.19.0", "22", "24", "26"];

const given = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "addrsift-nodes-"));
const failed = [];
try {
  for (const version of given.length > 0 ? given : VERSIONS) {
    const node = fetchNode(version);
    const env = { ...process.env, PATH: `${node}${delimiter}${process.env.PATH}` };
    const actual = execFileSync(join(node, "node"), ["--version"], { encoding: "utf8" }).trim();
    console.log(`== Node ${actual}`);
    const { status } = spawnSync("npm", ["test"], { cwd: ROOT, env, stdio: "inherit" });
    if (status !== 0) failed.push(actual);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failed.length === 0 ? "all versions passed" : `failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Unpacks a version's own package, which runs no script, and gives the folder with the program. */
function fetchNode(version) {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}@${version}`;
  // A line has many versions, and they do not come in their order.
  const found = [JSON.parse(execFileSync("npm", ["view", name, "version", "--json"], { encoding: "utf8" }))].flat();
  const exact = found.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--json", `${name.split("@")[0]}@${exact}`], { cwd: folder, encoding: "utf8" }),
  );
  execFileSync("tar", ["-xzf", filename], { cwd: folder });
  const target = join(folder, exact);
  execFileSync("mv", ["package", target], { cwd: folder });
  return join(target, "bin");
}

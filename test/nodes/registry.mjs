// Installs other versions of Node from their packages in the npm registry, without running scripts. The cache folder of
// .ci/run contains them by exact version.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "../helpers/pip.mjs";

const run = promisify(execFile);
const PACKAGE = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const CACHE = join(process.env.ADDRSIFT_CI_CACHE || cacheFolder("addrsift-ci"), "nodes");

/** Thrown if the registry does not answer or has no such version. */
export class Unreachable extends Error {}

/** Returns the newest release of each version or line, with its exact version and its program. */
export async function fetchNodes(versions) {
  mkdirSync(CACHE, { recursive: true });
  const exact = await findReleases(versions);
  const missing = exact.filter((version) => !existsSync(programOf(version)));
  if (missing.length > 0) await download(missing);
  return exact.map((version) => ({ version, program: programOf(version) }));
}

/** Returns the path of a version's program. */
function programOf(version) {
  return join(CACHE, `${process.arch}-${version}`, "node");
}

/** Resolves lines such as "22" to exact versions, in one call of npm. */
async function findReleases(versions) {
  const isExact = (version) => /^\d+\.\d+\.\d+$/.test(version);
  if (versions.every(isExact)) return versions;
  const all = JSON.parse(await npm(["view", PACKAGE, "versions", "--json"])).filter(isExact);
  const newest = all.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).reverse();
  return versions.map((line) => {
    const release = newest.find((version) => `${version}.`.startsWith(`${line}.`));
    if (release === undefined) throw new Unreachable(`the registry has no ${PACKAGE}@${line}`);
    return release;
  });
}

async function download(versions) {
  // On the same disk as the cache, so that a complete program can be moved there atomically.
  const folder = mkdtempSync(join(CACHE, "download-"));
  try {
    const packed = await npm(["pack", "--json", ...versions.map((version) => `${PACKAGE}@${version}`)], folder);
    for (const { version, filename } of JSON.parse(packed)) {
      await run("tar", ["-xzf", filename, "package/bin/node"], { cwd: folder });
      mkdirSync(join(programOf(version), ".."), { recursive: true });
      renameSync(join(folder, "package/bin/node"), programOf(version));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function npm(args, cwd) {
  try {
    return (await run("npm", args, { cwd, maxBuffer: 1 << 24 })).stdout;
  } catch (error) {
    const reason = String(error.stderr ?? error).match(/npm error ((?!code|errno|syscall).+)/)?.[1] ?? String(error);
    throw new Unreachable(`${PACKAGE} can't be fetched from the registry: ${reason}`);
  }
}

// Other versions of Node, each from its own package in the npm registry, which runs no script.

import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const PACKAGE = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/** The registry did not answer, or has no such version. */
export class Unreachable extends Error {}

/** Fetches the newest release of each version or line into `folder`: its exact version and its program. */
export async function fetchNodes(versions, folder) {
  const packed = await pack(versions, folder);
  return Promise.all(
    packed.map(async ({ version, filename }) => {
      const target = join(folder, version);
      mkdirSync(target, { recursive: true });
      await run("tar", ["-xzf", join(folder, filename), "-C", target, "package/bin/node"]);
      return { version, program: join(target, "package/bin/node") };
    }),
  );
}

/** One call for all: starting npm takes longer than a cached package does. */
async function pack(versions, folder) {
  try {
    const names = versions.map((version) => `${PACKAGE}@${version}`);
    const { stdout } = await run("npm", ["pack", "--json", ...names], { cwd: folder, maxBuffer: 1 << 24 });
    return JSON.parse(stdout);
  } catch (error) {
    const reason = String(error.stderr ?? error).match(/npm error ((?!code|errno|syscall).+)/)?.[1] ?? String(error);
    throw new Unreachable(`${PACKAGE} can't be fetched from the registry: ${reason}`);
  }
}

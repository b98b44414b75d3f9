// Writes npm-shrinkwrap.json for the package: the exact versions, with their hashes, of all that it needs at run time. npm reads it where the
// package is installed; package-lock.json counts in a clone only, and so is not packed.
//   node --import ./.ci/ts.mjs src/build/shrinkwrap.ts [--remove]

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Locked {
  readonly dev?: true;
  readonly devDependencies?: object;
  readonly hasInstallScript?: true;
}

interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

const ROOT = new URL("../../", import.meta.url);
const SHRINKWRAP = fileURLToPath(new URL("npm-shrinkwrap.json", ROOT));

/** The lock without what only development needs. */
export function withoutDevelopment(lock: Lock): Lock {
  const { "": own = {}, ...others } = lock.packages;
  const { devDependencies: _, hasInstallScript: __, ...root } = own;
  const needed = Object.entries(others).filter(([, { dev }]) => dev !== true);
  return { ...lock, packages: { "": root, ...Object.fromEntries(needed) } };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--remove")) rmSync(SHRINKWRAP, { force: true });
  else {
    const lock = JSON.parse(readFileSync(new URL("package-lock.json", ROOT), "utf8")) as Lock;
    writeFileSync(SHRINKWRAP, `${JSON.stringify(withoutDevelopment(lock), undefined, 2)}\n`);
  }
}

// Tests that the build produces the same bytes under every Node.

import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { copyPackage } from "../helpers/package-copy.mjs";
import { ROOT } from "../helpers/programs.mjs";

/** Builds code and lists under each Node in copies under `folder`. Returns the files that differ from the package's. */
export function findDifferentBuilds(nodes, folder) {
  return nodes.flatMap(({ version, program }) => {
    const root = join(folder, `built-${version}`);
    copyPackage(root);
    for (const name of [".ci", "src", "data", "package-lock.json", "tsconfig.json"])
      cpSync(join(ROOT, name), join(root, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
    const build = ["--import", join(root, ".ci/ts.mjs"), join(root, "src/build/build.ts"), "code", "lists"];
    execFileSync(program, build, { stdio: ["ignore", "ignore", "inherit"] });
    const files = readdirSync(join(root, "dist")).filter((name) => /\.(cjs|bin)$/.test(name));
    return files
      .filter((name) => !readFileSync(join(root, "dist", name)).equals(readFileSync(join(ROOT, "dist", name))))
      .map((name) => `dist/${name} built by ${version} differs`);
  });
}

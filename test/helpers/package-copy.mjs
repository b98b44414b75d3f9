// Copies the built package, so that a test can damage it, change it or run it under another Node.

import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./programs.mjs";

/** Copies what the command and the library need to `root`. Returns the path of the command. */
export function copyPackage(root) {
  mkdirSync(join(root, "dist"), { recursive: true });
  for (const name of ["package.json", "bin"]) cpSync(join(ROOT, name), join(root, name), { recursive: true });
  for (const name of readdirSync(join(ROOT, "dist"))) {
    if (/\.(cjs|bin)$/.test(name)) cpSync(join(ROOT, "dist", name), join(root, "dist", name));
  }
  for (const name of ["lock", "engines", "lib", "page"]) {
    cpSync(join(ROOT, "dist", name), join(root, "dist", name), { recursive: true });
  }
  return join(root, "bin/addrsift.cjs");
}

// Where packages are loaded from. The build copies those that `detect` and `lists` use into dist/packages, so that these commands run
// where nothing is installed, such as on an executor of Spark.

import type { Modules } from "./runtime.ts";

/** Packages with a copy in dist/packages; the build makes one file for each. */
export const COPIED_PACKAGES = [
  "cli-table3",
  "commander",
  "ipaddr.js",
  "punycode/",
  "string-width",
  "tldts",
  "tr46",
  "wrap-ansi",
] as const satisfies readonly (keyof Modules)[];

const COPIED: ReadonlySet<string> = new Set(COPIED_PACKAGES);

/** The file name of a copy, in dist/packages. */
export function copyName(name: string): string {
  return `${name.replace("/", "")}.cjs`;
}

/** Loads packages and Node's modules. `require` is resolved from the package's `bin/`. */
export function packageLoader(
  require: (name: string) => unknown,
): <Name extends keyof Modules>(name: Name) => Modules[Name] {
  return <Name extends keyof Modules>(name: Name) =>
    require(COPIED.has(name) ? `../dist/packages/${copyName(name)}` : name) as Modules[Name];
}

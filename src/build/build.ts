// Maintainers' program: makes dist/, or parts of it; with --fresh only those that are older than their sources.
//   npm run build [-- [--fresh] code lists types]

import { readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

interface Part {
  readonly sources: readonly string[];
  /** The file of the part whose time is that of its last build. */
  readonly mark: string;
  make(root: string): Promise<unknown>;
}

const PARTS: Readonly<Record<string, Part>> = {
  code: {
    sources: ["src", "package-lock.json"],
    mark: "dist/run.cjs",
    make: async (root) => (await import("./bundle.ts")).buildCode(root),
  },
  lists: {
    sources: [
      ...["address", "base", "curation", "lists"].map((room) => `src/${room}`),
      ...["src/build/lists.ts", "data", "package-lock.json"],
    ],
    mark: "dist/lists.bin",
    make: async (root) => (await import("./lists.ts")).buildLists(root),
  },
  types: {
    sources: ["src", "tsconfig.json"],
    mark: "dist/types/library/index.d.ts",
    make: async (root) => (await import("./types.ts")).buildTypes(root),
  },
};
const ROOT = join(import.meta.dirname, "../..");

/** The latest change of a file, or of any file in a folder, in milliseconds since 1970; 0 for one that is missing. */
function newest(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  const names = readdirSync(path).filter((name) => name !== "node_modules");
  // The folder's own time shows that a file was removed.
  return Math.max(stat.mtimeMs, ...names.map((name) => newest(join(path, name))));
}

const args = process.argv.slice(2);
const names = args.filter((arg) => arg !== "--fresh");
for (const name of names.length > 0 ? names : Object.keys(PARTS)) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`unknown part ${name}: use ${Object.keys(PARTS).join(", ")}`);
  const mark = join(ROOT, part.mark);
  if (args.includes("--fresh") && Math.max(...part.sources.map((path) => newest(join(ROOT, path)))) < newest(mark))
    continue;
  // A change during the build is newer than the part.
  const begun = new Date();
  console.error(`building ${name}`);
  await part.make(ROOT);
  utimesSync(mark, begun, begun);
}

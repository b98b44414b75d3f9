// The parts of dist/, and how those that are older than what they are made from are made again.

import { readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

export type Part = keyof typeof PARTS;

/**
 * The sources of each part, how it is made, and a file of it that is as new as the part. Programs are loaded when they
 * are needed.
 */
export const PARTS = {
  code: {
    sources: ["src", "package-lock.json"],
    mark: "dist/run.cjs",
    make: async (root: string): Promise<void> => (await import("./bundle.ts")).buildCode(root),
  },
  lists: {
    sources: ["src", "data", "package-lock.json"],
    mark: "dist/lists.bin",
    make: async (root: string): Promise<void> => (await import("./lists.ts")).buildLists(root),
  },
  types: {
    sources: ["src", "tsconfig.json"],
    mark: "dist/types/library/index.d.ts",
    make: async (root: string): Promise<void> => (await import("./types.ts")).buildTypes(root),
  },
} as const;

/** Makes these parts of `root`/dist where something that they are made from is newer. */
export async function buildFresh(root: string, parts: readonly Part[]): Promise<void> {
  for (const part of parts) {
    const { sources, mark, make } = PARTS[part];
    const path = join(root, mark);
    // From before the build, because a change while it runs must count.
    const now = new Date();
    if (Math.max(...sources.map((name) => newest(join(root, name)))) < newest(path)) continue;
    await make(root);
    utimesSync(path, now, now);
  }
}

/** The latest change of a file, or of any file below a folder, in milliseconds since 1970; 0 for what is not there. */
function newest(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  const below = readdirSync(path, { withFileTypes: true }).filter(({ name }) => name !== "node_modules");
  // The folder's own time shows that a file was removed.
  return Math.max(stat.mtimeMs, ...below.map(({ name }) => newest(join(path, name))));
}

// Maintainers' program: builds dist/, or parts of it. With --fresh, only parts whose sources have changed.
//   npm run build [-- [--fresh] code lists types]

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

interface Part {
  /** Files and folders that the output depends on. */
  readonly sources: readonly string[];
  /** The program that makes the part. If set, only the code that it imports is a source, not all of `src/`. */
  readonly program?: string;
  /** A file that exists after a build. */
  readonly output: string;
  make(root: string): Promise<unknown>;
}

const PARTS: Readonly<Record<string, Part>> = {
  code: {
    sources: ["src", "package.json", "package-lock.json"],
    output: "dist/run.cjs",
    make: async (root) => (await import("./bundle.ts")).buildCode(root),
  },
  lists: {
    sources: ["data", "package-lock.json"],
    program: "src/build/dist-lists.ts",
    output: "dist/lists.bin",
    make: async (root) => (await import("./dist-lists.ts")).buildLists(root),
  },
  types: {
    // The modules that src/library may import.
    sources: [
      ...["address", "base", "detection", "dns", "durable", "home", "library", "lists"].map((name) => `src/${name}`),
      ...["tsconfig.json", "package-lock.json"],
    ],
    program: "src/build/dist-types.ts",
    output: "dist/types/library/index.d.ts",
    make: async (root) => (await import("./dist-types.ts")).buildTypes(root),
  },
};
const ROOT = join(import.meta.dirname, "../..");

/** Returns a hash of everything that a part's output depends on. */
async function hashSources({ sources, program }: Part): Promise<string> {
  const hash = createHash("sha256");
  for (const path of sources.flatMap(listFiles)) hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)));
  if (program !== undefined) {
    const { outputFiles } = await build({
      entryPoints: [join(ROOT, program)],
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      // Without comments and unused functions.
      minifyWhitespace: true,
      write: false,
      logLevel: "warning",
    });
    for (const { contents } of outputFiles) hash.update(contents);
  }
  return hash.digest("hex");
}

/** Returns the path of a file, or the paths of all files in a folder, sorted, without installed packages. */
function listFiles(path: string): string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  const names = readdirSync(join(ROOT, path)).filter((name) => name !== "node_modules");
  return names.sort().flatMap((name) => listFiles(`${path}/${name}`));
}

const args = process.argv.slice(2);
const names = args.filter((arg) => arg !== "--fresh");
for (const name of names.length > 0 ? names : Object.keys(PARTS)) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`unknown part ${name}: use ${Object.keys(PARTS).join(", ")}`);
  const record = join(ROOT, `.cache/built-${name}`);
  // Computed first, so that a change during the build counts as newer.
  const hash = await hashSources(part);
  const isFresh = existsSync(join(ROOT, part.output)) && existsSync(record) && readFileSync(record, "utf8") === hash;
  if (isFresh && args.includes("--fresh")) continue;
  console.error(`building ${name}`);
  await part.make(ROOT);
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  writeFileSync(record, hash);
}

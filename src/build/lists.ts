// The compiled tables in dist. Compiling takes seconds, so tables are kept in .cache/ by the digest of what they are
// made from: the code that compiles, the packages that it uses, and data/.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { HAND_KEPT, packedFile } from "../curation/read-data.ts";
import { REMOVALS_FILE, SOURCE_KEYS, snapshotFile } from "../curation/sources.ts";
import { DEFAULT_CONFIDENCE } from "../lists/confidence.ts";
import { put } from "./bundle.ts";

/** Tables in .cache/: those of a few branches. */
const KEPT_TABLES = 24;
const TABLE = /^lists-[0-9a-f]{32}.*\.(?:bin|gz)$/;

type Program = typeof import("./compile-data.ts");
const packed = (bytes: Uint8Array): Uint8Array => gzipSync(bytes, { level: 9 });
/** Files by their names in dist. Small tables are for programs in browsers. */
const TABLES: Readonly<Record<string, (program: Program, root: string) => Uint8Array>> = {
  "lists.bin": ({ compileData }, root) => compileData(root),
  "lists-counted.bin.gz": ({ packData }, root) => packed(packData(root, DEFAULT_CONFIDENCE)),
  "lists-confirmed.bin.gz": ({ packData }, root) => packed(packData(root, "confirmed")),
};

/** Puts the tables of `root`/data into `root`/dist, and beside them what updates and look-ups need of it. */
export async function buildLists(root: string): Promise<void> {
  const cache = join(root, ".cache");
  const code = await compiler(root);
  const digest = digestOf(root, code);
  for (const [name, make] of Object.entries(TABLES)) {
    const path = join(cache, name.replace("lists", `lists-${digest}`));
    if (!existsSync(path)) {
      // A file, because imports of packages are resolved from where their importer is.
      const program = join(cache, "compile-table.mjs");
      put(program, code);
      put(path, make((await import(program)) as Program, root));
      removeOld(cache);
    }
    put(join(root, "dist", name), readFileSync(path));
  }
  const handKept = Object.values(HAND_KEPT).map(({ file }) => file);
  for (const file of [...handKept, "canaries.txt", REMOVALS_FILE, ...SOURCE_KEYS.map(snapshotFile)])
    put(join(root, packedFile(file)), packed(readFileSync(join(root, "data", file))));
}

async function compiler(root: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/build/compile-data.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    // For what sources require.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    absWorkingDir: root,
    write: false,
  });
  return (outputFiles[0] as { contents: Uint8Array }).contents;
}

function digestOf(root: string, code: Uint8Array): string {
  const hash = createHash("sha256")
    .update(code)
    .update(readFileSync(join(root, "package-lock.json")));
  const data = readdirSync(join(root, "data"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(tsv|txt)$/.test(name) && !name.includes("node_modules"))
    .sort();
  for (const name of data) hash.update(`\n${name}\n`).update(readFileSync(join(root, "data", name)));
  return hash.digest("hex").slice(0, 32);
}

function removeOld(cache: string): void {
  const tables = readdirSync(cache).filter((name) => TABLE.test(name));
  const ages = new Map(tables.map((name) => [name, statSync(join(cache, name)).mtimeMs]));
  tables.sort((a, b) => (ages.get(b) as number) - (ages.get(a) as number));
  for (const name of tables.slice(KEPT_TABLES)) rmSync(join(cache, name));
}

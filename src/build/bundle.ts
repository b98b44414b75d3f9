// The code of dist/: the command line as CommonJS files, the library as an ES module, the page, copies of packages with their licences,
// and the files for other engines. Packages that only the store and the daemon use stay outside. Two builds give the same octets.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { COPIED_PACKAGES, copyName } from "../cli/packages.ts";
import { RECIPES } from "../engines/recipes.ts";

/** Built into the files that import them, because each has one importer. */
const BUILT_IN = new Set(["chalk", "ipaddr.js", "lru-cache"]);
/** Files of `src/cli/`, and their names in dist. */
const BUNDLES = [
  ["entry", "addrsift"],
  ["run", "main"],
  ["dns", "dns"],
  ["commands/serve/daemon", "serve"],
] as const;
/** Files that are made from others than the code. */
const OF_OTHERS = /^lists\.bin$|\.d\.ts$/;
/** A large table is read faster by JSON.parse than as an object in code. */
const PARSED_JSON: Plugin = {
  name: "parsed JSON",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.json$/ }, ({ path }) => {
      const table = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
      return { contents: `module.exports = JSON.parse(${JSON.stringify(table)});` };
    });
  },
};

/** Makes all code below `root`/dist; files that stay the same are not touched, and others of earlier builds are removed. */
export async function buildCode(root: string): Promise<void> {
  const made = await Promise.all(partsOf(root).map((part) => built(root, part)));
  const files = new Map(made.flatMap(({ files }) => files));
  const packages = [...new Set(made.flatMap(({ packages }) => packages))].sort();
  files.set("packages/LICENSES.txt", Buffer.from(packages.map((folder) => licence(root, folder)).join("\n")));
  for (const { file } of Object.values(RECIPES))
    files.set(`engines/${file}`, readFileSync(join(root, "src/engines", file)));
  const dist = join(root, "dist");
  for (const [name, octets] of files) put(join(dist, name), octets);
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !OF_OTHERS.test(entry.name) && !files.has(relative(dist, path))) rmSync(path);
  }
}

/** Options of each call of esbuild. */
function partsOf(root: string): BuildOptions[] {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: object };
  const external = Object.keys(dependencies).filter((name) => !BUILT_IN.has(name));
  const page = join(root, "src/page");
  const command = {
    platform: "node",
    target: "node20.19",
    format: "cjs",
    external,
    outExtension: { ".js": ".cjs" },
    // In a CommonJS file esbuild knows no import.meta; code that loads a file of a package needs its place.
    define: { "import.meta.url": "__filename" },
  } as const;
  return [
    {
      ...command,
      sourcemap: "linked",
      entryPoints: BUNDLES.map(([source, out]) => ({ in: join(root, `src/cli/${source}.ts`), out })),
    },
    // The page for people: what its server side makes, and what browsers run.
    {
      ...command,
      sourcemap: "linked",
      entryPoints: [{ in: join(page, "document.tsx"), out: "page" }],
      tsconfig: join(page, "tsconfig.json"),
    },
    {
      platform: "browser",
      target: "es2022",
      format: "esm",
      entryPoints: [
        { in: join(page, "main.tsx"), out: "page/page" },
        { in: join(page, "style.css"), out: "page/page" },
      ],
      tsconfig: join(page, "tsconfig.json"),
    },
    ...COPIED_PACKAGES.map((name) => ({
      ...command,
      external: [],
      stdin: { contents: `module.exports = require(${JSON.stringify(name)});`, resolveDir: root },
      outfile: join(root, "dist/packages", copyName(name)),
      plugins: [PARSED_JSON],
    })),
    // The library: its users have the packages, and their own bundlers.
    {
      platform: "node",
      target: "node20.19",
      format: "esm",
      packages: "external",
      minify: false,
      sourcemap: "linked",
      entryPoints: [{ in: join(root, "src/index.ts"), out: "lib/index" }],
    },
  ];
}

/** The files that esbuild makes, with their names below dist, and the folders of the packages whose code is in them. */
async function built(
  root: string,
  part: BuildOptions,
): Promise<{ readonly files: [string, Uint8Array][]; readonly packages: string[] }> {
  const { outputFiles, metafile } = await build({
    bundle: true,
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    absWorkingDir: root,
    ...("outfile" in part ? {} : { outdir: join(root, "dist") }),
    sourcesContent: false,
    ...part,
    metafile: true,
    write: false,
  });
  const packages = Object.keys(metafile.inputs).flatMap((path) => {
    const folder = /^(?:.*\/)?(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
    return folder === null ? [] : [path.slice(0, folder[0].length - 1)];
  });
  return { files: outputFiles.map(({ path, contents }) => [relative(join(root, "dist"), path), contents]), packages };
}

/** Writes a file unless it has these octets. */
export function put(path: string, octets: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(octets)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, octets);
}

/** Name, version, licence and its text, as the package has them. */
function licence(root: string, folder: string): string {
  const path = join(root, folder);
  const about = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license: string;
  };
  const file = readdirSync(path).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no licence file, but its code is copied`);
  return `${about.name} ${about.version}, ${about.license}\n\n${readFileSync(join(path, file), "utf8").trim()}\n`;
}

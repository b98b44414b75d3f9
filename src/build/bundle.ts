// Build step: the command line as CommonJS files: a small one for the plain one-off, one with everything, one each for worker
// threads and live DNS. What `detect` uses of other packages is copied into dist, with the licences; what only the store and the daemon
// use stays outside. The files for other engines are copied. bin/addrsift.cjs keeps what V8 compiled of the small one; two builds give
// the same octets.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { COPIED_PACKAGES, copyName } from "../cli/packages.ts";
import { RECIPES } from "../engines/recipes.ts";

const root = join(import.meta.dirname, "../../..");
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: object };
// Built into the files that import them, because each has one importer.
const BUILT_IN = new Set(["chalk", "ipaddr.js", "lru-cache"]);
// In a CommonJS file esbuild knows no import.meta; code that loads a file of a package needs its place.
const common = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "cjs",
  external: Object.keys(dependencies).filter((name) => !BUILT_IN.has(name)),
  minify: true,
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  absWorkingDir: root,
  define: { "import.meta.url": "__filename" },
} as const;
/** A large table is read faster by JSON.parse than as an object in code. */
const parsedJson: Plugin = {
  name: "parsed JSON",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.json$/ }, ({ path }) => {
      const table = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
      return { contents: `module.exports = JSON.parse(${JSON.stringify(table)});` };
    });
  },
};
/** Folders of the packages whose code went into a file, as `node_modules/tldts`. */
const copied = new Set<string>();

// Kept code of an earlier build.
for (const name of readdirSync(join(root, "dist"))) if (name.includes(".cache")) rmSync(join(root, "dist", name));
for (const name of [
  "main",
  "worker",
  "dns",
  "dns-cached",
  "records",
  "serve",
  "completion",
  "lists",
  "overrides",
  "report",
]) {
  const { metafile } = await build({
    ...common,
    entryPoints: [join(root, `src/cli/bundles/${name}.ts`)],
    outfile: join(root, `dist/${name}.cjs`),
  });
  notePackages(metafile);
}
const { metafile: entryFile } = await build({
  ...common,
  entryPoints: [join(root, "src/cli/bundles/entry.ts")],
  outfile: join(root, "dist/addrsift.cjs"),
  banner: { js: "(function (exports, require, module) {" },
  footer: { js: "})" },
});
notePackages(entryFile);

// The page for people: what its server side makes, and what browsers run.
const { metafile: pageFile } = await build({
  ...common,
  entryPoints: [join(root, "src/server/page/document.tsx")],
  outfile: join(root, "dist/page.cjs"),
  tsconfig: join(root, "src/server/page/tsconfig.json"),
});
notePackages(pageFile);
const { metafile: browserFile } = await build({
  ...common,
  platform: "browser",
  target: "es2022",
  format: "esm",
  external: [],
  define: {},
  entryPoints: [
    { in: join(root, "src/server/page/main.tsx"), out: "page" },
    { in: join(root, "src/server/page/style.css"), out: "page" },
  ],
  outdir: join(root, "dist/page"),
  tsconfig: join(root, "src/server/page/tsconfig.json"),
});
notePackages(browserFile);

const packages = join(root, "dist/packages");
rmSync(packages, { recursive: true, force: true });
mkdirSync(packages);
for (const name of COPIED_PACKAGES) {
  const { metafile } = await build({
    ...common,
    external: [],
    stdin: { contents: `module.exports = require(${JSON.stringify(name)});`, resolveDir: root },
    outfile: join(packages, copyName(name)),
    plugins: [parsedJson],
  });
  notePackages(metafile);
}
writeFileSync(join(packages, "LICENSES.txt"), [...copied].sort().map(licence).join("\n"));

const engines = join(root, "dist/engines");
rmSync(engines, { recursive: true, force: true });
mkdirSync(engines);
for (const { file } of Object.values(RECIPES)) copyFileSync(join(root, "src/engines", file), join(engines, file));

function notePackages({ inputs }: Metafile): void {
  for (const path of Object.keys(inputs)) {
    const folder = /^(?:.*\/)?(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (folder !== null) copied.add(path.slice(0, folder[0].length - 1));
  }
}

/** Name, version, licence and its text, as the package has them. */
function licence(folder: string): string {
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

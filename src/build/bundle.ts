// Builds the code in dist/: the command line as CommonJS files, the library, the page, the bundled packages with their
// licenses and a bill of materials, and the files for other engines. Only pg and Node's modules are not bundled. Two
// builds make the same bytes.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { RECIPES } from "../engines/recipes.ts";
import { formatBill, formatLicenses, readPackage } from "./bill.ts";
import { PACKED_TABLE, replaceContents } from "./packed-tables.ts";

/** Replaces the entry of a package that contains more than the command uses. */
const PACKAGE_ENTRIES: Readonly<Record<string, string>> = {
  undici: `Object.assign(require("undici/lib/dispatcher/dispatcher").prototype, require("undici/lib/api"));
    exports.Client = require("undici/lib/dispatcher/client");
    exports.buildConnector = require("undici/lib/core/connect");`,
  // Most of tldts is its table, which both files would contain.
  tldts: `export { getPublicSuffix } from "tldts/dist/es6"; export * as table from "tldts/dist/es6/src/data/trie";`,
  "tldts/dist/cjs/src/data/trie.js": 'module.exports = require("./tldts.cjs").table;',
};
/** For an uncaught error of a program with the library, Node prints the line that threw it. */
const LIBRARY_LINE_LIMIT = 100;
/** CommonJS has no import.meta, whose URL is that of a file in dist/lib/. Jest's environment jsdom has no TextEncoder. */
const LIBRARY_GLOBALS = `"use strict";
const folderUrl = require("node:url").pathToFileURL(__dirname + "/lib/").href;
const { TextDecoder, TextEncoder } = require("node:util");`;
const LIBRARY = join(import.meta.dirname, "../library/index.ts");
/** Files in dist/ that other parts of the build write. */
const OTHER_OUTPUTS = /^lists(?:-counted)?\.bin(?:\.gz)?$|\.(?:tsv|txt)\.br$|\.d\.c?ts$/;
/** Platforms whose native file lock is packed. Other platforms use the command flock. */
const LOCK_PLATFORMS = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-arm64", "win32-x64"];
/** JSON.parse reads a large table faster than V8 parses an object literal. */
const JSON_AS_STRING = replaceContents(/\.json$/, (path) => {
  const table = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
  return `module.exports = JSON.parse(${JSON.stringify(table)});`;
});
/** fs-native-extensions loads its native code from its own folder; the bundle has it in dist/lock/. */
const NATIVE_LOCK = replaceContents(
  /fs-native-extensions.binding\.js$/,
  () => 'const load = require; module.exports = load("./lock/" + process.platform + "-" + process.arch + ".node");',
);

const WEB_ENTRY = "library for browsers";
/** Loads the library's entry a second time, with web.ts in place of platform.ts. */
const WEB_LIBRARY: Plugin = {
  name: "web library",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: new RegExp(WEB_ENTRY) }, () => ({ path: LIBRARY, namespace: "web" }));
    onResolve({ filter: /^\.\/platform\.ts$/, namespace: "web" }, () => ({ path: join(dirname(LIBRARY), "web.ts") }));
    onLoad({ filter: /^/, namespace: "web" }, ({ path }) => ({
      contents: readFileSync(path),
      loader: "ts",
      resolveDir: dirname(path),
    }));
  },
};

/** What is built as separate files in dist/: packages that the sources require, and sources imported dynamically. */
interface SplitFiles {
  readonly packages: Set<string>;
  readonly sources: Set<string>;
}

function splitFiles(root: string, { packages, sources }: SplitFiles): Plugin {
  const src = join(root, "src");
  return {
    name: "split files",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^[a-z]/ }, ({ path, kind, resolveDir }) => {
        if (kind !== "require-call" || isBuiltin(path) || path.endsWith(".json")) return undefined;
        if (!resolveDir.startsWith(src)) return undefined;
        packages.add(path);
        return { path: `./${packageFileOf(path)}`, external: true };
      });
      onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
        if (kind !== "dynamic-import" || !resolveDir.startsWith(src)) return undefined;
        const source = relative(src, join(resolveDir, path));
        sources.add(source);
        return { path: `./${outputNameOf(source)}.cjs`, external: true };
      });
    },
  };
}

/** Returns the name in dist/ of a source file: `cli/commands/lists/export.ts` becomes `lists-export`. */
function outputNameOf(source: string): string {
  return source.replace(/^cli\/(?:commands\/)?|\.ts$/g, "").replaceAll("/", "-");
}

function packageFileOf(name: string): string {
  return `${name.replace(/\/$/, "").replaceAll("/", "-")}.cjs`;
}

/** Builds all code in `root`/dist. Unchanged files keep their modification times; outdated files are deleted. */
export async function buildCode(root: string): Promise<void> {
  const split: SplitFiles = { packages: new Set(), sources: new Set() };
  const outputs = await Promise.all(entryOptions(root, split).map((options) => runBuild(root, options)));
  // Building one source can add others.
  for (const source of split.sources) outputs.push(await runBuild(root, commandOptions(root, source, split)));
  outputs.push(...(await Promise.all([...split.packages].map((name) => runBuild(root, packageOptions(root, name))))));
  const files = new Map<string, Uint8Array>(outputs.flatMap(({ files }) => files));
  const packages = [...new Set(outputs.flatMap(({ packages }) => packages))].map((folder) => readPackage(root, folder));
  packages.sort((a, b) => (a.component.purl < b.component.purl ? -1 : 1));
  files.set("lib/index.js", Buffer.from(`export * from ${JSON.stringify("../library.cjs")};\n`));
  files.set("LICENSES.txt", Buffer.from(formatLicenses(packages)));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const components = packages.map(({ component }) => component);
  files.set("bill.json", Buffer.from(formatBill(version, components)));
  for (const { file } of Object.values(RECIPES))
    files.set(`engines/${file}`, readFileSync(join(root, "src/engines", file)));
  const builds = join(root, "node_modules/fs-native-extensions/prebuilds");
  for (const platform of LOCK_PLATFORMS)
    files.set(`lock/${platform}.node`, readFileSync(join(builds, platform, "fs-native-extensions.node")));
  const dist = join(root, "dist");
  for (const [name, bytes] of files) writeIfChanged(join(dist, name), bytes);
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !OTHER_OUTPUTS.test(entry.name) && !files.has(relative(dist, path))) rmSync(path);
  }
}

const COMMAND = {
  platform: "node",
  target: "node20.19",
  format: "cjs",
  lineLimit: 500,
} as const satisfies BuildOptions;

function commandOptions(root: string, source: string, split: SplitFiles, out = outputNameOf(source)): BuildOptions {
  return {
    ...COMMAND,
    entryPoints: [{ in: join(root, "src", source), out }],
    outExtension: { ".js": ".cjs" },
    sourcemap: "linked",
    // Patterns with Unicode properties take V8 2 ms to check, so they become `new RegExp` calls, made when they run.
    // `import()` becomes `require`, which takes half the time.
    supported: { "regexp-sticky-and-unicode-flags": false, "dynamic-import": false },
    plugins: [splitFiles(root, split), NATIVE_LOCK, JSON_AS_STRING],
  };
}

/** Returns the esbuild options of everything but the files that `split` finds. */
function entryOptions(root: string, split: SplitFiles): BuildOptions[] {
  const page = join(root, "src/page");
  const tsconfig = join(page, "tsconfig.json");
  return [
    commandOptions(root, "cli/entry.ts", split, "addrsift"),
    // The library for Node. `import` loads it too.
    {
      ...commandOptions(root, "library/index.ts", split, "library"),
      sourcemap: false,
      lineLimit: LIBRARY_LINE_LIMIT,
      banner: { js: LIBRARY_GLOBALS },
      define: { "import.meta.url": "folderUrl" },
    },
    // The page: the document that the server writes, and the code that browsers run.
    { ...commandOptions(root, "page/document.tsx", split, "page"), tsconfig },
    {
      platform: "browser",
      target: "es2022",
      format: "esm",
      entryPoints: [
        { in: join(page, "main.tsx"), out: "page/page" },
        { in: join(page, "style.css"), out: "page/page" },
        { in: join(page, "report.css"), out: "page/report" },
      ],
      tsconfig,
      // Without line breaks, the compressed files are smaller.
      lineLimit: 0,
    },
    // The library for bundles for Node and for browsers, with shared code in chunks.
    {
      format: "esm",
      splitting: true,
      chunkNames: "lib/[name]-[hash]",
      platform: "browser",
      target: "es2022",
      external: ["node:*"],
      entryPoints: [
        { in: LIBRARY, out: "lib/bundler" },
        { in: WEB_ENTRY, out: "lib/web" },
      ],
      plugins: [WEB_LIBRARY, PACKED_TABLE, JSON_AS_STRING],
    },
  ];
}

/** Returns the esbuild options of a package as one file in dist/, which several files of the command load. */
function packageOptions(root: string, name: string): BuildOptions {
  return {
    ...COMMAND,
    stdin: {
      contents: PACKAGE_ENTRIES[name] ?? `module.exports = require(${JSON.stringify(name)});`,
      resolveDir: root,
    },
    outfile: join(root, "dist", packageFileOf(name)),
    external: ["./tldts.cjs"],
    // node:child_process takes 2 ms to load, and commander needs it only for commands that are programs.
    ...(name === "commander" && { alias: { "node:child_process": "node:path" } }),
    plugins: [JSON_AS_STRING],
  };
}

/** Runs esbuild. Returns the output files with their paths in dist/, and the folders of the packages in them. */
async function runBuild(root: string, options: BuildOptions) {
  const { outputFiles, metafile } = await build({
    bundle: true,
    minify: true,
    lineLimit: LIBRARY_LINE_LIMIT,
    // Chunk names hash the paths of modules, which must not depend on where node_modules links to.
    preserveSymlinks: true,
    legalComments: "none",
    logLevel: "warning",
    absWorkingDir: root,
    ...("outfile" in options ? {} : { outdir: join(root, "dist") }),
    sourcesContent: false,
    ...options,
    metafile: true,
    write: false,
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const packages = inputs.flatMap((path) => {
    const folder = /^(?:.*\/)?(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
    return folder === null ? [] : [path.slice(0, folder[0].length - 1)];
  });
  const dist = join(root, "dist");
  return { files: outputFiles.map(({ path, contents }) => [relative(dist, path), contents] as const), packages };
}

export function writeIfChanged(path: string, bytes: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(bytes)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

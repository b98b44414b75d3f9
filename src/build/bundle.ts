// The code of dist/: the command line as CommonJS files, the library as an ES module, the page, packages with their
// licences and a bill, and the files for other engines. Only pg and Node's modules stay outside. Two builds give the
// same bytes.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { RECIPES } from "../engines/recipes.ts";
import { PACKED_TABLE, replacing } from "./packed-tables.ts";

/** The part that is taken of a package, where its first file brings more than the command uses. */
const USED: Readonly<Record<string, string>> = {
  undici: `Object.assign(require("undici/lib/dispatcher/dispatcher").prototype, require("undici/lib/api"));
    exports.Client = require("undici/lib/dispatcher/client");
    exports.buildConnector = require("undici/lib/core/connect");`,
};
/** Files that other parts of the build make. */
const OF_OTHERS = /^lists(?:-counted)?\.bin(?:\.gz)?$|\.(?:tsv|txt)\.br$|\.d\.c?ts$/;
/** Platforms whose build of the file lock is packed; elsewhere the command flock locks. */
const LOCK_PLATFORMS = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-arm64", "win32-x64"];
/** A large table is read faster by JSON.parse than as an object in code. */
const PARSED_JSON = replacing(/\.json$/, (path) => {
  const table = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
  return `module.exports = JSON.parse(${JSON.stringify(table)});`;
});
/** The package of the file lock looks for its native code in its own folder; here that is in dist/lock. */
const NATIVE_LOCK = replacing(
  /fs-native-extensions.binding\.js$/,
  () => 'const load = require; module.exports = load("./lock/" + process.platform + "-" + process.arch + ".node");',
);

/** Without node:child_process, which commander loads for commands that are programs; loading it takes 2 ms. */
const STARTS_NOTHING: Plugin = {
  name: "starts nothing",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:child_process$/ }, ({ path }) => ({ path, namespace: "nothing" }));
    onLoad({ filter: /^/, namespace: "nothing" }, () => ({ contents: "" }));
  },
};

/** For the library where there are no files. */
const IN_BROWSERS: Plugin = {
  name: "in browsers",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/platform\.ts$/ }, ({ resolveDir }) => ({ path: join(resolveDir, "web.ts") }));
  },
};

/** Files of dist/ that other files of it load: packages that sources require, and sources that they import later. */
interface Separate {
  readonly packages: Set<string>;
  readonly sources: Set<string>;
}

function separateFiles(root: string, { packages, sources }: Separate): Plugin {
  const src = join(root, "src");
  return {
    name: "separate files",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^[a-z]/ }, ({ path, kind, resolveDir }) => {
        if (kind !== "require-call" || isBuiltin(path) || path.endsWith(".json")) return undefined;
        if (!resolveDir.startsWith(src)) return undefined;
        packages.add(path);
        return { path: `./${packageFile(path)}`, external: true };
      });
      onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
        if (kind !== "dynamic-import" || !resolveDir.startsWith(src)) return undefined;
        const source = relative(src, join(resolveDir, path));
        sources.add(source);
        return { path: `./${sourceFile(source)}.cjs`, external: true };
      });
    },
  };
}

/** The name in dist of a file of src: `cli/commands/lists/export.ts` is lists-export. */
function sourceFile(source: string): string {
  return source.replace(/^cli\/(?:commands\/)?|\.ts$/g, "").replaceAll("/", "-");
}

function packageFile(name: string): string {
  return `${name.replace(/\/$/, "").replaceAll("/", "-")}.cjs`;
}

/** Makes all code below `root`/dist. Files that stay the same keep their times, and those of earlier builds go. */
export async function buildCode(root: string): Promise<void> {
  const separate: Separate = { packages: new Set(), sources: new Set() };
  const made = await Promise.all(partsOf(root, separate).map((part) => built(root, part)));
  // Building one source can add others.
  for (const source of separate.sources) made.push(await built(root, commandPart(root, source, separate)));
  made.push(...(await Promise.all([...separate.packages].map((name) => built(root, packagePart(root, name))))));
  const files = new Map<string, Uint8Array>(made.flatMap(({ files }) => files));
  const packages = [...new Set(made.flatMap(({ packages }) => packages))].map((folder) => packageIn(root, folder));
  packages.sort((a, b) => (a.purl < b.purl ? -1 : 1));
  files.set("lib/index.cjs", Buffer.from('module.exports = require("./index.js");\n'));
  files.set("LICENSES.txt", Buffer.from(packages.map(({ text }) => text).join("\n")));
  files.set("bill.json", Buffer.from(billOf(root, packages)));
  for (const { file } of Object.values(RECIPES))
    files.set(`engines/${file}`, readFileSync(join(root, "src/engines", file)));
  const builds = join(root, "node_modules/fs-native-extensions/prebuilds");
  for (const platform of LOCK_PLATFORMS)
    files.set(`lock/${platform}.node`, readFileSync(join(builds, platform, "fs-native-extensions.node")));
  const dist = join(root, "dist");
  for (const [name, bytes] of files) put(join(dist, name), bytes);
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !OF_OTHERS.test(entry.name) && !files.has(relative(dist, path))) rmSync(path);
  }
}

const COMMAND = {
  platform: "node",
  target: "node20.19",
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  // In a CommonJS file esbuild knows no import.meta; code that loads a file of a package needs its place.
  define: { "import.meta.url": "__filename" },
} as const satisfies BuildOptions;

function commandPart(root: string, source: string, separate: Separate, out = sourceFile(source)): BuildOptions {
  return {
    ...COMMAND,
    entryPoints: [{ in: join(root, "src", source), out }],
    sourcemap: "linked",
    // V8 checks a pattern where it reads it, and those of Unicode's properties take 2 ms: they are made when they run.
    // `import()` of a file of dist becomes `require`, which takes half the time.
    supported: { "regexp-sticky-and-unicode-flags": false, "dynamic-import": false },
    plugins: [separateFiles(root, separate), NATIVE_LOCK, PARSED_JSON],
  };
}

/** Options of the first calls of esbuild. */
function partsOf(root: string, separate: Separate): BuildOptions[] {
  const page = join(root, "src/page");
  const tsconfig = join(page, "tsconfig.json");
  return [
    commandPart(root, "cli/entry.ts", separate, "addrsift"),
    // The page: its server side, and what browsers run.
    { ...commandPart(root, "page/document.tsx", separate, "page"), tsconfig },
    {
      platform: "browser",
      target: "es2022",
      format: "esm",
      entryPoints: [
        { in: join(page, "main.tsx"), out: "page/page" },
        { in: join(page, "style.css"), out: "page/page" },
      ],
      tsconfig,
    },
    library(root, "index", { platform: "node", target: "node20.19" }),
    library(root, "web", {
      platform: "browser",
      target: "es2022",
      plugins: [IN_BROWSERS, PACKED_TABLE, PARSED_JSON],
    }),
  ];
}

/**
 * The library for one kind of place. What an ASCII address does not need is in functions that run when it is needed.
 */
function library(root: string, out: string, place: BuildOptions): BuildOptions {
  const entry = { in: join(root, "src/library/index.ts"), out: `lib/${out}` };
  return { format: "esm", charset: "utf8", entryPoints: [entry], plugins: [PACKED_TABLE, PARSED_JSON], ...place };
}

/** A package as a file of dist, which the command's files share. */
function packagePart(root: string, name: string): BuildOptions {
  const { outExtension: _, ...options } = COMMAND;
  return {
    ...options,
    stdin: { contents: USED[name] ?? `module.exports = require(${JSON.stringify(name)});`, resolveDir: root },
    outfile: join(root, "dist", packageFile(name)),
    plugins: name === "commander" ? [STARTS_NOTHING] : [PARSED_JSON],
  };
}

/** The files of a part by their names below dist, and the folders of the packages in them. */
async function built(root: string, part: BuildOptions) {
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
  const taken = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const packages = taken.flatMap((path) => {
    const folder = /^(?:.*\/)?(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
    return folder === null ? [] : [path.slice(0, folder[0].length - 1)];
  });
  const dist = join(root, "dist");
  return { files: outputFiles.map(({ path, contents }) => [relative(dist, path), contents] as const), packages };
}

/** Writes a file unless it has these bytes. */
export function put(path: string, bytes: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(bytes)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

function packageIn(root: string, folder: string) {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const { name, version, license } = JSON.parse(read(`${folder}/package.json`)) as Record<
    "name" | "version" | "license",
    string
  >;
  const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) throw new Error(`${folder} has no licence file, but its code is copied`);
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { integrity: string }> };
  const integrity = packages[folder.slice(folder.indexOf("node_modules/"))]?.integrity ?? "";
  return {
    name,
    version,
    license,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    // SHA-512 of what the registry gave, from the lock.
    digest: Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex"),
    text: `${name} ${version}, ${license}\n\n${read(`${folder}/${file}`).trim()}\n`,
  };
}

/** The bill of materials in CycloneDX 1.6, without time and serial number, so that two builds agree. */
function billOf(root: string, packages: readonly ReturnType<typeof packageIn>[]): string {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const components = packages.map(({ name, version, license, purl, digest }) => ({
    type: "library",
    "bom-ref": purl,
    name,
    version,
    hashes: [{ alg: "SHA-512", content: digest }],
    licenses: [license.includes(" ") ? { expression: license } : { license: { id: license } }],
    purl,
  }));
  const component = { type: "application", "bom-ref": "addrsift", name: "addrsift", version };
  const bill = { bomFormat: "CycloneDX", specVersion: "1.6", version: 1, metadata: { component }, components };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

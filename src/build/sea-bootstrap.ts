// The main script of the executable, which contains the package's files as assets. The code in dist/ sees them as files
// in a folder with the path of the executable: `require` and `node:fs` are replaced for it.

import fs from "node:fs";
import { createRequire, wrap } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, normalize, resolve } from "node:path";
import { getRawAsset } from "node:sea";
import { Script } from "node:vm";

interface ModuleRecord {
  exports: unknown;
}

// Without /proc, execPath may be relative.
const ROOT = resolve(process.execPath);
/** File descriptors of assets, greater than any that a system uses. */
const FIRST_DESCRIPTOR = 2 ** 30;
const openAssets: Uint8Array[] = [];
const moduleCache = new Map<string, ModuleRecord>();
/** Where a user installs packages that are not bundled, such as pg. npm's global packages are found from there too. */
const PACKAGES_FOLDER = resolve(dirname(ROOT), "../lib/addrsift");
const systemRequire = createRequire(join(PACKAGES_FOLDER, "package.json"));

/** Returns the bytes of a file of the package, without copying them. Returns undefined for any other path. */
function readAsset(path: unknown): Buffer | undefined {
  if (typeof path !== "string" || !path.startsWith(`${ROOT}/`)) return undefined;
  try {
    return Buffer.from(getRawAsset(path.slice(ROOT.length + 1)) as ArrayBuffer);
  } catch {
    return undefined;
  }
}

/** Overrides a function of node:fs for files of the package. */
function override<Name extends keyof typeof fs>(
  name: Name,
  readFrom: (bytes: Buffer, ...rest: never[]) => unknown,
): object {
  const system = fs[name] as (...args: unknown[]) => unknown;
  const replacement = (first: unknown, ...rest: unknown[]): unknown => {
    const bytes =
      typeof first === "number" && first >= FIRST_DESCRIPTOR ? openAssets[first - FIRST_DESCRIPTOR] : readAsset(first);
    return bytes === undefined ? system(first, ...rest) : readFrom(bytes as Buffer, ...(rest as never[]));
  };
  return { [name]: replacement };
}

// fs is the prototype, because copying it would load node:fs/promises.
const ASSET_FS: object = Object.assign(Object.create(fs), {
  ...override("existsSync", () => true),
  ...override("openSync", (bytes) => FIRST_DESCRIPTOR + openAssets.push(bytes) - 1),
  ...override("closeSync", () => undefined),
  ...override("fstatSync", ({ length }) => ({ size: length, isFile: () => true })),
  ...override("readSync", (from, to: Uint8Array, at: number, length: number, start: number) =>
    from.copy(to, at, start, start + length),
  ),
  ...override("readFileSync", (bytes, encoding?: BufferEncoding) =>
    encoding === undefined ? bytes : bytes.toString(encoding),
  ),
});

const OWN_MODULES: Readonly<Record<string, unknown>> = { fs: ASSET_FS, "node:fs": ASSET_FS };

/** Creates the `require` of a folder of the package. */
function createLoader(folder: string): (name: string) => unknown {
  return (name) => {
    if (Object.hasOwn(OWN_MODULES, name)) return OWN_MODULES[name];
    const path = name.startsWith(ROOT) ? name : normalize(`${folder}/${name}`);
    const bytes = readAsset(path);
    return bytes === undefined ? systemRequire(name) : loadModule(path, bytes);
  };
}

function loadModule(path: string, bytes: Buffer): unknown {
  const loadedModule = moduleCache.get(path);
  if (loadedModule !== undefined) return loadedModule.exports;
  const module: ModuleRecord = { exports: {} };
  moduleCache.set(path, module);
  if (path.endsWith(".json")) module.exports = JSON.parse(bytes.toString());
  else if (path.endsWith(".node")) loadNative(module, bytes);
  else {
    const script = new Script(wrap(bytes.toString()), { filename: path });
    script.runInThisContext()(module.exports, createLoader(dirname(path)), module, path, dirname(path));
  }
  return module.exports;
}

/** Loads native code, which must be in a file on the disk. */
function loadNative(module: ModuleRecord, bytes: Buffer): void {
  const folder = fs.mkdtempSync(join(tmpdir(), "addrsift-"));
  try {
    const file = join(folder, "lock.node");
    fs.writeFileSync(file, bytes, { mode: 0o700 });
    process.dlopen(module, file);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

const load = createLoader(`${ROOT}/bin`);
// The daemon starts list updates as with `node`: the first argument is the path of the command.
const args = process.argv.slice(process.argv[2] === `${ROOT}/bin/addrsift.cjs` ? 3 : 2);
const { main } = load("../dist/addrsift.cjs") as { main(args: string[], host: object): void };
main(args, { root: ROOT, load, packagesFolder: PACKAGES_FOLDER });

// The main script of the single executable application, whose assets are the package's files. Code of dist/ finds them
// with another `require` and `node:fs`, in a folder that has the executable's name and so can't be on the disk.

import fs from "node:fs";
import { createRequire, wrap } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, normalize, resolve } from "node:path";
import { getRawAsset } from "node:sea";
import { Script } from "node:vm";

type Load = (name: string) => unknown;
interface ModuleRecord {
  exports: unknown;
}

// Without /proc the path may be one for the shell only.
const ROOT = resolve(process.execPath);
/** Descriptors of assets, beyond all that a system uses. */
const FIRST = 2 ** 30;
const opened: Uint8Array[] = [];
const loaded = new Map<string, ModuleRecord>();
const outside = createRequire(ROOT);

/** The bytes of a file of the package, without a copy; undefined for another file. */
function asset(path: unknown): Buffer | undefined {
  if (typeof path !== "string" || !path.startsWith(`${ROOT}/`)) return undefined;
  try {
    return Buffer.from(getRawAsset(path.slice(ROOT.length + 1)) as ArrayBuffer);
  } catch {
    return undefined;
  }
}

/** A function of node:fs with another implementation for files of the package. */
function over<Name extends keyof typeof fs>(name: Name, act: (bytes: Buffer, ...rest: never[]) => unknown): object {
  const system = fs[name] as (...args: unknown[]) => unknown;
  const answer = (first: unknown, ...rest: unknown[]): unknown => {
    const bytes = typeof first === "number" && first >= FIRST ? opened[first - FIRST] : asset(first);
    return bytes === undefined ? system(first, ...rest) : act(bytes as Buffer, ...(rest as never[]));
  };
  return { [name]: answer };
}

// With fs as prototype, because a copy of it would load node:fs/promises.
const FILES: object = Object.assign(Object.create(fs), {
  ...over("existsSync", () => true),
  ...over("openSync", (bytes) => FIRST + opened.push(bytes) - 1),
  ...over("closeSync", () => undefined),
  ...over("fstatSync", ({ length }) => ({ size: length, isFile: () => true })),
  ...over("readSync", (from, to: Uint8Array, at: number, length: number, start: number) =>
    from.copy(to, at, start, start + length),
  ),
  ...over("readFileSync", (bytes, encoding?: BufferEncoding) =>
    encoding === undefined ? bytes : bytes.toString(encoding),
  ),
});

const OWN: Readonly<Record<string, unknown>> = { fs: FILES, "node:fs": FILES };

/** `require` for a file in this folder of the package. Other packages, such as pg, may be beside the executable. */
function loader(folder: string): Load {
  return (name) => {
    if (Object.hasOwn(OWN, name)) return OWN[name];
    const path = name.startsWith(ROOT) ? name : normalize(`${folder}/${name}`);
    const bytes = asset(path);
    return bytes === undefined ? outside(name) : run(path, bytes);
  };
}

function run(path: string, bytes: Buffer): unknown {
  const known = loaded.get(path);
  if (known !== undefined) return known.exports;
  const module: ModuleRecord = { exports: {} };
  loaded.set(path, module);
  if (path.endsWith(".json")) module.exports = JSON.parse(bytes.toString());
  else if (path.endsWith(".node")) open(module, bytes);
  else {
    const script = new Script(wrap(bytes.toString()), { filename: path });
    script.runInThisContext()(module.exports, loader(dirname(path)), module, path, dirname(path));
  }
  return module.exports;
}

/** The system loads native code only from a file. */
function open(module: ModuleRecord, bytes: Buffer): void {
  const folder = fs.mkdtempSync(join(tmpdir(), "addrsift-"));
  try {
    const file = join(folder, "lock.node");
    fs.writeFileSync(file, bytes, { mode: 0o700 });
    process.dlopen(module, file);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

const load = loader(`${ROOT}/bin`);
// The daemon starts updates as it does with Node and the command's file.
const args = process.argv.slice(process.argv[2] === `${ROOT}/bin/addrsift.cjs` ? 3 : 2);
const { main } = load("../dist/addrsift.cjs") as { main(args: string[], host: object): void };
main(args, { root: ROOT, load });

// Packs the command, its lists and Node as one executable file, for machines where nothing is installed. Two runs give
// the same bytes.
//   npm run pack:executor [-- FILE [NODE]]
// NODE is the Node to pack, of this version, such as one for arm64; default: this one.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";

type Inject = (
  file: string,
  name: string,
  bytes: Uint8Array,
  options: { readonly sentinelFuse: string },
) => Promise<void>;

const { inject } = createRequire(import.meta.url)("postject") as { readonly inject: Inject };
const ROOT = join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
const { execPath, argv } = process;
const node = argv[3] ?? execPath;
const platform = `linux-${architectureOf(readFileSync(node))}`;
const executable = resolve(argv[2] ?? `addrsift-${version}-${platform}`);
// https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html
const FUSE = { sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2" };

const folder = mkdtempSync(join(tmpdir(), "addrsift-pack-"));
try {
  const bootstrap = join(folder, "sea-bootstrap.cjs");
  await build({
    entryPoints: [join(ROOT, "src/build/sea-bootstrap.ts")],
    outfile: bootstrap,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
  });
  const assets = Object.fromEntries(names().map((name) => [name, join(ROOT, name)]));
  const [settings, blob] = [join(folder, "settings.json"), join(folder, "blob")];
  // The main file's name becomes a part of the result, so it is without the folder.
  const start = { main: "sea-bootstrap.cjs", output: blob, assets, disableExperimentalSEAWarning: true };
  writeFileSync(settings, JSON.stringify(start));
  const { status } = spawnSync(execPath, ["--experimental-sea-config", settings], {
    cwd: folder,
    stdio: ["ignore", "ignore", 2],
  });
  if (status !== 0) throw new Error("node could not pack the files");
  copyFileSync(node, executable);
  await inject(executable, "NODE_SEA_BLOB", readFileSync(blob), FUSE);
  console.log(executable);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The files of the package that the command may read. The library, types, source maps and examples stay out. */
function names(): string[] {
  const own = ["LICENSE", "NOTICE", "package.json", `dist/lock/${platform}.node`];
  const below = (name: string, kept: RegExp): string[] =>
    readdirSync(join(ROOT, name)).flatMap((one) => (kept.test(one) ? [`${name}/${one}`] : []));
  return [
    ...own,
    ...below("dist", /^(?:.*\.cjs|LICENSES\.txt|bill\.json|lists\.bin)$/),
    ...below("dist/data", /^/),
    ...below("dist/page", /^/),
    ...below("dist/engines", /^/),
  ].sort();
}

/** The architecture of a program, by the machine's number in its ELF header. */
function architectureOf(program: Buffer): string {
  const known: Readonly<Record<number, string>> = { 62: "x64", 183: "arm64" };
  const found = known[program.readUInt16LE(18)];
  if (found === undefined) throw new Error(`${node} must be a Node for Linux on x64 or arm64`);
  return found;
}

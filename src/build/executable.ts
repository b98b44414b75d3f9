// Maintainers' program: packs the command, its lists and Node into one executable, for machines without Node. Two runs
// make the same bytes.
//   npm run pack:executable [-- FILE]

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arch } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { makeTemporaryFolder, runProgram } from "./generated.ts";
import { requireDist } from "./pack.ts";

type Inject = (
  file: string,
  name: string,
  bytes: Uint8Array,
  options: { readonly sentinelFuse: string },
) => Promise<void>;

const { inject } = createRequire(import.meta.url)("postject") as { readonly inject: Inject };
const ROOT = join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
const { execPath } = process;
const platform = `linux-${arch()}`;
const executable = resolve(process.argv[2] ?? `addrsift-${version}-${platform}`);
// https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html
const FUSE = { sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2" };

await runProgram(async () => {
  requireDist();
  const folder = makeTemporaryFolder();
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
  const assets = Object.fromEntries(listAssets().map((name) => [name, join(ROOT, name)]));
  const [configFile, blob] = [join(folder, "config.json"), join(folder, "blob")];
  // The path of the main file becomes part of the executable, so it must not name the temporary folder.
  const config = { main: "sea-bootstrap.cjs", output: blob, assets, disableExperimentalSEAWarning: true };
  writeFileSync(configFile, JSON.stringify(config));
  execFileSync(execPath, ["--experimental-sea-config", configFile], { cwd: folder, stdio: ["ignore", "ignore", 2] });
  // Removing the symbols makes Node an eighth smaller. After the injection, `strip` would break the file.
  execFileSync("strip", ["-o", executable, execPath]);
  await inject(executable, "NODE_SEA_BLOB", readFileSync(blob), FUSE);
  console.log(executable);
});

/** Lists the files of the package that the command may read: no library, types, source maps or examples. */
function listAssets(): string[] {
  const single = ["LICENSE", "NOTICE", "package.json", `dist/lock/${platform}.node`];
  const filesIn = (folder: string, pattern = /^/): string[] =>
    readdirSync(join(ROOT, folder)).flatMap((file) => (pattern.test(file) ? [`${folder}/${file}`] : []));
  return [
    ...single,
    ...filesIn("dist", /^(?:(?!library).*\.cjs|LICENSES\.txt|bill\.json|lists\.bin)$/),
    ...filesIn("dist/data"),
    ...filesIn("dist/page"),
    ...filesIn("dist/engines"),
  ].sort();
}

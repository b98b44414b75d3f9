// Build step: the command line as CommonJS files: a small one for the plain one-off, one with everything, one each for worker
// threads and live DNS. Packages stay outside and are loaded when they are needed. The small one comes with V8's code cache, which
// halves what it adds to Node's start.

import fs, { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { build } from "esbuild";
import type { main } from "../cli/bundles/entry.ts";

const root = join(import.meta.dirname, "../../..");
const common = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "cjs",
  packages: "external",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
} as const;

for (const name of ["main", "worker", "dns", "dns-cached", "records", "serve"]) {
  await build({
    ...common,
    entryPoints: [join(root, `src/cli/bundles/${name}.ts`)],
    outfile: join(root, `dist/${name}.cjs`),
  });
}
const entry = join(root, "dist/addrsift.cjs");
await build({
  ...common,
  entryPoints: [join(root, "src/cli/bundles/entry.ts")],
  outfile: entry,
  banner: { js: "(function (exports, require, module) {" },
  footer: { js: "})" },
});
await writeCodeCache();

/** Runs the entry once, unseen, so that the functions it needs are compiled, and keeps what V8 made of them. */
async function writeCodeCache(): Promise<void> {
  const script = new Script(readFileSync(entry, "latin1"), { filename: entry });
  const load = createRequire(join(root, "bin/addrsift.cjs"));
  const module = { exports: {} as { main: typeof main } };
  script.runInThisContext()(module.exports, load, module);
  const addresses = [
    "Jane.Doe+news@gmail.com",
    "info@mailinator.com",
    "someone@no-list-has-this.example.org",
    "broken@",
  ];
  const status = process.exitCode;
  const { writeSync } = fs;
  fs.writeSync = (_descriptor: number, octets: unknown) => (octets as { length: number }).length;
  await module.exports.main(["detect", "--offline", "--format", "ndjson", ...addresses], { root, load });
  fs.writeSync = writeSync;
  process.exitCode = status;
  writeFileSync(join(root, "dist/addrsift.cache"), script.createCachedData());
}

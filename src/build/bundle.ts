// Build step: the command line as CommonJS files: a small one for the plain one-off, one with everything, one each for worker
// threads and live DNS. Dependencies stay outside and are loaded when they are needed; what is only a development dependency is built in.
// bin/addrsift.cjs keeps what V8 compiled of the small one; two builds give the same octets.

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../../..");
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: object };
const common = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "cjs",
  external: Object.keys(dependencies),
  minify: true,
  legalComments: "none",
  logLevel: "warning",
} as const;

// Kept code of an earlier build.
for (const name of readdirSync(join(root, "dist"))) if (name.includes(".cache")) rmSync(join(root, "dist", name));
for (const name of ["main", "worker", "dns", "dns-cached", "records", "serve", "completion"]) {
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

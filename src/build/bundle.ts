// Build step: the command line as one CommonJS file. Packages stay outside and are loaded when they are needed.

import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../../..");
await build({
  entryPoints: [join(root, "src/cli/main.ts")],
  outfile: join(root, "dist/addrsift.cjs"),
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "cjs",
  packages: "external",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
});

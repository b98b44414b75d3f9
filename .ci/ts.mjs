// Runs TypeScript where it stands: `node --import ./.ci/ts.mjs FILE`. Programs of src/build, soaks and benches need no
// build then, and their stack traces show the sources with --enable-source-maps.

import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { transformSync } from "esbuild";

const LENT_REQUIRE = 'import { createRequire as lend } from "node:module"; const require = lend(import.meta.url);';

/** A hook of Node's: the code of a module. */
export function load(url, context, next) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return next(url, context);
  const path = fileURLToPath(url);
  const source = readFileSync(path, "utf8");
  const { code } = transformSync(source, {
    loader: "ts",
    format: "esm",
    sourcefile: path,
    sourcemap: "inline",
    target: "node20.19",
    // The build bundles what a source requires; here Node loads it.
    ...(source.includes(" require(") ? { banner: LENT_REQUIRE } : {}),
  });
  return { format: "module", source: code, shortCircuit: true };
}

// Before Node 22.15, hooks run in a thread of their own, which loads this file again.
if (nodeModule.registerHooks !== undefined) nodeModule.registerHooks({ load });
else if (isMainThread) nodeModule.register(import.meta.url);

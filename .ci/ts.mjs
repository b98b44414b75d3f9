// Runs TypeScript files without a build: `node --import ./.ci/ts.mjs FILE`, for the programs of src/build, soaks and
// benches. With --enable-source-maps, stack traces show the sources.

import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { transformSync } from "esbuild";

const REQUIRE_BANNER =
  'import { createRequire as create } from "node:module"; const require = create(import.meta.url);';

/** Node's `load` hook: compiles TypeScript modules. */
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
    // The build bundles required packages; here Node loads them.
    ...(source.includes(" require(") ? { banner: REQUIRE_BANNER } : {}),
  });
  return { format: "module", source: code, shortCircuit: true };
}

// Before Node 22.15, hooks run in a thread of their own, which loads this file again.
if (nodeModule.registerHooks !== undefined) nodeModule.registerHooks({ load });
else if (isMainThread) nodeModule.register(import.meta.url);

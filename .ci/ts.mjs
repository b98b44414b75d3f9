// Runs TypeScript where it stands: `node --import ./.ci/ts.mjs FILE`. Programs of src/build, soaks and benches need no build then, and
// their stack traces show the sources with --enable-source-maps.

import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { transformSync } from "esbuild";

/** A hook of Node's: the code of a module. */
export function load(url, context, next) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return next(url, context);
  const path = fileURLToPath(url);
  const { code } = transformSync(readFileSync(path, "utf8"), {
    loader: "ts",
    format: "esm",
    sourcefile: path,
    sourcemap: "inline",
    target: "node20.19",
  });
  return { format: "module", source: code, shortCircuit: true };
}

// Before Node 22.15, hooks run in a thread of their own, which loads this file again.
if (nodeModule.registerHooks !== undefined) nodeModule.registerHooks({ load });
else if (isMainThread) nodeModule.register(import.meta.url);

// Maintainers' program: makes a call of the command in dist/ and keeps the code into which V8 compiled the files that
// it loaded, for the executable file, which always runs them in the same V8. With a fixed seed two runs give the same
// bytes.
//   node --random-seed=1 --import ./.ci/ts.mjs src/build/compiled.ts FOLDER ARGUMENTS...

import { readFileSync, writeFileSync } from "node:fs";
import module from "node:module";
import { basename, dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";

const ROOT = join(import.meta.dirname, "../..");
const [folder = ".", ...call] = process.argv.slice(2);
const scripts = new Map<string, Script>();
const loaded = new Map<string, { exports: unknown }>();

/** `require` for a file in this folder. */
function loader(from: string): (name: string) => unknown {
  const outside = module.createRequire(join(from, "any"));
  return (name) => {
    const path = outside.resolve(name);
    return path.endsWith(".cjs") ? (loaded.get(path)?.exports ?? run(path)) : outside(name);
  };
}

function run(path: string): unknown {
  const script = new Script(module.wrap(readFileSync(path, "utf8")), { filename: path });
  const made: { exports: unknown } = { exports: {} };
  scripts.set(path, script);
  loaded.set(path, made);
  script.runInThisContext()(made.exports, loader(dirname(path)), made, path, dirname(path));
  return made.exports;
}

// On a busy machine V8 would drop functions again. It compares its flags with those under which code was kept.
setFlagsFromString("--no-flush-bytecode");
const load = loader(join(ROOT, "bin"));
const { main } = load("../dist/addrsift.cjs") as { main(args: string[], host: object): Promise<void> };
await main(call, { root: ROOT, load });
setFlagsFromString("--flush-bytecode");
for (const [path, script] of scripts) writeFileSync(join(folder, `${basename(path)}.code`), script.createCachedData());

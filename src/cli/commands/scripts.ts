// `addrsift completion` and `addrsift engines show`: they print files that users put elsewhere.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { usage } from "../../base/errors.ts";
import { choiceOf } from "../../base/near-names.ts";
import { ENGINE_NAMES, RECIPES } from "../../engines/recipes.ts";
import type { Arguments } from "../options/arguments.ts";
import { type COMPLETION, type ENGINES_SHOW, SHELLS } from "../options/commands.ts";
import type { Runtime } from "../runtime.ts";
import { bashCompletion } from "./completion/bash.ts";
import { fishCompletion } from "./completion/fish.ts";
import { zshCompletion } from "./completion/zsh.ts";

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], () => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Prints the script. Throws AddrsiftError USAGE for another shell. */
export function completion({ positionals: [name] }: Arguments<typeof COMPLETION>, { stdout }: Runtime): number {
  const shell = SHELLS.find((known) => known === name);
  if (shell === undefined) throw usage(`unknown shell '${name}': use ${choiceOf(SHELLS)}`);
  stdout.write(SCRIPTS[shell]());
  return 0;
}

/** Prints the file. Throws AddrsiftError USAGE for an unknown name. */
export function enginesShow({ positionals: [name] }: Arguments<typeof ENGINES_SHOW>, runtime: Runtime): number {
  const known = ENGINE_NAMES.find((engine) => engine === name);
  if (known === undefined) throw usage(`unknown engine '${name}': use ${choiceOf(ENGINE_NAMES)}`);
  runtime.stdout.write(readFileSync(join(runtime.root, "dist/engines", RECIPES[known].file), "utf8"));
  return 0;
}

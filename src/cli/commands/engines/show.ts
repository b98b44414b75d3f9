// `addrsift engines show`: the file that users copy for another engine, as this version needs it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AddrsiftError } from "../../../base/errors.ts";
import { choiceOf } from "../../../base/near-names.ts";
import { ENGINE_NAMES, RECIPES } from "../../../engines/recipes.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { ENGINES_SHOW } from "../../options/engines.ts";
import type { Runtime } from "../../runtime.ts";

/** Prints the file. Throws AddrsiftError USAGE for an unknown name. */
export function enginesShow({ positionals: [name] }: Arguments<typeof ENGINES_SHOW>, runtime: Runtime): number {
  const known = ENGINE_NAMES.find((engine) => engine === name);
  if (known === undefined) throw new AddrsiftError("USAGE", `unknown engine '${name}': use ${choiceOf(ENGINE_NAMES)}`);
  runtime.stdout.write(readFileSync(join(runtime.root, "dist/engines", RECIPES[known].file), "utf8"));
  return 0;
}

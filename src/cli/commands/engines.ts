// `addrsift engines show`: prints a file that users copy into another engine.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatAlternatives } from "../../base/closest-names.ts";
import { usageError } from "../../base/errors.ts";
import { ENGINE_NAMES, RECIPES } from "../../engines/recipes.ts";
import type { ArgumentsOf } from "../options/commands.ts";
import type { Runtime } from "../runtime.ts";

export async function enginesShow(args: ArgumentsOf<"engines show">, { root, stdout }: Runtime): Promise<void> {
  const [name] = args.positionals;
  const engine = ENGINE_NAMES.find((engine) => engine === name);
  if (engine === undefined) throw usageError(`unknown engine '${name}': use ${formatAlternatives(ENGINE_NAMES)}`);
  stdout.write(readFileSync(join(root, "dist/engines", RECIPES[engine].file), "utf8"));
}

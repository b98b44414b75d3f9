// The option table of `addrsift engines`.

import { ENGINE_NAMES, RECIPES } from "../../engines/recipes.ts";
import type { CommandSpec } from "./types.ts";

export const ENGINES_SHOW = {
  name: "engines show",
  summary: "print the file to copy for an engine",
  argument: "<NAME>",
  argumentChoices: ENGINE_NAMES,
  options: [],
  examples: ENGINE_NAMES.map((name) => [`addrsift engines show ${name} > ${RECIPES[name].file}`, RECIPES[name].what]),
} as const satisfies CommandSpec;

// `addrsift completion`: the completion script of a shell.

import { AddrsiftError } from "../../../base/errors.ts";
import { choiceOf } from "../../../base/near-names.ts";
import type { Arguments } from "../../options/arguments.ts";
import { type COMPLETION, SHELLS } from "../../options/completion.ts";
import type { Runtime } from "../../runtime.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { zshCompletion } from "./zsh.ts";

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], () => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Prints the script. Throws AddrsiftError USAGE for another shell. */
export function completion({ positionals: [name] }: Arguments<typeof COMPLETION>, { stdout }: Runtime): number {
  const shell = SHELLS.find((known) => known === name);
  if (shell === undefined) throw new AddrsiftError("USAGE", `unknown shell '${name}': use ${choiceOf(SHELLS)}`);
  stdout.write(SCRIPTS[shell]());
  return 0;
}

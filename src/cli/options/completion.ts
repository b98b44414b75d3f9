// The option table of `addrsift completion`.

import type { CommandSpec } from "./types.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

export const COMPLETION = {
  name: "completion",
  summary: "print a script that completes command lines in bash, zsh or fish",
  argument: "<SHELL>",
  argumentChoices: SHELLS,
  options: [],
  examples: [
    ["addrsift completion bash > addrsift", "bash: put the file into ~/.local/share/bash-completion/completions"],
    ["addrsift completion zsh > _addrsift", "zsh: put the file into a folder of $fpath"],
    ["addrsift completion fish > addrsift.fish", "fish: put the file into ~/.config/fish/completions"],
  ],
} as const satisfies CommandSpec;

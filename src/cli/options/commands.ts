// The table of commands and options, from which parsing, --help, completion and the manual are made. Commands with few
// options are declared here.

import { inGroup, withNames } from "../../bulk/run/option-table.ts";
import { ENGINE_NAMES, RECIPES } from "../../engines/recipes.ts";
import { SCOPE_CHOICES } from "../../keys/scopes.ts";
import { CHANNELS } from "./channels.ts";
import { DETECT } from "./detect.ts";
import { LISTS } from "./lists.ts";
import { SERVE } from "./serve.ts";
import { type Arguments, COMMON_OPTIONS, type CommandSpec, JSON_ARRAY, JSON_OBJECT, type OptionSpec } from "./table.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

const TABLE = [
  DETECT,
  ...LISTS,
  ...CHANNELS,
  ...withNames({
    "keys create": {
      summary: "create an API key and print it once",
      options: inGroup("Options", {
        name: { value: "NAME", required: true, help: "name of the key, 1 to 100 characters" },
        scopes: {
          value: "LIST",
          choices: SCOPE_CHOICES,
          list: true,
          required: true,
          help: "what the key may do",
        },
        team: { value: "TEAM", default: "default", help: "team whose channels the key can use" },
        expires: {
          value: "WHEN",
          help: "when the key expires: a time span such as 12h, 90d or 52w, or a date, at whose start it ends (default: never)",
        },
        json: { help: "print a JSON object with the key and its record" },
      }),
      examples: {
        "addrsift keys create --name signup-form --scopes emails:detect --expires 90d":
          "a key that may classify addresses",
        "addrsift keys create --name ops --team ops --scopes notifications:create,notifications:read --json":
          "a key for a team's channels",
      },
    },
    "keys list": {
      summary: "list API keys with scopes, expiry and last use; the keys themselves are not stored",
      options: [
        { name: "team", value: "TEAM", help: "list only the keys of this team (default: all teams)" },
        JSON_ARRAY,
      ],
      examples: { "addrsift keys list": "all keys" },
    },
    "keys revoke": {
      summary: "revoke an API key permanently; daemons reject it within a second",
      argument: "<ID>",
      options: [JSON_OBJECT],
      examples: { "addrsift keys revoke key_4mXb0Qz1LrT9sUwA": "by the ID that keys list shows" },
    },
  }),
  SERVE,
  ...withNames({
    "engines show": {
      summary: "print the file to copy for an engine",
      argument: "<NAME>",
      argumentChoices: ENGINE_NAMES,
      options: [],
      examples: Object.fromEntries(
        ENGINE_NAMES.map((name) => [
          `addrsift engines show ${name} > ${RECIPES[name].file}`,
          RECIPES[name].description,
        ]),
      ),
    },
    completion: {
      summary: "print a script that completes command lines in bash, zsh or fish",
      argument: "<SHELL> [WORD...]",
      argumentChoices: SHELLS,
      options: [],
      examples: {
        "addrsift completion bash > addrsift": "bash: put the file into ~/.local/share/bash-completion/completions",
        "addrsift completion bash > addrsift.bash":
          "bash without the package bash-completion: source the file in ~/.bashrc",
        "addrsift completion zsh > _addrsift": "zsh: put the file into a folder of $fpath",
        "addrsift completion fish > addrsift.fish": "fish: put the file into ~/.config/fish/completions",
      },
    },
  }),
] as const satisfies readonly CommandSpec[];

export const COMMANDS: readonly CommandSpec[] = TABLE;

export type CommandName = (typeof TABLE)[number]["name"];
export type ArgumentsOf<Name extends CommandName> = Arguments<Extract<(typeof TABLE)[number], { readonly name: Name }>>;

export const GROUPS: Readonly<Record<string, string>> = {
  engines: "print files to copy for Spark, ClickHouse, PostgreSQL, Python with Arrow, GNU parallel",
  channels: "a team's notification channels: mail, webhooks, chats",
  keys: "API keys for the daemon",
  lists: "inspect, update and override the lists that verdicts come from",
};

export function topLevelCommands(): string[] {
  return [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0] as string))];
}

export function commandsInGroup(group: string): CommandSpec[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
}

export function summaryOf(word: string): string {
  return GROUPS[word] ?? (findCommand([word]) as CommandSpec).summary;
}

/** Returns the command with this name; undefined for a group and for other words. */
export function findCommand(words: readonly string[]): CommandSpec | undefined {
  return COMMANDS.find(({ name }) => name === words.join(" "));
}

/** Returns all options of a command, a group or the program. */
export function optionsFor(words: readonly string[]): readonly OptionSpec[] {
  return [...(findCommand(words)?.options ?? []), ...COMMON_OPTIONS];
}

// The command line as data: each command and option once. Parsing, --help, the man pages and the docs test are made from it.

import * as channels from "./channels.ts";
import { COMPLETION } from "./completion.ts";
import { DETECT } from "./detect.ts";
import { ENGINES_SHOW } from "./engines.ts";
import * as keys from "./keys.ts";
import * as lists from "./lists.ts";
import { SERVE } from "./serve.ts";
import type { CommandSpec } from "./types.ts";

const TABLE = [
  DETECT,
  lists.LISTS_EXPORT,
  lists.LISTS_LOOKUP,
  lists.LISTS_STATUS,
  lists.LISTS_UPDATE,
  lists.LISTS_DIFF,
  lists.LISTS_ROLLBACK,
  lists.LISTS_ALLOW,
  lists.LISTS_DENY,
  lists.LISTS_OVERRIDES,
  channels.CHANNELS_CREATE,
  channels.CHANNELS_LIST,
  channels.CHANNELS_GET,
  channels.CHANNELS_UPDATE,
  channels.CHANNELS_DELETE,
  channels.CHANNELS_TEST,
  channels.CHANNELS_VERIFY,
  channels.CHANNELS_DELIVERIES,
  channels.CHANNELS_REPLAY,
  keys.KEYS_CREATE,
  keys.KEYS_LIST,
  keys.KEYS_REVOKE,
  SERVE,
  ENGINES_SHOW,
  COMPLETION,
] as const satisfies readonly CommandSpec[];

/** Every command there is, in the order of help. */
export const COMMANDS: readonly CommandSpec[] = TABLE;

/** The words of every command. */
export type CommandName = (typeof TABLE)[number]["name"];

/** Groups of commands, for help. */
export const GROUPS: Readonly<Record<string, string>> = {
  engines: "what to copy for Spark, ClickHouse, PostgreSQL, Python with Arrow, GNU parallel",
  channels: "a team's notification channels: mail, webhooks, chats",
  keys: "API keys for the daemon",
  lists: "the lists that verdicts come from: look into them, update them, overrule them",
};

/** The first words of all commands, in the order of help. */
export function commandWords(): string[] {
  return [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0] as string))];
}

/** The command that the words name; undefined for a group and for no command. */
export function findCommand(words: readonly string[]): CommandSpec | undefined {
  return COMMANDS.find(({ name }) => name === words.join(" "));
}

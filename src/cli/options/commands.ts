// The command line as data: each command and option once. Parsing, --help, the man pages and the docs test are made from it.

import { CHANNELS_COMMANDS } from "./channels.ts";
import { DETECT } from "./detect.ts";
import { KEYS_COMMANDS } from "./keys.ts";
import { LISTS_COMMANDS } from "./lists.ts";
import { SERVE } from "./serve.ts";
import type { CommandSpec } from "./types.ts";

/** Every command there is, in the order of help. */
export const COMMANDS: readonly CommandSpec[] = [
  DETECT,
  ...LISTS_COMMANDS,
  ...CHANNELS_COMMANDS,
  ...KEYS_COMMANDS,
  SERVE,
];

/** Groups of commands, for help. */
export const GROUPS: Readonly<Record<string, string>> = {
  channels: "a team's notification channels, by mail and webhook",
  keys: "API keys for the daemon",
  lists: "look into the lists that verdicts rest on",
};

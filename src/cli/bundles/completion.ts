// The command that makes completion scripts, in a file of its own, because it is called once in an installation.

import { completion } from "../commands/completion/command.ts";

export const COMMANDS = { completion } as const;

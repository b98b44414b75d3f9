// The commands that change the lists, as a file of their own: only they merge and compile.

import { listsDiff } from "../commands/lists/diff.ts";
import { listsRollback } from "../commands/lists/rollback.ts";
import { listsUpdate } from "../commands/lists/update.ts";

export const COMMANDS = {
  "lists diff": listsDiff,
  "lists rollback": listsRollback,
  "lists update": listsUpdate,
} as const;

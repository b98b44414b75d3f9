// The commands that read the sources of the lists, as a file of their own: only they merge and compile.

import { listsDiff } from "../commands/lists/diff.ts";
import { listsLookup } from "../commands/lists/lookup.ts";
import { listsRollback } from "../commands/lists/rollback.ts";
import { listsUpdate } from "../commands/lists/update.ts";

export const COMMANDS = {
  "lists diff": listsDiff,
  "lists lookup": listsLookup,
  "lists rollback": listsRollback,
  "lists update": listsUpdate,
} as const;

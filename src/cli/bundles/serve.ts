// The daemon, in a file of its own, so that no other command loads node:http.

import { serve } from "../commands/serve/daemon.ts";

export const COMMANDS = { serve } as const;

// The daemon, as a file of its own: other commands do not load node:http.

import { serve } from "../commands/serve/daemon.ts";

export const COMMANDS = { serve } as const;

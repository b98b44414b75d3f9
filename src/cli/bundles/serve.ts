// The daemon, in a file of its own, so that no other command loads node:http.

export { serve } from "../commands/serve/daemon.ts";

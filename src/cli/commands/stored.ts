// Commands that need the stores of channels and keys, or the network, and what others need of the stores: a file of the build of its own,
// because `detect` begins sooner without it. The daemon is loaded when it is called.

import type { Arguments } from "../options/arguments.ts";
import type { SERVE } from "../options/serve.ts";
import type { Runtime } from "../runtime.ts";

export { openCompletion, tellChannels } from "../open/tell.ts";
export * from "./channels.ts";
export * from "./keys.ts";
export * from "./lists/update.ts";

export async function serve(args: Arguments<typeof SERVE>, runtime: Runtime): Promise<number> {
  return (await import("./serve/daemon.ts")).serve(args, runtime);
}

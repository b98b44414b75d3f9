// `detect --notify`: the hook by which a run tells a channel of its end. What sends is in a file of its own, loaded when it is asked for.

import type * as RecordCommands from "../../bundles/records.ts";
import type { Host } from "../../open/compose.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { Notify } from "./notify.ts";

/** The hook for --notify, undefined without it. Throws AddrsiftError USAGE when the channel can't be told: before the work, not after. */
export function openNotify(args: Arguments, host: Host): Notify | undefined {
  const channel = args.text("notify");
  if (channel === undefined) return undefined;
  const { openCompletion } = host.load("../dist/records.cjs") as typeof RecordCommands;
  return openCompletion(args, host, channel);
}

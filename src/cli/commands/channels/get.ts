// `addrsift channels get`: one channel.

import type { Arguments } from "../../options/arguments.ts";
import type { CHANNELS_GET } from "../../options/channels.ts";
import type { Runtime } from "../../runtime.ts";
import { openRecords } from "./open.ts";
import { failure, printChannel } from "./shown.ts";

/** Prints the channel. */
export async function channelsGet(
  { options, positionals }: Arguments<typeof CHANNELS_GET>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { channels, team } = await openRecords(options, runtime);
  const outcome = channels.get(team, id);
  if (!outcome.ok) throw failure(outcome.fault, { id, team });
  await printChannel(runtime, options, outcome.value, undefined);
  return 0;
}

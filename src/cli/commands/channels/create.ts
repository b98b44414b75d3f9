// `addrsift channels create`: makes a channel.

import type { Arguments } from "../../options/arguments.ts";
import type { CHANNELS_CREATE } from "../../options/channels.ts";
import type { Runtime } from "../../runtime.ts";
import { configOf } from "./config.ts";
import { openTeam } from "./open.ts";
import { failure, printChannel } from "./shown.ts";

/** Prints the channel. */
export async function channelsCreate(
  { options }: Arguments<typeof CHANNELS_CREATE>,
  runtime: Runtime,
): Promise<number> {
  const config = configOf(options, options.type, runtime);
  const { team, notifications } = await openTeam(options, runtime);
  const outcome = await notifications.create(team, { name: options.name, type: options.type, config });
  if (!outcome.ok) throw failure(outcome.fault, { id: "", team });
  const { channel, message } = outcome.value;
  await printChannel(runtime, options, channel, message);
  return 0;
}

// `addrsift channels update`: changes a channel.

import { AddrsiftError } from "../../../base/errors.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { CHANNELS_UPDATE } from "../../options/channels.ts";
import type { Runtime } from "../../runtime.ts";
import { configOf } from "./config.ts";
import { openTeam } from "./open.ts";
import { failure, printChannel } from "./shown.ts";

/** Prints the channel after the change. */
export async function channelsUpdate(
  { options, positionals }: Arguments<typeof CHANNELS_UPDATE>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { name } = options;
  if (options.config.length + options.unset.length === 0 && name === undefined) {
    throw new AddrsiftError("USAGE", "there is nothing to change: give --name, --config or --unset");
  }
  const { team, notifications } = await openTeam(options, runtime);
  const found = notifications.get(team, id);
  const config = configOf(options, found.ok ? found.value.type : undefined, runtime);
  const outcome = await notifications.update(team, id, { name, config });
  if (!outcome.ok) throw failure(outcome.fault, { id, team });
  await printChannel(runtime, options, outcome.value.channel, outcome.value.message);
  return 0;
}

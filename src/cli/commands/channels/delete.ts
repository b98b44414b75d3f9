// `addrsift channels delete`: deletes a channel.

import type { Arguments } from "../../options/arguments.ts";
import type { CHANNELS_DELETE } from "../../options/channels.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson } from "../../terminal/record-table.ts";
import { tellPerson } from "../../terminal/say.ts";
import { openTeam } from "./open.ts";
import { failure } from "./shown.ts";

/** Prints nothing when done, or the deleted channel as JSON. */
export async function channelsDelete(
  { options, positionals }: Arguments<typeof CHANNELS_DELETE>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { team, notifications } = await openTeam(options, runtime);
  const outcome = await notifications.delete(team, id);
  if (!outcome.ok) throw failure(outcome.fault, { id, team });
  if (options.json) printJson(runtime, outcome.value);
  tellPerson(runtime, options, `${outcome.value.id} (${outcome.value.name}) is deleted`);
  return 0;
}

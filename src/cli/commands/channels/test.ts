// `addrsift channels test`: sends a test.

import type { Arguments } from "../../options/arguments.ts";
import type { CHANNELS_TEST } from "../../options/channels.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson } from "../../terminal/record-table.ts";
import { tellPerson } from "../../terminal/say.ts";
import { openTeam } from "./open.ts";
import { failure } from "./shown.ts";

/** Prints the result; a test that fails is an error. */
export async function channelsTest(
  { options, positionals }: Arguments<typeof CHANNELS_TEST>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { team, notifications } = await openTeam(options, runtime);
  const outcome = await notifications.test(team, id);
  if (!outcome.ok) throw failure(outcome.fault, { id, team });
  const { channel, message } = outcome.value;
  if (options.json) printJson(runtime, { ...channel, message });
  tellPerson(runtime, options, message);
  return 0;
}

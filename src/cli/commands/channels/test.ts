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
  const verified = notifications.shown(team, id)?.is_verified === true;
  if (options.json) printJson(runtime, { id: id, is_verified: verified, message: outcome.value });
  tellPerson(runtime, options, outcome.value);
  return 0;
}

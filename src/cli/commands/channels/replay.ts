// `addrsift channels replay`: sends a delivery again.

import { AddrsiftError } from "../../../base/errors.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { CHANNELS_REPLAY } from "../../options/channels.ts";
import type { Runtime } from "../../runtime.ts";
import { shownText } from "../../terminal/escape.ts";
import { printJson } from "../../terminal/record-table.ts";
import { tellPerson } from "../../terminal/say.ts";
import { openTeam } from "./open.ts";
import { failure } from "./shown.ts";

/** Prints the delivery; one that does not get through now is an error. */
export async function channelsReplay(
  { options, positionals }: Arguments<typeof CHANNELS_REPLAY>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { team, notifications } = await openTeam(options, runtime);
  const outcome = await notifications.replay(team, id);
  if (!outcome.ok) {
    if (outcome.fault.code !== "NOT_FOUND") throw failure(outcome.fault, { id, team });
    const message = `there is no delivery ${shownText(id)} in the team ${team}: take an id from addrsift channels deliveries`;
    throw new AddrsiftError("USAGE", message);
  }
  const { status, last_error: reason = "no answer" } = outcome.value;
  if (status === "failed") throw new AddrsiftError("OPERATION", reason);
  if (status === "pending") throw new AddrsiftError("OPERATION", `${reason}: the daemon tries again`);
  if (options.json) printJson(runtime, outcome.value);
  tellPerson(runtime, options, `${id} was delivered`);
  return 0;
}

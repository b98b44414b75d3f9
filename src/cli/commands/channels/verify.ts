// `addrsift channels verify`: verifies a mail channel by the token of its message.

import { AddrsiftError } from "../../../base/errors.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { CHANNELS_VERIFY } from "../../options/channels.ts";
import type { Runtime } from "../../runtime.ts";
import { printJson } from "../../terminal/record-table.ts";
import { tellPerson } from "../../terminal/say.ts";
import { openTeam } from "./open.ts";
import { failure } from "./shown.ts";

// A token has 64 characters; the rest is for white space.
const TOKEN_MAX_OCTETS = 1024;

/** The token comes from standard input. */
export async function channelsVerify(
  { options, positionals }: Arguments<typeof CHANNELS_VERIFY>,
  runtime: Runtime,
): Promise<number> {
  const id = positionals[0] as string;
  const { team, notifications } = await openTeam(options, runtime);
  const found = notifications.get(team, id);
  if (!found.ok) throw failure(found.fault, { id, team });
  if (runtime.stdin.isTerminal && !options.quiet) runtime.stderr.write("token from the message: ");
  const token = runtime.stdin.readLine(TOKEN_MAX_OCTETS).trim();
  if (token === "")
    throw new AddrsiftError("USAGE", "the token is missing: give the token from the message on standard input");
  const outcome = await notifications.confirm(team, id, token);
  if (!outcome.ok) throw failure(tokenFault(outcome.fault), { id, team });
  const { address } = outcome.value;
  if (options.json) printJson(runtime, { id: id, is_verified: true, address });
  tellPerson(runtime, options, `${address} is verified`);
  return 0;
}

/** An unknown token and an unknown channel have different messages. */
function tokenFault<Fault extends Parameters<typeof failure>[0]>(fault: Fault): Parameters<typeof failure>[0] {
  if (fault.code !== "NOT_FOUND") return fault;
  return {
    code: "INVALID_BODY",
    message: "the token is not valid for this channel: copy the whole token from the latest message",
  };
}

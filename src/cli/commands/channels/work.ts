// `addrsift channels test | verify | deliveries`: channels at work, at the terminal.

import type { ShownDelivery } from "../../../channels/delivery/record.ts";
import { AddrsiftError } from "../../../errors.ts";
import type { Host } from "../../open/compose.ts";
import type { Arguments } from "../../options/arguments.ts";
import { printJson, printTable, tellPerson } from "../../terminal/record-table.ts";
import { readLine } from "../../terminal/small-input.ts";
import { isTerminal, writeNow } from "../../terminal/streams.ts";
import { failure, idOf, openAtWork } from "./channels.ts";

// A token has 64 characters; the rest is for white space.
const TOKEN_MAX_OCTETS = 1024;

/** `channels test`: says what came of it; a test that does not get through is an error. */
export async function channelsTest(args: Arguments, host: Host): Promise<number> {
  const { team, notifications } = openAtWork(args, host);
  const outcome = await notifications.test(team, idOf(args));
  if (!outcome.ok) throw failure(outcome.fault, args);
  const verified = notifications.shown(team, idOf(args))?.is_verified === true;
  if (args.flag("json")) printJson({ id: idOf(args), is_verified: verified, message: outcome.value });
  tellPerson(args, host, outcome.value);
  return 0;
}

/** `channels verify`: the token comes from standard input. */
export async function channelsVerify(args: Arguments, host: Host): Promise<number> {
  const { team, notifications } = openAtWork(args, host);
  if (notifications.shown(team, idOf(args)) === undefined) {
    throw failure({ code: "NOT_FOUND", message: "there is no such channel" }, args);
  }
  if (isTerminal(0, host.load) && !args.flag("quiet")) writeNow(2, "token from the message: ");
  const token = readLine(TOKEN_MAX_OCTETS).trim();
  if (token === "")
    throw new AddrsiftError("USAGE", "there is no token: give the one from the message on standard input");
  const outcome = await notifications.confirm(team, idOf(args), token);
  if (!outcome.ok) throw failure(tokenFault(outcome.fault), args);
  const { address } = outcome.value;
  if (args.flag("json")) printJson({ id: idOf(args), is_verified: true, address });
  tellPerson(args, host, `${address} is verified`);
  return 0;
}

/** A token that is not there is another matter than a channel that is not there. */
function tokenFault<Fault extends Parameters<typeof failure>[0]>(fault: Fault): Parameters<typeof failure>[0] {
  if (fault.code !== "NOT_FOUND") return fault;
  return { code: "INVALID_BODY", message: "this is no token of the channel: copy it whole from the latest message" };
}

/** `channels deliveries`: the latest first. */
export async function channelsDeliveries(args: Arguments, host: Host): Promise<number> {
  const { team, notifications } = openAtWork(args, host);
  const outcome = notifications.deliveries(team, idOf(args));
  if (!outcome.ok) throw failure(outcome.fault, args);
  if (args.flag("json")) printJson(outcome.value);
  else await printTable(args, host, TITLES, outcome.value.map(row));
  if (outcome.value.length === 0) tellPerson(args, host, "nothing was sent to the channel in the last 30 days");
  return 0;
}

const TITLES = ["ID", "EVENT", "STATUS", "TRIES", "CREATED", "LAST TRY", "NEXT TRY", "LAST ERROR"];

function row(delivery: ShownDelivery): string[] {
  const { id, event, status, attempts, created_at, last_attempt_at, next_attempt_at, last_error } = delivery;
  const time = (text: string | undefined): string => text?.slice(0, 19).replace("T", " ") ?? "";
  return [
    id,
    event,
    status,
    String(attempts),
    time(created_at),
    time(last_attempt_at),
    time(next_attempt_at),
    last_error ?? "",
  ];
}

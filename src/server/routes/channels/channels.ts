// The routes of a team's channels. A caller sees only the channels of the key's team.

import type { Result } from "../../../address/mailbox.ts";
import type { ChannelAnswer, Channels } from "../../../channels/channels.ts";
import type { ShownChannel } from "../../../channels/config/redaction.ts";
import type { ChannelFault } from "../../../channels/fault.ts";
import type { Notifications } from "../../../channels/notifications.ts";
import { type Answer, fault, success } from "../../http/answer.ts";
import type { ApiRequest, Caller, Handlers } from "../../http/route.ts";

/** Handlers for the channels of one store. New addresses get a verification by mail. */
export function channelHandlers(
  channels: Channels,
  notifications: Notifications,
): Pick<Handlers, "createChannel" | "listChannels" | "getChannel" | "updateChannel" | "deleteChannel"> {
  return {
    createChannel: async (request) => changed(await notifications.create(teamOf(request), request.body)),
    listChannels: (request) => {
      const data = channels.list(teamOf(request));
      const message = data.length === 0 ? "There are no channels yet." : "These are the team's channels.";
      return success({ message, data });
    },
    getChannel: (request) => shown(channels.get(teamOf(request), idOf(request))),
    updateChannel: async (request) => changed(await notifications.update(teamOf(request), idOf(request), request.body)),
    deleteChannel: async (request) => {
      const outcome = await notifications.delete(teamOf(request), idOf(request));
      return outcome.ok
        ? success({ message: "The channel was deleted.", id: outcome.value.id })
        : refused(outcome.fault);
    },
  };
}

/** These routes have a scope and are never open, so there is always a key. */
export function teamOf({ caller }: ApiRequest): string {
  return (caller as Caller).team;
}

/** The id in the path of a channel. */
export function idOf({ params }: ApiRequest): string {
  return params[0] as string;
}

function changed(outcome: Result<ChannelAnswer, ChannelFault>): Answer {
  if (!outcome.ok) return refused(outcome.fault);
  const { channel, message } = outcome.value;
  return success({ ...channel, ...(message === undefined ? {} : { message }) });
}

function shown(outcome: Result<ShownChannel, ChannelFault>): Answer {
  return outcome.ok ? success({ ...outcome.value }) : refused(outcome.fault);
}

function refused({ code, message }: ChannelFault): Answer {
  return fault(code, message);
}

// The routes of a team's channels, over the room that keeps them. A caller sees only the channels of the key's team.

import type { Result } from "../../../base/result.ts";
import { allOptional, choice, closed, listOf, named, optional, text, typedAs } from "../../../base/shapes.ts";
import type { ChannelAnswer } from "../../../channels/channels.ts";
import { CHANNEL_NAME, SHOWN_CHANNEL, SHOWN_CONFIG, type ShownChannel } from "../../../channels/config/redaction.ts";
import type { ChannelFault } from "../../../channels/fault.ts";
import { CHANNEL_TYPES } from "../../../channels/kinds.ts";
import type { Notifications } from "../../../channels/notifications.ts";
import { type Answer, fault, success } from "../../http/answer.ts";
import type { ApiRequest, Caller, RouteOver } from "../../http/route.ts";
import { answerOf, dataAnswer, jsonBody } from "../answer-shapes.ts";

const CHANNELS = "/api/v1/team/notifications/channels";
/** One channel. */
export const CHANNEL = `${CHANNELS}/{id}`;

const CREATION = named("ChannelCreation", {
  ...closed({ name: CHANNEL_NAME, type: choice(CHANNEL_TYPES), config: optional(SHOWN_CONFIG) }),
  examples: [
    { name: "ops", type: "webhook", config: { url: "https://hooks.example.com/in", events: ["detection.completed"] } },
    { name: "team", type: "email", config: { address: "ops@example.org" } },
  ],
});
const { id, type, is_verified, created_at } = SHOWN_CHANNEL.properties;
const AS_SHOWN = { id, type, is_verified, created_at, code: text(), message: text() };
const CHANGE = named("ChannelChange", {
  ...closed(
    {
      name: optional(CHANNEL_NAME),
      config: optional(
        typedAs({ type: ["object", "null"], description: "The fields of the type's config that change." }),
      ),
      ...allOptional(AS_SHOWN),
    },
    "A merge patch (RFC 7396): null takes a field away. What an answer shows may be sent back, and changes nothing.",
  ),
  examples: [{ name: "operations", config: { events: null } }],
});
const CHANNEL_ANSWER = answerOf("ChannelAnswer", {
  ...SHOWN_CHANNEL.properties,
  message: optional(text("What there is to do; absent when nothing.")),
});

/** What these routes work with. New addresses are mailed their verification. */
export interface ChannelParts {
  readonly notifications: Notifications;
}

export const CHANNEL_ROUTES: readonly RouteOver<ChannelParts>[] = [
  {
    id: "createChannel",
    method: "POST",
    path: CHANNELS,
    scope: "notifications:create",
    body: jsonBody(CREATION),
    summary: "Create a notification channel",
    answer: CHANNEL_ANSWER,
    faults: ["LIMIT_REACHED"],
    handler:
      ({ notifications }) =>
      async (request) =>
        changed(await notifications.create(teamOf(request), request.body)),
  },
  {
    id: "listChannels",
    method: "GET",
    path: CHANNELS,
    scope: "notifications:read",
    summary: "List the team's channels",
    answer: dataAnswer("ChannelsAnswer", listOf(SHOWN_CHANNEL)),
    handler:
      ({ notifications }) =>
      (request) => {
        const data = notifications.list(teamOf(request));
        const message = data.length === 0 ? "There are no channels yet." : "These are the team's channels.";
        return success({ message, data });
      },
  },
  {
    id: "getChannel",
    method: "GET",
    path: CHANNEL,
    scope: "notifications:read",
    summary: "Read one channel",
    answer: CHANNEL_ANSWER,
    faults: ["NOT_FOUND"],
    handler:
      ({ notifications }) =>
      (request) =>
        shown(notifications.get(teamOf(request), idOf(request))),
  },
  {
    id: "updateChannel",
    method: "PATCH",
    path: CHANNEL,
    scope: "notifications:update",
    body: { ...jsonBody(CHANGE), types: ["application/json", "application/merge-patch+json"] },
    summary: "Change a channel by a merge patch (RFC 7396)",
    answer: CHANNEL_ANSWER,
    faults: ["NOT_FOUND", "LIMIT_REACHED"],
    handler:
      ({ notifications }) =>
      async (request) =>
        changed(await notifications.update(teamOf(request), idOf(request), request.body)),
  },
  {
    id: "deleteChannel",
    method: "DELETE",
    path: CHANNEL,
    scope: "notifications:delete",
    summary: "Delete a channel",
    answer: answerOf("DeletionAnswer", { message: text(), id: text() }),
    faults: ["NOT_FOUND"],
    handler:
      ({ notifications }) =>
      async (request) => {
        const outcome = await notifications.delete(teamOf(request), idOf(request));
        return outcome.ok
          ? success({ message: "The channel was deleted.", id: outcome.value.id })
          : refused(outcome.fault);
      },
  },
];

/** These routes have a scope and are never open, so there always is a key. */
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
  return success({ ...channel, message });
}

function shown(outcome: Result<ShownChannel, ChannelFault>): Answer {
  return outcome.ok ? success({ ...outcome.value }) : refused(outcome.fault);
}

function refused({ code, message }: ChannelFault): Answer {
  return fault(code, message);
}

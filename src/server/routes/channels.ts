// Routes for a team's channels, and for their tests, verifications and deliveries.

import type { Result } from "../../base/result.ts";
import {
  allOptional,
  choice,
  closedObject,
  flag,
  listOf,
  mapOf,
  named,
  nullable,
  openObject,
  optional,
  text,
} from "../../base/shapes.ts";
import type { ChannelResponse } from "../../channels/channels.ts";
import { CAN_MAIL, CHANNEL_NAME, CHANNEL_VIEW, CONFIG_VIEW } from "../../channels/config/redaction.ts";
import { DELIVERY_VIEW } from "../../channels/delivery/record.ts";
import type { ChannelFault } from "../../channels/fault.ts";
import { CHANNEL_TYPES, DELIVERY_FILTER } from "../../channels/kinds.ts";
import type { Notifications } from "../../channels/notifications.ts";
import { SCOPES } from "../../keys/scopes.ts";
import type { Caller } from "../http/request-context.ts";
import { type ApiResponse, fault, invalidBody, retryAfter, success } from "../http/response.ts";
import {
  type ApiRequest,
  dataResponseShape,
  type Handler,
  jsonBody,
  type RouteDefinition,
  responseShape,
} from "../http/route.ts";
import { queryFields, readQuery } from "./query.ts";
import { toFault } from "./stream/routes.ts";

const CHANNELS = "/api/v1/team/notifications/channels";
const CHANNEL = `${CHANNELS}/{id}`;
/** Maximum length of an Idempotency-Key, in characters. */
const MAX_KEY_LENGTH = 255;

const CREATION_SHAPE = named("ChannelCreation", {
  ...closedObject(
    { name: CHANNEL_NAME, type: choice(CHANNEL_TYPES), config: optional(CONFIG_VIEW) },
    "A field that is null counts as omitted.",
  ),
  examples: [
    { name: "ops", type: "webhook", config: { url: "https://hooks.example.com/in", events: ["detection.completed"] } },
    { name: "team", type: "email", config: { address: "ops@example.org" } },
  ],
});
const { name: _, config: __, ...READ_ONLY_VIEW } = CHANNEL_VIEW.properties;
const READ_ONLY_FIELDS = { ...READ_ONLY_VIEW, code: text(), message: text(), delivery_id: text() };
const CONFIG_CHANGE_FIELDS = {
  ...CONFIG_VIEW.properties,
  headers: optional(mapOf(nullable(text()), "The headers that change; null removes a header.")),
  revoke_previous: optional(flag("True ends a webhook's previous secrets.")),
};
const CONFIG_CHANGE = openObject(
  Object.fromEntries(Object.entries(CONFIG_CHANGE_FIELDS).map(([name, shape]) => [name, nullable(shape)])),
  "The fields of the type's config that change; null removes a field.",
);
const CHANGE_SHAPE = named("ChannelChange", {
  ...closedObject(
    {
      name: optional(CHANNEL_NAME),
      config: optional(named("ChannelConfigChange", nullable(CONFIG_CHANGE))),
      ...allOptional(READ_ONLY_FIELDS),
    },
    "A merge patch (RFC 7396): null removes a field. Read-only fields may be sent back unchanged; other values are " +
      "rejected, or ignored if deliveries or verification messages change them.",
  ),
  examples: [{ name: "operations", config: { events: null } }, { config: { secret: null, revoke_previous: true } }],
});
const CHANNEL_RESPONSE = responseShape("ChannelAnswer", {
  ...CHANNEL_VIEW.properties,
  message: optional(text("The next step; absent if there is none.")),
});

const ACTION_ROUTE = {
  method: "POST",
  response: responseShape("ChannelActionAnswer", {
    message: text(),
    ...CHANNEL_VIEW.properties,
    delivery_id: optional(text("The delivery of the test; absent if a verification link was emailed.")),
  }),
  faults: ["NOT_FOUND", "INVALID_BODY", "TEST_FAILED"],
} as const;
const REPLAY_RESPONSE = responseShape("ReplayAnswer", { message: text(), ...DELIVERY_VIEW.properties });

export interface ChannelDeps {
  readonly notifications: Notifications;
}

export const CHANNEL_ROUTES: readonly RouteDefinition<ChannelDeps>[] = [
  {
    id: "createChannel",
    method: "POST",
    path: CHANNELS,
    scope: "notifications:create",
    body: jsonBody(CREATION_SHAPE),
    summary: "Create a notification channel",
    response: CHANNEL_RESPONSE,
    headers: {
      "Idempotency-Key": optional(
        text("A unique text chosen by the client. For 24 hours, the same key and body return the same channel.", {
          minLength: 1,
          maxLength: MAX_KEY_LENGTH,
        }),
      ),
    },
    faults: ["LIMIT_REACHED", "IDEMPOTENCY_KEY_IN_USE", "IDEMPOTENCY_KEY_REUSED"],
    handler: forTeam(async (channels, team, _, request) => {
      const key = request.headers.combined("idempotency-key");
      if (key === "") return fault("BAD_REQUEST", "the Idempotency-Key is empty: send a unique text, or omit it");
      if (key !== undefined && key.length > MAX_KEY_LENGTH)
        return fault("BAD_REQUEST", `the Idempotency-Key exceeds ${MAX_KEY_LENGTH} characters`);
      return toResponse(await channels.create(team, request.body, key), flatten);
    }),
  },
  {
    id: "listChannels",
    method: "GET",
    path: CHANNELS,
    scope: "notifications:read",
    summary: "List the team's channels",
    response: responseShape("ChannelsAnswer", {
      message: text(),
      data: listOf(CHANNEL_VIEW),
      team: text("The team of the request's API key."),
      scopes: listOf(choice(SCOPES), "The scopes of the request's API key."),
      can_mail: CAN_MAIL,
    }),
    handler: forTeam((channels, team, _, { caller }) => {
      const data = channels.list(team);
      const message = data.length === 0 ? "There are no channels yet." : "These are the team's channels.";
      return success({ message, data, team, scopes: (caller as Caller).scopes, can_mail: channels.canMail });
    }),
  },
  {
    id: "getChannel",
    method: "GET",
    path: CHANNEL,
    scope: "notifications:read",
    summary: "Get one channel",
    response: CHANNEL_RESPONSE,
    faults: ["NOT_FOUND"],
    handler: forTeam((channels, team, id) => toResponse(channels.get(team, id), (channel) => ({ ...channel }))),
  },
  {
    id: "updateChannel",
    method: "PATCH",
    path: CHANNEL,
    scope: "notifications:update",
    body: { ...jsonBody(CHANGE_SHAPE), types: ["application/json", "application/merge-patch+json"] },
    summary: "Change a channel by a merge patch (RFC 7396)",
    response: CHANNEL_RESPONSE,
    faults: ["NOT_FOUND", "LIMIT_REACHED"],
    handler: forTeam(async (channels, team, id, { body }) =>
      toResponse(await channels.update(team, id, body), flatten),
    ),
  },
  {
    id: "deleteChannel",
    method: "DELETE",
    path: CHANNEL,
    scope: "notifications:delete",
    summary: "Delete a channel",
    response: responseShape("DeletionAnswer", { message: text(), id: text() }),
    faults: ["NOT_FOUND"],
    handler: forTeam(async (channels, team, id) =>
      toResponse(await channels.delete(team, id), () => ({ message: "The channel was deleted.", id })),
    ),
  },
  {
    ...ACTION_ROUTE,
    id: "testChannel",
    path: `${CHANNEL}/test`,
    scope: "notifications:test",
    summary: "Send a test; verifies a webhook or chat that accepts it, and emails an unverified address its link",
    handler: forTeam(async (channels, team, id) =>
      toResponse(await channels.test(team, id), ({ channel, ...more }) => ({ ...channel, ...more })),
    ),
  },
  {
    ...ACTION_ROUTE,
    id: "requestVerification",
    path: `${CHANNEL}/verification`,
    scope: "notifications:update",
    summary: "Email a new verification link; invalidates older links",
    handler: forTeam(async (channels, team, id) => toResponse(await channels.verify(team, id), flatten)),
  },
  {
    id: "listDeliveries",
    method: "GET",
    path: `${CHANNEL}/deliveries`,
    scope: "notifications:read",
    summary: "List the channel's deliveries of the last 30 days, the latest attempt first",
    query: queryFields(DELIVERY_FILTER),
    response: dataResponseShape("DeliveriesAnswer", listOf(DELIVERY_VIEW)),
    faults: ["NOT_FOUND", "INVALID_QUERY"],
    handler: forTeam((channels, team, id, { query }) => {
      try {
        const { options } = readQuery(DELIVERY_FILTER, query);
        const none = options.status === undefined ? "Nothing was sent to the channel" : `None is ${options.status}`;
        return toResponse(channels.deliveries(team, id, options), (data) => ({
          message: data.length === 0 ? `${none} in the last 30 days.` : "The deliveries, the latest attempt first.",
          data,
        }));
      } catch (error) {
        return toFault(error);
      }
    }),
  },
  {
    id: "replayDelivery",
    method: "POST",
    path: `${CHANNEL}/deliveries/{delivery}/replay`,
    scope: "notifications:test",
    summary: "Send a delivery again with its webhook-id; a failure is retried, unless the event was delivered before",
    description:
      "Responds with the delivery after one attempt, with status 200 even if that failed: `last_error` is then the " +
      "reason, and absent if the event was delivered.",
    response: REPLAY_RESPONSE,
    faults: ["NOT_FOUND", "INVALID_BODY", "DELIVERY_IN_PROGRESS"],
    handler: forTeam(async (channels, team, id, { params }) =>
      toResponse(await channels.replay(team, params[1] as string, id), (delivery) => {
        const { status, last_error: reason } = delivery;
        const message = reason === undefined ? "The event was delivered." : `${FAILED_REPLAYS[status]}: ${reason}.`;
        return { message, ...delivery };
      }),
    ),
  },
];

/** By the status of the delivery afterwards. */
const FAILED_REPLAYS: Readonly<Record<string, string>> = {
  pending: "The event was not delivered and will be retried",
  delivered: "The event was not delivered again",
  failed: "The event was not delivered",
};

type ChannelHandler = (
  channels: Notifications,
  team: string,
  id: string,
  request: ApiRequest,
) => ApiResponse | Promise<ApiResponse>;

/** Passes the key's team to `work`. Channel routes always require a key, so there is one. */
function forTeam(work: ChannelHandler): (deps: ChannelDeps) => Handler {
  return ({ notifications }) =>
    (request) =>
      work(notifications, (request.caller as Caller).team, request.params[0] ?? "", request);
}

function toResponse<T>(
  outcome: Result<T, ChannelFault>,
  render: (value: T) => Readonly<Record<string, unknown>>,
): ApiResponse {
  if (outcome.ok) return success(render(outcome.value));
  const { code, message, retryAfterSeconds: seconds } = outcome.fault;
  if (code === "INVALID_BODY") return invalidBody(message);
  return fault(code, message, seconds === undefined ? undefined : retryAfter(seconds));
}

function flatten({ channel, message }: ChannelResponse): Readonly<Record<string, unknown>> {
  return { ...channel, message };
}

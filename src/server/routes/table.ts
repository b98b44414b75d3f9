// The table of routes, and the function that finds a row by method and path.

import type { Route, RouteBody } from "../http/route.ts";

const DETECT = "/api/v1/emails/detect";
const CHANNELS = "/api/v1/team/notifications/channels";
const CHANNEL = `${CHANNELS}/{id}`;
const VERIFY = "/verify/{token}";

/** The limit of every body except the batch's, in octets. */
const BODY_LIMIT = 64 * 1024;
/** Enough for a thousand addresses of the greatest length. */
const BATCH_LIMIT = 512 * 1024;

function jsonBody(schema: string, limitBytes: number = BODY_LIMIT): RouteBody {
  return { limitBytes, types: ["application/json"], schema };
}

export const ROUTES: readonly Route[] = [
  {
    id: "detectAddress",
    method: "GET",
    path: DETECT,
    scope: "emails:detect",
    openable: true,
    query: [
      {
        name: "email",
        required: true,
        description: "The address, up to 4 KiB. A `+` is a plus; `%` and `&` are written `%25` and `%26`.",
        schema: { type: "string", minLength: 1 },
      },
      {
        name: "explain",
        required: false,
        description: "Adds the evidence. Default: false.",
        schema: { type: "string", enum: ["true", "false"] },
      },
      {
        name: "dns",
        required: false,
        description: "Whether DNS may be asked about a domain that no list settles. Default: on.",
        schema: { type: "string", enum: ["on", "off"] },
      },
    ],
    summary: "Classify one address",
    answer: { schema: "DetectionAnswer" },
    faults: ["INVALID_QUERY"],
  },
  {
    id: "detectAddresses",
    method: "POST",
    path: DETECT,
    scope: "emails:detect",
    openable: true,
    body: jsonBody("DetectionBatch", BATCH_LIMIT),
    summary: "Classify up to 1,000 addresses, in order",
    answer: { schema: "DetectionsAnswer" },
    faults: [],
  },
  {
    id: "createChannel",
    method: "POST",
    path: CHANNELS,
    scope: "notifications:create",
    body: jsonBody("ChannelCreation"),
    summary: "Create a notification channel",
    answer: { schema: "ChannelAnswer" },
    faults: [],
  },
  {
    id: "listChannels",
    method: "GET",
    path: CHANNELS,
    scope: "notifications:read",
    summary: "List the team's channels",
    answer: { schema: "ChannelsAnswer" },
    faults: [],
  },
  {
    id: "getChannel",
    method: "GET",
    path: CHANNEL,
    scope: "notifications:read",
    summary: "Read one channel",
    answer: { schema: "ChannelAnswer" },
    faults: ["NOT_FOUND"],
  },
  {
    id: "updateChannel",
    method: "PATCH",
    path: CHANNEL,
    scope: "notifications:update",
    body: { ...jsonBody("ChannelChange"), types: ["application/json", "application/merge-patch+json"] },
    summary: "Change a channel by a merge patch (RFC 7396)",
    answer: { schema: "ChannelAnswer" },
    faults: ["NOT_FOUND"],
  },
  {
    id: "deleteChannel",
    method: "DELETE",
    path: CHANNEL,
    scope: "notifications:delete",
    summary: "Delete a channel",
    answer: { schema: "DeletionAnswer" },
    faults: ["NOT_FOUND"],
  },
  {
    id: "testChannel",
    method: "POST",
    path: `${CHANNEL}/test`,
    scope: "notifications:test",
    summary: "Send a test: it verifies a webhook that accepts it, and mails an unverified address its link",
    answer: { schema: "ToldAnswer" },
    faults: ["NOT_FOUND", "INVALID_BODY", "TEST_FAILED"],
  },
  {
    id: "requestVerification",
    method: "POST",
    path: `${CHANNEL}/verification`,
    scope: "notifications:update",
    summary: "Mail the verification link again; older links stop working",
    answer: { schema: "ToldAnswer" },
    faults: ["NOT_FOUND", "INVALID_BODY", "TEST_FAILED"],
  },
  {
    id: "listDeliveries",
    method: "GET",
    path: `${CHANNEL}/deliveries`,
    scope: "notifications:read",
    summary: "List the channel's deliveries of the last 30 days, the latest first",
    answer: { schema: "DeliveriesAnswer" },
    faults: ["NOT_FOUND"],
  },
  {
    id: "showVerification",
    method: "GET",
    path: VERIFY,
    summary: "The page of a verification link; opening it changes nothing",
    answer: { type: "text/html" },
    faults: ["NOT_FOUND", "TOKEN_USED", "TOKEN_EXPIRED", "NOT_READY"],
  },
  {
    id: "confirmVerification",
    method: "POST",
    path: VERIFY,
    summary: "Verify the address that the link was mailed to",
    answer: { type: "text/html" },
    faults: ["NOT_FOUND", "TOKEN_USED", "TOKEN_EXPIRED", "NOT_READY"],
  },
  {
    id: "health",
    method: "GET",
    path: "/healthz",
    summary: "Whether the process is alive",
    answer: { schema: "StatusAnswer" },
    faults: [],
  },
  {
    id: "readiness",
    method: "GET",
    path: "/readyz",
    summary: "Whether the lists and the store can be used",
    answer: { schema: "StatusAnswer" },
    faults: ["NOT_READY"],
  },
  {
    id: "metrics",
    method: "GET",
    path: "/metrics",
    summary: "Counters in the Prometheus text format",
    answer: { type: "text/plain" },
    faults: ["NOT_FOUND"],
  },
  {
    id: "openApi",
    method: "GET",
    path: "/openapi.json",
    summary: "This document",
    answer: { schema: "OpenApiDocument" },
    faults: [],
  },
];

/** The match of a path: its routes by method, the values of its parameters, and the methods for `Allow`. */
export interface RouteMatch {
  readonly byMethod: ReadonlyMap<string, Route>;
  readonly allow: string;
  readonly params: readonly string[];
}

interface Pattern {
  readonly segments: readonly string[];
  readonly found: RouteMatch;
}

const NO_PARAMS: readonly string[] = [];

/** Finds the match of a path, or undefined. Paths are used as they are: nothing is decoded or normalized. */
export function createRouter(routes: readonly Route[]): (path: string) => RouteMatch | undefined {
  const fixed = new Map<string, RouteMatch>();
  const patterns: Pattern[] = [];
  for (const [path, rows] of groupByPath(routes)) {
    const found = matchOf(rows);
    if (path.includes("{")) patterns.push({ segments: path.split("/"), found });
    else fixed.set(path, found);
  }
  return (path) => fixed.get(path) ?? matchPattern(patterns, path);
}

function groupByPath(routes: readonly Route[]): Map<string, Route[]> {
  const groups = new Map<string, Route[]>();
  for (const route of routes) {
    const group = groups.get(route.path);
    if (group === undefined) groups.set(route.path, [route]);
    else group.push(route);
  }
  return groups;
}

/** A GET also answers HEAD (RFC 9110 §9.3.2); Node leaves out the body. */
function matchOf(rows: readonly Route[]): RouteMatch {
  const byMethod = new Map<string, Route>();
  for (const route of rows) {
    byMethod.set(route.method, route);
    if (route.method === "GET") byMethod.set("HEAD", route);
  }
  return { byMethod, allow: [...byMethod.keys()].join(", "), params: NO_PARAMS };
}

function matchPattern(patterns: readonly Pattern[], path: string): RouteMatch | undefined {
  // No path of ours is longer; a caller must not make us split megabytes.
  if (path.length > 512) return undefined;
  const parts = path.split("/");
  for (const { segments, found } of patterns) {
    if (segments.length !== parts.length) continue;
    const fits = segments.every((segment, i) => (segment.startsWith("{") ? parts[i] !== "" : segment === parts[i]));
    if (!fits) continue;
    const params = parts.filter((_, i) => segments[i]?.startsWith("{"));
    return { ...found, params };
  }
  return undefined;
}

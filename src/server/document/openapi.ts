// The OpenAPI 3.1 document of the API, made from the route table that requests go by.

import { eventSchema } from "../../channels/events.ts";
import { EVENTS, type EventName } from "../../channels/record.ts";
import { API_FAULTS, type ApiFaultCode } from "../http/faults.ts";
import type { Route } from "../http/route.ts";
import { reference, SCHEMAS } from "./schemas.ts";

// What may be said of any request, whatever its route.
const GENERAL_FAULTS: readonly ApiFaultCode[] = [
  "BAD_REQUEST",
  "REQUEST_TIMEOUT",
  "MISDIRECTED_REQUEST",
  "HEADERS_TOO_LARGE",
  "INTERNAL",
];
const KEY_FAULTS: readonly ApiFaultCode[] = [
  "MISSING_API_KEY",
  "INVALID_API_KEY",
  "INSUFFICIENT_SCOPE",
  "RATE_LIMITED",
  // Keys are records, and so is all that needs one.
  "NOT_READY",
];
const BODY_FAULTS: readonly ApiFaultCode[] = ["UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE", "INVALID_BODY"];

const HEADERS_OF: Readonly<Partial<Record<number, readonly [string, string]>>> = {
  401: ["WWW-Authenticate", "The Bearer scheme, with the error (RFC 6750)."],
  403: ["WWW-Authenticate", "The Bearer scheme, with the scope that lacks (RFC 6750)."],
  405: ["Allow", "The methods of the path."],
  429: ["Retry-After", "Seconds until it is worth trying again."],
};

/** The document as a value. */
export function openApiDocument(routes: readonly Route[], version: string, publicUrl: URL | undefined): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    (paths[route.path] as Record<string, unknown>)[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "addrsift",
      version,
      summary: "Classifies e-mail addresses and manages a team's notification channels.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl === undefined ? "/" : publicUrl.href.replace(/\/$/, "") }],
    paths,
    webhooks: Object.fromEntries(EVENTS.map((event) => [event, { post: webhook(event) }])),
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key as `addrsift keys create` prints it." },
      },
    },
  };
}

/** What a receiver gets: an event, signed as Standard Webhooks says. */
function webhook(event: EventName): Readonly<Record<string, unknown>> {
  const headers = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  return {
    operationId: event,
    summary: `The event ${event}, signed as Standard Webhooks`,
    security: [],
    parameters: headers.map((name) => ({ name, in: "header", required: true, schema: { type: "string" } })),
    requestBody: { required: true, content: { "application/json": { schema: eventSchema(event) } } },
    responses: { "2XX": { description: "Taken. Everything else is a failure, and tried again." } },
  };
}

/** The faults that a route can answer with. */
export function faultsOf({ scope, body, faults }: Route): readonly ApiFaultCode[] {
  return [
    ...faults,
    ...(scope === undefined ? [] : KEY_FAULTS),
    ...(body === undefined ? [] : BODY_FAULTS),
    ...GENERAL_FAULTS,
  ];
}

function operation(route: Route): Readonly<Record<string, unknown>> {
  const { id, summary, scope, openable, body } = route;
  const parameters = [...pathParameters(route), ...queryParameters(route)];
  return {
    operationId: id,
    summary,
    ...(scope === undefined ? { security: [] } : { security: securityOf(openable === true) }),
    ...(scope === undefined ? {} : { description: `Needs a key with the scope \`${scope}\`${unlessOpen(openable)}.` }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: Object.fromEntries(body.types.map((type) => [type, { schema: reference(body.schema) }])),
          },
        }),
    responses: responsesOf(route),
  };
}

function unlessOpen(openable: true | undefined): string {
  return openable === true ? ", unless the daemon's settings open detection to everybody" : "";
}

function securityOf(openable: boolean): readonly object[] {
  return openable ? [{ apiKey: [] }, {}] : [{ apiKey: [] }];
}

function pathParameters({ path }: Route): object[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query = [] }: Route): object[] {
  return query.map((parameter) => ({ ...parameter, in: "query" }));
}

function responsesOf(route: Route): Readonly<Record<string, unknown>> {
  const { answer } = route;
  const content =
    "schema" in answer
      ? { "application/json": { schema: reference(answer.schema) } }
      : { [answer.type]: { schema: { type: "string" } } };
  const responses: Record<string, unknown> = { 200: { description: route.summary, content } };
  const byStatus = new Map<number, ApiFaultCode[]>();
  for (const code of faultsOf(route)) {
    const { status } = API_FAULTS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus) responses[status] = faultResponse(status, codes, route);
  return responses;
}

function faultResponse(status: number, codes: readonly ApiFaultCode[], { answer }: Route): object {
  const header = HEADERS_OF[status];
  const schema = { allOf: [reference("Fault"), { properties: { code: { enum: codes } } }] };
  return {
    description: codes.map((code) => `\`${code}\`: ${API_FAULTS[code].meaning}`).join(" "),
    content: {
      "application/json": { schema },
      // A page says its faults to people.
      ...("type" in answer && answer.type === "text/html" ? { [answer.type]: { schema: { type: "string" } } } : {}),
    },
    ...(header === undefined
      ? {}
      : { headers: { [header[0]]: { description: header[1], schema: { type: "string" } } } }),
  };
}

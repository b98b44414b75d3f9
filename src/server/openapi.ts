// Generates the OpenAPI 3.1 document from the route table.

import { choice, closedObject, type Fields, named, openObject, optional, type Shape, text } from "../base/shapes.ts";
import { EVENT_DEFINITIONS } from "../channels/events.ts";
import { EVENTS, type EventName } from "../channels/kinds.ts";
import { API_FAULTS, type ApiFaultCode } from "./http/response.ts";
import type { RouteFacts, RouteGroup } from "./http/route.ts";

const GENERAL_FAULTS: readonly ApiFaultCode[] = [
  "BAD_REQUEST",
  "REQUEST_TIMEOUT",
  "MISDIRECTED_REQUEST",
  "HEADERS_TOO_LARGE",
  "INTERNAL",
  "NOT_IMPLEMENTED",
];
const KEY_FAULTS: readonly ApiFaultCode[] = [
  "MISSING_API_KEY",
  "INVALID_API_KEY",
  "INSUFFICIENT_SCOPE",
  "RATE_LIMITED",
  // Checking a key reads the store.
  "NOT_READY",
];
const BODY_FAULTS: readonly ApiFaultCode[] = ["UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE", "INVALID_BODY"];

const FAULT = named(
  "Fault",
  closedObject({
    code: choice(Object.keys(API_FAULTS), "The kind of problem."),
    message: text("The problem and how to fix it."),
    field: optional(
      text("The field of a JSON body that the problem is in, such as `config.url`; absent if there is none."),
    ),
  }),
);

const TEXT = text();
const HEADERS_OF: Readonly<Partial<Record<number, Schema>>> = {
  401: header("WWW-Authenticate", "The Bearer scheme, with the error (RFC 6750)."),
  403: header("WWW-Authenticate", "The Bearer scheme, with the missing scope (RFC 6750)."),
  405: header("Allow", "The methods that the path supports."),
  429: header("Retry-After", "Seconds to wait before retrying."),
  503: header("Retry-After", "Seconds to wait before retrying."),
};

function header(name: string, description: string): Schema {
  return { [name]: { description, schema: TEXT } };
}

export interface DocumentFacts {
  readonly version: string;
  readonly publicUrl: URL | undefined;
  /** Whether detection works without a key. */
  readonly anonymousDetection: boolean;
}

export function openApiDocument(routes: readonly RouteFacts[], facts: DocumentFacts): object {
  const { version, publicUrl } = facts;
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const { path, method } = route;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(route, facts.anonymousDetection) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "addrsift",
      version,
      summary: "Classifies email addresses and manages a team's notification channels.",
      description:
        "Errors are `Fault`: the message states the problem and how to fix it. New fields, codes and other values may be " +
        "added, so treat an unknown code by its status. Retry after 408, 429 and 503; the last two have `Retry-After`. " +
        "`X-Request-Id` identifies a response in the daemon's log.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl === undefined ? "/" : publicUrl.href.replace(/\/$/, "") }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: extractSchemas(paths, schemas),
    webhooks: extractSchemas(Object.fromEntries(EVENTS.map((event) => [event, { post: webhook(event) }])), schemas),
    components: {
      schemas,
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key, as printed by `addrsift keys create`." },
      },
    },
  };
}

function webhook(event: EventName): Schema {
  const headers = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  return {
    operationId: event,
    tags: ["events"],
    summary: `The event ${event}, signed according to Standard Webhooks`,
    security: [],
    parameters: headers.map((name) => ({ name, in: "header", required: true, schema: TEXT })),
    requestBody: {
      required: true,
      content: { "application/json": { schema: EVENT_DEFINITIONS[event].shape } },
    },
    responses: {
      "2XX": {
        description:
          "Accepted. Any other status is a failure and is retried; after 410, once the channel is verified again.",
      },
    },
  };
}

export function faultsOf(route: RouteFacts): readonly ApiFaultCode[] {
  const { method, scope, allowsAnonymous, query, body, stream, faults = [] } = route;
  return [
    ...faults,
    ...(allowsAnonymous === true ? (["CROSS_SITE"] as const) : []),
    ...(scope === undefined || query !== undefined ? [] : (["INVALID_QUERY"] as const)),
    ...(scope === undefined ? [] : KEY_FAULTS),
    ...(scope?.startsWith("notifications:") && method !== "GET" ? (["STORAGE_FULL"] as const) : []),
    ...((body ?? stream) === undefined ? [] : BODY_FAULTS),
    ...GENERAL_FAULTS,
  ];
}

function operation(route: RouteFacts, anonymousDetection: boolean): Schema {
  const { id, group, summary, scope, description = "" } = route;
  const isAnonymous = route.allowsAnonymous === true && anonymousDetection;
  const access = isAnonymous
    ? `Works without a key; a key, if sent, must have the scope \`${scope}\`.`
    : `Requires a key with the scope \`${scope}\`.`;
  const parameters = [
    ...pathParameters(route),
    ...namedParameters("query", route.query),
    ...namedParameters("header", route.headers),
  ];
  return {
    operationId: id,
    tags: [group],
    summary,
    security: scope === undefined ? [] : isAnonymous ? [{ apiKey: [] }, {}] : [{ apiKey: [] }],
    description: scope === undefined ? undefined : `${access} ${description}`.trim(),
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: requestBodyOf(route),
    responses: responsesOf(route),
  };
}

function requestBodyOf({ body, stream }: RouteFacts): Schema | undefined {
  // Only the first type of a body: client generators create clashing classes for two types with one schema.
  const types = body?.types.slice(0, 1) ?? stream?.types;
  return types && { required: true, content: contentOf(types, (body ?? stream)?.shape) };
}

function contentOf(types: readonly string[], schema: Shape | undefined): Schema {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

const TAGS: Readonly<Record<RouteGroup | "events", string>> = {
  detection: "Classify email addresses and domains.",
  channels: "Manage the notification channels of the key's team.",
  verification: "The web page of an emailed verification link.",
  status: "Health, metrics and API description of the daemon.",
  events: "Events that are sent to channels.",
};

const PARAMETERS = {
  id: "The id of a channel of the key's team.",
  token: "The token of an emailed verification link.",
  domain:
    "The domain, up to 4 KiB, percent-encoded as by `encodeURIComponent`; an address is accepted too. POST needs no " +
    "encoding.",
} as const;

function pathParameters({ path }: RouteFacts): object[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: "path",
    required: true,
    description: PARAMETERS[name as keyof typeof PARAMETERS],
    schema: { type: "string", minLength: 1 },
  }));
}

function namedParameters(location: "query" | "header", fields: Fields = {}): object[] {
  const { required = [] } = openObject(fields);
  return Object.entries(fields).map(([name, { description, ...schema }]) => ({
    name,
    required: required.includes(name),
    description,
    schema,
    in: location,
    // Lists of words are comma-separated; other lists repeat the parameter.
    ...(schema["items"]?.enum === undefined ? {} : { style: "form", explode: false }),
  }));
}

function responsesOf(route: RouteFacts): Schema {
  const responses: Record<string, unknown> = { 200: { description: route.summary, content: successContent(route) } };
  const byStatus = new Map<number, ApiFaultCode[]>();
  for (const code of faultsOf(route)) {
    const { status } = API_FAULTS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus) responses[status] = faultResponse(status, codes, route);
  return responses;
}

function successContent({ response, hasPage, body, stream }: RouteFacts): Schema {
  if (typeof response === "string") return contentOf([response], TEXT);
  const types = body === undefined ? stream?.responseTypes : undefined;
  return { ...contentOf(types ?? ["application/json"], response), ...pageContent(hasPage) };
}

function pageContent(hasPage = false): Schema {
  return hasPage ? contentOf(["text/html"], TEXT) : {};
}

function faultResponse(status: number, codes: readonly ApiFaultCode[], { hasPage }: RouteFacts): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${API_FAULTS[code].meaning}`).join(" "),
    // One schema for all codes: one per code would become hundreds of classes in a generated client.
    content: { ...contentOf(["application/json"], FAULT), ...pageContent(hasPage) },
    headers: HEADERS_OF[status],
  };
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * Replaces each named shape in `value` with a `$ref`, and adds the shape to `schemas`. Objects in responses accept unknown
 * fields, and strings unknown values: a client generated from this document must not fail when a later version adds one.
 */
function extractSchemas(value: unknown, schemas: Record<string, unknown>, isResponse = false): unknown {
  if (Array.isArray(value)) return value.map((item) => extractSchemas(item, schemas, isResponse));
  if (typeof value !== "object" || value === null) return value;
  const { $id: name, ...others } = (isResponse ? openChoice(value) : value) as { readonly $id?: string };
  // Object.entries skips TypeBox's metadata, whose keys are symbols. A boolean `const` gets no `type`, because with one,
  // Python clients by openapi-generator compare the value with a string.
  const schema = Object.fromEntries(
    Object.entries(others)
      .filter(([key, part]) => !(isResponse && key === "additionalProperties" && part === false))
      .filter(([key]) => !(key === "type" && "const" in others && typeof others.const === "boolean"))
      .map(([key, part]) => [key, extractSchemas(part, schemas, isResponse || key === "responses")]),
  );
  if (name === undefined) return schema;
  schemas[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

/** Turns a choice into a string with the choices as examples. */
function openChoice(schema: object): object {
  const { enum: choices, description = "", ...others } = schema as Schema;
  if (!Array.isArray(choices)) return schema;
  const list = choices.map((value) => `\`${value}\``).join(", ");
  const openDescription = `${description} One of ${list}; later versions may have others.`;
  return { ...others, description: openDescription.trim(), examples: choices };
}

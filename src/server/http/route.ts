// Types of routes and requests, and route matching.

import { createHash } from "node:crypto";
import { lazy } from "../../base/memoize.ts";
import { closedObject, type Fields, literal, named, type Shape, text } from "../../base/shapes.ts";
import type { Scope } from "../../keys/scopes.ts";
import type { RequestContext } from "./request-context.ts";
import type { ApiFaultCode, ApiResponse, StreamedResponse } from "./response.ts";

export interface RouteBody {
  readonly limitBytes: number;
  readonly types: readonly string[];
  readonly shape: Shape;
}

export interface RouteStream {
  /** Accepted media types. */
  readonly types: readonly string[];
  readonly responseTypes: readonly string[];
  readonly shape: Shape;
}

export type RouteGroup = "detection" | "channels" | "verification" | "status";

/** Declares a route. Routing, `Allow`, authorization, limits, OpenAPI document and manual are derived from it. */
export interface RouteFacts {
  readonly id: string;
  readonly group: RouteGroup;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path pattern; segments in braces are parameters. */
  readonly path: string;
  /** Required scope. If undefined, the route ignores keys. */
  readonly scope?: Scope;
  /** Whether the route works without a key if the daemon allows anonymous detection. */
  readonly allowsAnonymous?: true;
  readonly body?: RouteBody;
  /** If there is also a `body`, the media type selects one, and the OpenAPI document has only the body. */
  readonly stream?: RouteStream;
  readonly query?: Fields;
  readonly headers?: Fields;
  readonly summary: string;
  readonly description?: string;
  readonly response: Shape | string;
  /** Whether the response is an HTML page, unless the client accepts only JSON. */
  readonly hasPage?: true;
  readonly faults?: readonly ApiFaultCode[];
}

export interface Route extends RouteFacts {
  readonly handle: Handler;
  readonly handleStream?: Handler | undefined;
}

export interface RouteDefinition<Deps> extends Omit<RouteFacts, "group"> {
  readonly handler: (deps: Deps) => Handler;
  /** Handles streams, if the route also accepts a body. */
  readonly streamHandler?: (deps: Deps) => Handler;
}

/** The part of a request that handlers use. */
export type ApiRequest = Readonly<
  Pick<
    RequestContext,
    "params" | "query" | "caller" | "body" | "host" | "header" | "headers" | "peer" | "signal" | "stream"
  >
>;

export type Handler = (request: ApiRequest) => ApiResponse | Promise<ApiResponse | StreamedResponse>;

/** A matched path: its routes by method, parameter values, and the value of the `Allow` header. */
export interface RouteMatch {
  readonly path: string;
  readonly byMethod: ReadonlyMap<string, Route>;
  readonly allow: string;
  readonly params: readonly string[];
}

/** Returns a function that matches a path, which it neither decodes nor normalizes. */
export function createRouteMatcher(routes: readonly Route[]): (path: string) => RouteMatch | undefined {
  const methods = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const byMethod = methods.get(route.path) ?? new Map<string, Route>();
    methods.set(route.path, byMethod.set(route.method, route));
    // Node omits the body of a response to HEAD (RFC 9110 §9.3.2).
    if (route.method === "GET") byMethod.set("HEAD", route);
  }
  const matchByPath = new Map<string, RouteMatch>();
  const patterns: { readonly pattern: RegExp; readonly match: RouteMatch }[] = [];
  for (const [path, byMethod] of methods) {
    const match = { path, byMethod, allow: [...byMethod.keys()].join(", "), params: [] };
    if (!path.includes("{")) matchByPath.set(path, match);
    else patterns.push({ pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "([^/]+)")}$`), match });
  }
  return (path) => {
    const exact = matchByPath.get(path);
    if (exact !== undefined) return exact;
    for (const { pattern, match } of patterns) {
      const [matchedPath, ...params] = pattern.exec(path) ?? [];
      if (matchedPath !== undefined) return { ...match, params };
    }
    return undefined;
  };
}

const DEFAULT_BODY_LIMIT = 64 * 1024;

export function jsonBody(shape: Shape, limitBytes: number = DEFAULT_BODY_LIMIT): RouteBody {
  return { limitBytes, types: ["application/json"], shape };
}

/** Returns the shape of a success response with these fields, named for the OpenAPI document. */
export function responseShape(name: string, fields: Fields): Shape {
  return named(name, closedObject({ code: literal("SUCCESS"), ...fields }));
}

export function dataResponseShape(name: string, data: Shape): Shape {
  return responseShape(name, { message: text(), data });
}

/** Returns a handler for a constant response with an ETag. Sends 304 if the client has it (RFC 9110 §13.1.2). */
export function staticResponse(create: () => ApiResponse): Handler {
  const cached = lazy((): { readonly tag: string; readonly apiResponse: ApiResponse } => {
    const apiResponse = create();
    // A weak ETag, because compression changes the bytes (RFC 9110 §8.8.1).
    const tag = `W/"${createHash("sha256").update(apiResponse.body).digest("base64url").slice(0, 22)}"`;
    return {
      tag,
      apiResponse: { ...apiResponse, cacheControl: "no-cache", headers: ["ETag", tag, ...(apiResponse.headers ?? [])] },
    };
  });
  return (request) => {
    const { tag, apiResponse } = cached();
    const cachedTags = request.header("if-none-match").split(",");
    const matches = cachedTags.some((text) => ["*", tag, tag.slice(2)].includes(text.trim()));
    return matches ? { ...apiResponse, status: 304, type: "", body: "" } : apiResponse;
  };
}

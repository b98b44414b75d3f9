// The parts of a route, its way in from method and path, and what its handler gets and gives.

import { closed, constant, type Fields, named, type Shape, text } from "../../base/shapes.ts";
import type { ByteSource } from "../../bulk/ports.ts";
import type { ShownKey } from "../../keys/record.ts";
import type { Scope } from "../../keys/scopes.ts";
import type { Answer, ApiFaultCode, StreamedAnswer } from "./answer.ts";
import type { PlacedStream } from "./places.ts";

export interface RouteBody {
  readonly limitBytes: number;
  readonly types: readonly string[];
  readonly shape: Shape;
  /** It is what an HTML form sends, not JSON. */
  readonly form?: true;
}

/** Bodies and answers of any length. */
export interface RouteStream {
  /** The media types that the route takes, and those of its answer. */
  readonly types: readonly string[];
  readonly answers: readonly string[];
  readonly shape: Shape;
}

/** The groups of routes: a generated client has a class for each. */
export type RouteGroup = "detection" | "channels" | "verification" | "status";

/** Facts about a route: routing, `Allow`, access, limits, the OpenAPI document and the manual are made from it. */
export interface RouteFacts {
  /** Its operation in the OpenAPI document. */
  readonly id: string;
  readonly group: RouteGroup;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Segments in braces are parameters. */
  readonly path: string;
  /** The scope that a key needs; without it the route does not look at keys. */
  readonly scope?: Scope;
  /** Also works without a key where the daemon's settings allow that for detection. */
  readonly openable?: true;
  readonly body?: RouteBody;
  /** Beside a body, the media type tells them apart, and the document has the body only. */
  readonly stream?: RouteStream;
  readonly query?: Fields;
  readonly summary: string;
  /** More about it, for the document. */
  readonly description?: string;
  /** The shape of a good answer, or the media type of one that is not JSON. */
  readonly answer: Shape | string;
  /** Faults of this route besides those that follow from its access and its body. */
  readonly faults?: readonly ApiFaultCode[];
}

export interface Route extends RouteFacts {
  readonly handle: Handler;
  readonly handleStream?: Handler | undefined;
}

/** A route that answers once it has the parts of a daemon that it works with. The table adds its group. */
export interface RouteOver<Parts> extends Omit<RouteFacts, "group"> {
  readonly handler: (parts: Parts) => Handler;
  /** Handles streams, where the route takes a body as well. */
  readonly streamHandler?: (parts: Parts) => Handler;
}

export type Caller = Pick<ShownKey, "id" | "team">;

/** A body that is read as it arrives. */
export interface BodyBytes extends ByteSource, PlacedStream {
  /** The body has a declared length so small that it is read whole before it is answered. */
  readonly isShort: boolean;
  /** Resolves when the answer may begin: a short body has then arrived as a whole. */
  arrived(): Promise<void>;
}

export interface ApiRequest {
  /** The values of the parameters in the route's path, in order. */
  readonly params: readonly string[];
  /** The part after the `?`. */
  readonly query: string;
  /** Undefined when no key was sent. */
  readonly caller: Caller | undefined;
  /** The body's object; empty when the route takes none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The host that was asked for: the Host header, or that of an absolute target; empty when there is none. */
  readonly host: string;
  /** A header by its name in small letters; empty when there is none. */
  header(name: string): string;
  /** The address of the caller: the peer's, or the one that trusted proxies name. */
  readonly peer: string;
  /** Aborts when the caller disconnects, for work that takes long. */
  readonly signal: AbortSignal;
  /** The body of a route with a stream. Fails when the caller disconnects. */
  readonly bytes: BodyBytes;
}

/** Answers a request that passed all checks. */
export type Handler = (request: ApiRequest) => Answer | Promise<Answer | StreamedAnswer>;

/** The end of a path: its routes by method, the values between its braces, and the methods as `Allow` lists them. */
export interface RouteMatch {
  readonly path: string;
  readonly byMethod: ReadonlyMap<string, Route>;
  readonly allow: string;
  readonly params: readonly string[];
}

interface Pattern {
  readonly segments: readonly string[];
  readonly found: RouteMatch;
}

/** More segments than any path of ours has. */
const SEGMENTS_MAX = 16;
const NO_PARAMS: readonly string[] = [];

/** Gives for a path what it leads to, or undefined. Paths are taken as they are: nothing is decoded or normalized. */
export function createRouteMatcher(routes: readonly Route[]): (path: string) => RouteMatch | undefined {
  const fixed = new Map<string, RouteMatch>();
  const patterns: Pattern[] = [];
  for (const [path, rows] of groupByPath(routes)) {
    const found = foundOf(path, rows);
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

/** A GET answers HEAD as well (RFC 9110 §9.3.2); Node leaves out the body. */
function foundOf(path: string, rows: readonly Route[]): RouteMatch {
  const byMethod = new Map<string, Route>();
  for (const route of rows) {
    byMethod.set(route.method, route);
    if (route.method === "GET") byMethod.set("HEAD", route);
  }
  return { path, byMethod, allow: [...byMethod.keys()].join(", "), params: NO_PARAMS };
}

function matchPattern(patterns: readonly Pattern[], path: string): RouteMatch | undefined {
  // Not more parts than tell that there are too many.
  const parts = path.split("/", SEGMENTS_MAX + 1);
  for (const { segments, found } of patterns) {
    if (segments.length !== parts.length) continue;
    const fits = segments.every((segment, i) => (segment.startsWith("{") ? parts[i] !== "" : segment === parts[i]));
    if (!fits) continue;
    const params = parts.filter((_, i) => segments[i]?.startsWith("{"));
    return { ...found, params };
  }
  return undefined;
}

/** The limit of every body but the batch's, in bytes. */
const BODY_LIMIT = 64 * 1024;

export function jsonBody(shape: Shape, limitBytes: number = BODY_LIMIT): RouteBody {
  return { limitBytes, types: ["application/json"], shape };
}

/** A good answer with these fields, by its name in the document. */
export function answerOf(name: string, fields: Fields): Shape {
  return named(name, closed({ code: constant("SUCCESS"), ...fields }));
}

/** A good answer that says something and has data. */
export function dataAnswer(name: string, data: Shape): Shape {
  return answerOf(name, { message: text(), data });
}

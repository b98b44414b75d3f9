// The types of a row of the route table, and of what a handler gets and gives. Only types.

import type { Scope, ShownKey } from "../../keys/record.ts";
import type { Answer } from "./answer.ts";
import type { ApiFaultCode } from "./faults.ts";

/** The name of a route: its operation in the OpenAPI document, its handler's key, its label in metrics and log. */
export type RouteId =
  | "detectAddress"
  | "detectAddresses"
  | "createChannel"
  | "listChannels"
  | "getChannel"
  | "updateChannel"
  | "deleteChannel"
  | "testChannel"
  | "requestVerification"
  | "listDeliveries"
  | "showVerification"
  | "confirmVerification"
  | "health"
  | "readiness"
  | "metrics"
  | "openApi";

/** The body that a route takes. */
export interface RouteBody {
  readonly limitBytes: number;
  /** The media types that it accepts. */
  readonly types: readonly string[];
  /** The name of its schema. */
  readonly schema: string;
}

/** One query parameter, for the OpenAPI document. */
export interface QueryParameter {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** One route: routing, `Allow`, access, limits and the OpenAPI document are made from it. */
export interface Route {
  readonly id: RouteId;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Segments in braces are parameters. */
  readonly path: string;
  /** The scope that a key needs; without it the route does not look at keys. */
  readonly scope?: Scope;
  /** Also works without a key where the daemon's settings allow that for detection. */
  readonly openable?: true;
  readonly body?: RouteBody;
  readonly query?: readonly QueryParameter[];
  readonly summary: string;
  /** The schema of a successful answer, or its media type when it is not JSON. */
  readonly answer: { readonly schema: string } | { readonly type: string };
  /** Faults of this route besides those of its key check and its body. */
  readonly faults: readonly ApiFaultCode[];
}

/** The caller: the key that was checked. */
export type Caller = Pick<ShownKey, "id" | "team">;

/** What a handler gets. */
export interface ApiRequest {
  /** The values of the parameters in the route's path, in order. */
  readonly params: readonly string[];
  /** The part after the `?`. */
  readonly query: string;
  /** Undefined when no key was sent. */
  readonly caller: Caller | undefined;
  /** The body's object; empty when the route takes none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The Accept header; empty when there is none. */
  readonly accept: string;
  /** The address of the peer. */
  readonly peer: string;
  /** Aborts when the caller disconnects, for work that takes long. */
  readonly signal: AbortSignal;
}

/** Answers a request that passed all checks. */
export type Handler = (request: ApiRequest) => Answer | Promise<Answer>;

/** One handler for each route. */
export type Handlers = Readonly<Record<RouteId, Handler>>;

// What a row of the route table is made of, and what goes in and out of a handler. Types alone.

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
  /** The media types that are taken. */
  readonly types: readonly string[];
  /** The name of its schema. */
  readonly schema: string;
}

/** One parameter of a query, for the document. */
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
  /** The scope that a key needs; without it the route asks for no key and looks at none. */
  readonly scope?: Scope;
  /** Works without a key as well where the daemon's settings open detection. */
  readonly openable?: true;
  readonly body?: RouteBody;
  readonly query?: readonly QueryParameter[];
  readonly summary: string;
  /** The schema of a good answer, or the media type of one that is no JSON. */
  readonly answer: { readonly schema: string } | { readonly type: string };
  /** Faults of this route besides those that follow from its access and its body. */
  readonly faults: readonly ApiFaultCode[];
}

/** Who asks: the key that was checked. */
export type Caller = Pick<ShownKey, "id" | "team">;

/** What a handler is told. */
export interface ApiRequest {
  /** What stands between the braces of the route's path, in order. */
  readonly params: readonly string[];
  /** What stands behind the `?`. */
  readonly query: string;
  /** Undefined where no key was sent. */
  readonly caller: Caller | undefined;
  /** The body's object; empty where the route takes none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The Accept header; empty when there is none. */
  readonly accept: string;
  /** The address of the peer. */
  readonly peer: string;
  /** Ends when the caller goes away, for work that takes long. */
  readonly signal: AbortSignal;
}

/** Makes the answer to a request that passed all checks. */
export type Handler = (request: ApiRequest) => Answer | Promise<Answer>;

/** One handler for each route. */
export type Handlers = Readonly<Record<RouteId, Handler>>;

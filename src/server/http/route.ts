// What a route is made of, and what goes in and out of its handler. Types only.

import type { Fields, Shape } from "../../base/shapes.ts";
import type { ByteSource } from "../../bulk/ports.ts";
import type { ShownKey } from "../../keys/record.ts";
import type { Scope } from "../../keys/scopes.ts";
import type { Answer, StreamedAnswer } from "./answer.ts";
import type { ApiFaultCode } from "./faults.ts";

/** The body that a route takes. */
export interface RouteBody {
  readonly limitBytes: number;
  /** The media types that it accepts. */
  readonly types: readonly string[];
  readonly shape: Shape;
  /** It is what an HTML form sends, not JSON. */
  readonly form?: true;
}

/** A body and an answer of any length, which a route takes beside its body: the media type tells them apart. */
export interface RouteStream {
  /** The media types that the route accepts, and those of its answer. */
  readonly types: readonly string[];
  readonly answers: readonly string[];
  readonly shape: Shape;
  readonly answer: Shape;
  /** The parameters of its query, by name. */
  readonly query: Fields;
  readonly description: string;
}

/** What is said of a route: routing, `Allow`, access, limits, the OpenAPI document and the manual are made from it. */
export interface RouteFacts {
  /** Its operation in the OpenAPI document. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Segments in braces are parameters. */
  readonly path: string;
  /** The scope that a key needs; without it the route does not look at keys. */
  readonly scope?: Scope;
  /** Also works without a key where the daemon's settings allow that for detection. */
  readonly openable?: true;
  readonly body?: RouteBody;
  readonly stream?: RouteStream;
  /** The parameters of its query, by name. */
  readonly query?: Fields;
  readonly summary: string;
  /** More about it, for the document. */
  readonly description?: string;
  /** The shape of a good answer, or the media type of one that is not JSON. */
  readonly answer: Shape | string;
  /** Faults of this route besides those that follow from its access and its body. */
  readonly faults?: readonly ApiFaultCode[];
}

/** A route that answers. */
export interface Route extends RouteFacts {
  readonly handle: Handler;
  readonly handleStream?: Handler | undefined;
}

/** A route that answers once it has the parts of a daemon that it works with. */
export interface RouteOver<Parts> extends RouteFacts {
  readonly handler: (parts: Parts) => Handler;
  readonly streamHandler?: (parts: Parts) => Handler;
}

/** The caller: the key that was checked. */
export type Caller = Pick<ShownKey, "id" | "team">;

/** A body that is read as it arrives. */
export interface BodyOctets extends ByteSource {
  /** The body has a declared length so small that it is read whole before it is answered. */
  readonly isShort: boolean;
  /** Resolves when the answer may begin: a short body has then arrived as a whole. */
  arrived(): Promise<void>;
}

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
  /** The host that was asked for: the Host header, or that of an absolute target; empty when there is none. */
  readonly host: string;
  /** A header by its name in small letters; empty when there is none. */
  header(name: string): string;
  /** The address of the caller: the peer's, or the one that trusted proxies name. */
  readonly peer: string;
  /** Aborts when the caller disconnects, for work that takes long. */
  readonly signal: AbortSignal;
  /** The body of a route with a stream. Fails when the caller disconnects. */
  readonly octets: BodyOctets;
}

/** Answers a request that passed all checks. */
export type Handler = (request: ApiRequest) => Answer | Promise<Answer | StreamedAnswer>;

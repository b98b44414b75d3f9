// The state of a request from its headers to its response, and access to its headers.

import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { KeyInfo } from "../../keys/keys.ts";
import { clientAddress, type IsTrustedProxy } from "./origins.ts";
import type { ApiFaultCode } from "./response.ts";
import { DuplexBody } from "./streaming.ts";

export type Caller = Pick<KeyInfo, "id" | "team" | "scopes">;

/** Results of requests to which the listener responded instead of the app, because their body is too slow or malformed. */
export const listenerResults: WeakMap<IncomingMessage, Pick<RequestContext, "status" | "faultCode">> = new WeakMap();

/** The state of one request. Its path and query may contain an address or a token. */
export class RequestContext {
  readonly startedMs: number = performance.now();
  readonly id: string;
  readonly headers: RequestHeaders;
  path: string;
  /** The part after the `?`. */
  query: string;
  /** The Host header, or the host of an absolute target; empty if there is none. */
  host: string;
  routeId: string | undefined = undefined;
  /** The path pattern in the route table. */
  routePath: string | undefined = undefined;
  /** The values of the path's parameters, in order. */
  params: readonly string[] = [];
  /** The record of the key that was sent, even if the key is rejected; undefined if none was sent or it is unknown. */
  caller: Caller | undefined = undefined;
  /** The parsed JSON body; empty if the route accepts none. */
  body: Readonly<Record<string, unknown>> = {};
  /** Undefined if the client disconnected before the end of the response. */
  status: number | undefined = undefined;
  /** The code of an error response. */
  faultCode: ApiFaultCode | undefined = undefined;
  /** Whether a streamed response was truncated by a failure. */
  isTruncated = false;
  rows: number | undefined = undefined;
  openedStream: DuplexBody | undefined = undefined;
  durationMs = 0;
  private abortController: AbortController | undefined = undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly isTrustedProxy: IsTrustedProxy | undefined,
  ) {
    this.headers = new RequestHeaders(request.rawHeaders);
    this.id = requestId(this.headers.last("x-request-id"));
    this.host = this.headers.last("host") ?? "";
    const target = request.url as string;
    const queryMark = target.indexOf("?");
    this.path = queryMark < 0 ? target : target.slice(0, queryMark);
    this.query = queryMark < 0 ? "" : target.slice(queryMark + 1);
  }

  get method(): string {
    return this.request.method as string;
  }

  /** The client's address: that of the connection, or the one that trusted proxies forward. */
  get peer(): string {
    const peer = this.request.socket.remoteAddress ?? "";
    if (this.isTrustedProxy === undefined) return peer;
    const forwardedFor = this.headers.combined("x-forwarded-for");
    return forwardedFor === undefined ? peer : clientAddress(peer, forwardedFor, this.isTrustedProxy);
  }

  /** Returns a header by its lowercase name, repeated values joined; empty if there is none. */
  header(name: string): string {
    return this.headers.combined(name) ?? "";
  }

  /** Request and response body as streams. Both fail if the client disconnects. */
  get stream(): DuplexBody {
    this.openedStream ??= new DuplexBody(this.request, this.response);
    return this.openedStream;
  }

  /** Aborts if the client disconnects. */
  get signal(): AbortSignal {
    if (this.abortController === undefined) {
      this.abortController = new AbortController();
      this.response.on("close", () => this.abortController?.abort());
    }
    return this.abortController.signal;
  }
}

const PROCESS_ID = randomBytes(6).toString("hex");
let idCount = 0;

// Only safe characters: the id is logged verbatim.
const SAFE_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/;

function requestId(clientId: string | undefined): string {
  if (clientId !== undefined && SAFE_ID.test(clientId)) return clientId;
  idCount += 1;
  return `${PROCESS_ID}-${idCount}`;
}

/**
 * Reads headers from Node's raw list, because its object hides repeated headers. Searching the list is faster than an
 * index of it: a request has few headers.
 */
export class RequestHeaders {
  constructor(private readonly raw: readonly string[]) {}

  /** Returns the value of a header by its lowercase name; of a repeated header, the last one. */
  last(name: string): string | undefined {
    const index = this.lastIndexOf(name);
    return index < 0 ? undefined : this.raw[index + 1];
  }

  /** Returns the values of a repeated header joined by commas. */
  combined(name: string): string | undefined {
    const values: unknown[] = [];
    for (let i = this.lastIndexOf(name); i >= 0; i = this.lastIndexOf(name, i)) values.unshift(this.raw[i + 1]);
    return values.length === 0 ? undefined : values.join(", ");
  }

  isRepeated(name: string): boolean {
    return this.lastIndexOf(name, this.lastIndexOf(name)) >= 0;
  }

  get hasProxyHeader(): boolean {
    return PROXY_HEADERS.some((name) => this.lastIndexOf(name) >= 0);
  }

  /** Returns the last index of a header before `end`, or a negative number. */
  private lastIndexOf(name: string, end: number = this.raw.length): number {
    let index = end - 2;
    for (; index >= 0; index -= 2) {
      const headerName = this.raw[index] as string;
      if (headerName.length === name.length && headerName.toLowerCase() === name) break;
    }
    return index;
  }
}

const PROXY_HEADERS = ["x-forwarded-for", "forwarded", "via", "x-forwarded-host", "x-forwarded-proto"];

// One request until its answer, as handlers, counters and the access log see it.

import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { callerAddress, type TrustedProxies } from "./origins.ts";
import type { ApiRequest, Caller, Route } from "./route.ts";
import { ByteStreams } from "./streaming.ts";

const NO_BODY: Readonly<Record<string, unknown>> = {};

/**
 * One request until its answer; handlers see only its `ApiRequest`. Its path and query may contain an address or a
 * token.
 */
export class OngoingExchange implements ApiRequest {
  readonly started: number = performance.now();
  readonly id: string;
  readonly headers: RequestHeaders;
  path: string;
  query: string;
  host: string;
  route: Route | undefined = undefined;
  /** The path in the route table, also where it does not take the method. */
  template: string | undefined = undefined;
  params: readonly string[] = [];
  caller: Caller | undefined = undefined;
  body: Readonly<Record<string, unknown>> = NO_BODY;
  /** Undefined when the caller disconnected before the answer, or before the end of a streamed one. */
  status: number | undefined = undefined;
  /** A streamed answer failed before its end. */
  cut = false;
  /** The number of rows that were read for a streamed answer. */
  rows: number | undefined = undefined;
  /** Made when the handler asks for the body as bytes. */
  streams: ByteStreams | undefined = undefined;
  milliseconds = 0;
  private abort: AbortController | undefined = undefined;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly trusts: TrustedProxies | undefined,
  ) {
    this.headers = new RequestHeaders(request.rawHeaders);
    this.id = idFrom(this.headers.requestId);
    this.host = this.headers.host;
    const target = request.url as string;
    const mark = target.indexOf("?");
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? "" : target.slice(mark + 1);
  }

  get method(): string {
    return this.request.method as string;
  }

  get peer(): string {
    const peer = this.request.socket.remoteAddress ?? "";
    const { forwardedFor } = this.headers;
    if (this.trusts === undefined || forwardedFor === undefined) return peer;
    return callerAddress(peer, forwardedFor, this.trusts);
  }

  header(name: string): string {
    const { [name]: value = "" } = this.request.headers;
    return typeof value === "string" ? value : value.join(", ");
  }

  get bytes(): ByteStreams {
    if (this.streams === undefined) {
      // Node keeps the address that was asked for, so the log has it when the connection has ended.
      void this.request.socket.remoteAddress;
      this.streams = new ByteStreams(this.request, this.response);
    }
    return this.streams;
  }

  get signal(): AbortSignal {
    if (this.abort === undefined) {
      const abort = new AbortController();
      this.response.on("close", () => abort.abort());
      this.abort = abort;
    }
    return this.abort.signal;
  }
}

// Ids differ between processes, and count within one.
const PROCESS_ID = randomBytes(6).toString("hex");
let count = 0;

// No space, quote, @ or angle bracket: an id goes to the log as it is.
const FIT_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/** The id that the caller or its proxy gave the request, or one of ours. */
function idFrom(given: string | undefined): string {
  if (given !== undefined && FIT_ID.test(given)) return given;
  count += 1;
  return `${PROCESS_ID}-${count.toString(36)}`;
}

/** The headers that the checks need, from the raw list, which shows repeated headers; Node's own object hides them. */
export class RequestHeaders {
  host = "";
  authorization: string | undefined = undefined;
  contentType: string | undefined = undefined;
  contentEncoding: string | undefined = undefined;
  origin: string | undefined = undefined;
  requestId: string | undefined = undefined;
  /** All Transfer-Encoding headers as one list. */
  transferEncoding: string | undefined = undefined;
  /** A browser's word about the page that asks: `same-origin`, `same-site`, `cross-site` or `none`. */
  fetchSite: string | undefined = undefined;
  /** All X-Forwarded-For headers as one list. */
  forwardedFor: string | undefined = undefined;
  /** A header is there that only proxies send. */
  viaProxy = false;
  /** One of these headers is repeated, so two readers could use different values. */
  hostRepeated = false;
  authorizationRepeated = false;
  contentTypeRepeated = false;
  private hosts = 0;

  /** Reads the raw list, where names and values alternate. */
  constructor(raw: readonly string[]) {
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i] as string;
      // Names of other lengths are none of these: most headers cost one comparison.
      if (NAMED_LENGTHS[name.length] === true) this.take(name.toLowerCase(), raw[i + 1] as string);
    }
  }

  private take(name: string, value: string): void {
    switch (name) {
      case "host":
        this.host = value;
        this.hostRepeated = this.hosts++ > 0;
        break;
      case "authorization":
        this.authorizationRepeated = this.authorization !== undefined;
        this.authorization = value;
        break;
      case "content-type":
        this.contentTypeRepeated = this.contentType !== undefined;
        this.contentType = value;
        break;
      case "content-encoding":
        this.contentEncoding = value;
        break;
      case "origin":
        this.origin = value;
        break;
      case "x-request-id":
        this.requestId = value;
        break;
      case "sec-fetch-site":
        this.fetchSite = value;
        break;
      case "x-forwarded-for":
        this.forwardedFor = this.forwardedFor === undefined ? value : `${this.forwardedFor},${value}`;
        this.viaProxy = true;
        break;
      case "transfer-encoding":
        this.transferEncoding = this.transferEncoding === undefined ? value : `${this.transferEncoding},${value}`;
        break;
      case "forwarded":
      case "via":
      case "x-forwarded-host":
      case "x-forwarded-proto":
        this.viaProxy = true;
        break;
    }
  }
}

const NAMED_LENGTHS: readonly boolean[] = Array.from({ length: 18 }, (_, length) =>
  // via; host; origin; forwarded; content-type and x-request-id; authorization; sec-fetch-site; x-forwarded-for;
  // content-encoding and x-forwarded-host; transfer-encoding and x-forwarded-proto.
  [3, 4, 6, 9, 12, 13, 14, 15, 16, 17].includes(length),
);

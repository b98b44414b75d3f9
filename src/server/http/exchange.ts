// One request until its answer: what handlers, counters and the access log see of it.

import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { callerAddress, type TrustedProxies } from "./proxies.ts";
import type { RequestHeaders } from "./request-headers.ts";
import type { ApiRequest, Caller, Route } from "./route.ts";
import { ByteStreams } from "./streaming.ts";

/** The result of one request, for counters and the access log. */
export interface HttpExchange {
  readonly id: string;
  readonly method: string;
  /** As the caller sent it: it may contain an address or a token. */
  readonly path: string;
  readonly route: Route | undefined;
  /** The path in the route table, also where it does not take the method. */
  readonly template: string | undefined;
  /** Undefined when the caller disconnected before the answer, or before the end of a streamed one. */
  readonly status: number | undefined;
  /** A streamed answer that failed before its end. */
  readonly cut: boolean;
  /** Of a streamed answer: how many rows were read. */
  readonly rows: number | undefined;
  readonly milliseconds: number;
  readonly caller: Caller | undefined;
  readonly peer: string;
  /** The part after the `?`: it can contain an address. */
  readonly query: string;
}

const NO_BODY: Readonly<Record<string, unknown>> = {};

/** One request until its answer; handlers see only its `ApiRequest`. */
export class OngoingExchange implements ApiRequest, HttpExchange {
  readonly started: number = performance.now();
  readonly id: string;
  readonly origin: string | undefined;
  path: string;
  query: string;
  host: string;
  route: Route | undefined = undefined;
  template: string | undefined = undefined;
  params: readonly string[] = [];
  caller: Caller | undefined = undefined;
  body: Readonly<Record<string, unknown>> = NO_BODY;
  status: number | undefined = undefined;
  cut = false;
  rows: number | undefined = undefined;
  /** Made when the handler asks for the body as octets. */
  streams: ByteStreams | undefined = undefined;
  milliseconds = 0;
  private readonly forwardedFor: string | undefined;
  private abort: AbortController | undefined = undefined;

  /** Reads what it needs of `headers`, which are used again for the next request. */
  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    headers: RequestHeaders,
    private readonly trusts: TrustedProxies | undefined,
  ) {
    this.id = idFrom(headers.requestId);
    this.origin = headers.origin;
    this.host = headers.host;
    this.forwardedFor = headers.forwardedFor;
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
    const { trusts, forwardedFor } = this;
    return trusts === undefined || forwardedFor === undefined ? peer : callerAddress(peer, forwardedFor, trusts);
  }

  header(name: string): string {
    const { [name]: value = "" } = this.request.headers;
    return typeof value === "string" ? value : value.join(", ");
  }

  get octets(): ByteStreams {
    if (this.streams === undefined) {
      // Node keeps it, and the log tells it when the connection has ended.
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

// Ids of ours differ between processes, and count within one.
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

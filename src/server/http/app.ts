// Checks each request in this order: host, route, method, key, scope, query, media type, size, body; then calls the
// handler. One file, so that the order can be read.

import type { IncomingMessage, ServerResponse } from "node:http";
import { isAddrsiftError } from "../../base/errors.ts";
import { isOutputClosed } from "../../bulk/streams.ts";
import { type Answer, fault, type StreamedAnswer } from "./answer.ts";
import type { Admission, Authorize } from "./authorization.ts";
import { isOfType, mediaTypeFault, parseObject, streamFault, tooLarge, unknownType } from "./body.ts";
import { OngoingExchange } from "./exchange.ts";
import { type AllowedOrigins, crossOriginHeaders, type HostCheck, preflight, type TrustedProxies } from "./origins.ts";
import { createRouteMatcher, type Route, type RouteBody, type RouteMatch } from "./route.ts";
import { StreamCut, sendStream } from "./streaming.ts";
import { compressed, isLarge, receive, send } from "./transmission.ts";

export interface AppParts {
  readonly routes: readonly Route[];
  /** The existing paths, for the answer about another one: a sentence without its end. */
  readonly pathsHint: string;
  readonly authorize: Authorize;
  /** Undefined where other machines can connect: any name may then point to the daemon. */
  readonly hostCheck: HostCheck | undefined;
  readonly trusts: TrustedProxies | undefined;
  readonly origins: AllowedOrigins;
  /** Paths that contain secrets; their answers have these headers, and are for no other site. */
  readonly secretPaths: { readonly begin: string; readonly headers: readonly string[] };
  readonly onForwarded: () => void;
  readonly closing: () => boolean;
  readonly observe: (exchange: OngoingExchange) => void;
  /** Reports a failure that no answer may show. */
  readonly report: (failure: unknown, exchange: OngoingExchange) => void;
}

export type App = (request: IncomingMessage, response: ServerResponse) => void;

/** Undefined when the caller left before the end of the body. */
type Reply = Answer | StreamedAnswer | undefined;

export function createApp(parts: AppParts): App {
  const find = createRouteMatcher(parts.routes);
  return (request, response) => {
    const exchange = new OngoingExchange(request, response, parts.trusts);
    if (exchange.headers.viaProxy) parts.onForwarded();
    const answer = firstAnswer(exchange, find, parts);
    if (answer instanceof Promise) {
      // A caller that left ended the work, so nothing failed.
      const settled = answer.catch((failure) => (response.destroyed ? undefined : failed(failure, exchange, parts)));
      void settled.then((later) => finish(exchange, later, parts));
    } else {
      // At once, so that it goes before the refusal of later bytes of the same piece.
      void finish(exchange, answer, parts);
    }
  };
}

const CLOSE = ["Connection", "close"];

const OTHER_CODING =
  "the daemon knows no Transfer-Encoding but chunked: send a stream in gzip with Content-Encoding, and other " +
  "bodies as they are";

/** An absolute target has its own host (RFC 9112 §3.2.2). */
function targetFault(exchange: OngoingExchange, check: HostCheck | undefined): Answer | undefined {
  const { headers } = exchange;
  const { httpVersion } = exchange.request;
  const old = httpVersion === "1.0";
  // Node reads others as if they were 1.0.
  if (!old && httpVersion !== "1.1") {
    return fault("BAD_REQUEST", `the daemon does not take HTTP/${httpVersion} on this connection: use HTTP/1.1`, CLOSE);
  }
  if (headers.isRepeated("host")) return fault("BAD_REQUEST", "there is more than one Host header: send one");
  if (exchange.host === "" && !old) {
    return fault("BAD_REQUEST", "the Host header is missing: send one (RFC 9112 section 3.2)");
  }
  const transferEncoding = headers.list("transfer-encoding");
  if (transferEncoding !== undefined) {
    // The end of such a request is uncertain (RFC 9112 §6.1).
    if (old) return fault("BAD_REQUEST", "HTTP/1.0 has no Transfer-Encoding: use HTTP/1.1", CLOSE);
    if (transferEncoding.trim().toLowerCase() !== "chunked") return fault("NOT_IMPLEMENTED", OTHER_CODING, CLOSE);
  }
  const absolute = exchange.path.startsWith("/") ? null : /^https?:\/\/([^/]*)(\/.*)$/i.exec(exchange.path);
  if (absolute !== null) {
    exchange.host = absolute[1] as string;
    exchange.path = absolute[2] as string;
  }
  // Health checks in HTTP/1.0 send no Host; browsers always do.
  if (check === undefined || check(exchange.host) || (old && exchange.host === "")) return undefined;
  const message = "the Host header names another host: use localhost, a loopback address or the public URL";
  return fault("MISDIRECTED_REQUEST", message);
}

function firstAnswer(
  exchange: OngoingExchange,
  find: ReturnType<typeof createRouteMatcher>,
  parts: AppParts,
): Reply | Promise<Reply> {
  try {
    return targetFault(exchange, parts.hostCheck) ?? answerTo(exchange, find(exchange.path), parts);
  } catch (failure) {
    return failed(failure, exchange, parts);
  }
}

function answerTo(exchange: OngoingExchange, found: RouteMatch | undefined, parts: AppParts): Reply | Promise<Reply> {
  if (found === undefined) return fault("NOT_FOUND", `there is no such path: ${parts.pathsHint}`);
  exchange.template = found.path;
  const route = found.byMethod.get(exchange.method);
  if (route === undefined) {
    if (isPreflight(exchange, parts)) return preflight(found.allow);
    const message = `the path does not take this method: use ${found.allow}`;
    return fault("METHOD_NOT_ALLOWED", message, ["Allow", found.allow]);
  }
  exchange.routeId = route.id;
  exchange.params = found.params;
  const admission = parts.authorize(route, exchange);
  if (admission instanceof Promise) return admission.then((later) => admitted(exchange, route, later));
  return admitted(exchange, route, admission);
}

function admitted(exchange: OngoingExchange, route: Route, { caller, refusal }: Admission): Reply | Promise<Reply> {
  exchange.caller = caller;
  if (refusal !== undefined) return refusal;
  const { body, stream, handle, handleStream = handle } = route;
  if (stream !== undefined && isOfType(exchange.headers, stream.types)) {
    return streamRefusal(exchange) ?? handleStream(exchange);
  }
  if (exchange.query !== "" && route.query === undefined && route.scope !== undefined) {
    return fault("INVALID_QUERY", "this request takes no query: leave out what is after the ?");
  }
  const types = [...(body?.types ?? []), ...(stream?.types ?? [])];
  if (body === undefined) return stream === undefined ? handle(exchange) : unknownType(types);
  return mediaTypeFault(exchange.headers, body, types) ?? answerWithBody(exchange, route, body);
}

/** HTTP/1.0 has no chunks, so a cut answer would look whole. */
function streamRefusal({ request, headers }: OngoingExchange): Answer | undefined {
  if (request.httpVersion !== "1.0") return streamFault(headers);
  const message = "HTTP/1.0 can't carry a stream: use HTTP/1.1, which nginx does with proxy_http_version 1.1";
  return fault("BAD_REQUEST", message, CLOSE);
}

async function answerWithBody(exchange: OngoingExchange, route: Route, body: RouteBody): Promise<Reply> {
  const { limitBytes } = body;
  const bytes = await receive(exchange.request, exchange.response, limitBytes);
  if (bytes === "gone") return undefined;
  if (bytes === "too large") return tooLarge(limitBytes);
  const parsed = parseObject(bytes);
  if ("refusal" in parsed) return parsed.refusal;
  exchange.body = parsed.value;
  return route.handle(exchange);
}

const AGAIN = ["Retry-After", "5"];

const STORE_FAULTS: Readonly<Record<string, Answer>> = {
  AWAY: fault("NOT_READY", "the daemon can't reach its records now: try again in a few seconds", AGAIN),
  STORE: fault(
    "NOT_READY",
    "the daemon can't use its records, and changes nothing until an operator has fixed them: /readyz and the log " +
      "say more",
  ),
  READONLY: fault(
    "NOT_READY",
    "the daemon can read its records, but not change them now: /readyz and the log say more to its operator",
    AGAIN,
  ),
  FULL: fault(
    "STORAGE_FULL",
    "the disk of the daemon's records is full, so nothing was changed: ask its operator to make room",
  ),
  // Clients repeat requests after 503, which would make the change twice.
  UNCERTAIN: fault(
    "INTERNAL",
    "the change may have been made, because the daemon's records failed at its end: look before you repeat it",
  ),
};
const INTERNAL = fault(
  "INTERNAL",
  "the daemon failed to answer this request: try again, or ask its operator to read the log",
);

function failed(failure: unknown, exchange: OngoingExchange, parts: AppParts): Answer {
  if (failure instanceof StreamCut) {
    const message = `the stream was cut, because ${failure.message}: send it again`;
    return fault("RATE_LIMITED", message, [...AGAIN, ...CLOSE]);
  }
  const code = isAddrsiftError(failure) ? failure.code : "";
  // AWAY is logged once elsewhere, not for each request.
  if (code !== "AWAY") parts.report(failure, exchange);
  return STORE_FAULTS[code] ?? INTERNAL;
}

async function finish(exchange: OngoingExchange, answer: Reply, parts: AppParts): Promise<void> {
  if (answer !== undefined && "run" in answer) await deliverStream(exchange, answer, parts);
  else {
    exchange.streams?.end();
    deliver(exchange, answer && isLarge(answer) ? await compressed(answer, exchange) : answer, parts);
  }
  exchange.milliseconds = performance.now() - exchange.started;
  parts.observe(exchange);
}

async function deliverStream(exchange: OngoingExchange, answer: StreamedAnswer, parts: AppParts): Promise<void> {
  const { response, bytes } = exchange;
  const failure = await sendStream(response, bytes, answer, extraHeaders(exchange, parts), parts.closing());
  exchange.rows = answer.rows();
  exchange.cut = failure !== undefined && !isOutputClosed(failure);
  if (exchange.cut) parts.report(failure, exchange);
  else if (failure === undefined) exchange.status = 200;
}

function deliver(exchange: OngoingExchange, answer: Answer | undefined, parts: AppParts): void {
  const { request, response } = exchange;
  if (answer === undefined || response.destroyed) return;
  send(request, response, answer, extraHeaders(exchange, parts), parts.closing());
  exchange.status = answer.status;
}

function extraHeaders(exchange: OngoingExchange, { origins, secretPaths }: AppParts): readonly string[] {
  const id = ["X-Request-Id", exchange.id];
  if (exchange.path.startsWith(secretPaths.begin)) return [...id, ...secretPaths.headers];
  return origins.size === 0 ? id : [...id, ...crossOriginHeaders(origins, exchange.headers.last("origin"))];
}

function isPreflight(exchange: OngoingExchange, { origins, secretPaths }: AppParts): boolean {
  if (exchange.method !== "OPTIONS" || exchange.path.startsWith(secretPaths.begin)) return false;
  return origins.has(exchange.headers.last("origin") ?? "") && exchange.header("access-control-request-method") !== "";
}

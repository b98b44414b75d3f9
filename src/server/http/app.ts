// Checks each request in this order: host, route, method, key, scope, query, media type, size, body; then calls the
// handler. It does not listen: `listener` does, and tests may use a server of their own. It is one file, so that the
// order can be read.

import type { IncomingMessage, ServerResponse } from "node:http";
import { isAddrsiftError } from "../../base/errors.ts";
import { isOutputClosed } from "../../bulk/ports.ts";
import { type Answer, fault, type StreamedAnswer } from "./answer.ts";
import type { Admission, Authorize } from "./authorization.ts";
import { isOfType, mediaTypeFault, parseForm, parseObject, streamFault, tooLarge, unknownType } from "./body.ts";
import { OngoingExchange } from "./exchange.ts";
import { type AllowedOrigins, crossOriginHeaders, type HostCheck, preflight, type TrustedProxies } from "./origins.ts";
import { createRouteMatcher, type Route, type RouteBody, type RouteMatch } from "./route.ts";
import { StreamCut, sendStream } from "./streaming.ts";
import { compressed, isLarge, receive, send } from "./transmission.ts";

export interface AppParts {
  readonly routes: readonly Route[];
  /** Which paths there are, for callers who ask for another: a sentence without its end. */
  readonly pathsHint: string;
  readonly authorize: Authorize;
  /** Undefined where the daemon listens on addresses that other machines reach: any name may then point to it. */
  readonly hostCheck: HostCheck | undefined;
  /** The proxies whose X-Forwarded-For counts; undefined: none. */
  readonly trusts: TrustedProxies | undefined;
  readonly origins: AllowedOrigins;
  /** The paths that are secrets begin so; their answers have these headers, and are for no other site. */
  readonly secretPaths: { readonly begin: string; readonly headers: readonly string[] };
  /** Called for each request that came through a proxy. */
  readonly onForwarded: () => void;
  /** True when each answer must end its connection. */
  readonly closing: () => boolean;
  readonly observe: (exchange: OngoingExchange) => void;
  /** Reports a failure that no answer may show. */
  readonly report: (failure: unknown, exchange: OngoingExchange) => void;
}

/** A listener for node:http's `request`, `checkContinue` and `checkExpectation`. */
export type App = (request: IncomingMessage, response: ServerResponse) => void;

/** The answer to a request; undefined when its caller has left. */
type Reply = Answer | Promise<Answer | StreamedAnswer | undefined>;

export function createApp(parts: AppParts): App {
  const find = createRouteMatcher(parts.routes);
  return (request, response) => {
    const exchange = new OngoingExchange(request, response, parts.trusts);
    if (exchange.headers.viaProxy) parts.onForwarded();
    const answer = firstAnswer(exchange, find, parts);
    if (answer instanceof Promise) {
      answer.then(
        (later) => finish(exchange, later, parts),
        // Work that stopped because its caller disconnected has not failed.
        (failure) => finish(exchange, response.destroyed ? undefined : failed(failure, exchange, parts), parts),
      );
    } else {
      finish(exchange, answer, parts);
    }
  };
}

const CLOSE = ["Connection", "close"];

const OTHER_CODING =
  "the daemon knows no Transfer-Encoding but chunked: send a stream in gzip with Content-Encoding, and other " +
  "bodies as they are";

/** The refusal of a request's target or host. An absolute target has its own host (RFC 9112 §3.2.2). */
function targetFault(exchange: OngoingExchange, check: HostCheck | undefined): Answer | undefined {
  const { headers } = exchange;
  const { httpVersion } = exchange.request;
  const old = httpVersion === "1.0";
  // Node reads others as if they were 1.0.
  if (!old && httpVersion !== "1.1") {
    return fault("BAD_REQUEST", `the daemon does not take HTTP/${httpVersion} on this connection: use HTTP/1.1`, CLOSE);
  }
  if (headers.hostRepeated) return fault("BAD_REQUEST", "there is more than one Host header: send one");
  if (headers.host === "" && !old) {
    return fault("BAD_REQUEST", "the Host header is missing: send one (RFC 9112 section 3.2)");
  }
  const { transferEncoding } = headers;
  if (transferEncoding !== undefined) {
    // Where such a request ends is doubtful (RFC 9112 §6.1).
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

function firstAnswer(exchange: OngoingExchange, find: ReturnType<typeof createRouteMatcher>, parts: AppParts): Reply {
  try {
    const refusal = targetFault(exchange, parts.hostCheck);
    return refusal ?? answerTo(exchange, find(exchange.path), parts);
  } catch (failure) {
    return failed(failure, exchange, parts);
  }
}

function answerTo(exchange: OngoingExchange, found: RouteMatch | undefined, parts: AppParts): Reply {
  if (found === undefined) return fault("NOT_FOUND", `there is no such path: ${parts.pathsHint}`);
  exchange.template = found.path;
  const route = found.byMethod.get(exchange.method);
  if (route === undefined) {
    if (isPreflight(exchange, parts)) return preflight(found.allow);
    const message = `the path does not take this method: use ${found.allow}`;
    return fault("METHOD_NOT_ALLOWED", message, ["Allow", found.allow]);
  }
  exchange.route = route;
  exchange.params = found.params;
  const admission = parts.authorize(route, exchange);
  const admit = (result: Admission): Reply => admitted(exchange, route, result);
  return admission instanceof Promise ? admission.then(admit) : admit(admission);
}

function admitted(exchange: OngoingExchange, route: Route, admission: Admission): Reply {
  exchange.caller = admission.caller;
  if (admission.refusal !== undefined) return admission.refusal;
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

/** HTTP/1.0 has no chunks: an answer that was cut would look like a whole one. */
function streamRefusal({ request, headers }: OngoingExchange): Answer | undefined {
  if (request.httpVersion !== "1.0") return streamFault(headers);
  const message = "HTTP/1.0 can't carry a stream: use HTTP/1.1, which nginx does with proxy_http_version 1.1";
  return fault("BAD_REQUEST", message, CLOSE);
}

async function answerWithBody(
  exchange: OngoingExchange,
  route: Route,
  { limitBytes, form }: RouteBody,
): Promise<Answer | StreamedAnswer | undefined> {
  const bytes = await receive(exchange.request, exchange.response, limitBytes);
  if (bytes === "gone") return undefined;
  if (bytes === "too large") return tooLarge(limitBytes);
  const parsed = form === true ? parseForm(bytes) : parseObject(bytes);
  if ("refusal" in parsed) return parsed.refusal;
  exchange.body = parsed.value;
  return route.handle(exchange);
}

const STORE_UNUSABLE =
  "the daemon can't use its records, and changes nothing until an operator has fixed them: /readyz and the log " +
  "say more";

const STORE_AWAY = "the daemon can't reach its records now: try again in a few seconds";
const AWAY_SECONDS = "5";
const STORE_READ_ONLY =
  "the daemon can read its records, but not change them now: /readyz and the log say more to its operator";
const STORE_UNCERTAIN =
  "the change may have been made, because the daemon's records failed at its end: look before you repeat it";
const STORE_FULL = "the disk of the daemon's records is full, so nothing was changed: ask its operator to make room";

function failed(failure: unknown, exchange: OngoingExchange, parts: AppParts): Answer {
  // The log has this failure once, and not with each request.
  if (isAddrsiftError(failure) && failure.code === "AWAY")
    return fault("NOT_READY", STORE_AWAY, ["Retry-After", AWAY_SECONDS]);
  if (failure instanceof StreamCut) {
    const wait = ["Retry-After", AWAY_SECONDS, ...CLOSE];
    return fault("RATE_LIMITED", `the stream was cut, because ${failure.message}: send it again`, wait);
  }
  parts.report(failure, exchange);
  const { code } = isAddrsiftError(failure) ? failure : { code: undefined };
  if (code === "STORE") return fault("NOT_READY", STORE_UNUSABLE);
  if (code === "READONLY") return fault("NOT_READY", STORE_READ_ONLY, ["Retry-After", AWAY_SECONDS]);
  if (code === "FULL") return fault("STORAGE_FULL", STORE_FULL);
  // A client that tries again by itself would make it twice.
  if (code === "UNCERTAIN") return fault("INTERNAL", STORE_UNCERTAIN);
  return fault("INTERNAL", "the daemon failed to answer this request: try again, or ask its operator to read the log");
}

function finish(exchange: OngoingExchange, answer: Answer | StreamedAnswer | undefined, parts: AppParts): void {
  if (answer !== undefined && "run" in answer) {
    void deliverStream(exchange, answer, parts);
    return;
  }
  exchange.streams?.end();
  if (answer === undefined || !isLarge(answer)) {
    deliver(exchange, answer, parts);
    return;
  }
  compressed(answer, exchange.header("accept-encoding")).then(
    (smaller) => deliver(exchange, smaller, parts),
    (failure) => deliver(exchange, failed(failure, exchange, parts), parts),
  );
}

async function deliverStream(exchange: OngoingExchange, answer: StreamedAnswer, parts: AppParts): Promise<void> {
  const { response, bytes } = exchange;
  const failure = await sendStream(response, bytes, answer, extraHeaders(exchange, parts), parts.closing());
  exchange.rows = answer.rows();
  exchange.cut = failure !== undefined && !isOutputClosed(failure);
  if (exchange.cut) parts.report(failure, exchange);
  else if (failure === undefined) exchange.status = 200;
  exchange.milliseconds = performance.now() - exchange.started;
  parts.observe(exchange);
}

function deliver(exchange: OngoingExchange, answer: Answer | undefined, parts: AppParts): void {
  const { request, response, started } = exchange;
  if (answer !== undefined && !response.destroyed) {
    send(request, response, answer, extraHeaders(exchange, parts), parts.closing());
    exchange.status = answer.status;
    exchange.rows = answer.rows;
  }
  exchange.milliseconds = performance.now() - started;
  parts.observe(exchange);
}

/** The request's id, and what belongs to its path. */
function extraHeaders(exchange: OngoingExchange, { origins, secretPaths }: AppParts): readonly string[] {
  const id = ["X-Request-Id", exchange.id];
  if (exchange.path.startsWith(secretPaths.begin)) return [...id, ...secretPaths.headers];
  return origins.size === 0 ? id : [...id, ...crossOriginHeaders(origins, exchange.headers.origin)];
}

function isPreflight(exchange: OngoingExchange, { origins, secretPaths }: AppParts): boolean {
  if (exchange.method !== "OPTIONS" || exchange.path.startsWith(secretPaths.begin)) return false;
  return origins.has(exchange.headers.origin ?? "") && exchange.header("access-control-request-method") !== "";
}

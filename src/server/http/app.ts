// Checks each request in this order: host, route, method, key, scope, query, media type, size, body; then calls the
// handler. One file, so that the order is easy to see.

import type { IncomingMessage, ServerResponse } from "node:http";
import { closestNames, formatAlternatives } from "../../base/closest-names.ts";
import { isAddrsiftError } from "../../base/errors.ts";
import { isOutputClosed } from "../../bulk/streams.ts";
import { type AuthorizationResult, type Authorize, CROSS_SITE } from "./authorization.ts";
import {
  bodyTooLarge,
  checkMediaType,
  checkStreamHeaders,
  isOfType,
  parseJsonObject,
  unsupportedType,
} from "./body.ts";
import { compress, MIN_COMPRESS_LENGTH, readBody, writeResponse } from "./body-io.ts";
import { type AllowedOrigins, corsHeaders, type HostCheck, type IsTrustedProxy, preflight } from "./origins.ts";
import { listenerResults, RequestContext } from "./request-context.ts";
import { type ApiResponse, fault, RETRY_SECONDS, retryAfter, type StreamedResponse } from "./response.ts";
import { createRouteMatcher, type Route, type RouteBody } from "./route.ts";
import { StreamCutError, sendStream } from "./streaming.ts";

export interface AppDeps {
  readonly routes: readonly Route[];
  /** The fix in the message for a path that is not like any other. */
  readonly pathsHint: string;
  readonly authorize: Authorize;
  /** Undefined if other machines can connect: then any host name may point to the daemon. */
  readonly hostCheck: HostCheck | undefined;
  readonly isTrustedProxy: IsTrustedProxy | undefined;
  readonly origins: AllowedOrigins;
  /** Paths that contain secrets. Their responses have these headers and are never shared across origins. */
  readonly secretPaths: { readonly prefix: string; readonly headers: readonly string[] };
  readonly onProxyHeader: () => void;
  readonly isShuttingDown: () => boolean;
  readonly onFinished: (context: RequestContext) => void;
  /** Logs a failure whose details must not be in a response. */
  readonly reportFailure: (failure: unknown, context: RequestContext) => void;
}

export type App = (request: IncomingMessage, response: ServerResponse) => void;

/** Undefined if the client disconnected before the end of the body. */
type Reply = ApiResponse | StreamedResponse | undefined;

export function createApp(deps: AppDeps): App {
  const matchRoute = createRouteMatcher(deps.routes);
  return (request, response) => {
    const context = new RequestContext(request, response, deps.isTrustedProxy);
    if (context.headers.hasProxyHeader) deps.onProxyHeader();
    const result = handleRequest(context, matchRoute, deps);
    if (result instanceof Promise) {
      // Node caches the address when it is read, so that the log has it after the connection has ended.
      void request.socket.remoteAddress;
      // If the client has disconnected, the handler was aborted, which is not a failure.
      const reply = result.catch((failure) =>
        response.destroyed ? undefined : failureResponse(failure, context, deps),
      );
      void reply.then((settledReply) => respond(context, settledReply, deps));
    } else {
      // Called synchronously: the parser might reject later bytes of this chunk, and respond first.
      respond(context, result, deps);
    }
  };
}

/** Returns an error response after which the connection closes. */
function closingFault(...[code, message, headers]: Parameters<typeof fault>): ApiResponse {
  return { ...fault(code, message, headers), close: true };
}

const MAX_SUGGESTED_PATHS = 5;
const UNSUPPORTED_CODING =
  "the only supported Transfer-Encoding is chunked: declare a gzip stream with Content-Encoding, and don't " +
  "compress other bodies";

/** Checks HTTP version, Host and Transfer-Encoding. The host of an absolute target overrides Host (RFC 9112 §3.2.2). */
function checkTarget(context: RequestContext, check: HostCheck | undefined): ApiResponse | undefined {
  const { headers } = context;
  const { httpVersion } = context.request;
  const isHttp10 = httpVersion === "1.0";
  // Node parses other versions as 1.0.
  if (!isHttp10 && httpVersion !== "1.1") {
    return closingFault("BAD_REQUEST", `HTTP/${httpVersion} is not supported on this connection: use HTTP/1.1`);
  }
  if (headers.isRepeated("host")) return fault("BAD_REQUEST", "there is more than one Host header: send one");
  if (context.host === "" && !isHttp10) {
    return fault("BAD_REQUEST", "the Host header is missing: send one (RFC 9112 section 3.2)");
  }
  const transferEncoding = headers.combined("transfer-encoding");
  if (transferEncoding !== undefined) {
    // The body length of such a request is ambiguous (RFC 9112 §6.1).
    if (isHttp10) return closingFault("BAD_REQUEST", "HTTP/1.0 has no Transfer-Encoding: use HTTP/1.1");
    if (transferEncoding.trim().toLowerCase() !== "chunked") return closingFault("NOT_IMPLEMENTED", UNSUPPORTED_CODING);
  }
  const absolute = context.path.startsWith("/") ? null : /^https?:\/\/([^/]*)(\/.*)$/i.exec(context.path);
  if (absolute !== null) {
    context.host = absolute[1] as string;
    context.path = absolute[2] as string;
  }
  // HTTP/1.0 health checks send no Host; browsers always do.
  if (check === undefined || check(context.host) || (isHttp10 && context.host === "")) return undefined;
  const message = "the Host header names another host: use localhost, a loopback address or the public URL";
  return fault("MISDIRECTED_REQUEST", message);
}

type MatchRoute = ReturnType<typeof createRouteMatcher>;

function handleRequest(context: RequestContext, matchRoute: MatchRoute, deps: AppDeps): Reply | Promise<Reply> {
  try {
    return checkTarget(context, deps.hostCheck) ?? dispatch(context, matchRoute, deps);
  } catch (failure) {
    return failureResponse(failure, context, deps);
  }
}

function dispatch(context: RequestContext, matchRoute: MatchRoute, deps: AppDeps): Reply | Promise<Reply> {
  const match = matchRoute(context.path);
  if (match === undefined) {
    const withoutSlash = matchRoute(context.path.replace(/\/$/, ""))?.path;
    const paths = new Set(deps.routes.map(({ path }) => path));
    const closest = withoutSlash === undefined ? closestNames(context.path, [...paths]) : [withoutSlash];
    const isVague = closest.length === 0 || closest.length > MAX_SUGGESTED_PATHS;
    const fix = isVague ? deps.pathsHint : `did you mean ${formatAlternatives(closest)}?`;
    return fault("NOT_FOUND", `there is no such path: ${fix}`);
  }
  context.routePath = match.path;
  const route = match.byMethod.get(context.method);
  if (route === undefined) {
    if (isPreflight(context, deps))
      return deps.origins.has(context.header("origin")) ? preflight(match.allow) : CROSS_SITE;
    const message = `this path does not support the method: use ${match.allow}`;
    return fault("METHOD_NOT_ALLOWED", message, ["Allow", match.allow]);
  }
  context.routeId = route.id;
  context.params = match.params;
  const authorization = deps.authorize(route, context);
  if (authorization instanceof Promise) return authorization.then((result) => handleAuthorized(context, route, result));
  return handleAuthorized(context, route, authorization);
}

function handleAuthorized(
  context: RequestContext,
  route: Route,
  { caller, rejection }: AuthorizationResult,
): Reply | Promise<Reply> {
  context.caller = caller;
  if (rejection !== undefined) return rejection;
  const { body, stream, handle, handleStream = handle } = route;
  if (stream !== undefined && isOfType(context.headers, stream.types)) {
    return checkStream(context) ?? handleStream(context);
  }
  if (context.query !== "" && route.query === undefined && route.scope !== undefined) {
    const [name = ""] = context.query.split(/[=&]/, 1);
    const isField = Object.hasOwn(body?.shape["properties"] ?? {}, name);
    const fix = isField ? `put ${name} in the body` : "remove the ? and what follows";
    return fault("INVALID_QUERY", `this path accepts no query: ${fix}`);
  }
  const { types: streamTypes = [] } = stream ?? {};
  if (body === undefined) return stream === undefined ? handle(context) : unsupportedType(streamTypes);
  const types = [...body.types, ...streamTypes];
  return checkMediaType(context.headers, body, types) ?? handleWithBody(context, route, body);
}

/** Rejects streams over HTTP/1.0: without chunked encoding, a truncated response would look complete. */
function checkStream({ request, headers }: RequestContext): ApiResponse | undefined {
  if (request.httpVersion !== "1.0") return checkStreamHeaders(headers);
  const message = "HTTP/1.0 can't carry a stream: use HTTP/1.1, which nginx does with proxy_http_version 1.1";
  return closingFault("BAD_REQUEST", message);
}

async function handleWithBody(context: RequestContext, route: Route, body: RouteBody): Promise<Reply> {
  const { limitBytes } = body;
  const bytes = await readBody(context.request, context.response, limitBytes);
  if (bytes === "gone") return undefined;
  const fix = route.group === "channels" ? "shorten it" : "split it into several requests";
  if (bytes === "too large") return bodyTooLarge(limitBytes, fix);
  const parsed = parseJsonObject(bytes);
  if ("rejection" in parsed) return parsed.rejection;
  context.body = parsed.value;
  return route.handle(context);
}

const STORE_FAULTS: Readonly<Record<string, ApiResponse>> = {
  UNAVAILABLE: fault("NOT_READY", "the store is unavailable: retry in a few seconds"),
  STORE: fault(
    "NOT_READY",
    "the store can't be used, and nothing is changed until an operator fixes it: see /readyz and the log",
  ),
  READONLY: fault(
    "NOT_READY",
    "the store is read-only at the moment: its operator finds the reason in /readyz and the log",
  ),
  FULL: fault("STORAGE_FULL", "the disk of the store is full, so nothing was changed: ask its operator to free space"),
  // Not 503: clients retry after that, which could make the change twice.
  UNCERTAIN: fault(
    "INTERNAL",
    "the change may have been made, because the store failed while saving it: check before retrying",
  ),
};
const INTERNAL = fault(
  "INTERNAL",
  "the daemon failed to answer this request: retry, or ask its operator to check the log",
);

function failureResponse(failure: unknown, context: RequestContext, deps: AppDeps): ApiResponse {
  if (failure instanceof StreamCutError) {
    const message = `the stream was closed, because ${failure.message}: send it again`;
    return closingFault("RATE_LIMITED", message, retryAfter(RETRY_SECONDS));
  }
  const code = isAddrsiftError(failure) ? failure.code : "";
  const storeFault = STORE_FAULTS[code];
  // The store reports a lasting fault once, so it is not logged for each request.
  if (storeFault === undefined || code === "UNCERTAIN") deps.reportFailure(failure, context);
  return storeFault ?? INTERNAL;
}

/** Responds synchronously where possible. */
function respond(context: RequestContext, reply: Reply, deps: AppDeps): void {
  if (reply !== undefined && "run" in reply) void sendStreamedResponse(context, reply, deps);
  else {
    context.openedStream?.release();
    if (reply !== undefined && reply.body.length >= MIN_COMPRESS_LENGTH) {
      void compress(reply, context).then((compressed) => sendPlainResponse(context, compressed, deps));
    } else sendPlainResponse(context, reply, deps);
  }
}

async function sendStreamedResponse(context: RequestContext, streamed: StreamedResponse, deps: AppDeps): Promise<void> {
  const { response, stream } = context;
  const failure = await sendStream(response, stream, streamed, extraHeaders(context, deps), deps.isShuttingDown());
  context.rows = streamed.rows();
  context.isTruncated = failure !== undefined && !isOutputClosed(failure);
  if (context.isTruncated) deps.reportFailure(failure, context);
  else if (failure === undefined) context.status = 200;
  finish(context, deps);
}

function sendPlainResponse(context: RequestContext, apiResponse: ApiResponse | undefined, deps: AppDeps): void {
  const { request, response } = context;
  if (apiResponse !== undefined && !response.destroyed) {
    writeResponse(request, response, apiResponse, extraHeaders(context, deps), deps.isShuttingDown());
    context.status = apiResponse.status;
    context.faultCode = apiResponse.code;
  }
  finish(context, deps);
}

function finish(context: RequestContext, deps: AppDeps): void {
  Object.assign(context, listenerResults.get(context.request));
  context.durationMs = performance.now() - context.startedMs;
  deps.onFinished(context);
}

function extraHeaders(context: RequestContext, { origins, secretPaths }: AppDeps): readonly string[] {
  const headers = ["X-Request-Id", context.id];
  if (context.path.startsWith(secretPaths.prefix)) headers.push(...secretPaths.headers);
  else if (origins.size > 0) headers.push(...corsHeaders(origins, context.headers.last("origin")));
  return headers;
}

function isPreflight(context: RequestContext, { secretPaths }: AppDeps): boolean {
  if (context.method !== "OPTIONS" || context.path.startsWith(secretPaths.prefix)) return false;
  return context.header("origin") !== "" && context.header("access-control-request-method") !== "";
}

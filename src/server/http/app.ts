// Checks each request in this order: host, route, method, key, scope, media type, size, body; then calls the handler. It does not
// listen: `listener` does, and tests may use a server of their own.

import type { IncomingMessage, ServerResponse } from "node:http";
import { isAddrsiftError } from "../../errors.ts";
import { PAGE_HEADERS } from "../routes/verify/page.ts";
import { type Answer, fault } from "./answer.ts";
import type { Authorize } from "./authorization.ts";
import { mediaTypeFault, parseObject, tooLarge } from "./body.ts";
import type { HostCheck } from "./host-check.ts";
import { RequestHeaders } from "./request-headers.ts";
import type { ApiRequest, Caller, Route } from "./route.ts";
import { createRouteMatcher, type RouteMatch } from "./route-matcher.ts";
import { receive, send } from "./transmission.ts";

/** The result of one request, for counters and the access log. */
export interface HttpExchange {
  readonly method: string;
  readonly route: Route | undefined;
  /** Undefined when the caller disconnected before the answer. */
  readonly status: number | undefined;
  readonly milliseconds: number;
  readonly caller: Caller | undefined;
  readonly peer: string;
  /** The part after the `?`: it can contain an address. */
  readonly query: string;
}

/** What the app is made from. */
export interface AppParts {
  readonly routes: readonly Route[];
  readonly authorize: Authorize;
  /** Undefined where the daemon listens on addresses that other machines reach: any name may then point to it. */
  readonly hostCheck: HostCheck | undefined;
  /** True when each answer must end its connection. */
  readonly closing: () => boolean;
  readonly observe: (exchange: HttpExchange) => void;
  /** Reports a failure that no answer may show. */
  readonly report: (failure: unknown, route: Route | undefined) => void;
}

/** A listener for node:http's `request`, `checkContinue` and `checkExpectation`. */
export type App = (request: IncomingMessage, response: ServerResponse) => void;

/** Makes the app. */
export function createApp(parts: AppParts): App {
  const find = createRouteMatcher(parts.routes);
  const headers = new RequestHeaders();
  return (request, response) => {
    const exchange = new OngoingExchange(request, response);
    headers.read(request.rawHeaders);
    const answer = firstAnswer(exchange, headers, find, parts);
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

/** One request until its answer; handlers see only its `ApiRequest`. */
class OngoingExchange implements ApiRequest, HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly started: number = performance.now();
  path: string;
  query: string;
  route: Route | undefined = undefined;
  params: readonly string[] = [];
  caller: Caller | undefined = undefined;
  body: Readonly<Record<string, unknown>> = NO_BODY;
  status: number | undefined = undefined;
  milliseconds = 0;
  private abort: AbortController | undefined = undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.response = response;
    const target = request.url as string;
    const mark = target.indexOf("?");
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? "" : target.slice(mark + 1);
  }

  get method(): string {
    return this.request.method as string;
  }

  get peer(): string {
    return this.request.socket.remoteAddress ?? "";
  }

  get accept(): string {
    return this.request.headers.accept ?? "";
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

const NO_BODY: Readonly<Record<string, unknown>> = {};

/** What is wrong with the request's target or host. An absolute target has its own host (RFC 9112 §3.2.2). */
function targetFault(
  exchange: OngoingExchange,
  headers: RequestHeaders,
  check: HostCheck | undefined,
): Answer | undefined {
  const { request } = exchange;
  if (headers.hostRepeated) return fault("BAD_REQUEST", "there is more than one Host header: send one");
  if (headers.host === "" && request.httpVersion === "1.1") {
    return fault("BAD_REQUEST", "the Host header is missing: send one (RFC 9112 section 3.2)");
  }
  let { host } = headers;
  const absolute = exchange.path.startsWith("/") ? null : /^https?:\/\/([^/]*)(\/.*)$/i.exec(exchange.path);
  if (absolute !== null) {
    host = absolute[1] as string;
    exchange.path = absolute[2] as string;
  }
  if (check === undefined || check(host)) return undefined;
  const message = "the Host header names another host: use localhost, a loopback address or the public URL";
  return fault("MISDIRECTED_REQUEST", message);
}

function firstAnswer(
  exchange: OngoingExchange,
  headers: RequestHeaders,
  find: ReturnType<typeof createRouteMatcher>,
  parts: AppParts,
): Answer | Promise<Answer | undefined> {
  try {
    const refusal = targetFault(exchange, headers, parts.hostCheck);
    return refusal ?? answerTo(exchange, headers, find(exchange.path), parts);
  } catch (failure) {
    return failed(failure, exchange, parts);
  }
}

function answerTo(
  exchange: OngoingExchange,
  headers: RequestHeaders,
  found: RouteMatch | undefined,
  parts: AppParts,
): Answer | Promise<Answer | undefined> {
  if (found === undefined) return fault("NOT_FOUND", "there is no such path: /openapi.json lists all paths");
  const route = found.byMethod.get(exchange.method);
  if (route === undefined) {
    const message = `the path does not take this method: use ${found.allow}`;
    return fault("METHOD_NOT_ALLOWED", message, ["Allow", found.allow]);
  }
  exchange.route = route;
  exchange.params = found.params;
  const admission = parts.authorize(route, headers, exchange);
  if ("refusal" in admission) return admission.refusal;
  exchange.caller = admission.caller;
  const { body } = route;
  if (body === undefined) return route.handle(exchange);
  const refusal = mediaTypeFault(headers, body);
  return refusal ?? answerWithBody(exchange, route, body.limitBytes);
}

async function answerWithBody(
  exchange: OngoingExchange,
  route: Route,
  limitBytes: number,
): Promise<Answer | undefined> {
  const octets = await receive(exchange.request, exchange.response, limitBytes);
  if (octets === "gone") return undefined;
  if (octets === "too large") return tooLarge(limitBytes);
  const parsed = parseObject(octets);
  if ("refusal" in parsed) return parsed.refusal;
  exchange.body = parsed.value;
  return route.handle(exchange);
}

const STORE_UNUSABLE =
  "the daemon can't use its records, and changes nothing until an operator has fixed them: /readyz and the log say more";

function failed(failure: unknown, { route }: OngoingExchange, parts: AppParts): Answer {
  parts.report(failure, route);
  if (isAddrsiftError(failure) && failure.code === "STORE") return fault("NOT_READY", STORE_UNUSABLE);
  return fault("INTERNAL", "the daemon failed to answer this request: try again, or ask its operator to read the log");
}

/** Every answer below /verify/ has the headers of its page, because the path is a secret. */
function asPage(answer: Answer): Answer {
  return answer.headers === PAGE_HEADERS
    ? answer
    : { ...answer, headers: [...(answer.headers ?? []), ...PAGE_HEADERS] };
}

function finish(exchange: OngoingExchange, answer: Answer | undefined, parts: AppParts): void {
  const { request, response, started } = exchange;
  if (answer !== undefined && !response.destroyed) {
    const page = exchange.path.startsWith("/verify/");
    send(request, response, page ? asPage(answer) : answer, parts.closing());
    exchange.status = answer.status;
  }
  exchange.milliseconds = performance.now() - started;
  parts.observe(exchange);
}

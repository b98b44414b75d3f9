// The HTTP client for all outbound requests: limited to allowed addresses, in time and in size. Follows no redirects.

import { rejectOnAbort } from "../base/concurrency.ts";
import { omitUndefined } from "../base/result.ts";
import { type OutboundCode, type OutboundFault, toOutboundFault } from "./faults.ts";
import { blockedHostReason, type ConnectorDeps, createGuardedConnector, type Guard, type Undici } from "./guard.ts";
import type { Lookup } from "./lookup.ts";
import { basicAuthorization, createTunnelConnector, type ProxyFor } from "./proxy.ts";

export interface OutboundRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Time limit of the whole request, from the DNS lookup to the end of the body. */
  readonly timeoutMs: number;
  readonly bodyLimitBytes: number;
  /** What to do with a body that is too long or incomplete: return its start, or fail. */
  readonly overLimit: "truncate" | "fault";
}

/** A response of any status, including redirects. Header names are in lower case. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type OutboundOutcome =
  | { readonly ok: true; readonly response: OutboundResponse }
  | { readonly ok: false; readonly fault: OutboundFault };

/** Rejects only for a missing package or an invalid range in the options. Every other failure is an outcome. */
export interface OutboundClient {
  send(request: OutboundRequest): Promise<OutboundOutcome>;
}

export interface ClientDeps {
  readonly undici: () => Undici;
  readonly guard: () => Guard;
  readonly lookup: Lookup;
  readonly proxy?: ProxyFor | undefined;
  /** Whether faults have details that only the operator may see, not callers of the API. */
  readonly forOperator?: boolean;
}

const REQUEST_ENDED = new Error("the request is over");

const MAX_HEADER_BYTES = 16_384;

/** Creates a client. Each request has its own connection. */
export function createClient(deps: ClientDeps): OutboundClient {
  return {
    send: async (request) => {
      const url = parseUrl(request.url);
      if (typeof url === "string") return failWith("url", url);
      const host = hostOf(url);
      const { forOperator = false } = deps;
      const guard = deps.guard();
      const proxy = deps.proxy?.(url);
      const blockedReason = proxy && blockedHostReason(url.hostname, guard);
      if (blockedReason !== undefined) return failWith("address", blockedReason);
      const controller = new AbortController();
      const { signal } = controller;
      const connectorDeps = { undici: deps.undici(), guard, lookup: deps.lookup, timeoutMs: request.timeoutMs, signal };
      const timer = setTimeout(() => controller.abort(), request.timeoutMs);
      try {
        // undici can abort a request only after connecting, so enforce the deadline here.
        return await rejectOnAbort(sendRequest(connectorDeps, proxy, request, url), signal);
      } catch (error) {
        if (!signal.aborted) return { ok: false, fault: toOutboundFault(error, host, { forOperator, proxy }) };
        return failWith("timeout", `${host} did not answer within ${request.timeoutMs / 1000} s`);
      } finally {
        clearTimeout(timer);
        // Stop a running lookup from connecting. A shared reason saves the cost of creating an error.
        controller.abort(REQUEST_ENDED);
      }
    },
  };
}

function parseUrl(text: string): URL | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return "the URL can't be read";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "the URL is neither http nor https";
  return blockedPortReason(url) ?? url;
}

/** Returns why no request is sent to the URL's port; undefined if requests are. */
export function blockedPortReason({ port }: URL): string | undefined {
  return port !== "" && BLOCKED_PORTS.has(Number(port)) ? `port ${port} is not for HTTP: use another` : undefined;
}

/** Returns the host for messages, with its port if the URL has one that is not its scheme's. */
function hostOf({ hostname, host, port }: URL): string {
  return port === "" ? hostname.replace(/^\[|\]$/g, "") : host;
}

async function sendRequest(
  deps: ConnectorDeps,
  proxy: URL | undefined,
  request: OutboundRequest,
  url: URL,
): Promise<OutboundOutcome> {
  const { undici, timeoutMs, signal } = deps;
  const connect = proxy === undefined ? createGuardedConnector(deps) : createTunnelConnector(deps, proxy);
  const client = new undici.Client(url.origin, {
    connect,
    maxHeaderSize: MAX_HEADER_BYTES,
    pipelining: 1,
    allowH2: false,
  });
  try {
    const { statusCode, headers, body } = await client.request({
      path: `${url.pathname}${url.search}`,
      method: request.method,
      headers: headersOf(request, url),
      body: request.body ?? null,
      signal,
      reset: true,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    const bytes = await readBody(body, request);
    if (bytes === undefined)
      return failWith("size", `${hostOf(url)} answered with more than ${request.bodyLimitBytes} bytes`);
    const headerEntries = Object.entries(omitUndefined(headers)).map(([name, value]) => [name, String(value)]);
    return { ok: true, response: { status: statusCode, headers: Object.fromEntries(headerEntries), body: bytes } };
  } finally {
    client.destroy().catch(() => {});
  }
}

function headersOf({ headers = {} }: OutboundRequest, url: URL): Record<string, string> {
  const authorization = basicAuthorization(url);
  return {
    "user-agent": "addrsift",
    accept: "*/*",
    ...omitUndefined({ authorization }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

/** Returns the body up to the limit, or undefined if it is longer and `overLimit` is "fault". */
async function readBody(
  body: AsyncIterable<Uint8Array>,
  { bodyLimitBytes, overLimit }: OutboundRequest,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let remaining = bodyLimitBytes;
  try {
    for await (const chunk of body) {
      if (chunk.length > remaining && overLimit === "fault") return undefined;
      chunks.push(chunk.subarray(0, remaining));
      remaining -= chunk.length;
      if (remaining <= 0 && overLimit === "truncate") break;
    }
  } catch (error) {
    // With "truncate", the caller needs only the status, so ignore a broken body.
    if (overLimit === "fault") throw error;
  }
  return Buffer.concat(chunks);
}

function failWith(code: OutboundCode, message: string): OutboundOutcome {
  return { ok: false, fault: { code, message } };
}

// Fetch standard §2.9 "Port blocking", https://fetch.spec.whatwg.org/#port-blocking.
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

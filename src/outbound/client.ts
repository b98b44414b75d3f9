// The only way out over HTTP: a guarded request that follows no redirect, with limits on time and size. Its outcome is
// a value.

import { defined } from "../base/result.ts";
import { faultOf, type OutboundCode, type OutboundFault } from "./faults.ts";
import { type ConnectorParts, type Guard, guardedConnector, hostRefusal, type Undici } from "./guard.ts";
import type { Lookup } from "./lookup.ts";
import { basicOf, type ProxyFor, tunnelConnector } from "./proxy.ts";

export interface OutboundRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** For the whole request: resolving, connecting, sending, and reading the answer. */
  readonly timeoutMs: number;
  readonly bodyLimitBytes: number;
  /** The end of a longer or broken body: it is cut off, or the whole answer is a fault. */
  readonly overLimit: "cut" | "fault";
}

/** An answer of any status, redirects among them. Header names are in lower case. */
export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type OutboundOutcome =
  | { readonly ok: true; readonly answer: OutboundAnswer }
  | { readonly ok: false; readonly fault: OutboundFault };

/** Sends requests. It rejects only when it can't work at all: a missing package, a wrong range in the options. */
export interface OutboundClient {
  send(request: OutboundRequest): Promise<OutboundOutcome>;
}

export interface ClientParts {
  readonly undici: () => Undici;
  readonly guard: () => Guard;
  readonly lookup: Lookup;
  readonly proxy?: ProxyFor | undefined;
  /** The operator reads the faults, which then name what callers of the API must not learn. */
  readonly forOperator?: boolean;
}

const DONE = new Error("the request is over");

const HEADERS_LIMIT_BYTES = 16_384;

/** Makes a client. Each request has its own connection, which ends with it. */
export function createClient(parts: ClientParts): OutboundClient {
  return {
    send: async (request) => {
      const url = parseUrl(request.url);
      if (typeof url === "string") return failed("url", url);
      const host = hostOf(url);
      const { forOperator = false } = parts;
      const guard = parts.guard();
      const proxy = parts.proxy?.(url);
      const refusal = proxy && hostRefusal(url.hostname, guard);
      if (refusal !== undefined) return failed("address", refusal);
      const controller = new AbortController();
      const { signal } = controller;
      const connection = { undici: parts.undici(), guard, lookup: parts.lookup, timeoutMs: request.timeoutMs, signal };
      const timer = setTimeout(() => controller.abort(), request.timeoutMs);
      try {
        // undici stops a request only when its connection is there; the deadline does not wait for that.
        return await Promise.race([exchange(connection, proxy, request, url), rejection(signal)]);
      } catch (error) {
        if (!signal.aborted) return { ok: false, fault: faultOf(error, host, { forOperator, proxy }) };
        return failed("timeout", `${host} did not answer within ${request.timeoutMs / 1000} s`);
      } finally {
        clearTimeout(timer);
        // A lookup that is still running must connect to nothing. The reason is given because making one takes long.
        controller.abort(DONE);
      }
    },
  };
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

function parseUrl(text: string): URL | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return "the URL can't be read";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "the URL is neither http nor https";
  const isBlocked = url.port !== "" && BLOCKED_PORTS.has(Number(url.port));
  if (isBlocked) return `port ${url.port} is not for HTTP: use another`;
  return url;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

async function exchange(
  parts: ConnectorParts,
  proxy: URL | undefined,
  request: OutboundRequest,
  url: URL,
): Promise<OutboundOutcome> {
  const { undici, timeoutMs, signal } = parts;
  const connect = proxy === undefined ? guardedConnector(parts) : tunnelConnector(parts, proxy);
  const client = new undici.Client(url.origin, {
    connect,
    maxHeaderSize: HEADERS_LIMIT_BYTES,
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
    const read = await readBody(body, request);
    if (read === undefined)
      return failed("size", `${hostOf(url)} answered with more than ${request.bodyLimitBytes} bytes`);
    const plain = Object.entries(defined(headers)).map(([name, value]) => [name, String(value)]);
    return { ok: true, answer: { status: statusCode, headers: Object.fromEntries(plain), body: read } };
  } finally {
    client.destroy().catch(() => {});
  }
}

function headersOf({ headers = {} }: OutboundRequest, url: URL): Record<string, string> {
  const authorization = basicOf(url);
  return {
    "user-agent": "addrsift",
    accept: "*/*",
    ...defined({ authorization }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

/** The body up to the limit; undefined when it is longer and that is a fault. */
async function readBody(
  body: AsyncIterable<Uint8Array>,
  { bodyLimitBytes, overLimit }: OutboundRequest,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let room = bodyLimitBytes;
  try {
    for await (const chunk of body) {
      if (chunk.length > room && overLimit === "fault") return undefined;
      chunks.push(chunk.subarray(0, room));
      room -= chunk.length;
      if (room <= 0 && overLimit === "cut") break;
    }
  } catch (error) {
    // A caller that wants only the status has it.
    if (overLimit === "fault") throw error;
  }
  return Buffer.concat(chunks);
}

function failed(code: OutboundCode, message: string): OutboundOutcome {
  return { ok: false, fault: { code, message } };
}

// Fetch standard §2.9 "Port blocking", https://fetch.spec.whatwg.org/#port-blocking.
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

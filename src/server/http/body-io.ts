// Sends responses and reads request bodies over node:http; compresses large responses.

import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { withoutParameters } from "./body.ts";
import type { ApiResponse } from "./response.ts";
import type { ApiRequest } from "./route.ts";
import { IDLE_TIMEOUT_MS } from "./streaming.ts";
import { RoundRobinScheduler } from "./time-slice.ts";

// Limits on reading and discarding the rest of a rejected body, which lets its sender read the response.
const MAX_DISCARD_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 2000;
// One chunk every 2 ms for all discarded bodies together, so that they don't block the event loop.
const DISCARD_SCHEDULER = new RoundRobinScheduler((runNext) => setTimeout(runNext, 2).unref());

/** Sends a response. `extraHeaders` has alternating names and values. `close` closes the connection afterwards. */
export function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  apiResponse: ApiResponse,
  extraHeaders: readonly string[],
  close: boolean,
): void {
  const { type, body, bytes } = apiResponse;
  const { socket } = request;
  const encoding = bytes === true ? "latin1" : "utf8";
  const headers = ["Content-Type", type, "Content-Length", String(Buffer.byteLength(body, encoding))];
  if (type === "") headers.length = 0;
  headers.push(
    "Cache-Control",
    apiResponse.cacheControl ?? "no-store",
    "X-Content-Type-Options",
    "nosniff",
    ...extraHeaders,
  );
  if (apiResponse.headers !== undefined) headers.push(...apiResponse.headers);
  const unread = hasUnreadBody(request);
  if (close || unread || apiResponse.close === true) response.shouldKeepAlive = false;
  response.writeHead(apiResponse.status, headers);
  // Corked, so that head and body are one chunk. `response.end(body)` would add an empty one, and writing two is slower.
  socket.cork();
  response.write(body, encoding);
  socket.uncork();
  if (unread) discardBody(request, () => response.end());
  else response.end();
  // Limits the time that a slow client may take to read the response. Afterwards, Node sets its keep-alive timeout.
  if (socket.writableLength > 0) socket.setTimeout(IDLE_TIMEOUT_MS);
}

/** Reports whether a large body is unread. Node itself discards small ones. */
function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.method === "GET" || request.complete) return false;
  const { "content-length": length, "transfer-encoding": coding, expect } = request.headers;
  // A client that waits for `100 Continue` has sent no body yet.
  if (expect !== undefined) return false;
  return coding !== undefined || Number(length ?? 0) > 64 * 1024;
}

function discardBody(request: IncomingMessage, done: () => void): void {
  let discardedBytes = 0;
  const end = (): void => {
    clearTimeout(timer);
    done();
  };
  const timer = setTimeout(end, MAX_DISCARD_MS).unref();
  request.on("data", (chunk: Uint8Array) => {
    discardedBytes += chunk.length;
    if (discardedBytes > MAX_DISCARD_BYTES) end();
    request.pause();
    void DISCARD_SCHEDULER.yield().then(() => request.resume());
  });
  request.on("end", end).on("close", end);
  request.resume();
}

/** Reads the body. `gone`: the client disconnected, or the listener rejected it as too slow. */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
): Promise<Uint8Array | "too large" | "gone"> {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) return Promise.resolve("too large");
  if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const onData = (chunk: Uint8Array): void => {
      length += chunk.length;
      if (length <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      request.off("data", onData);
      resolve("too large");
    };
    request.on("data", onData);
    request.on("end", () => resolve(Buffer.concat(chunks, length)));
    request.on("close", () => resolve("gone"));
    request.on("error", () => resolve("gone"));
  });
}

/** Minimum length of a body that is compressed. */
export const MIN_COMPRESS_LENGTH = 32 * 1024;

const gzipAsync = promisify(gzip);

/** Compresses a response with gzip, if the client accepts that. */
export async function compress(apiResponse: ApiResponse, request: Pick<ApiRequest, "header">): Promise<ApiResponse> {
  const headers = [...(apiResponse.headers ?? []), "Vary", "Accept-Encoding"];
  if (!acceptsGzip(request.header("accept-encoding"))) return { ...apiResponse, headers };
  const { body, bytes } = apiResponse;
  const plain = typeof body === "string" ? Buffer.from(body, bytes === true ? "latin1" : "utf8") : body;
  // The fastest level reduces JSON to a sixth. HTML is rare, and the best level makes it another tenth smaller.
  const level =
    apiResponse.type?.startsWith("text/html") === true ? constants.Z_BEST_COMPRESSION : constants.Z_BEST_SPEED;
  const compressed = await gzipAsync(plain, { level });
  return { ...apiResponse, body: compressed, headers: [...headers, "Content-Encoding", "gzip"] };
}

/** Reports whether Accept-Encoding allows gzip (RFC 9110 §12.5.3). */
export function acceptsGzip(acceptEncoding: string): boolean {
  const weights = parseWeights(acceptEncoding);
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}

/** Parses an Accept header into weights by lowercase name (RFC 9110 §12.4.2). */
export function parseWeights(accept: string): ReadonlyMap<string, number> {
  return new Map(
    accept.split(",").map((choice) => {
      const [, weight = "1"] = /;\s*q=([0-9.]+)/i.exec(choice) ?? [];
      return [withoutParameters(choice), Number(weight) || 0] as const;
    }),
  );
}

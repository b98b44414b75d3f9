// Writes answers and reads bodies over node:http; compresses large answers.

import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Answer } from "./answer.ts";
import { withoutParameters } from "./body.ts";
import type { ApiRequest } from "./route.ts";
import { RoundRobinScheduler } from "./time-slice.ts";

// How much of an unwanted body is read and dropped, and for how long, so that its sender can read the refusal.
const MAX_DISCARD_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 2000;
// The pace for all unwanted bodies together, which would keep the engine busy otherwise.
const DISCARD_SCHEDULER = new RoundRobinScheduler((give) => setTimeout(give, 2).unref());

/** `more`: names and values alternate. `close` ends the connection after the answer. */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  extraHeaders: readonly string[],
  close: boolean,
): void {
  const { status, type, body, headers = [], caching = "no-store" } = answer;
  const encoding = answer.bytes === true ? "latin1" : "utf8";
  const length = typeof body !== "string" || answer.bytes === true ? body.length : Buffer.byteLength(body);
  const unread = hasUnreadBody(request);
  const commonHeaders = ["Cache-Control", caching, "X-Content-Type-Options", "nosniff", ...extraHeaders, ...headers];
  const allHeaders =
    type === "" ? commonHeaders : ["Content-Type", type, "Content-Length", String(length), ...commonHeaders];
  if (close || unread) allHeaders.push("Connection", "close");
  response.writeHead(status, allHeaders);
  if (!unread) {
    response.end(body, encoding);
    return;
  }
  response.write(body, encoding);
  discardBody(request, () => response.end());
}

/** Whether a large body was not read. Node reads and drops small ones. */
function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.method === "GET" || request.complete) return false;
  const { "content-length": length, "transfer-encoding": coding, expect } = request.headers;
  // A sender that waits for `100 Continue` has sent nothing.
  if (expect !== undefined) return false;
  return coding !== undefined || Number(length ?? 0) > 64 * 1024;
}

function discardBody(request: IncomingMessage, done: () => void): void {
  let count = 0;
  const end = (): void => {
    clearTimeout(timer);
    done();
  };
  const timer = setTimeout(end, MAX_DISCARD_MS).unref();
  request.on("data", (chunk: Uint8Array) => {
    count += chunk.length;
    if (count > MAX_DISCARD_BYTES) end();
    request.pause();
    void DISCARD_SCHEDULER.yield().then(() => request.resume());
  });
  request.on("end", end).on("close", end);
  request.resume();
}

/** Reads the body. `gone`: the sender disconnected, or the listener refused it as too slow. */
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

const MIN_COMPRESS_BYTES = 32 * 1024;

const gzipAsync = promisify(gzip);

export function isWorthCompressing({ body }: Answer): boolean {
  return body.length >= MIN_COMPRESS_BYTES;
}

/** The answer in gzip, if the caller accepts that. */
export async function compress(answer: Answer, request: Pick<ApiRequest, "header">): Promise<Answer> {
  const headers = [...(answer.headers ?? []), "Vary", "Accept-Encoding"];
  if (!acceptsGzip(request.header("accept-encoding"))) return { ...answer, headers };
  const { body, bytes } = answer;
  const plain = typeof body === "string" ? Buffer.from(body, bytes === true ? "latin1" : "utf8") : body;
  // The fastest level makes JSON six times smaller. Pages are few, and get a tenth smaller at the usual level.
  const level =
    answer.type?.startsWith("text/html") === true ? constants.Z_DEFAULT_COMPRESSION : constants.Z_BEST_SPEED;
  const smaller = await gzipAsync(plain, { level });
  return { ...answer, body: smaller, headers: [...headers, "Content-Encoding", "gzip"] };
}

/** Whether gzip or everything is accepted (RFC 9110 §12.5.3). */
export function acceptsGzip(acceptEncoding: string): boolean {
  const weights = parseWeights(acceptEncoding);
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}

/** The choices of an Accept header by their names in small letters, each with its weight (RFC 9110 §12.4.2). */
export function parseWeights(accept: string): ReadonlyMap<string, number> {
  return new Map(
    accept.split(",").map((choice) => {
      const [, weight = "1"] = /;\s*q=([0-9.]+)/i.exec(choice) ?? [];
      return [withoutParameters(choice), Number(weight) || 0] as const;
    }),
  );
}

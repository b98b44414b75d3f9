// Writes answers and reads bodies over node:http; compresses large answers.

import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Answer } from "./answer.ts";
import { nameOf } from "./body.ts";
import type { ApiRequest } from "./route.ts";
import { SharedTurns } from "./turns.ts";

// How much of an unwanted body is read and dropped, and for how long, so that its sender can read the refusal.
const DISCARDED_MAX = 16 * 1024 * 1024;
const DISCARDING_MAX_MS = 2000;
// The pace for all unwanted bodies together, which would keep the engine busy otherwise.
const DISCARD_TURNS = new SharedTurns((give) => setTimeout(give, 2).unref());

/** `more`: names and values alternate. `close` ends the connection after the answer. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  more: readonly string[],
  close: boolean,
): void {
  const { status, type, body, headers = [], caching = "no-store" } = answer;
  const encoding = answer.bytes === true ? "latin1" : "utf8";
  const length = typeof body !== "string" || answer.bytes === true ? body.length : Buffer.byteLength(body);
  const unread = hasUnreadBody(request);
  const always = ["Cache-Control", caching, "X-Content-Type-Options", "nosniff", ...more, ...headers];
  const all = type === "" ? always : ["Content-Type", type, "Content-Length", String(length), ...always];
  if (close || unread) all.push("Connection", "close");
  response.writeHead(status, all);
  if (!unread) {
    response.end(body, encoding);
    return;
  }
  response.write(body, encoding);
  discardRest(request, () => response.end());
}

/** Whether a large body was not read. Node reads and drops small ones. */
function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.method === "GET" || request.complete) return false;
  const { "content-length": length, "transfer-encoding": coding, expect } = request.headers;
  // A sender that waits for `100 Continue` has sent nothing.
  if (expect !== undefined) return false;
  return coding !== undefined || Number(length ?? 0) > 64 * 1024;
}

function discardRest(request: IncomingMessage, done: () => void): void {
  let count = 0;
  const end = (): void => {
    clearTimeout(timer);
    done();
  };
  const timer = setTimeout(end, DISCARDING_MAX_MS).unref();
  request.on("data", (chunk: Uint8Array) => {
    count += chunk.length;
    if (count > DISCARDED_MAX) end();
    request.pause();
    void DISCARD_TURNS.next().then(() => request.resume());
  });
  request.on("end", end).on("close", end);
  request.resume();
}

/** Reads the body. `gone`: the sender disconnected, or the listener refused it as too slow. */
export function receive(
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

const LARGE_BYTES = 32 * 1024;

const gzipped = promisify(gzip);

export function isLarge({ body }: Answer): boolean {
  return body.length >= LARGE_BYTES;
}

/** The answer in gzip, if the caller accepts that. */
export async function compressed(answer: Answer, caller: Pick<ApiRequest, "header">): Promise<Answer> {
  const headers = [...(answer.headers ?? []), "Vary", "Accept-Encoding"];
  if (!takesGzip(caller.header("accept-encoding"))) return { ...answer, headers };
  const { body, bytes } = answer;
  const plain = typeof body === "string" ? Buffer.from(body, bytes === true ? "latin1" : "utf8") : body;
  // The fastest level makes JSON six times smaller. Pages are few, and get a tenth smaller at the usual level.
  const level =
    answer.type?.startsWith("text/html") === true ? constants.Z_DEFAULT_COMPRESSION : constants.Z_BEST_SPEED;
  const smaller = await gzipped(plain, { level });
  return { ...answer, body: smaller, headers: [...headers, "Content-Encoding", "gzip"] };
}

/** Whether gzip or everything is accepted (RFC 9110 §12.5.3). */
export function takesGzip(acceptEncoding: string): boolean {
  const weights = weightsOf(acceptEncoding);
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}

/** The choices of an Accept header by their names in small letters, each with its weight (RFC 9110 §12.4.2). */
export function weightsOf(accept: string): ReadonlyMap<string, number> {
  return new Map(
    accept.split(",").map((choice) => {
      const [, weight = "1"] = /;\s*q=([0-9.]+)/i.exec(choice) ?? [];
      return [nameOf(choice), Number(weight) || 0] as const;
    }),
  );
}

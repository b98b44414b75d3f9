// Large answers in gzip, for callers that take it. Small ones are sent as they are: compressing them costs more than sending them.

import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Answer } from "./answer.ts";

/** Answers from this size on are compressed. */
const LARGE_OCTETS = 32 * 1024;

const gzipped = promisify(gzip);

/** Whether the answer is worth compressing, if its caller takes it. */
export function isLarge({ body }: Answer): boolean {
  return body.length >= LARGE_OCTETS;
}

/** The answer in gzip where the Accept-Encoding header takes that, and in any case with what caches must know. */
export async function compressed(answer: Answer, acceptEncoding: string): Promise<Answer> {
  const headers = [...(answer.headers ?? []), "Vary", "Accept-Encoding"];
  if (!takesGzip(acceptEncoding)) return { ...answer, headers };
  const { body, octets } = answer;
  const plain = typeof body === "string" ? Buffer.from(body, octets === true ? "latin1" : "utf8") : body;
  // The fastest level: JSON still becomes a sixth, and other requests wait for the processor.
  const smaller = await gzipped(plain, { level: constants.Z_BEST_SPEED });
  return { ...answer, body: smaller, headers: [...headers, "Content-Encoding", "gzip"] };
}

/** Accept-Encoding (RFC 9110 §12.5.3): gzip is named, or everything, and not with the weight 0. */
export function takesGzip(acceptEncoding: string): boolean {
  const weights = new Map<string, boolean>();
  for (const entry of acceptEncoding.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = entry.split(";").map((part) => part.trim());
    weights.set(coding, !parameters.some((text) => /^q=0(\.0*)?$/.test(text)));
  }
  return weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? false;
}

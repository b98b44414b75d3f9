// Answers that are the same for everybody for a while: who has one asks only whether it still is the same (RFC 9110 §13.1.2).

import { createHash } from "node:crypto";
import type { Answer } from "./answer.ts";
import type { ApiRequest } from "./route.ts";

/** The answer with an ETag of its body. */
export function tagged(answer: Answer): Answer {
  // Weak, because the octets differ when they are compressed (RFC 9110 §8.8.1).
  const tag = `W/"${createHash("sha256").update(answer.body).digest("base64url").slice(0, 22)}"`;
  return { ...answer, caching: "no-cache", headers: ["ETag", tag, ...(answer.headers ?? [])] };
}

/** A tagged answer, or 304 for a caller that has it. */
export function revalidated(answer: Answer, request: ApiRequest): Answer {
  const { headers = [], caching = "no-cache" } = answer;
  const [, tag = ""] = headers;
  const known = request
    .header("if-none-match")
    .split(",")
    .some((text) => ["*", tag, tag.slice(2)].includes(text.trim()));
  return known ? { status: 304, type: "", body: "", caching, headers } : answer;
}

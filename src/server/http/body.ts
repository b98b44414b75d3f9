// From octets to the object that a handler gets: media type, JSON, shape. No socket is read here.

import { type Answer, fault } from "./answer.ts";
import type { RequestHeaders } from "./request-headers.ts";
import type { RouteBody } from "./route.ts";

/** The headers that describe a body. */
export type DeclaredBody = Pick<RequestHeaders, "contentType" | "contentTypeRepeated" | "contentEncoding">;

// The deepest body of ours has four levels. Code that walks an object later must not run out of stack.
const DEPTH_MAX = 32;

/** The refusal of a body's media type or encoding, or undefined when the route takes it. */
export function mediaTypeFault(
  { contentType, contentTypeRepeated, contentEncoding = "identity" }: DeclaredBody,
  body: Pick<RouteBody, "types">,
): Answer | undefined {
  if (contentEncoding.toLowerCase() !== "identity") {
    return fault("UNSUPPORTED_MEDIA_TYPE", "the body is compressed: send it as it is, without Content-Encoding");
  }
  const [type = "", ...parameters] = contentTypeRepeated ? [] : (contentType ?? "").toLowerCase().split(";");
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith("charset="));
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  const known = body.types.includes(type.trim());
  if (utf8 && known) return undefined;
  if (known)
    return fault("UNSUPPORTED_MEDIA_TYPE", "the charset of the body must be UTF-8: send it so, or leave it out");
  return fault(
    "UNSUPPORTED_MEDIA_TYPE",
    `the body is not declared as JSON: send Content-Type: ${body.types.join(" or ")}`,
  );
}

/** The refusal of a body that is too large. */
export function tooLarge(limitBytes: number): Answer {
  return fault("PAYLOAD_TOO_LARGE", `the body is over ${limitBytes / 1024} KiB: send less at once`);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The JSON object in the octets, or the refusal. */
export function parseObject(
  octets: Uint8Array,
): { readonly value: Record<string, unknown> } | { readonly refusal: Answer } {
  let text: string;
  try {
    text = decoder.decode(octets);
  } catch {
    return { refusal: fault("INVALID_BODY", "the body is not UTF-8: send JSON in UTF-8") };
  }
  if (isDeep(text))
    return { refusal: fault("INVALID_BODY", `the body is nested over ${DEPTH_MAX} levels: send fewer levels`) };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refusal: fault("INVALID_BODY", "the body is not JSON: send a JSON object") };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { refusal: fault("INVALID_BODY", "the body must be a JSON object") };
  }
  return { value: value as Record<string, unknown> };
}

/** Whether brackets outside of strings nest too deeply; text that is not JSON may count as deep. */
function isDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0x22) quoted = !quoted;
    else if (code === 0x5c && quoted) i += 1;
    else if (quoted) continue;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > DEPTH_MAX) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

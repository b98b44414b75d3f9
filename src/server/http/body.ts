// From bytes to the object that a handler gets: media type, JSON, shape. No socket is read here.

import { choiceOf } from "../../base/near-names.ts";
import { type Answer, fault } from "./answer.ts";
import type { RequestHeaders } from "./exchange.ts";
import type { RouteBody } from "./route.ts";

export type DeclaredBody = Pick<RequestHeaders, "contentType" | "contentTypeRepeated" | "contentEncoding">;

// The deepest body of ours has four levels. Code that walks an object later must not run out of stack.
const DEPTH_MAX = 32;

/** Whether the declared type is one of these, whatever its parameters. */
export function isOfType({ contentType, contentTypeRepeated }: DeclaredBody, types: readonly string[]): boolean {
  return !contentTypeRepeated && types.includes(((contentType ?? "").split(";", 1)[0] as string).trim().toLowerCase());
}

/**
 * The refusal of the charset or encoding of a stream. A byte-order mark or zeros tell UTF-16 apart, so that charset is
 * taken too.
 */
export function streamFault({ contentType = "", contentEncoding = "identity" }: DeclaredBody): Answer | undefined {
  if (!["identity", "gzip", "x-gzip"].includes(contentEncoding.toLowerCase())) {
    return fault("UNSUPPORTED_MEDIA_TYPE", "the Content-Encoding is unknown: send the body in gzip, or as it is");
  }
  const [, charset] = /;\s*charset="?([^";]*)/i.exec(contentType) ?? [];
  if (charset === undefined || /^(utf-?8|us-ascii|utf-?16(le|be)?)$/i.test(charset.trim())) return undefined;
  return fault("UNSUPPORTED_MEDIA_TYPE", "the charset of the body must be UTF-8: convert it, for example with iconv");
}

/**
 * The refusal of a body's media type or encoding, or undefined when the route takes it. `types`: all that the route
 * takes.
 */
export function mediaTypeFault(
  { contentType, contentTypeRepeated, contentEncoding = "identity" }: DeclaredBody,
  body: Pick<RouteBody, "types">,
  types: readonly string[] = body.types,
): Answer | undefined {
  if (contentEncoding.toLowerCase() !== "identity") {
    return fault("UNSUPPORTED_MEDIA_TYPE", "the body is compressed: send it as it is, without Content-Encoding");
  }
  const [type = "", ...parameters] = contentTypeRepeated ? [] : (contentType ?? "").toLowerCase().split(";");
  if (!body.types.includes(type.trim())) return unknownType(types);
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith("charset="));
  if (charset === undefined || /^charset="?utf-?8"?$/.test(charset)) return undefined;
  const message = "the charset of the body must be UTF-8: convert the body, or leave the charset out";
  return fault("UNSUPPORTED_MEDIA_TYPE", message);
}

/** The refusal of another media type than these. */
export function unknownType(types: readonly string[]): Answer {
  const isJson = types.every((type) => type.endsWith("json"));
  const what = isJson ? "the body is not declared as JSON" : "the body has another type than this path takes";
  return fault("UNSUPPORTED_MEDIA_TYPE", `${what}: send Content-Type: ${choiceOf(types)}`);
}

export function tooLarge(limitBytes: number): Answer {
  return fault("PAYLOAD_TOO_LARGE", `the body is over ${limitBytes / 1024} KiB: send less at once`);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The fields of an HTML form (application/x-www-form-urlencoded), each a text; of a repeated one the last. */
export function parseForm(bytes: Uint8Array): { readonly value: Record<string, unknown> } {
  return { value: Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes))) };
}

/** The JSON object in the bytes, or the refusal. */
export function parseObject(
  bytes: Uint8Array,
): { readonly value: Record<string, unknown> } | { readonly refusal: Answer } {
  let text: string;
  try {
    text = decoder.decode(bytes);
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

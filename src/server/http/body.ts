// Checks the declared type of a request body, and parses its JSON.

import { formatAlternatives } from "../../base/closest-names.ts";
import { isObject } from "../../base/result.ts";
import type { RequestHeaders } from "./request-context.ts";
import { type ApiResponse, fault } from "./response.ts";
import type { RouteBody } from "./route.ts";

// Maximum nesting, which prevents stack overflows in code that walks the object. Valid bodies have at most 4 levels.
const MAX_DEPTH = 32;

/** Returns a media type or coding in lowercase, without its parameters. */
export function withoutParameters(text: string): string {
  return (text.split(";", 1)[0] as string).trim().toLowerCase();
}

export function isOfType(headers: RequestHeaders, types: readonly string[]): boolean {
  return !headers.isRepeated("content-type") && types.includes(withoutParameters(headers.last("content-type") ?? ""));
}

function encodingOf(headers: RequestHeaders): string {
  return (headers.last("content-encoding") ?? "identity").toLowerCase();
}

/** Rejects the encoding or charset of a stream. Accepts UTF-16, which is detected from the bytes. */
export function checkStreamHeaders(headers: RequestHeaders): ApiResponse | undefined {
  if (!["identity", "gzip", "x-gzip"].includes(encodingOf(headers))) {
    return fault(
      "UNSUPPORTED_MEDIA_TYPE",
      "the Content-Encoding is not supported: use gzip, or don't compress the body",
    );
  }
  return checkCharset(headers, /^(utf-?8|us-ascii|utf-?16(le|be)?)$/, "omit it, and add the query parameter encoding");
}

/** Rejects the media type, encoding or charset of a body. `types` are all types that the route accepts. */
export function checkMediaType(
  headers: RequestHeaders,
  body: Pick<RouteBody, "types">,
  types: readonly string[] = body.types,
): ApiResponse | undefined {
  if (encodingOf(headers) !== "identity") {
    return fault(
      "UNSUPPORTED_MEDIA_TYPE",
      "a compressed body is not supported here: send it uncompressed, without Content-Encoding",
    );
  }
  if (!isOfType(headers, body.types)) return unsupportedType(types);
  return checkCharset(headers, /^utf-?8$/, "convert the body, or omit the charset");
}

function checkCharset(headers: RequestHeaders, allowed: RegExp, remedy: string): ApiResponse | undefined {
  const [, charset = "utf-8"] = /;\s*charset="?([^";]*)/i.exec(headers.last("content-type") ?? "") ?? [];
  if (allowed.test(charset.trim().toLowerCase())) return undefined;
  return fault("UNSUPPORTED_MEDIA_TYPE", `the charset of the body must be UTF-8: ${remedy}`);
}

export function unsupportedType(types: readonly string[]): ApiResponse {
  const isJson = types.every((type) => type.endsWith("json"));
  const problem = isJson ? "the body is not declared as JSON" : "this path does not accept the body's media type";
  return fault("UNSUPPORTED_MEDIA_TYPE", `${problem}: send Content-Type: ${formatAlternatives(types)}`);
}

export function bodyTooLarge(limitBytes: number, fix: string): ApiResponse {
  return fault("PAYLOAD_TOO_LARGE", `the body exceeds ${limitBytes / 1024} KiB: ${fix}`);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

export function parseJsonObject(
  bytes: Uint8Array,
): { readonly value: Readonly<Record<string, unknown>> } | { readonly rejection: ApiResponse } {
  const reject = (problem: string) => ({ rejection: fault("INVALID_BODY", `the body ${problem}`) });
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return reject("is not UTF-8: send JSON in UTF-8");
  }
  if (isTooDeep(text)) return reject(`is nested more than ${MAX_DEPTH} levels: send fewer levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return reject("is not JSON: send a JSON object");
  }
  return isObject(value) ? { value } : reject("must be a JSON object");
}

/** Reports whether brackets outside of strings are nested too deeply. Invalid JSON may count as too deep. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0x22) quoted = !quoted;
    else if (code === 0x5c && quoted) i += 1;
    else if (quoted) continue;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

// The headers that a webhook's owner adds to each request: which names and values are allowed (RFC 9110 §5).

import type { Result } from "../../base/result.ts";
import { badField, type ChannelFault } from "../fault.ts";
import { isObject } from "../record.ts";
import { isRedacted } from "./redaction.ts";

const HEADERS_MAX = 20;
// Common servers accept this much in a request's headers, ours included. All channels of all teams are kept in one file.
const OCTETS_MAX = 8192;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
// Printable ASCII, with white space only inside: all servers read this in the same way.
const VALUE = /^[!-~](?:[ \t!-~]{0,4094}[!-~])?$/;
// Headers of the connection, of the body and of the signature.
const RESERVED =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|webhook-.*)$/i;

/** Reads `config.headers`. Names are compared without case, as HTTP does. */
export function parseHeaders(value: unknown): Result<Readonly<Record<string, string>>, ChannelFault> {
  if (!isObject(value)) return badField("config.headers", 'must be an object: give {"Name": "value"}');
  const entries = Object.entries(value);
  if (entries.length > HEADERS_MAX)
    return badField("config.headers", `has more than ${HEADERS_MAX} headers: remove some`);
  const seen = new Set<string>();
  const headers: [string, string][] = [];
  for (const [name, text] of entries) {
    if (!NAME.test(name))
      return badField("config.headers", "has a name that is not an HTTP header name: correct or remove it");
    const field = `config.headers.${name}`;
    if (RESERVED.test(name)) return badField(field, "is set by addrsift itself: remove it");
    if (seen.has(name.toLowerCase())) return badField(field, "is given twice, in different case: keep one");
    seen.add(name.toLowerCase());
    if (typeof text !== "string" || !VALUE.test(text)) {
      return badField(field, "must be printable ASCII: give 1 to 4096 characters, without white space at the ends");
    }
    if (isRedacted(text)) return badField(field, "is redacted, but no value is stored: send the value itself");
    headers.push([name, text]);
  }
  const octets = headers.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  if (octets > OCTETS_MAX)
    return badField("config.headers", `has ${octets} bytes of names and values: give at most ${OCTETS_MAX} in all`);
  return { ok: true, value: Object.fromEntries(headers) };
}

/** The header's name as `headers` spells it; case does not matter. */
export function findName(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return Object.keys(headers).find((known) => known.toLowerCase() === wanted);
}

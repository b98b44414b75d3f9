// Responses as values, and the table of fault codes, which the OpenAPI document and the manual are generated from.

import type { ByteSink } from "../../bulk/streams.ts";

export interface ApiResponse {
  readonly status: number;
  /** The code of an error. */
  readonly code?: ApiFaultCode;
  /** Empty if the status has no body. */
  readonly type: string;
  readonly body: string | Uint8Array;
  /** The string `body` has one character for each byte (Latin-1). */
  readonly bytes?: true;
  /** The Cache-Control header; `no-store` by default. */
  readonly cacheControl?: string;
  readonly headers?: readonly string[];
  /** Whether the connection closes after the response. */
  readonly close?: true;
}

/** A response with status 200 that is written while the request body is still read. */
export interface StreamedResponse {
  readonly type: string;
  /** The name of the trailer field, if any. Some clients fail on trailers (RFC 9110 §6.5.1). */
  readonly trailer?: string | undefined;
  /** Writes the body and returns the trailer's value in ASCII. If it throws, the connection is closed. Called once. */
  readonly run: (sink: ByteSink) => Promise<string>;
  /** Number of rows read, for the log. */
  readonly rows: () => number;
}

const JSON_TYPE = "application/json";
/** Wait before a retry if nothing says how long the problem lasts. */
export const RETRY_SECONDS = 5;

function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

export function success(value: Readonly<Record<string, unknown>>): ApiResponse {
  return { status: 200, type: JSON_TYPE, body: jsonLine({ code: "SUCCESS", ...value }) };
}

/** Returns a success response; `body` has one character for each byte (Latin-1). */
export function successBytes(body: string): ApiResponse {
  return { status: 200, type: JSON_TYPE, body, bytes: true };
}

/** Returns an error response. The message states problem and fix, without file paths, stack traces or secrets. */
export function fault(code: ApiFaultCode, message: string, headers?: readonly string[], field?: string): ApiResponse {
  const { status } = API_FAULTS[code];
  const ownHeaders = headers ?? (status === 503 ? retryAfter(RETRY_SECONDS) : []);
  return { status, code, type: JSON_TYPE, body: jsonLine({ code, message, field }), headers: ownHeaders };
}

// `config.url is missing`, `unknown field "x"`; not `the body is not JSON`.
const FIELD_AT_START = /^(?:unknown field ")?(?!(?:the|unknown) )([^ :()"\\…]+)(?=[ :"])/;

/** Returns INVALID_BODY, with the `field` that the message starts with, if any. */
export function invalidBody(message: string): ApiResponse {
  return fault("INVALID_BODY", message, [], FIELD_AT_START.exec(message)?.[1]);
}

/** Returns status 429 for a request that may succeed after `seconds`. */
export function rateLimited(problem: string, seconds = RETRY_SECONDS): ApiResponse {
  return fault("RATE_LIMITED", `${problem}: retry in ${seconds} s`, retryAfter(seconds));
}

export function retryAfter(seconds: number): readonly string[] {
  return ["Retry-After", String(seconds)];
}

export const API_FAULTS = {
  BAD_REQUEST: { status: 400, meaning: "The bytes are not a valid HTTP request." },
  INVALID_BODY: {
    status: 400,
    meaning:
      "The body is not a JSON object, one of its fields is missing or invalid, the start of a stream can't be parsed, " +
      "or the channel does not allow the action: it is paused, unverified, incomplete or of another type.",
  },
  INVALID_QUERY: {
    status: 400,
    meaning: "A parameter is missing, unknown, repeated, invalid or too long, or the path accepts no query.",
  },
  MISSING_API_KEY: { status: 401, meaning: "The request requires an API key and has none." },
  INVALID_API_KEY: { status: 401, meaning: "The API key is malformed, unknown, expired or revoked." },
  INSUFFICIENT_SCOPE: { status: 403, meaning: "The API key is valid but lacks the scope named in the message." },
  CROSS_SITE: {
    status: 403,
    meaning: "A cross-site request without a key, from an origin that `--cors-origin` does not allow.",
  },
  NOT_FOUND: { status: 404, meaning: "Not found, or owned by another team." },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "The path has no such method; `Allow` lists the supported ones." },
  REQUEST_TIMEOUT: { status: 408, meaning: "The request took too long to arrive." },
  LIMIT_REACHED: {
    status: 409,
    meaning:
      "The team has reached its limit on channels or on their size, or a secret was replaced for the tenth time in " +
      "24 hours.",
  },
  DELIVERY_IN_PROGRESS: { status: 409, meaning: "The delivery is being sent: wait for its outcome." },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    meaning: "A request with the same `Idempotency-Key` is in progress; `Retry-After` says when to retry.",
  },
  TOKEN_USED: { status: 410, meaning: "The verification link was already used." },
  TOKEN_EXPIRED: { status: 410, meaning: "The verification link has expired, or a newer one replaced it." },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: "The body exceeds the limit of its route." },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: "The route does not accept the declared media type, charset or encoding of the body.",
  },
  MISDIRECTED_REQUEST: { status: 421, meaning: "The Host header names a different host." },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    meaning: "The `Idempotency-Key` was used with a different body, or the channel's secret has changed since.",
  },
  RATE_LIMITED: {
    status: 429,
    meaning:
      "Too many requests, streams, failed keys, running tests of channels, or verification messages; `Retry-After` says " +
      "when to retry.",
  },
  HEADERS_TOO_LARGE: { status: 431, meaning: "The request line and headers exceed 16 KiB." },
  INTERNAL: { status: 500, meaning: "The daemon failed; its log says why." },
  NOT_IMPLEMENTED: { status: 501, meaning: "The request has a Transfer-Encoding other than chunked." },
  TEST_FAILED: { status: 502, meaning: "The channel did not accept the test; the message has the reason." },
  NOT_READY: {
    status: 503,
    meaning: "The daemon is shutting down, or its store is unavailable, read-only or damaged.",
  },
  STORAGE_FULL: { status: 507, meaning: "The disk of the daemon's store is full; nothing was changed." },
} as const;

export type ApiFaultCode = keyof typeof API_FAULTS;

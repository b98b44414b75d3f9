// Answers as values, and the table of fault codes, from which document and manual are made.

import type { ByteSink } from "../../bulk/streams.ts";

export interface Answer {
  readonly status: number;
  /** Empty where the status has no body. */
  readonly type: string;
  readonly body: string | Uint8Array;
  /** The body has one character for each byte. */
  readonly bytes?: true;
  /** The Cache-Control header; `no-store` by default. */
  readonly caching?: string;
  readonly headers?: readonly string[];
}

/** An answer with status 200 that is written while the body is still read. */
export interface StreamedAnswer {
  readonly type: string;
  /** The name of its trailer field. Some clients fail on trailers (RFC 9110 §6.5.1). */
  readonly trailer?: string | undefined;
  /** Writes the body; returns the trailer's value in ASCII. A failure cuts the connection. Called exactly once. */
  readonly run: (sink: ByteSink) => Promise<string>;
  /** The number of rows that were read, for the log. */
  readonly rows: () => number;
}

const JSON_TYPE = "application/json";

function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

export function success(value: Readonly<Record<string, unknown>>): Answer {
  return { status: 200, type: JSON_TYPE, body: jsonLine({ code: "SUCCESS", ...value }) };
}

/** `body` has one character for each byte. */
export function successBytes(body: string): Answer {
  return { status: 200, type: JSON_TYPE, body, bytes: true };
}

/** The message says what is wrong and what to do next, without a path, a stack or a secret. */
export function fault(code: ApiFaultCode, message: string, headers: readonly string[] = []): Answer {
  return { status: API_FAULTS[code].status, type: JSON_TYPE, body: jsonLine({ code, message }), headers };
}

export const API_FAULTS = {
  BAD_REQUEST: { status: 400, meaning: "The bytes are not a valid HTTP request." },
  INVALID_BODY: {
    status: 400,
    meaning:
      "The body is not a JSON object, or a field of it is missing or wrong; or the beginning of a stream can't " +
      "be read.",
  },
  INVALID_QUERY: {
    status: 400,
    meaning:
      "The address or domain is missing, empty, repeated, too long or badly encoded, an option is wrong, or the " +
      "path takes no query.",
  },
  MISSING_API_KEY: { status: 401, meaning: "The request needs an API key and has none." },
  INVALID_API_KEY: { status: 401, meaning: "The API key is malformed, unknown, expired or revoked." },
  INSUFFICIENT_SCOPE: { status: 403, meaning: "The API key is valid, but lacks the scope that the message names." },
  CROSS_SITE: {
    status: 403,
    meaning: "A web page of another site asked without a key, and `--cors-origin` does not name it.",
  },
  NOT_FOUND: { status: 404, meaning: "Nothing with that name exists for this caller." },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "The path takes other methods; `Allow` lists them." },
  REQUEST_TIMEOUT: { status: 408, meaning: "The request took too long to arrive." },
  LIMIT_REACHED: { status: 409, meaning: "The team has as many channels, or as much in them, as it can have." },
  IDEMPOTENCY_KEY_IN_USE: { status: 409, meaning: "A request with the same `Idempotency-Key` is in progress." },
  TOKEN_USED: { status: 410, meaning: "The verification link was already used, or a newer one replaced it." },
  TOKEN_EXPIRED: { status: 410, meaning: "The verification link is too old." },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: "The body is over the limit of its route." },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: "The route does not take the declared media type, charset or encoding of the body.",
  },
  MISDIRECTED_REQUEST: { status: 421, meaning: "The Host header names another host than this daemon's." },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    meaning: "The `Idempotency-Key` was used for another body, or the channel's secret has changed since.",
  },
  RATE_LIMITED: {
    status: 429,
    meaning: "Too many requests, streams or failed keys; `Retry-After` says when to try again.",
  },
  HEADERS_TOO_LARGE: { status: 431, meaning: "The request's line and headers are over 16 KiB." },
  INTERNAL: { status: 500, meaning: "The daemon failed; its log says why." },
  NOT_IMPLEMENTED: { status: 501, meaning: "The request has a Transfer-Encoding other than chunked." },
  TEST_FAILED: { status: 502, meaning: "The channel did not accept the test; the message has the reason." },
  NOT_READY: {
    status: 503,
    meaning: "The daemon is stopping, can't reach or change its records for now, or an operator must fix them first.",
  },
  STORAGE_FULL: { status: 507, meaning: "The disk of the daemon's records is full, so nothing was changed." },
} as const;

export type ApiFaultCode = keyof typeof API_FAULTS;

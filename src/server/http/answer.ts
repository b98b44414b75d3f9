// An answer as a value, without sockets. Handlers make answers, `transmission` sends them.

import type { ByteSink } from "../../bulk/ports.ts";
import { API_FAULTS, type ApiFaultCode } from "./faults.ts";

/** One answer. */
export interface Answer {
  readonly status: number;
  /** The media type of the body; empty where the status has no body. */
  readonly type: string;
  readonly body: string | Uint8Array;
  /** The body is a string of octets, one character for each; otherwise it is text. */
  readonly octets?: true;
  /** What Cache-Control says; `no-store` unless the answer is the same for everybody. */
  readonly caching?: string;
  /** More headers: names and values alternate. */
  readonly headers?: readonly string[];
  /** Of a stream that is answered as a whole: how many rows were read, for the log. */
  readonly rows?: number;
}

/** An answer with status 200 that is written while the body is still read. */
export interface StreamedAnswer {
  readonly type: string;
  /** The name of its trailer field, for a caller that takes one: some clients fail on an answer with trailers (RFC 9110 §6.5.1). */
  readonly trailer?: string | undefined;
  /** Writes the body; gives the trailer's value, in printable ASCII. A failure cuts the connection. Called once, always. */
  readonly run: (sink: ByteSink) => Promise<string>;
  /** How many rows were read when `run` ended, for the log. */
  readonly rows: () => number;
}

const JSON_TYPE = "application/json";

/** A value as JSON with a line break at the end, for people who read it on a terminal. */
function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** A value as a JSON answer with status 200. */
export function success(value: Readonly<Record<string, unknown>>): Answer {
  return { status: 200, type: JSON_TYPE, body: jsonLine({ code: "SUCCESS", ...value }) };
}

/** Rendered JSON, one character for each octet, as an answer with status 200. */
export function successOctets(body: string): Answer {
  return { status: 200, type: JSON_TYPE, body, octets: true };
}

/** What went wrong and what to do next, in one sentence. Never shows a path, a stack or a secret. */
export function fault(code: ApiFaultCode, message: string, headers?: readonly string[]): Answer {
  const answer = { status: API_FAULTS[code].status, type: JSON_TYPE, body: jsonLine({ code, message }) };
  return headers === undefined ? answer : { ...answer, headers };
}

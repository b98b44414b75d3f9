// Why a request failed, as a value: a code and one line. It never contains a header, a body or the path of a URL.

import { NOT_PUBLIC, RefusedAddress } from "./connector.ts";

/** Why a request got no answer. */
export type OutboundCode = "url" | "request" | "address" | "name" | "connect" | "tls" | "timeout" | "size" | "answer";

/** An expected outcome: `message` is one line that the person who gave the URL may see. */
export interface OutboundFault {
  readonly code: OutboundCode;
  readonly message: string;
}

/** By the code of Node, OpenSSL or undici; an unknown code means a broken answer. */
const KNOWN: Readonly<Record<string, readonly [OutboundCode, string]>> = {
  ENOTFOUND: ["name", NOT_PUBLIC],
  ENODATA: ["name", NOT_PUBLIC],
  ECONNREFUSED: ["connect", "refused the connection"],
  EHOSTUNREACH: ["connect", "can't be reached"],
  ENETUNREACH: ["connect", "can't be reached"],
  EADDRNOTAVAIL: ["connect", "can't be reached"],
  ETIMEDOUT: ["timeout", "did not take the connection in time"],
  UND_ERR_CONNECT_TIMEOUT: ["timeout", "did not take the connection in time"],
  UND_ERR_HEADERS_OVERFLOW: ["size", "answered with headers over the limit"],
  UND_ERR_INVALID_ARG: ["request", "was sent nothing: a header of the request has characters that HTTP does not allow"],
  UND_ERR_NOT_SUPPORTED: ["request", "was sent nothing: a header of the request is not supported"],
  UND_ERR_SOCKET: ["answer", "closed the connection before it had answered"],
  ECONNRESET: ["answer", "closed the connection before it had answered"],
  EPIPE: ["answer", "closed the connection before it had answered"],
};

const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/;

/** Whether a code is one of certificates or of the TLS handshake. */
export function isTlsCode(code: string): boolean {
  return TLS_CODE.test(code);
}

/** The fault for an exception of the connection or of undici. */
export function faultOf(error: unknown, host: string): OutboundFault {
  if (error instanceof RefusedAddress) return { code: "address", message: error.message };
  const code = codeOf(error);
  const known = KNOWN[code];
  if (known !== undefined) return { code: known[0], message: `${host} ${known[1]}` };
  if (code.startsWith("EAI_")) return { code: "name", message: `${host} ${NOT_PUBLIC}` };
  if (isTlsCode(code)) return { code: "tls", message: `the TLS certificate or handshake of ${host} failed (${code})` };
  return { code: "answer", message: `${host} gave no answer in HTTP${code === "" ? "" : ` (${code})`}` };
}

/** The error's code; after several attempts to connect, that of the first. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === "string") return code;
  return errors?.[0] === undefined ? "" : codeOf(errors[0]);
}

// Turns errors of a request into a code and one line, which never contains a header, a body or the path of a URL.

import { networkInterfaces } from "node:os";
import { BlockedAddressError, NOT_PUBLIC } from "./guard.ts";
import { ProxyError } from "./proxy.ts";

export type OutboundCode = "url" | "request" | "address" | "name" | "connect" | "tls" | "timeout" | "size" | "answer";

/** `message` is one line for the person who entered the URL. */
export interface OutboundFault {
  readonly code: OutboundCode;
  readonly message: string;
}

const CLOSED = ["answer", "closed the connection without a complete answer"] as const;
const FAULT_BY_CODE: Readonly<Record<string, readonly [OutboundCode, string]>> = {
  ECONNREFUSED: ["connect", "refused the connection"],
  EHOSTUNREACH: ["connect", "can't be reached"],
  ENETUNREACH: ["connect", "can't be reached"],
  EADDRNOTAVAIL: ["connect", "can't be reached"],
  ETIMEDOUT: ["timeout", "did not accept the connection in time"],
  UND_ERR_CONNECT_TIMEOUT: ["timeout", "did not accept the connection in time"],
  UND_ERR_HEADERS_OVERFLOW: ["size", "answered with headers over the limit"],
  UND_ERR_INVALID_ARG: ["request", "was sent nothing: a header of the request has characters that HTTP does not allow"],
  UND_ERR_NOT_SUPPORTED: ["request", "was sent nothing: a header of the request is not supported"],
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
};

const TLS_CODE_PATTERN = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/;

export function isTlsCode(code: string): boolean {
  return TLS_CODE_PATTERN.test(code);
}

const UNKNOWN_CA_PATTERN = /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/;
const CA_REMEDY = "if a proxy decrypts TLS, set NODE_EXTRA_CA_CERTS to the file of its CA certificate";
const PROXY_REMEDY = "if this network requires a proxy, set HTTPS_PROXY";

export interface FaultContext {
  /**
   * Whether the message has cause and fix. Only the operator may see them: other callers must not learn which names and
   * proxies the network has.
   */
  readonly forOperator: boolean;
  readonly proxy: URL | undefined;
}

export function toOutboundFault(error: unknown, host: string, { forOperator, proxy }: FaultContext): OutboundFault {
  if (error instanceof ProxyError) return proxyFault(error.cause, host, { forOperator, proxy });
  if (error instanceof BlockedAddressError) {
    const blockedAddress = forOperator && error.cause;
    if (typeof blockedAddress !== "string") return { code: "address", message: error.message };
    return { code: "address", message: `${host} leads to ${blockedAddress}: --allow-private can open its range` };
  }
  const code = codeOf(error);
  const fault = publicFault(code, host);
  return forOperator ? { ...fault, message: operatorMessage(code, host) ?? fault.message } : fault;
}

function publicFault(code: string, host: string): OutboundFault {
  // Without the port, as for internal names.
  if (/^(?:EAI_|ENOTFOUND|ENODATA)/.test(code))
    return { code: "name", message: `${host.replace(/:\d+$/, "")} ${NOT_PUBLIC}` };
  const listedFault = FAULT_BY_CODE[code];
  if (listedFault !== undefined) return { code: listedFault[0], message: `${host} ${listedFault[1]}` };
  if (isTlsCode(code)) return { code: "tls", message: `the TLS certificate or handshake of ${host} failed (${code})` };
  return { code: "answer", message: `${host} did not answer in HTTP${code === "" ? "" : ` (${code})`}` };
}

function operatorMessage(code: string, host: string): string | undefined {
  if (UNKNOWN_CA_PATTERN.test(code))
    return `the certificate of ${host} is from an authority that is not trusted here (${code}): ${CA_REMEDY}`;
  const { code: kind, message } = publicFault(code, host);
  if (kind !== "name" && !/UNREACH|ADDRNOTAVAIL|TIME/.test(code)) return undefined;
  const interfaces = Object.values(networkInterfaces()).flat();
  if (interfaces.every((address) => address?.internal !== false))
    return `${host} can't be reached: this machine has no network`;
  if (kind !== "name") return `${message}: check the network; ${PROXY_REMEDY}`;
  if (code.startsWith("EAI_"))
    return `no name server answered for ${host}: check the machine's name servers; ${PROXY_REMEDY}`;
  return `the name servers have no address for ${host}: check the name; ${PROXY_REMEDY}`;
}

function proxyFault(cause: unknown, host: string, { forOperator, proxy }: FaultContext): OutboundFault {
  const name = forOperator ? `the proxy ${proxy?.host}` : "the operator's proxy";
  const { code, message } = publicFault(typeof cause === "number" ? "" : codeOf(cause), name);
  if (code === "name") return { code, message: `the host name of ${name} can't be resolved: check its URL` };
  if (typeof cause !== "number") return { code, message };
  if (cause !== 407) return { code, message: `${name} did not connect to ${host}${forOperator ? ` (${cause})` : ""}` };
  const problem = proxy?.username === "" ? "requires a user name and password" : "rejected the user name and password";
  return { code, message: `${name} ${problem} (407): put them in its URL` };
}

/** Returns the error's code; of several connection attempts, the first one's. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === "string") return code;
  return errors?.[0] === undefined ? "" : codeOf(errors[0]);
}

// The way out through a proxy: which requests take it, and the tunnel (RFC 9110 §9.3.6). The proxy resolves names by
// itself, so the guard judges only what a URL says.

import { isIP, type Socket } from "node:net";
import type * as undici from "undici";
import { AddrsiftError } from "../base/errors.ts";
import { isLoopbackHost, isLoopbackName } from "../base/ip.ts";
import { type Connector, type ConnectorParts, guardedConnector, TLS } from "./guard.ts";

export type ProxyFor = (url: URL) => URL | undefined;

/** The proxy opened no tunnel. The cause is the status that it answered with, or the error of the connection to it. */
export class ProxyRefusal extends Error {}

/**
 * Chooses the proxy that is given, else that of HTTPS_PROXY and HTTP_PROXY, but for this machine and what NO_PROXY
 * names: hosts, each with all below it and perhaps a port, or `*`. As in curl and undici, names in lower case go first.
 * Throws AddrsiftError USAGE.
 */
export function createProxyFor(env: Readonly<Record<string, string | undefined>>, given?: URL): ProxyFor {
  const textOf = (name: string): string => (env[name.toLowerCase()] || env[name] || "").trim();
  const read = (name: string): URL | undefined =>
    textOf(name) === "" ? given : (given ?? proxyUrl(textOf(name), name));
  const plain = read("HTTP_PROXY");
  const secure = read("HTTPS_PROXY") ?? plain;
  const rules = textOf("NO_PROXY")
    .toLowerCase()
    .split(/[,\s]+/);
  return (url) => {
    const isLocal = isLoopbackName(url.hostname) || isLoopbackHost(url.hostname);
    return isLocal || rules.some((rule) => names(rule, url)) ? undefined : url.protocol === "https:" ? secure : plain;
  };
}

/**
 * The URL of a proxy; without a scheme it is http. Throws AddrsiftError USAGE, which does not repeat the text: it may
 * have a password.
 */
export function proxyUrl(text: string, name: string): URL {
  const full = /^[a-z0-9+.-]+:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.pathname + url.search === "/") return url;
  const remedy = "give one such as http://proxy.example.com:3128";
  throw new AddrsiftError("USAGE", `${name} is not the URL of an HTTP proxy: ${remedy}`);
}

function names(rule: string, { hostname, protocol, port }: URL): boolean {
  const [, host = "", only] =
    isIP(rule) === 6 ? [rule, `[${rule}]`] : (/^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(rule) ?? []);
  if (host === "" || (only !== undefined && only !== (port || portOf(protocol)))) return false;
  return host === "*" || hostname === host || hostname.endsWith(`.${host}`);
}

function portOf(protocol: string): string {
  return protocol === "https:" ? "443" : "80";
}

/** The Basic authorization (RFC 7617) of a URL's credentials; undefined when it has none. */
export function basicOf({ username, password }: URL): string | undefined {
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return credentials === ":" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** A part of a URL, percent-decoded; unchanged when that fails. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function tunnelConnector(parts: ConnectorParts, proxy: URL): Connector {
  return (options, callback) => {
    tunnel(parts, proxy, options).then(
      (socket) => {
        if (options.protocol !== "https:") callback(null, socket);
        else
          parts.undici.buildConnector({ ...TLS, timeout: parts.timeoutMs })(
            { ...options, httpSocket: socket },
            callback,
          );
      },
      (cause: unknown) => callback(new ProxyRefusal("the proxy opened no tunnel", { cause }), null),
    );
  };
}

/** The connection through the proxy; rejects with the status of a refusal, or the connection's error. */
async function tunnel(
  parts: ConnectorParts,
  proxy: URL,
  { host = "", port, protocol }: undici.buildConnector.Options,
): Promise<Socket> {
  // The operator named the proxy, wherever it is.
  const connect = guardedConnector({ ...parts, guard: { refusal: () => undefined } });
  const client = new parts.undici.Client(proxy.origin, { connect });
  try {
    const path = port === "" ? `${host}:${portOf(protocol)}` : host;
    const authorization = basicOf(proxy);
    const headers = { host: path, ...(authorization && { "proxy-authorization": authorization }) };
    const { socket, statusCode } = await client.connect({ path, headers, signal: parts.signal });
    if (statusCode === 200) return socket as Socket;
    socket.on("error", () => {}).destroy();
    throw statusCode;
  } finally {
    client.destroy().catch(() => {});
  }
}

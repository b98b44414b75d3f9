// Chooses the proxy of a request, and opens a tunnel through it (RFC 9110 §9.3.6). The proxy resolves the host, so the
// guard can check only addresses in the URL.

import { isIP, type Socket } from "node:net";
import type * as undici from "undici";
import { AddrsiftError } from "../base/errors.ts";
import { isLoopbackHost, isLoopbackName } from "../base/ip.ts";
import { type Connector, type ConnectorDeps, createGuardedConnector, TLS_OPTIONS } from "./guard.ts";

export type ProxyFor = (url: URL) => URL | undefined;

/** Thrown if the proxy opens no tunnel. `cause` is its response status, or the error of the connection to the proxy. */
export class ProxyError extends Error {}

/**
 * Returns a function that chooses `explicit`, or else HTTPS_PROXY or HTTP_PROXY, except for this machine and NO_PROXY:
 * hosts with their subdomains and optional ports, or `*`. As in curl and undici, lower-case variables win. Throws
 * AddrsiftError USAGE.
 */
export function createProxyFor(env: Readonly<Record<string, string | undefined>>, explicit?: URL): ProxyFor {
  const textOf = (name: string): string => (env[name.toLowerCase()] || env[name] || "").trim();
  const readProxy = (name: string): URL | undefined =>
    textOf(name) === "" ? explicit : (explicit ?? parseProxyUrl(textOf(name), name));
  const httpProxy = readProxy("HTTP_PROXY");
  const httpsProxy = readProxy("HTTPS_PROXY") ?? httpProxy;
  const rules = textOf("NO_PROXY")
    .toLowerCase()
    .split(/[,\s]+/);
  return (url) => {
    const isLocal = isLoopbackName(url.hostname) || isLoopbackHost(url.hostname);
    if (isLocal || rules.some((rule) => matchesRule(rule, url))) return undefined;
    return url.protocol === "https:" ? httpsProxy : httpProxy;
  };
}

/**
 * Parses a proxy's URL or `host:port`. Throws AddrsiftError USAGE that omits `text`, a possible secret. Rejects a host
 * alone, because programs disagree about its port: curl's is 1080.
 */
export function parseProxyUrl(text: string, name: string): URL {
  const full = /:\d+\/?$/.test(text) && !text.includes("://") ? `http://${text}` : text;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  // URL accepts a colon without a port.
  const isProxy = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname + url.search === "/";
  if (isProxy && !/:\/?$/.test(text)) return url;
  const remedy = "give one such as http://proxy.example.com:3128";
  throw new AddrsiftError("USAGE", `${name} is not the URL of an HTTP proxy: ${remedy}`);
}

function matchesRule(rule: string, { hostname, protocol, port }: URL): boolean {
  const [, host = "", rulePort] =
    isIP(rule) === 6 ? [rule, `[${rule}]`] : (/^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(rule) ?? []);
  if (host === "" || (rulePort !== undefined && rulePort !== (port || portOf(protocol)))) return false;
  return host === "*" || hostname === host || hostname.endsWith(`.${host}`);
}

function portOf(protocol: string): string {
  return protocol === "https:" ? "443" : "80";
}

/** Returns the Basic authorization (RFC 7617) of a URL's credentials; undefined if it has none. */
export function basicAuthorization({ username, password }: URL): string | undefined {
  const credentials = `${decodePart(username)}:${decodePart(password)}`;
  return credentials === ":" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** Percent-decodes a part of a URL; returns it unchanged if that fails. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function createTunnelConnector(deps: ConnectorDeps, proxy: URL): Connector {
  return (options, callback) => {
    openTunnel(deps, proxy, options).then(
      (socket) => {
        if (options.protocol !== "https:") callback(null, socket);
        else
          deps.undici.buildConnector({ ...TLS_OPTIONS, timeout: deps.timeoutMs })(
            { ...options, httpSocket: socket },
            callback,
          );
      },
      (cause: unknown) => callback(new ProxyError("the proxy opened no tunnel", { cause }), null),
    );
  };
}

/** Opens a tunnel through the proxy. Rejects with the proxy's status, or the connection's error. */
async function openTunnel(
  deps: ConnectorDeps,
  proxy: URL,
  { host = "", port, protocol }: undici.buildConnector.Options,
): Promise<Socket> {
  // The operator chose the proxy, so it may have any address.
  const connect = createGuardedConnector({ ...deps, guard: { blockedKind: () => undefined } });
  const client = new deps.undici.Client(proxy.origin, { connect });
  try {
    const path = port === "" ? `${host}:${portOf(protocol)}` : host;
    const authorization = basicAuthorization(proxy);
    const headers = { host: path, ...(authorization && { "proxy-authorization": authorization }) };
    const { socket, statusCode } = await client.connect({ path, headers, signal: deps.signal });
    if (statusCode === 200) return socket as Socket;
    socket.on("error", () => {}).destroy();
    throw statusCode;
  } finally {
    client.destroy().catch(() => {});
  }
}

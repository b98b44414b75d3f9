// The origin of a request: CORS, the Host check, and the client's address behind proxies.

import { BlockList, isIP } from "node:net";
import { isLoopbackHost, parseRange } from "../../base/ip.ts";
import type { ApiResponse } from "./response.ts";

export type AllowedOrigins = ReadonlySet<string>;

// Maximum age of a preflight result. Chromium caps it at two hours.
const PREFLIGHT_SECONDS = "7200";

/** Returns the CORS headers of a response. `Vary` is always set, so that caches separate origins. */
export function corsHeaders(origins: AllowedOrigins, origin: string | undefined): readonly string[] {
  if (origin === undefined || !origins.has(origin)) return ["Vary", "Origin"];
  return [
    "Vary",
    "Origin",
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Expose-Headers",
    "Retry-After, WWW-Authenticate, X-Request-Id",
  ];
}

export function preflight(methods: string): ApiResponse {
  return {
    status: 204,
    type: "",
    body: "",
    headers: [
      "Access-Control-Allow-Methods",
      methods,
      "Access-Control-Allow-Headers",
      "Authorization, Content-Type, Idempotency-Key, X-Request-Id",
      "Access-Control-Max-Age",
      PREFLIGHT_SECONDS,
    ],
  };
}

export type HostCheck = (host: string) => boolean;

/**
 * Returns a check that accepts `localhost`, loopback addresses and the public URL's host, with any port. Prevents DNS
 * rebinding: a site whose name resolves to 127.0.0.1 sends that name as Host (RFC 9110 §7.4).
 */
export function createHostCheck(publicUrl: URL | undefined): HostCheck {
  const publicHost = publicUrl?.hostname.toLowerCase();
  let lastAccepted: string | undefined;
  return (host) => {
    if (host === lastAccepted) return true;
    const name = parseHostName(host);
    if (name !== publicHost && !isLoopbackHost(name)) return false;
    lastAccepted = host;
    return true;
  };
}

function parseHostName(host: string): string {
  const parts = /^(\[[0-9a-f:.]{2,45}\]|[^:[\]@/]{1,253})(?::\d{0,5})?$/i.exec(host);
  return parts === null ? "" : (parts[1] as string).toLowerCase();
}

export type IsTrustedProxy = (address: string) => boolean;

/** Returns a check for addresses in `ranges`. Throws AddrsiftError USAGE for anything but an address or a CIDR range. */
export function createProxyCheck(ranges: readonly string[]): IsTrustedProxy {
  const list = new BlockList();
  for (const { host, length } of ranges.map((text) => parseRange(text, "--trust-proxy or ADDRSIFT_TRUST_PROXY")))
    list.addSubnet(host, length, familyOf(host));
  return (address) => {
    const zoneless = withoutZone(address);
    return isIP(zoneless) !== 0 && list.check(zoneless, familyOf(zoneless));
  };
}

/**
 * Returns the client's address from the peer and X-Forwarded-For. Each proxy appends the address it was called from, so
 * the first address from the end that is not a trusted proxy is the client's. Entries before it can be forged.
 */
export function clientAddress(peer: string, forwardedFor: string, isTrusted: IsTrustedProxy): string {
  let client = peer;
  for (const entry of forwardedFor.split(",").reverse()) {
    if (!isTrusted(client)) return client;
    const previous = parseForwardedAddress(entry.trim());
    if (previous === undefined) return client;
    client = previous;
  }
  return client;
}

/** Parses an entry of X-Forwarded-For. Some proxies add a port, and brackets around IPv6. */
function parseForwardedAddress(entry: string): string | undefined {
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\](?::\d*)?|([0-9.]+):\d*)$/.exec(entry) ?? [];
  const address = bracketed ?? withPort ?? entry;
  return isIP(withoutZone(address)) === 0 ? undefined : address;
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, "");
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

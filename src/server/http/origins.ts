// Where a request comes from: allowed pages (CORS), the Host header, and the caller's address behind proxies.

import { BlockList, isIP } from "node:net";
import { isLoopbackHost, parseRange } from "../../base/ip.ts";
import type { Answer } from "./answer.ts";

export type AllowedOrigins = ReadonlySet<string>;

// A browser asks again after this time; most take no more than two hours.
const PREFLIGHT_SECONDS = "7200";

/** Headers for every answer where pages are allowed. Caches must keep the answers for different pages apart. */
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

export function preflight(methods: string): Answer {
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
 * Accepts `localhost`, loopback literals and the public URL's host, with any port. A page that points its own name to
 * 127.0.0.1 sends that name as Host, and is refused (RFC 9110 §7.4).
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

/** Throws AddrsiftError USAGE for anything but an address or a range. */
export function createProxyCheck(ranges: readonly string[]): IsTrustedProxy {
  const list = new BlockList();
  for (const { host, length } of ranges.map(parseRange)) list.addSubnet(host, length, familyOf(host));
  return (address) => {
    const plain = withoutZone(address);
    return isIP(plain) !== 0 && list.check(plain, familyOf(plain));
  };
}

/**
 * The peer, or the address in X-Forwarded-For. Each proxy appends the address that asked it, so the list is read from
 * its end: the first address that is not a trusted proxy is the caller's. Anyone can write the entries before it.
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

/** Some proxies add a port, and brackets to IPv6. */
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

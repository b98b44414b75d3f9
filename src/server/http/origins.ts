// The origin of a request: pages that may read answers in a browser (the CORS part of the Fetch standard), the host
// that was asked for, and the caller's address behind proxies. Nothing is resolved here.

import { BlockList, isIP } from "node:net";
import { isLoopbackHost, parseRange } from "../../base/ip.ts";
import type { Answer } from "./answer.ts";

/** The origins of pages that may ask from a browser, such as `https://app.example.com`. */
export type AllowedOrigins = ReadonlySet<string>;

// A browser asks again after this time; most take no more than two hours.
const PREFLIGHT_SECONDS = "7200";

/** Headers for every answer, where there are allowed origins: caches must keep the answers of different pages apart. */
export function crossOriginHeaders(origins: AllowedOrigins, origin: string | undefined): readonly string[] {
  if (origin === undefined || !origins.has(origin)) return ["Vary", "Origin"];
  return [
    "Vary",
    "Origin",
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Expose-Headers",
    "Retry-After, WWW-Authenticate, X-Request-Id, Addrsift-Summary",
  ];
}

/** The answer to a browser that asks whether it may send a request to a path with these methods. */
export function preflight(methods: string): Answer {
  return {
    status: 204,
    type: "",
    body: "",
    headers: [
      "Access-Control-Allow-Methods",
      methods,
      "Access-Control-Allow-Headers",
      "Authorization, Content-Type, X-Request-Id",
      "Access-Control-Max-Age",
      PREFLIGHT_SECONDS,
    ],
  };
}

export type HostCheck = (host: string) => boolean;

/**
 * Accepts `localhost`, loopback literals and the public URL's host, with any port. A web page can make its own name
 * point to 127.0.0.1, but then it sends that name as Host, and gets no answer (RFC 9110 §7.4).
 */
export function loopbackHosts(publicUrl: URL | undefined): HostCheck {
  const known = publicUrl?.hostname.toLowerCase();
  // Callers send the same few values, so the result for the last one is kept.
  let last: string | undefined;
  return (host) => {
    if (host === last) return true;
    const name = hostName(host);
    if (name !== known && !isLoopbackHost(name)) return false;
    last = host;
    return true;
  };
}

/** The Host header without its port, in lower case; empty when it is not valid. */
function hostName(host: string): string {
  const parts = /^(\[[0-9a-f:.]{2,45}\]|[^:[\]@/]{1,253})(?::\d{0,5})?$/i.exec(host);
  return parts === null ? "" : (parts[1] as string).toLowerCase();
}

/** Says whether an address is a proxy whose word counts. */
export type TrustedProxies = (address: string) => boolean;

/** Trusts these ranges, such as `10.0.0.0/8`, and single addresses. Throws AddrsiftError USAGE for anything else. */
export function trustedProxies(ranges: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const { host, length, bits } of ranges.map(parseRange)) list.addSubnet(host, length, familyOf(bits));
  return (address) => {
    const plain = withoutZone(address);
    const version = isIP(plain);
    return version !== 0 && list.check(plain, familyOf(version === 4 ? 32 : 128));
  };
}

/**
 * The address of the caller: the peer, or what trusted proxies say of it in X-Forwarded-For. Each proxy adds the
 * address that it was asked from, so the list is read from its end, and the first address that is not a trusted proxy
 * is the caller. What stands before it anyone may have written.
 */
export function callerAddress(peer: string, forwardedFor: string, trusts: TrustedProxies): string {
  let caller = peer;
  for (const entry of forwardedFor.split(",").reverse()) {
    if (!trusts(caller)) return caller;
    const named = addressIn(entry.trim());
    if (named === undefined) return caller;
    caller = named;
  }
  return caller;
}

/** The address in an entry: some proxies add a port, and then put IPv6 in brackets. */
function addressIn(entry: string): string | undefined {
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\](?::\d*)?|([0-9.]+):\d*)$/.exec(entry) ?? [];
  const address = bracketed ?? withPort ?? entry;
  return isIP(withoutZone(address)) === 0 ? undefined : address;
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, "");
}

function familyOf(bits: 32 | 128): "ipv4" | "ipv6" {
  return bits === 32 ? "ipv4" : "ipv6";
}

// The addresses that our requests may go to: public ones, and ranges that the operator allows. Addresses of a host are
// checked before connecting, and the peer's address after it.

import { isIP, type LookupFunction } from "node:net";
import type * as ipaddr from "ipaddr.js";
import type * as undici from "undici";
import { AddrsiftError } from "../base/errors.ts";
import { type IpAddresses, isLoopbackName, parseRange, specialKind } from "../base/ip.ts";
import type { Lookup } from "./lookup.ts";

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

export interface Guard {
  /** The kind of special address, such as `a loopback address`; undefined when requests may go there. */
  refusal(address: string): string | undefined;
}

// ::ffff:0:0/96 as a prefix length, RFC 4291 §2.5.5.2.
const MAPPED_PREFIX = 96;

/**
 * Makes a guard. `allowed` are address ranges such as `10.0.0.0/8`, or single addresses; AddrsiftError USAGE for
 * others.
 */
export function createGuard(addresses: IpAddresses, allowed: readonly string[]): Guard {
  const ranges = allowed.map((text) => guardRange(addresses, text));
  return {
    refusal: (text) => {
      const kind = specialKind(addresses, text);
      // A zone (RFC 4007 §6) makes an address that no range names.
      if (kind === undefined || isIP(text) === 0 || text.includes("%")) return kind;
      const address = addresses.process(text);
      const isIn = ([base, length]: Range): boolean => base.kind() === address.kind() && address.match(base, length);
      return ranges.some(isIn) ? undefined : kind;
    },
  };
}

function guardRange(addresses: IpAddresses, text: string): Range {
  const { host, length, bits } = parseRange(text);
  const address = addresses.process(host);
  // An IPv4-mapped range means the IPv4 addresses that it maps.
  const mapped = bits === 128 && address.kind() === "ipv4";
  if (mapped && length < MAPPED_PREFIX) {
    const meant =
      length <= 32 ? `: for IPv4 give ${address.toString()}/${length}` : ": give at least /96, or an IPv4 range";
    throw new AddrsiftError("USAGE", `"${text}" covers more than the IPv4 addresses that it names${meant}`);
  }
  return [address, mapped ? length - MAPPED_PREFIX : length];
}

/**
 * Requests may not go to this host. `message` says why and how to fix it, without the address that a name resolved to,
 * which is in `cause` for the operator.
 */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";
}

export type Undici = Pick<typeof undici, "Client" | "buildConnector">;

export interface ConnectorParts {
  readonly undici: Undici;
  readonly guard: Guard;
  readonly lookup: Lookup;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

// Real names have fewer addresses; each of them would be tried in turn.
const ADDRESSES_MAX = 32;

/**
 * The same message for every name that leads nowhere public, unknown or internal: otherwise a caller could find out
 * which names there are in the operator's network.
 */
export const NOT_PUBLIC =
  "leads to no public address: check the name; the operator can allow a private range with --allow-private";
const REMEDY = "requests go only to public addresses, unless the operator allows the range with --allow-private";

export type Connector = undici.buildConnector.connector;

export const TLS = {
  // Written out, because an environment variable can turn the default off.
  rejectUnauthorized: true,
  maxCachedSessions: 0,
  keepAlive: false,
} as const;

export function guardedConnector(parts: ConnectorParts): Connector {
  const { undici, guard, timeoutMs, signal } = parts;
  return (options, callback) => {
    const refuse = (error: Error): void => callback(error, null);
    const connect = (addresses: readonly string[]): void => {
      const build = { ...TLS, lookup: alwaysFinding(addresses), timeout: timeoutMs };
      undici.buildConnector(build)(options, (...result) => {
        const [error, socket] = result;
        const isDone = error !== null || (guard.refusal(socket.remoteAddress ?? "") === undefined && !signal.aborted);
        if (isDone) return callback(...result);
        socket.destroy();
        refuse(new RefusedAddress(`${options.hostname} ${NOT_PUBLIC}`));
      });
    };
    judgedAddresses(options.hostname, parts).then(connect, refuse);
  };
}

/** The name is not resolved again: the connection goes to the addresses that were checked. */
function alwaysFinding(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, done) => {
    if (all === true) done(null, found);
    else done(null, found[0]?.address ?? "", found[0]?.family);
  };
}

/**
 * Why no request goes to a host that is an address or a loopback name; undefined where it may, and for other names,
 * which must be looked up.
 */
export function hostRefusal(hostname: string, guard: Guard): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, "");
  const address = isLoopbackName(host) ? "127.0.0.1" : host;
  const kind = isIP(address) === 0 ? undefined : guard.refusal(address);
  return kind && `${host} is ${kind}: ${REMEDY}`;
}

/** The addresses of a host, if all of them are allowed. Rejects with RefusedAddress when one is not. */
async function judgedAddresses(hostname: string, { guard, lookup, signal }: ConnectorParts): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const literal = isIP(host) !== 0;
  const refusal = literal ? hostRefusal(host, guard) : undefined;
  if (refusal !== undefined) throw new RefusedAddress(refusal);
  const addresses = literal ? [host] : [...(await lookup(host, signal))];
  signal.throwIfAborted();
  if (addresses.length === 0 || addresses.length > ADDRESSES_MAX) throw new RefusedAddress(`${host} ${NOT_PUBLIC}`);
  for (const address of addresses) {
    const kind = guard.refusal(address);
    if (kind !== undefined) throw new RefusedAddress(`${host} ${NOT_PUBLIC}`, { cause: `${address}, ${kind}` });
  }
  return addresses;
}

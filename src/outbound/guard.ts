// Blocks requests to special addresses, except ranges that the operator allows. Checks a host's addresses before
// connecting, and the peer's address after it.

import { isIP, type LookupFunction } from "node:net";
import type * as ipaddr from "ipaddr.js";
import type * as undici from "undici";
import { AddrsiftError } from "../base/errors.ts";
import { type IpaddrModule, isLoopbackName, parseRange, specialAddressKind } from "../base/ip.ts";
import type { Lookup } from "./lookup.ts";

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

export interface Guard {
  /** Returns the kind of a blocked address, such as "a loopback address"; undefined if the address is allowed. */
  blockedKind(address: string): string | undefined;
}

// ::ffff:0:0/96 as a prefix length, RFC 4291 §2.5.5.2.
const MAPPED_PREFIX = 96;

/**
 * Creates a guard. `allowedRanges` are address ranges such as `10.0.0.0/8`, or single addresses. Throws AddrsiftError
 * USAGE for anything else.
 */
export function createGuard(ipaddrModule: IpaddrModule, allowedRanges: readonly string[]): Guard {
  const ranges = allowedRanges.map((text) => parseGuardRange(ipaddrModule, text));
  return {
    blockedKind: (text) => {
      const kind = specialAddressKind(ipaddrModule, text);
      // No range matches an address with a zone (RFC 4007 §6).
      if (kind === undefined || isIP(text) === 0 || text.includes("%")) return kind;
      const address = ipaddrModule.process(text);
      const isInRange = ([base, length]: Range): boolean =>
        base.kind() === address.kind() && address.match(base, length);
      return ranges.some(isInRange) ? undefined : kind;
    },
  };
}

function parseGuardRange(ipaddrModule: IpaddrModule, text: string): Range {
  const { host, length, bits } = parseRange(text, "--allow-private or ADDRSIFT_ALLOW_PRIVATE");
  const address = ipaddrModule.process(host);
  // Treat an IPv4-mapped range as the IPv4 range.
  const isIpv4Mapped = bits === 128 && address.kind() === "ipv4";
  if (isIpv4Mapped && length < MAPPED_PREFIX) {
    const remedy =
      length <= 32 ? `: for IPv4 give ${address.toString()}/${length}` : ": give at least /96, or an IPv4 range";
    throw new AddrsiftError("USAGE", `"${text}" covers more than the IPv4 addresses that it names${remedy}`);
  }
  return [address, isIpv4Mapped ? length - MAPPED_PREFIX : length];
}

/** Thrown for a blocked host. The resolved address is in `cause`, for the operator, but not in `message`. */
export class BlockedAddressError extends Error {
  override readonly name = "BlockedAddressError";
}

export type Undici = Pick<typeof undici, "Client" | "buildConnector">;

export interface ConnectorDeps {
  readonly undici: Undici;
  readonly guard: Guard;
  readonly lookup: Lookup;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

// Maximum addresses of a name. Each may be tried, and real names have fewer.
const MAX_ADDRESSES = 32;

/** Same message for unknown and internal names, so that callers can't probe for names in the operator's network. */
export const NOT_PUBLIC =
  "does not resolve to a public IP address: check the name; the operator can allow a private range with --allow-private";
const BLOCKED_REMEDY = "requests go only to public addresses; the operator can allow its range with --allow-private";

export type Connector = undici.buildConnector.connector;

export const TLS_OPTIONS = {
  // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED can turn the default off.
  rejectUnauthorized: true,
  maxCachedSessions: 0,
  keepAlive: false,
} as const;

export function createGuardedConnector(deps: ConnectorDeps): Connector {
  const { undici, guard, timeoutMs, signal } = deps;
  return (options, callback) => {
    const fail = (error: Error): void => callback(error, null);
    const connect = (addresses: readonly string[]): void => {
      const connectorOptions = { ...TLS_OPTIONS, lookup: fixedLookup(addresses), timeout: timeoutMs };
      undici.buildConnector(connectorOptions)(options, (...result) => {
        const [error, socket] = result;
        const isAllowed = error === null && guard.blockedKind(socket.remoteAddress ?? "") === undefined;
        if (error !== null || (isAllowed && !signal.aborted)) return callback(...result);
        socket.destroy();
        fail(new BlockedAddressError(`${options.hostname} ${NOT_PUBLIC}`));
      });
    };
    resolveAllowed(options.hostname, deps).then(connect, fail);
  };
}

/** Returns a lookup function that always returns the checked addresses, so that the name is not resolved again. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const results = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, done) => {
    if (all === true) done(null, results);
    else done(null, results[0]?.address ?? "", results[0]?.family);
  };
}

/** Returns why an address or loopback name is blocked; undefined if it is allowed, or a name that needs a lookup. */
export function blockedHostReason(hostname: string, guard: Guard): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, "");
  const address = isLoopbackName(host) ? "127.0.0.1" : host;
  const kind = isIP(address) === 0 ? undefined : guard.blockedKind(address);
  return kind && `${host} is ${kind}: ${BLOCKED_REMEDY}`;
}

/** Returns the addresses of a host. Rejects with BlockedAddressError if any of them is blocked. */
async function resolveAllowed(hostname: string, { guard, lookup, signal }: ConnectorDeps): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const blockedReason = blockedHostReason(host, guard);
  if (blockedReason !== undefined) throw new BlockedAddressError(blockedReason);
  const addresses = isIP(host) === 0 ? [...(await lookup(host, signal))] : [host];
  signal.throwIfAborted();
  if (addresses.length === 0 || addresses.length > MAX_ADDRESSES)
    throw new BlockedAddressError(`${host} ${NOT_PUBLIC}`);
  for (const address of addresses) {
    const kind = guard.blockedKind(address);
    if (kind !== undefined) throw new BlockedAddressError(`${host} ${NOT_PUBLIC}`, { cause: `${address}, ${kind}` });
  }
  return addresses;
}

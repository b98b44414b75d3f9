// Whether a request is meant for a daemon on a loopback address (RFC 9110 §7.4). A web page can make its own name point to
// 127.0.0.1, but then it sends that name as Host, and gets no answer.

import { BlockList, isIP } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Says whether a Host header names this daemon. */
export type HostCheck = (host: string) => boolean;

/** Accepts `localhost`, loopback literals and the public URL's host, with any port. */
export function loopbackHosts(publicUrl: URL | undefined): HostCheck {
  const known = publicUrl?.hostname.toLowerCase();
  // Callers send the same few values, so the result for the last one is kept.
  let last: string | undefined;
  return (host) => {
    if (host === last) return true;
    const name = hostName(host);
    if (name !== "localhost" && name !== known && !isLoopbackLiteral(name)) return false;
    last = host;
    return true;
  };
}

/** True for an address that only this machine reaches: 127.0.0.0/8, ::1, and IPv4-mapped forms of them. */
export function isLoopbackAddress(address: string): boolean {
  // A zone names the interface, not the destination.
  const plain = address.replace(/%.*$/, "");
  const version = isIP(plain);
  return version !== 0 && LOOPBACK.check(plain, version === 4 ? "ipv4" : "ipv6");
}

function isLoopbackLiteral(name: string): boolean {
  if (!name.startsWith("[")) return isIP(name) === 4 && isLoopbackAddress(name);
  const address = name.slice(1, -1);
  return isIP(address) === 6 && isLoopbackAddress(address);
}

/** The Host header without its port, in lower case; empty when it is not valid. */
function hostName(host: string): string {
  const parts = /^(\[[0-9a-f:.]{2,45}\]|[^:[\]@/]{1,253})(?::\d{0,5})?$/i.exec(host);
  return parts === null ? "" : (parts[1] as string).toLowerCase();
}

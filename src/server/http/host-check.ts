// Whether a request was meant for a daemon on a loopback address (RFC 9110 §7.4): a web page whose name was made to point to
// 127.0.0.1 sends that name as Host, and gets no answer.

import { BlockList, isIP } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Says of a Host header whether it is this daemon's. */
export type HostCheck = (host: string) => boolean;

/** Accepts `localhost`, loopback literals and the public URL's host, with any port. */
export function loopbackHosts(publicUrl: URL | undefined): HostCheck {
  const known = publicUrl?.hostname.toLowerCase();
  // Callers send the same few; the check of one is made once.
  let last: string | undefined;
  return (host) => {
    if (host === last) return true;
    const name = hostName(host);
    if (name !== "localhost" && name !== known && !isLoopbackLiteral(name)) return false;
    last = host;
    return true;
  };
}

/** True for an address that only this machine reaches, in whatever form: 127.0.0.0/8, ::1, and those of IPv4 mapped into IPv6. */
export function isLoopbackAddress(address: string): boolean {
  // A zone says through which interface, and not where to.
  const plain = address.replace(/%.*$/, "");
  const version = isIP(plain);
  return version !== 0 && LOOPBACK.check(plain, version === 4 ? "ipv4" : "ipv6");
}

function isLoopbackLiteral(name: string): boolean {
  if (!name.startsWith("[")) return isIP(name) === 4 && isLoopbackAddress(name);
  const address = name.slice(1, -1);
  return isIP(address) === 6 && isLoopbackAddress(address);
}

/** The Host header without its port, in lower case; empty when it is none. */
function hostName(host: string): string {
  const parts = /^(\[[0-9a-f:.]{2,45}\]|[^:[\]@/]{1,253})(?::\d{0,5})?$/i.exec(host);
  return parts === null ? "" : (parts[1] as string).toLowerCase();
}

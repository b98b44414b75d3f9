// Whether a request is meant for a daemon on a loopback address (RFC 9110 §7.4). A web page can make its own name point to
// 127.0.0.1, but then it sends that name as Host, and gets no answer.

import { isLoopbackHost } from "../../base/ip.ts";

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

// Whether a request was meant for a daemon on a loopback address (RFC 9110 §7.4): a web page whose name was made to point to
// 127.0.0.1 sends that name as Host, and gets no answer.

/** Says of a Host header whether it is this daemon's. */
export type HostCheck = (host: string) => boolean;

/** Accepts `localhost`, loopback literals and the public URL's host, with any port. */
export function loopbackHosts(publicUrl: URL | undefined): HostCheck {
  const known = publicUrl?.hostname.toLowerCase();
  // Callers send the same few; the check of one is made once.
  let last = "";
  return (host) => {
    if (host === last) return true;
    const name = hostName(host);
    if (name !== "localhost" && name !== known && !isLoopbackLiteral(name)) return false;
    last = host;
    return true;
  };
}

/** True for an address literal that only this machine reaches: 127.0.0.0/8, ::1. */
export function isLoopbackLiteral(name: string): boolean {
  if (name === "[::1]" || name === "::1") return true;
  const octets = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(name);
  return octets?.slice(1).every((octet) => Number(octet) <= 255 && (octet === "0" || !octet.startsWith("0"))) === true;
}

/** True for the address of a peer on this machine, also in the form that a dual-stack socket gives. */
export function isLoopbackPeer(address: string): boolean {
  return isLoopbackLiteral(address.startsWith("::ffff:") ? address.slice(7) : address);
}

/** The Host header without its port, in lower case; empty when it is none. */
function hostName(host: string): string {
  const parts = /^(\[[0-9a-f:.]{2,45}\]|[^:[\]@/]{1,253})(?::\d{0,5})?$/i.exec(host);
  return parts === null ? "" : (parts[1] as string).toLowerCase();
}

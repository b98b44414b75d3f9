// Parses name server addresses: ADDR or ADDR:PORT, with brackets around IPv6 before a port. Without node:dns, so that
// checking the option doesn't load it.

import { AddrsiftError } from "../base/errors.ts";

const PORT_MAX = 65_535;

/**
 * Returns the server in the form that node:dns accepts. `optionName` is the option or variable for messages. Throws
 * AddrsiftError USAGE for anything but an IP address with an optional port: a host name would need a lookup itself.
 */
export function parseServer(text: string, optionName: string): string {
  const server = /^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/i.test(text) ? `[${text}]` : text;
  const [, host = "", port] = /^(\[[0-9a-f:.]{2,45}\]|\d+(?:\.\d+){3})(?::([0-9]{1,5}))?$/i.exec(server) ?? [];
  const url = `http://${host}/`;
  // URL normalizes other notations, such as 127.1.
  const isAddress = URL.canParse(url) && (host.startsWith("[") || new URL(url).hostname === host);
  if (isAddress && (port === undefined || (Number(port) >= 1 && Number(port) <= PORT_MAX))) {
    return port === undefined ? host : `${host}:${Number(port)}`;
  }
  throw new AddrsiftError(
    "USAGE",
    `${optionName} does not take ${JSON.stringify(text)}: give an IP address with an optional port, ` +
      "such as 192.0.2.1, 192.0.2.1:53 or [2001:db8::1]:53",
  );
}

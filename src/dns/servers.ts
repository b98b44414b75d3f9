// Reads name server addresses: ADDR or ADDR:PORT, with brackets around version 6 before a port. It loads nothing,
// because the command checks its options before it knows whether it will ask a question.

import { AddrsiftError } from "../base/errors.ts";

const PORT_MAX = 65_535;

/**
 * Returns the server in the form that node:dns takes. `shown` names the option or variable that the text is from.
 * Throws AddrsiftError USAGE for anything except an IP address with an optional port: a name would need a lookup
 * itself.
 */
export function parseServer(text: string, shown: string): string {
  const server = /^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/i.test(text) ? `[${text}]` : text;
  const [, host = "", port] = /^(\[[0-9a-f:.]{2,45}\]|\d+(?:\.\d+){3})(?::([0-9]{1,5}))?$/i.exec(server) ?? [];
  const url = `http://${host}/`;
  // A URL has another spelling of what is not four numbers, such as 127.1.
  const isAddress = URL.canParse(url) && (host.startsWith("[") || new URL(url).hostname === host);
  if (isAddress && (port === undefined || (Number(port) >= 1 && Number(port) <= PORT_MAX))) {
    return port === undefined ? host : `${host}:${Number(port)}`;
  }
  throw new AddrsiftError(
    "USAGE",
    `${shown} does not take ${JSON.stringify(text)}: give an IP address with an optional port, ` +
      "such as 192.0.2.1, 192.0.2.1:53 or [2001:db8::1]:53",
  );
}

// Reads name server addresses: ADDR or ADDR:PORT, with brackets around version 6 before a port. It loads nothing,
// because the command checks its options before it knows whether it will ask a question.

import { AddrsiftError } from "../base/errors.ts";

const PORT_MAX = 65_535;
const IPV4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/;

/**
 * Returns the server in the form that node:dns takes. `shown` names the option or variable that the text is from.
 * Throws AddrsiftError USAGE for anything except an IP address with an optional port: a name would need a lookup
 * itself.
 */
export function parseServer(text: string, shown: string): string {
  const bracketed = /^\[([0-9a-fA-F:.]{2,45})\](?::([0-9]{1,5}))?$/.exec(text);
  const dotted = /^([0-9.]{7,15})(?::([0-9]{1,5}))?$/.exec(text);
  const [, address = text, port] = bracketed ?? dotted ?? [];
  const good = dotted === null ? isIPv6(address) : IPV4.test(address);
  if (good && (port === undefined || (Number(port) >= 1 && Number(port) <= PORT_MAX))) {
    return `${dotted === null ? `[${address}]` : address}${port === undefined ? "" : `:${Number(port)}`}`;
  }
  throw new AddrsiftError(
    "USAGE",
    `${shown} does not take ${JSON.stringify(text)}: give an IP address with an optional port, ` +
      "such as 192.0.2.1, 192.0.2.1:53 or [2001:db8::1]:53",
  );
}

function isIPv6(text: string): boolean {
  return /^[0-9a-fA-F:.]{2,45}$/.test(text) && text.includes(":") && URL.canParse(`http://[${text}]/`);
}

// One line for each request: route, status, duration. Text from callers is in it only where the operator asked for it; keys and
// tokens never are.

import type { HttpExchange } from "../http/exchange.ts";

/** The part of a logger that is used. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Writes a line for each exchange. With `addresses`, it includes what may hold an address: the query of a detection, the path with a
 * domain, and a path that there is not.
 */
export function createAccessLog(log: Log, addresses: boolean): (exchange: HttpExchange) => void {
  return ({ id, method, path, route, template, status, milliseconds, caller, peer, query, cut, rows }) => {
    log.info(
      {
        id,
        method,
        // The path in the route table, not the caller's: that may contain a token or an address.
        route: template,
        status,
        ms: Math.round(milliseconds * 1000) / 1000,
        rows,
        peer,
        key: caller?.id,
        path: addresses && (route?.id === "detectDomain" || isUnknown(path, template)) ? path : undefined,
        query: addresses && route?.id === "detectAddress" ? query : undefined,
      },
      status !== undefined ? "request" : cut ? "the answer was cut" : "the caller left",
    );
  };
}

/** A path that there is not, and that is no slip of one with a token. */
function isUnknown(path: string, template: string | undefined): boolean {
  return template === undefined && !path.includes("/verify");
}

// One line for each request: route, status, duration. What a caller sent stands in it only where the operator asked for that; keys and
// tokens never do.

import type { Exchange } from "../http/app.ts";

/** What is used of a logger. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Writes a line for each exchange. With `addresses`, the query of a detection, which holds the address, is part of it. */
export function createAccessLog(log: Log, addresses: boolean): (exchange: Exchange) => void {
  return ({ method, route, status, milliseconds, caller, peer, query }) => {
    log.info(
      {
        method,
        // The path of the table, not the caller's: there may be a token or an address in that.
        route: route?.path,
        status,
        ms: Math.round(milliseconds * 1000) / 1000,
        peer,
        key: caller?.id,
        query: addresses && route?.id === "detectAddress" ? query : undefined,
      },
      status === undefined ? "the caller left" : "request",
    );
  };
}

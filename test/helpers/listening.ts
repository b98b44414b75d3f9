// Listens on a free port.

import type { AddressInfo, Server } from "node:net";

/** Makes a server listen on a free port. Returns the port. */
export async function listenOnFreePort(
  server: Pick<Server, "listen" | "address">,
  host = "127.0.0.1",
): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

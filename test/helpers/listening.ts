// Ports of this machine.

import { type AddressInfo, createServer, type Server } from "node:net";

/** Lets a server listen at a free port; returns the port. */
export async function listenOnFreePort(
  server: Pick<Server, "listen" | "address">,
  host = "127.0.0.1",
): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnFreePort(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

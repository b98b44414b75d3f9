// Finds free ports.

import { type AddressInfo, createServer, type Server } from "node:net";

/** Makes a server listen on a free port. Returns the port. */
export async function listenOnFreePort(
  server: Pick<Server, "listen" | "address">,
  host = "127.0.0.1",
): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnFreePort(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

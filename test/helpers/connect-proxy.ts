// A real HTTP proxy on loopback for tests of outgoing requests. It opens tunnels (CONNECT) for clients with the
// password. All tunnels lead to the test's server, whose certificate authority is not trusted, as with a proxy that
// intercepts TLS.

import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { CERTIFICATE, PRIVATE_KEY } from "./authority.ts";
import { listenOnFreePort } from "./listening.ts";

/** A running proxy. */
export interface ConnectProxy {
  readonly port: number;
  /** Host and port of each requested tunnel. */
  readonly requestedHosts: string[];
  close(): Promise<void>;
}

/** Starts a proxy whose tunnels all lead to the port `target` of loopback. Clients must send `NAME:PASSWORD`, if given. */
export async function startConnectProxy(target: number, credentials?: string): Promise<ConnectProxy> {
  const requestedHosts: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on("connection", (socket) => sockets.add(socket));
  server.on("connect", ({ url = "", headers }: IncomingMessage, socket: Socket) => {
    requestedHosts.push(url);
    socket.on("error", () => {});
    const expected = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
    if (headers["proxy-authorization"] !== expected) {
      socket.end("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const outgoing = connect(target, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(outgoing).pipe(socket);
    });
    sockets.add(outgoing);
    outgoing.on("error", () => socket.destroy());
  });
  return {
    port: await listenOnFreePort(server),
    requestedHosts,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Starts a TLS server for lists.example and hook.example, or a proxy that intercepts TLS. It responds with `text`. */
export async function startTlsHost(text: string): Promise<{ readonly port: number; close(): void }> {
  const server = createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (_, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end(text);
  });
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { port: await listenOnFreePort(server), close };
}

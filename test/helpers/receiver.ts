// A real HTTP receiver on loopback. It records requests and responds as a test sets.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { listenOnFreePort } from "./listening.ts";

/** A received request. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Responds to a request. `count` is 1 for the first request. */
export type Answer = (response: ServerResponse, request: Received, count: number) => void;

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Returns the number of TCP connections so far. */
  readonly connections: () => number;
  answer: Answer;
  close(): Promise<void>;
}

/** Starts a receiver that responds with `answer`. Default: 204. */
export async function startReceiver(answer: Answer = status(204), host = "127.0.0.1"): Promise<Receiver> {
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const received = { method, url, headers, body: Buffer.concat(chunks).toString("utf8") };
      receiver.received.push(received);
      receiver.answer(response, received, receiver.received.length);
    });
  });
  server.on("connection", () => {
    connections += 1;
  });
  const port = await listenOnFreePort(server, host);
  const receiver: Receiver = {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    received: [],
    connections: () => connections,
    answer,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}

/** Responds with a status and no body. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => response.writeHead(code, headers).end();
}

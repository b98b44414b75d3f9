// Sockets: limits of time, size and connections, answers to invalid requests, and a stop that loses no request.

import { createServer, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { type ApiFaultCode, fault } from "./answer.ts";
import type { App } from "./app.ts";
import { activeStreams, IDLE_TIMEOUT_MS } from "./streaming.ts";
import { SCHEDULER } from "./time-slice.ts";

// Node's own limits are minutes.
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const CHECKING_INTERVAL_MS = 1000;
const KEEP_ALIVE_MS = 10_000;
const MAX_HEADERS_BYTES = 16 * 1024;
// Requests that may be sent ahead of an answer on one connection: one piece can hold thousands.
const MAX_PIPELINED = 64;

// A stop accepts waiting connections until none arrives in so many rounds of the event loop, or this time is over.
const ACCEPT_IDLE_ROUNDS = 3;
const ACCEPT_LIMIT_MS = 1000;
const FAULT_LINGER_MS = 1000;

/** A server for an app. Its `server` starts to listen on request. */
export class Listener {
  readonly server: Server;
  connections = 0;
  private accepted = 0;
  /** Connections that have sent nothing yet, the oldest first. */
  private readonly silentSockets: Set<Socket> = new Set();
  /** How many requests wait behind others on their connection. */
  private readonly pipelined: WeakMap<Socket, number> = new WeakMap();

  constructor(
    app: App,
    private readonly limits: { readonly maxConnections: number },
  ) {
    this.server = createServer({
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADERS_BYTES,
      // The app answers a missing Host.
      requireHostHeader: false,
    });
    // Node waits this long once more when something was just written.
    this.server.timeout = IDLE_TIMEOUT_MS;
    // Node would leave out headers after the 2,000th; their bytes are bounded anyway.
    this.server.maxHeadersCount = 0;
    // Before Node's own listener, because Node 26 counts a silent connection as idle.
    this.server.prependListener("connection", (socket: Socket) => this.limitConnections(socket));
    const handle: App = (request, response) => {
      // An earlier request of the same piece may have ended the connection.
      if (request.socket.destroyed) return;
      this.silentSockets.delete(request.socket);
      app(request, response);
    };
    const onRequest: App = (request, response) => {
      // Requests sent ahead wait for a turn, so that other callers are answered between them.
      if (response.socket !== null) handle(request, response);
      else if (this.countPipelined(request.socket, response))
        void SCHEDULER.yield().then(() => handle(request, response));
    };
    this.server.on("request", onRequest).on("checkContinue", onRequest).on("checkExpectation", onRequest);
    this.server.on("clientError", onClientError);
    this.server.on("connect", (_request, socket: Socket) =>
      sendFault(socket, "BAD_REQUEST", "this server is not a proxy: request a path"),
    );
  }

  /** The app must answer with `Connection: close` from now on, so that no connection ends within a request. */
  async stop({ sweepMs, limitMs }: { readonly sweepMs: number; readonly limitMs: number }): Promise<void> {
    await this.acceptBacklog();
    // http.Server's own close would end idle connections whose request is arriving.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.server, () => resolve()));
    // After what has arrived was read: a process that had to wait has its timers first.
    const idleSweep = setInterval(() => setImmediate(() => this.closeIdle()), sweepMs);
    const limit = setTimeout(() => this.server.closeAllConnections(), limitMs);
    await closed;
    clearInterval(idleSweep);
    clearTimeout(limit);
  }

  /**
   * Accepts the connections in the kernel's backlog, because closing the socket would reset them. Node accepts one in
   * each round of the event loop.
   */
  private async acceptBacklog(): Promise<void> {
    const { _handle: handle } = this.server as unknown as { _handle?: { listen?: (backlog: number) => unknown } };
    handle?.listen?.(0);
    const begun = performance.now();
    for (let quiet = 0; quiet < ACCEPT_IDLE_ROUNDS && performance.now() - begun < ACCEPT_LIMIT_MS; ) {
      const before = this.accepted;
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.accepted === before ? quiet + 1 : 0;
    }
  }

  /** Above the limit, closes the oldest connection that has sent nothing, else one between two requests. */
  private limitConnections(socket: Socket): void {
    const { silentSockets } = this;
    this.connections += 1;
    this.accepted += 1;
    silentSockets.add(socket);
    socket.once("close", () => {
      this.connections -= 1;
      silentSockets.delete(socket);
    });
    if (this.connections <= this.limits.maxConnections) return;
    const [oldest] = silentSockets;
    if (oldest !== undefined && oldest !== socket) {
      silentSockets.delete(oldest);
      oldest.destroy();
      return;
    }
    this.server.closeIdleConnections();
    // Closed connections are subtracted only at the end of this round.
    setImmediate(() =>
      setImmediate(() => {
        if (this.connections > this.limits.maxConnections) socket.destroy();
      }),
    );
  }

  /** Counts requests sent ahead. At the limit the connection ends after the answer (RFC 9112 §9.6). */
  private countPipelined(socket: Socket, response: ServerResponse): boolean {
    const pipelined = (this.pipelined.get(socket) ?? 0) + 1;
    this.pipelined.set(socket, pipelined);
    response.once("close", () => this.pipelined.set(socket, (this.pipelined.get(socket) ?? 0) - 1));
    if (pipelined === MAX_PIPELINED) response.shouldKeepAlive = false;
    return pipelined <= MAX_PIPELINED;
  }

  private closeIdle(): void {
    this.server.closeIdleConnections();
    for (const socket of this.silentSockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

/** By Node's code; HPE_ is for all others that begin so. Other codes are broken connections. */
const FAULTS_BY_CODE: Readonly<Record<string, readonly [ApiFaultCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "the request's line and headers are over 16 KiB: shorten them"],
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "the request took too long to arrive: send it again, faster"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["PAYLOAD_TOO_LARGE", "the chunk extensions are too large: leave them out"],
  HPE_: ["BAD_REQUEST", "the request is not valid HTTP/1.1: check the client"],
  HPE_INVALID_URL: ["BAD_REQUEST", "the request's target has bytes that a URL can't have: percent-encode them"],
};

/** Answers bytes that are not a request, and slow requests. */
function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const { code = "" } = error;
  const stream = activeStreams.get(socket);
  // The limit is not for streams.
  if (code === "ERR_HTTP_REQUEST_TIMEOUT" && stream !== undefined) return;
  const known = FAULTS_BY_CODE[code] ?? FAULTS_BY_CODE[code.slice(0, 4)];
  // In a stream, an answer would be in the middle of another one.
  if (known === undefined || stream?.headersSent === true) socket.destroy();
  else sendFault(socket, ...known);
}

const faulted = new WeakSet<Socket>();

/** Writes a fault without a response object, and closes the connection. */
function sendFault(socket: Socket, code: ApiFaultCode, message: string): void {
  if (faulted.has(socket)) return;
  faulted.add(socket);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, type, body } = fault(code, message);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    "Connection: close",
  ];
  // Reads on: a reset would lose our answer.
  socket.on("error", () => {}).on("data", () => {});
  socket.once("end", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), FAULT_LINGER_MS).unref();
}

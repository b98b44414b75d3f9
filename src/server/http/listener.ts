// The HTTP server: limits on time, size and connections, responses to invalid requests, and a graceful stop.

import { createServer, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { type ApiFaultCode, fault } from "./answer.ts";
import type { App } from "./app.ts";
import { activeStreams, IDLE_TIMEOUT_MS } from "./streaming.ts";
import { SCHEDULER } from "./time-slice.ts";

// Shorter than Node's defaults, which are minutes.
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const CHECKING_INTERVAL_MS = 1000;
const KEEP_ALIVE_MS = 10_000;
const MAX_HEADERS_BYTES = 16 * 1024;
// Maximum pipelined requests on a connection: one chunk can contain thousands.
const MAX_PIPELINED = 64;

// A stop accepts connections in the backlog until none arrives in 3 event loop iterations, or 1 s has passed.
const ACCEPT_IDLE_ROUNDS = 3;
const ACCEPT_LIMIT_MS = 1000;
const FAULT_LINGER_MS = 1000;

/** Serves an app. The caller calls `server.listen`. */
export class Listener {
  readonly server: Server;
  connections = 0;
  private accepted = 0;
  /** Connections that have not sent a request yet, oldest first. */
  private readonly silentSockets: Set<Socket> = new Set();
  /** Number of pipelined requests that wait for the response to an earlier one. */
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
      // The app itself rejects a missing Host.
      requireHostHeader: false,
    });
    // Node may wait twice this long after a write.
    this.server.timeout = IDLE_TIMEOUT_MS;
    // By default, Node drops headers after the 2,000th. Their total size is limited anyway.
    this.server.maxHeadersCount = 0;
    // Runs before Node's listener, because Node 26 counts a connection without a request as idle.
    this.server.prependListener("connection", (socket: Socket) => this.limitConnections(socket));
    const handle: App = (request, response) => {
      // An earlier request in the same chunk may have closed the connection.
      if (request.socket.destroyed) return;
      this.silentSockets.delete(request.socket);
      app(request, response);
    };
    const onRequest: App = (request, response) => {
      // Pipelined requests wait for a time slice, so that other clients are served between them.
      if (response.socket !== null) handle(request, response);
      else if (this.countPipelined(request.socket, response))
        void SCHEDULER.yield().then(() => handle(request, response));
    };
    this.server.on("request", onRequest).on("checkContinue", onRequest).on("checkExpectation", onRequest);
    this.server.on("clientError", onClientError);
    this.server.on("connect", (_request, socket: Socket) =>
      sendFault(socket, "BAD_REQUEST", "this server is not a proxy: send a path, not CONNECT"),
    );
  }

  /**
   * Accepts and finishes pending requests, then closes all connections; after `limitMs`, closes them regardless. The
   * app must send `Connection: close` from now on, so that no connection is closed within a request.
   */
  async stop({ sweepMs, limitMs }: { readonly sweepMs: number; readonly limitMs: number }): Promise<void> {
    await this.acceptBacklog();
    // http.Server.close would close idle connections whose request is arriving.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.server, () => resolve()));
    // setImmediate lets pending reads run first: after a stall, timers run before them.
    const idleSweep = setInterval(() => setImmediate(() => this.closeIdle()), sweepMs);
    const limit = setTimeout(() => this.server.closeAllConnections(), limitMs);
    await closed;
    clearInterval(idleSweep);
    clearTimeout(limit);
  }

  /**
   * Accepts the connections in the listen backlog, because closing the socket would reset them. Node accepts one per
   * event loop iteration.
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

  /**
   * Above the limit, closes the oldest connection without a request, or else the idle ones. If there are none, closes
   * `socket`.
   */
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
    // Closed connections are subtracted only at the end of this event loop iteration.
    setImmediate(() =>
      setImmediate(() => {
        if (this.connections > this.limits.maxConnections) socket.destroy();
      }),
    );
  }

  /**
   * Counts a pipelined request, and returns false above the limit. At the limit, the connection closes after the
   * response (RFC 9112 §9.6).
   */
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

/** Faults by Node's error code; HPE_ is for all other parser errors. Unlisted codes are broken connections. */
const FAULTS_BY_CODE: Readonly<Record<string, readonly [ApiFaultCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "the request line and headers exceed 16 KiB: shorten them"],
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "the request took too long to arrive: send it again, faster"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["PAYLOAD_TOO_LARGE", "the chunk extensions are too large: omit them"],
  HPE_: ["BAD_REQUEST", "the request is not valid HTTP/1.1: check the client"],
  HPE_INVALID_URL: ["BAD_REQUEST", "the request target contains bytes that are invalid in a URL: percent-encode them"],
};

/** Responds to invalid and slow requests. */
function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const { code = "" } = error;
  const stream = activeStreams.get(socket);
  // Streams have no time limit.
  if (code === "ERR_HTTP_REQUEST_TIMEOUT" && stream !== undefined) return;
  const listedFault = FAULTS_BY_CODE[code] ?? FAULTS_BY_CODE[code.slice(0, 4)];
  // Once a streamed response has started, a second response would corrupt it.
  if (listedFault === undefined || stream?.headersSent === true) socket.destroy();
  else sendFault(socket, ...listedFault);
}

const faulted = new WeakSet<Socket>();

/** Writes a fault directly to the socket and closes the connection. */
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
  // Keep reading: unread data would cause a reset, which could discard the response.
  socket.on("error", () => {}).on("data", () => {});
  socket.once("end", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), FAULT_LINGER_MS).unref();
}

// The HTTP server: limits on time, size and connections, responses to invalid requests, and a graceful stop.

import { createServer, IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http";
import { type AddressInfo, connect, Server as NetServer, type Socket } from "node:net";
import type { App } from "./app.ts";
import { listenerResults, RequestContext } from "./request-context.ts";
import { type ApiFaultCode, fault } from "./response.ts";
import { activeStreams } from "./streaming.ts";
import { SCHEDULER } from "./time-slice.ts";

// Shorter than Node's defaults, which are minutes.
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const CHECKING_INTERVAL_MS = 1000;
const KEEP_ALIVE_MS = 10_000;
const MAX_HEADERS_BYTES = 16 * 1024;
// Maximum pipelined requests on a connection: one chunk can contain thousands.
const MAX_PIPELINED = 64;

// How long a stop tries to accept all connections in the backlog.
const ACCEPT_LIMIT_MS = 1000;
const FAULT_LINGER_MS = 1000;

interface Connection {
  hasRequest: boolean;
  /** The response to the last request. Undefined once both are complete, if the connection stays open. */
  latestResponse: ServerResponse | undefined;
  /** Number of pipelined requests that wait for the response to an earlier one. */
  pipelined: number;
}

/** Serves an app. The caller calls `server.listen`. */
export class Listener {
  readonly server: Server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECKING_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADERS_BYTES,
    // The app itself rejects a missing Host.
    requireHostHeader: false,
  });
  /** The open connections, oldest first. */
  readonly connections: Map<Socket, Connection> = new Map();

  constructor(
    app: App,
    private readonly limits: { readonly maxConnections: number },
    /** Called when a connection is closed because of the limit, though it was not idle. */
    private readonly onDrop: () => void = () => {},
    /** Called after a response to bytes that did not become a request. */
    private readonly onRejected: (context: RequestContext) => void = () => {},
  ) {
    // By default, Node drops headers after the 2,000th. Their total size is limited anyway.
    this.server.maxHeadersCount = 0;
    // Runs before Node's listener, because Node 26 counts a connection without a request as idle.
    this.server.prependListener("connection", (socket: Socket) => this.limitConnections(socket));
    const { connections } = this;
    // Idle connections don't keep their last response: it would survive minor garbage collections, and V8 would enlarge
    // the young generation. One function for all responses, because a closure for each would cost more.
    function forgetLatest(this: ServerResponse): void {
      const connection = connections.get(this.req.socket);
      if (connection?.latestResponse === this && this.req.complete && this.shouldKeepAlive) {
        connection.latestResponse = undefined;
      }
    }
    const onRequest: App = (request, response) => {
      const { socket } = request;
      const connection = connections.get(socket);
      // An earlier request in the same chunk may have closed the connection.
      if (socket.destroyed || connection === undefined) return;
      // Node before 20.19.2 accepts non-ASCII bytes, as Latin-1.
      if (NON_ASCII.test(request.url as string)) return this.onClientError("HPE_INVALID_URL", socket);
      const { latestResponse: previous } = connection;
      connection.hasRequest = true;
      connection.latestResponse = response;
      response.on("close", forgetLatest);
      if (response.socket !== null) app(request, response);
      else if (countPipelined(connection, response)) {
        // Pipelined requests are handled in order, because one may depend on the one before (RFC 9112 §9.3.2), and each
        // waits for a time slice, so that other clients are served in between.
        previous?.once("close", async () => {
          await SCHEDULER.yield();
          if (!socket.destroyed) app(request, response);
        });
      }
    };
    this.server.on("request", onRequest).on("checkContinue", onRequest).on("checkExpectation", onRequest);
    this.server.on("clientError", ({ code = "" }: NodeJS.ErrnoException, socket: Socket) =>
      this.onClientError(code, socket),
    );
    this.server.on("connect", (_request, socket: Socket) =>
      this.reject(socket, "BAD_REQUEST", "this server is not a proxy: send a path, not CONNECT"),
    );
  }

  /**
   * Accepts and finishes pending requests, then closes all connections; after `limitMs`, closes them regardless. Returns
   * the number of requests that this cuts off. From now on, the app must send `Connection: close`.
   */
  async stop({ sweepMs, limitMs }: { readonly sweepMs: number; readonly limitMs: number }): Promise<number> {
    const blocker = await this.blockBacklog();
    // http.Server.close would close idle connections whose request is arriving.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.server, () => resolve()));
    blocker?.destroy();
    // setImmediate lets pending reads run first: after a stall, timers run before them.
    const idleSweep = setInterval(() => setImmediate(() => this.closeIdle()), sweepMs);
    let unfinished = 0;
    const limit = setTimeout(() => {
      const responses = [...this.connections.values()].map(({ latestResponse }) => latestResponse);
      unfinished = responses.filter((response) => response?.writableFinished === false).length;
      for (const socket of this.connections.keys()) activeStreams.get(socket)?.abort("the daemon stopped");
      this.server.closeAllConnections();
    }, limitMs);
    await closed;
    clearInterval(idleSweep);
    clearTimeout(limit);
    // Logs the responses that were cut.
    await new Promise((resolve) => setImmediate(resolve));
    return unfinished;
  }

  /**
   * Accepts the connections in the listen backlog, because closing the socket would reset them, and blocks further ones:
   * with a backlog of 0, the kernel queues one connection and ignores others. If that one is the returned connection of
   * this process, closing the socket resets no client. Undefined if other connections kept arriving.
   */
  private async blockBacklog(): Promise<Socket | undefined> {
    const { _handle: handle } = this.server as unknown as { _handle?: { listen?: (backlog: number) => unknown } };
    handle?.listen?.(0);
    const { address, port } = this.server.address() as AddressInfo;
    const startedMs = performance.now();
    while (performance.now() - startedMs < ACCEPT_LIMIT_MS) {
      // Node accepts one connection per event loop iteration.
      await new Promise((resolve) => setImmediate(resolve));
      const blocker = connect({ host: address, port }).on("error", () => {});
      // Node connects at the next tick, before it accepts anything.
      await new Promise((resolve) => process.nextTick(resolve));
      if (isEstablished(blocker)) return blocker;
      blocker.destroy();
    }
    return undefined;
  }

  /**
   * Above the limit, closes the oldest connection without a request, or else the idle ones. If there are none, closes
   * `socket`.
   */
  private limitConnections(socket: Socket): void {
    const { connections } = this;
    const { maxConnections } = this.limits;
    connections.set(socket, { hasRequest: false, latestResponse: undefined, pipelined: 0 });
    socket.once("close", () => connections.delete(socket));
    if (connections.size <= maxConnections) return;
    const [oldest] = this.silentSockets();
    if (oldest !== undefined && oldest !== socket) {
      connections.delete(oldest);
      this.drop(oldest);
      return;
    }
    this.server.closeIdleConnections();
    // Node emits `close` only at the end of this event loop iteration.
    setImmediate(() =>
      setImmediate(() => {
        if (connections.size > maxConnections) this.drop(socket);
      }),
    );
  }

  private drop(socket: Socket): void {
    socket.destroy();
    this.onDrop();
  }

  private closeIdle(): void {
    this.server.closeIdleConnections();
    for (const socket of this.silentSockets()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Yields the connections that have not sent a request yet, oldest first. */
  private *silentSockets(): Generator<Socket> {
    for (const [socket, { hasRequest }] of this.connections) if (!hasRequest) yield socket;
  }

  /** Responds to invalid and slow requests. `code` is the code of Node's error. */
  private onClientError(code: string, socket: Socket): void {
    const stream = activeStreams.get(socket);
    // Streams have no time limit.
    if (code === "ERR_HTTP_REQUEST_TIMEOUT" && stream !== undefined) return;
    const listedFault = FAULTS_BY_CODE[code] ?? FAULTS_BY_CODE[code.slice(0, 4)];
    const response = this.connections.get(socket)?.latestResponse;
    const hasClientLeft = code === "HPE_INVALID_EOF_STATE";
    if (listedFault === undefined || hasClientLeft) socket.destroy();
    // A second response would corrupt the streamed one.
    else if (stream?.response.headersSent === true) stream.abort(listedFault[1]);
    else if (response?.headersSent === true && !(response.req.complete && response.shouldKeepAlive)) {
      // The error is in the rest of a request that is already answered.
      endSocket(socket, "");
    } else this.reject(socket, ...listedFault);
  }

  /** Writes a fault directly to the socket, closes the connection, and reports the fault to log and metrics. */
  private reject(socket: Socket, faultCode: ApiFaultCode, message: string): void {
    if (endedSockets.has(socket)) return;
    const { status, type, body } = fault(faultCode, message);
    const current = this.connections.get(socket)?.latestResponse;
    if (current?.socket === socket && !current.headersSent) listenerResults.set(current.req, { status, faultCode });
    else {
      const request = Object.assign(new IncomingMessage(socket), { method: "other", url: "" });
      const context = new RequestContext(request, new ServerResponse(request), undefined);
      this.onRejected(Object.assign(context, { status, faultCode }));
    }
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Content-Type: ${type}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Cache-Control: no-store",
      "Connection: close",
    ];
    endSocket(socket, `${head.join("\r\n")}\r\n\r\n${body}`);
  }
}

/** Reports whether the kernel has established a connection that Node has not reported yet. */
function isEstablished(socket: Socket): boolean {
  const { _handle: handle } = socket as unknown as { _handle?: { getpeername?: (out: object) => number } };
  return handle?.getpeername?.({}) === 0;
}

/**
 * Counts a pipelined request, and returns false above the limit. At the limit, the connection closes after the response
 * (RFC 9112 §9.6).
 */
function countPipelined(connection: Connection, response: ServerResponse): boolean {
  connection.pipelined += 1;
  response.once("close", () => {
    connection.pipelined -= 1;
  });
  if (connection.pipelined === MAX_PIPELINED) response.shouldKeepAlive = false;
  return connection.pipelined <= MAX_PIPELINED;
}

const NON_ASCII = /[^\x21-\x7e]/;

/** Faults by Node's error code; HPE_ is for all other parser errors. Unlisted codes are broken connections. */
const FAULTS_BY_CODE: Readonly<Record<string, readonly [ApiFaultCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "the request line and headers exceed 16 KiB: shorten them"],
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "the request took too long to arrive: send it again, faster"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["PAYLOAD_TOO_LARGE", "the chunk extensions are too large: omit them"],
  HPE_: ["BAD_REQUEST", "the request is not valid HTTP/1.1: check the client"],
  HPE_INVALID_URL: ["BAD_REQUEST", "the request target contains bytes that are invalid in a URL: percent-encode them"],
};

const endedSockets = new WeakSet<Socket>();

/** Sends the last bytes of a connection and closes it. */
function endSocket(socket: Socket, text: string): void {
  if (endedSockets.has(socket)) return;
  endedSockets.add(socket);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  // Keep reading: unread data would cause a reset, which could discard the response.
  socket.on("error", () => {}).on("data", () => {});
  socket.once("end", () => socket.destroy());
  socket.end(text);
  setTimeout(() => socket.destroy(), FAULT_LINGER_MS).unref();
}

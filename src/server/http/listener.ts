// Sockets: limits of time, size and connections, answers to invalid requests, and a stop that loses no request.

import { createServer, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { type ApiFaultCode, fault } from "./answer.ts";
import type { App } from "./app.ts";
import { QUIET_MS, STREAMS } from "./streaming.ts";
import { TURNS } from "./turns.ts";

// Node's own limits are minutes.
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const CHECKING_INTERVAL_MS = 1000;
const KEEP_ALIVE_MS = 10_000;
const HEADERS_MAX_BYTES = 16 * 1024;
// Requests that may be sent ahead of an answer on one connection: one piece can hold thousands.
const AHEAD_MAX = 64;

// A stop accepts waiting connections until none arrives in so many rounds of the event loop, or this time is over.
const DOOR_QUIET_ROUNDS = 3;
const DOOR_LIMIT_MS = 1000;
const LAST_WORD_MS = 1000;

/** A server for an app. Its `server` starts to listen on request. */
export class Listener {
  readonly server: Server;
  connections = 0;
  private taken = 0;
  /** Connections that have sent nothing yet, the oldest first. */
  private readonly silent: Set<Socket> = new Set();
  /** How many requests wait behind others on their connection. */
  private readonly ahead: WeakMap<Socket, number> = new WeakMap();

  constructor(
    app: App,
    private readonly limits: { readonly connectionsMax: number },
  ) {
    this.server = createServer({
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
      // The app answers a missing Host.
      requireHostHeader: false,
    });
    // Node waits this long once more when something was just written.
    this.server.timeout = QUIET_MS;
    // Node would leave out headers after the 2,000th; their bytes are bounded anyway.
    this.server.maxHeadersCount = 0;
    // Before Node's own listener, because Node 26 counts a silent connection as idle.
    this.server.prependListener("connection", (socket: Socket) => this.admit(socket));
    const spoken: App = (request, response) => {
      // An earlier request of the same piece may have ended the connection.
      if (request.socket.destroyed) return;
      this.silent.delete(request.socket);
      app(request, response);
    };
    const arrived: App = (request, response) => {
      // Requests sent ahead wait for a turn, so that other callers are answered between them.
      if (response.socket !== null) spoken(request, response);
      else if (this.isHeard(request.socket, response)) void TURNS.next().then(() => spoken(request, response));
    };
    this.server.on("request", arrived).on("checkContinue", arrived).on("checkExpectation", arrived);
    this.server.on("clientError", refuse);
    this.server.on("connect", (_request, socket: Socket) =>
      lastWord(socket, "BAD_REQUEST", "this server is not a proxy: request a path"),
    );
  }

  /** The app must answer with `Connection: close` from now on, so that no connection ends within a request. */
  async stop({ quietMs, limitMs }: { readonly quietMs: number; readonly limitMs: number }): Promise<void> {
    await this.takeWaiting();
    // http.Server's own close would end idle connections whose request is arriving.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.server, () => resolve()));
    // After what has arrived was read: a process that had to wait has its timers first.
    const hush = setInterval(() => setImmediate(() => this.closeQuiet()), quietMs);
    const limit = setTimeout(() => this.server.closeAllConnections(), limitMs);
    await closed;
    clearInterval(hush);
    clearTimeout(limit);
  }

  /**
   * Accepts the connections in the kernel's backlog, because closing the socket would reset them. Node accepts one in
   * each round of the event loop.
   */
  private async takeWaiting(): Promise<void> {
    const { _handle: handle } = this.server as unknown as { _handle?: { listen?: (backlog: number) => unknown } };
    handle?.listen?.(0);
    const begun = performance.now();
    for (let quiet = 0; quiet < DOOR_QUIET_ROUNDS && performance.now() - begun < DOOR_LIMIT_MS; ) {
      const before = this.taken;
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.taken === before ? quiet + 1 : 0;
    }
  }

  /** Above the limit, closes the oldest connection that has sent nothing, else one between two requests. */
  private admit(socket: Socket): void {
    const { silent } = this;
    this.connections += 1;
    this.taken += 1;
    silent.add(socket);
    socket.once("close", () => {
      this.connections -= 1;
      silent.delete(socket);
    });
    if (this.connections <= this.limits.connectionsMax) return;
    const [oldest] = silent;
    if (oldest !== undefined && oldest !== socket) {
      silent.delete(oldest);
      oldest.destroy();
      return;
    }
    this.server.closeIdleConnections();
    // Closed connections are subtracted only at the end of this round.
    setImmediate(() =>
      setImmediate(() => {
        if (this.connections > this.limits.connectionsMax) socket.destroy();
      }),
    );
  }

  /** Counts requests sent ahead. At the limit the connection ends after the answer (RFC 9112 §9.6). */
  private isHeard(socket: Socket, response: ServerResponse): boolean {
    const ahead = (this.ahead.get(socket) ?? 0) + 1;
    this.ahead.set(socket, ahead);
    response.once("close", () => this.ahead.set(socket, (this.ahead.get(socket) ?? 0) - 1));
    if (ahead === AHEAD_MAX) response.shouldKeepAlive = false;
    return ahead <= AHEAD_MAX;
  }

  private closeQuiet(): void {
    this.server.closeIdleConnections();
    for (const socket of this.silent) if (socket.bytesRead === 0) socket.destroy();
  }
}

/** By Node's code; HPE_ is for all others that begin so. Other codes are broken connections. */
const REFUSALS: Readonly<Record<string, readonly [ApiFaultCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "the request's line and headers are over 16 KiB: shorten them"],
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "the request took too long to arrive: send it again, faster"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["PAYLOAD_TOO_LARGE", "the chunk extensions are too large: leave them out"],
  HPE_: ["BAD_REQUEST", "the request is not valid HTTP/1.1: check the client"],
  HPE_INVALID_URL: ["BAD_REQUEST", "the request's target has bytes that a URL can't have: percent-encode them"],
};

/** Answers bytes that are not a request, and slow requests. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  const { code = "" } = error;
  const stream = STREAMS.get(socket);
  // The limit is not for streams.
  if (code === "ERR_HTTP_REQUEST_TIMEOUT" && stream !== undefined) return;
  const refusal = REFUSALS[code] ?? REFUSALS[code.slice(0, 4)];
  // In a stream, an answer would be in the middle of another one.
  if (refusal === undefined || stream?.headersSent === true) socket.destroy();
  else lastWord(socket, ...refusal);
}

const dismissed = new WeakSet<Socket>();

/** Writes a fault without a response object, and closes the connection. */
function lastWord(socket: Socket, code: ApiFaultCode, message: string): void {
  if (dismissed.has(socket)) return;
  dismissed.add(socket);
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
  setTimeout(() => socket.destroy(), LAST_WORD_MS).unref();
}

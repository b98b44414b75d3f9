// The socket side: limits of time, size and connections, answers to what is not a request, and a stop that loses no
// request.

import { createServer, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { type ApiFaultCode, fault } from "./answer.ts";
import type { App } from "./app.ts";
import { isStreaming, isUnhurried, QUIET_MS } from "./streaming.ts";
import { TURNS } from "./turns.ts";

// Node's own limits are minutes; our requests are small.
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const CHECKING_INTERVAL_MS = 1000;
/** A connection without a request is kept this long. */
const KEEP_ALIVE_MS = 10_000;
const HEADERS_MAX_BYTES = 16 * 1024;
// How many requests may be sent ahead of an answer on one connection: Node gives all of a piece at once, and it can
// hold thousands.
const AHEAD_MAX = 64;

// A stop accepts waiting connections until none arrived in this many rounds of the event loop, or until this much time
// has passed.
const DOOR_QUIET_ROUNDS = 3;
const DOOR_LIMIT_MS = 1000;

// How long a caller has to read the refusal of bytes that are not a request.
const LAST_WORD_MS = 1000;

export interface ListenerSettings {
  readonly connectionsMax: number;
}

export interface StopSettings {
  /** Connections that send nothing for this long are closed. */
  readonly quietMs: number;
  /** After this, running requests are aborted. */
  readonly limitMs: number;
}

/** A server for an app, within its limits. Its `server` starts to listen on request. */
export class Listener {
  readonly server: Server;
  connections = 0;
  private taken = 0;
  private readonly connectionsMax: number;
  /** Connections that have sent nothing yet, the oldest first. */
  private readonly silent: Set<Socket> = new Set();
  /** How many requests wait behind others on their connection. */
  private readonly ahead: WeakMap<Socket, number> = new WeakMap();

  constructor(app: App, settings: ListenerSettings) {
    this.connectionsMax = settings.connectionsMax;
    this.server = createServer({
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
      // The app answers a missing Host, as it answers everything.
      requireHostHeader: false,
    });
    // Node waits this long once more when something was just written.
    this.server.timeout = QUIET_MS;
    // Their bytes are bounded; Node would leave out those after the 2,000th.
    this.server.maxHeadersCount = 0;
    // Before Node's own listener: from Node 26 on, Node counts a connection that has sent nothing yet as idle.
    this.server.prependListener("connection", (socket: Socket) => this.admit(socket));
    const spoken: App = (request, response) => {
      // Requests that arrived together with something that ended the connection need no answer.
      if (request.socket.destroyed) return;
      this.silent.delete(request.socket);
      app(request, response);
    };
    const arrived: App = (request, response) => {
      // The answer to a request that was sent ahead has no socket yet. Other callers are heard between two of them.
      if (response.socket !== null) spoken(request, response);
      else if (this.isHeard(request.socket, response)) void TURNS.next().then(() => spoken(request, response));
    };
    this.server.on("request", arrived).on("checkContinue", arrived).on("checkExpectation", arrived);
    this.server.on("clientError", refuse);
    this.server.on("connect", (_request, socket: Socket) =>
      lastWord(socket, "BAD_REQUEST", "this server is not a proxy: request a path"),
    );
  }

  /**
   * Stops accepting connections, and resolves when the last one is closed. The app must answer with `Connection: close`
   * from now on, so that each kept-alive connection ends after an answer, and not in the middle of its next request.
   */
  async stop({ quietMs, limitMs }: StopSettings): Promise<void> {
    await this.takeWaiting();
    // http.Server's own close would end idle connections at once, and some have a request on its way.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.server, () => resolve()));
    const hush = setInterval(() => this.closeQuiet(), quietMs);
    const limit = setTimeout(() => this.server.closeAllConnections(), limitMs);
    await closed;
    clearInterval(hush);
    clearTimeout(limit);
  }

  /**
   * Accepts the connections in the kernel's backlog: closing the socket would reset them. Node takes one in each round
   * of the event loop. The backlog is first made as short as possible, so that this ends.
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

  /**
   * Keeps the number of connections within its limit. A connection that has sent nothing yet is closed first, the
   * oldest before the newest; then those between two requests. So many silent connections keep no one out.
   */
  private admit(socket: Socket): void {
    const { silent } = this;
    this.connections += 1;
    this.taken += 1;
    silent.add(socket);
    socket.once("close", () => {
      this.connections -= 1;
      silent.delete(socket);
    });
    if (this.connections <= this.connectionsMax) return;
    const [oldest] = silent;
    if (oldest !== undefined && oldest !== socket) {
      silent.delete(oldest);
      oldest.destroy();
      return;
    }
    this.server.closeIdleConnections();
    // Closed connections are subtracted at the end of this round of the event loop.
    setImmediate(() =>
      setImmediate(() => {
        if (this.connections > this.connectionsMax) socket.destroy();
      }),
    );
  }

  /**
   * Counts requests ahead of an answer. The last one that fits ends the connection, and what is behind it is dropped
   * (RFC 9112 §9.6).
   */
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

/** Answers bytes that are not a request, or one that came too slowly. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  const { code = "" } = error;
  // Node says so once for a request, and does nothing itself.
  if (code === "ERR_HTTP_REQUEST_TIMEOUT" && isUnhurried(socket)) return;
  // It would come in the middle of the answer's body.
  if (isStreaming(socket)) {
    socket.destroy();
    return;
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    lastWord(socket, "HEADERS_TOO_LARGE", "the request's line and headers are over 16 KiB: shorten them");
  } else if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    lastWord(socket, "REQUEST_TIMEOUT", "the request took too long to arrive: send it again, faster");
  } else if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") {
    lastWord(socket, "PAYLOAD_TOO_LARGE", "the chunk extensions are too large: leave them out");
  } else if (code === "HPE_INVALID_URL") {
    lastWord(socket, "BAD_REQUEST", "the request's target has bytes that a URL can't have: percent-encode them");
  } else if (code.startsWith("HPE_")) {
    lastWord(socket, "BAD_REQUEST", "the request is not valid HTTP/1.1: check the client");
  } else {
    socket.destroy();
  }
}

const dismissed = new WeakSet<Socket>();

/** Writes a fault where there is no response object, and closes the connection when the caller has read it. */
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
  // Otherwise a reset would answer what the caller still sends, and the caller could not read our answer.
  socket.on("error", () => {}).on("data", () => {});
  socket.once("end", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LAST_WORD_MS).unref();
}

// The socket side: limits of time, size and connections, answers to what is no request, and a stop that loses nothing.

import { createServer, type Server, STATUS_CODES } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { fault } from "./answer.ts";
import type { App } from "./app.ts";
import type { ApiFaultCode } from "./faults.ts";

// Node's own limits are minutes; a request of ours is small.
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const CHECKING_INTERVAL_MS = 1000;
/** A connection without a request is kept this long. */
const KEEP_ALIVE_MS = 10_000;
/** A reader who takes nothing for this long is given up. */
const STALLED_MS = 60_000;
const HEADERS_MAX_BYTES = 16 * 1024;

// A stop lets in who waits: until nobody came in so many rounds of the event loop, or it took too long.
const DOOR_QUIET_ROUNDS = 3;
const DOOR_LIMIT_MS = 1000;

// How long a refusal of what is no request may take to be read.
const LAST_WORD_MS = 1000;

/** Bounds that the operator may set. */
export interface ListenerSettings {
  readonly connectionsMax: number;
}

/** How long a stop may take. */
export interface StopSettings {
  /** Connections that say nothing for this long are closed. */
  readonly quietMs: number;
  /** After this, what is still under way is given up. */
  readonly limitMs: number;
}

/** A server for an app, within its bounds. It listens when its `server` is told to. */
export class Listener {
  readonly server: Server;
  /** Connections now. */
  connections = 0;
  /** Connections that ever were. */
  private taken = 0;
  private readonly connectionsMax: number;
  /** Connections that have not said anything yet, the oldest first. */
  private readonly silent: Set<Socket> = new Set();

  constructor(app: App, settings: ListenerSettings) {
    this.connectionsMax = settings.connectionsMax;
    this.server = createServer({
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
      // The app answers a missing Host itself, as it answers everything.
      requireHostHeader: false,
    });
    this.server.timeout = STALLED_MS;
    // Ahead of Node's own listener: from Node 26 on, a connection that it knows and that has said nothing yet counts as idle.
    this.server.prependListener("connection", (socket: Socket) => this.admit(socket));
    const spoken: App = (request, response) => {
      // What came along with something that ended the connection is not worth an answer.
      if (request.socket.destroyed) return;
      this.silent.delete(request.socket);
      app(request, response);
    };
    this.server.on("request", spoken).on("checkContinue", spoken).on("checkExpectation", spoken);
    this.server.on("clientError", refuse);
    this.server.on("connect", (_request, socket: Socket) =>
      lastWord(socket, "BAD_REQUEST", "this is no proxy: ask for a path"),
    );
  }

  /**
   * Stops taking connections, and resolves when the last one is done. The app is to answer with `Connection: close` from now on, so
   * that each kept-alive connection ends with an answer and not in the middle of its next request.
   */
  async stop({ quietMs, limitMs }: StopSettings): Promise<void> {
    await this.takeWaiting();
    // http.Server's own close would cut idle connections at once, some with a request on its way to them.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.server, () => resolve()));
    const hush = setInterval(() => this.closeQuiet(), quietMs);
    const limit = setTimeout(() => this.server.closeAllConnections(), limitMs);
    await closed;
    clearInterval(hush);
    clearTimeout(limit);
  }

  /**
   * Lets in who waits at the door. The kernel has accepted them and would reset them when the door is closed, and one comes in with
   * each round of the event loop. The door is made as narrow as it can be first, so that the line ends.
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
   * Keeps the connections within their bound. Who has not said anything yet goes first, the oldest before the newest; then those that
   * are between two requests. So a crowd of silent connections keeps nobody out.
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
    // What was closed is counted out at the end of this round of the event loop.
    setImmediate(() =>
      setImmediate(() => {
        if (this.connections > this.connectionsMax) socket.destroy();
      }),
    );
  }

  private closeQuiet(): void {
    this.server.closeIdleConnections();
    for (const socket of this.silent) if (socket.bytesRead === 0) socket.destroy();
  }
}

/** Answers octets that are no request, or one that came too slowly. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  const { code = "" } = error;
  if (code === "HPE_HEADER_OVERFLOW") {
    lastWord(socket, "HEADERS_TOO_LARGE", "the request's line and headers are over 16 KiB: send less");
  } else if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    lastWord(socket, "REQUEST_TIMEOUT", "the request took too long to arrive: send it again, faster");
  } else if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") {
    lastWord(socket, "PAYLOAD_TOO_LARGE", "the chunk extensions are too large: leave them out");
  } else if (code === "HPE_INVALID_URL") {
    lastWord(socket, "BAD_REQUEST", "the request's target has octets that no URL has: percent-encode them");
  } else if (code.startsWith("HPE_")) {
    lastWord(socket, "BAD_REQUEST", "this is no HTTP/1.1 request that can be read: check the client");
  } else {
    socket.destroy();
  }
}

const dismissed = new WeakSet<Socket>();

/** Writes a fault where there is no response to write it to, and ends the connection when it was read. */
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
  // What the other side still sends would otherwise be answered by a reset, which takes the answer away before it is read.
  socket.on("error", () => {}).on("data", () => {});
  socket.once("end", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LAST_WORD_MS).unref();
}

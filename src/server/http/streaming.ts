// Request and response bodies of any length. If a response fails, its connection is closed, so that the client notices
// the truncation.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type ByteSink, type ByteSource, OutputClosedError } from "../../bulk/streams.ts";
import type { StreamedResponse } from "./response.ts";
import type { StreamHandle } from "./stream-slots.ts";

/** A connection without a stream is closed when it is idle for this long. */
export const IDLE_TIMEOUT_MS = 30_000;
// Delay of TCP keep-alive probes, which detect clients that have disappeared.
const TCP_KEEP_ALIVE_MS = 60_000;
// Bytes of the request body to buffer before pausing the socket.
const MAX_BUFFERED_BYTES = 128 * 1024;
// A request body of at most this length is read completely before the response starts, because browsers don't read the
// response while they send.
const MAX_WHOLE_BODY_BYTES = 1024 * 1024;
// Each written chunk counts as progress of a slow reader.
const WRITE_CHUNK_BYTES = 64 * 1024;
// A client that sends or reads less does not reset its idle time.
const MIN_PROGRESS_BYTES = 1024;

/** Failure of a stream that the daemon cut. The message has the reason. */
export class StreamCutError extends Error {}

/** The active stream of each connection that has one. */
export const activeStreams: WeakMap<Socket, DuplexBody> = new WeakMap();

/** The bodies of a request and its response, as byte streams. Both fail if the client disconnects. */
export class DuplexBody implements ByteSource, ByteSink, StreamHandle {
  /** Why both directions have failed. */
  failure: Error | undefined;
  private readonly readsWholeBody: boolean;
  private readonly chunks: Uint8Array[] = [];
  private bufferedBytes = 0;
  private hasEnded = false;
  private wake: (() => void) | undefined;
  private rejectWrite: ((reason: Error) => void) | undefined;
  /** Number of pending reads and writes that wait for the client. */
  private pendingWaits = 0;
  private bytesSinceProgress = 0;
  /** Milliseconds of completed waits since the last progress. */
  private waitedMs = 0;
  private waitStartedMs = 0;

  constructor(
    private readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    const { socket } = request;
    socket.setTimeout(0);
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    activeStreams.set(socket, this);
    this.readsWholeBody = Number(request.headers["content-length"] ?? Number.NaN) <= MAX_WHOLE_BODY_BYTES;
    response.on("close", () => this.onClose());
    request.on("error", () => this.onClose());
    request.on("data", this.onData);
    request.on("end", () => {
      this.hasEnded = true;
      this.wake?.();
    });
    if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
  }

  async read(target: Uint8Array, at: number): Promise<number> {
    while (this.chunks.length === 0) {
      if (this.failure !== undefined) throw this.failure;
      if (this.hasEnded) return 0;
      await this.waitForChange();
    }
    const chunk = this.chunks[0] as Uint8Array;
    const count = Math.min(chunk.length, target.length - at);
    target.set(chunk.subarray(0, count), at);
    this.bufferedBytes -= count;
    if (count < chunk.length) this.chunks[0] = chunk.subarray(count);
    else this.chunks.shift();
    if (this.bufferedBytes < MAX_BUFFERED_BYTES / 2) this.request.resume();
    return count;
  }

  /** Resolves when the response may start. */
  async waitUntilReady(): Promise<void> {
    while (this.readsWholeBody && !this.hasEnded && this.failure === undefined) await this.waitForChange();
    if (this.failure !== undefined) throw this.failure;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += WRITE_CHUNK_BYTES) {
      const chunk = bytes.subarray(at, at + WRITE_CHUNK_BYTES);
      await this.trackWait(this.writeChunk(chunk));
      this.addProgress(chunk.length);
    }
  }

  close(): void {
    this.hasEnded = true;
    this.chunks.length = 0;
    this.wake?.();
  }

  get idleMs(): number {
    return this.pendingWaits === 0 ? 0 : this.waitedMs + performance.now() - this.waitStartedMs;
  }

  /** Fails both directions. If the response has not started, its handler sends the reason. */
  abort(reason: string): void {
    this.fail(new StreamCutError(reason));
    if (this.response.headersSent) this.request.socket.destroy();
  }

  /** Restores the usual limits of the connection. */
  release(): void {
    activeStreams.delete(this.request.socket);
    this.request.socket.setTimeout(IDLE_TIMEOUT_MS);
    this.request.off("data", this.onData);
    this.close();
  }

  private async waitForChange(): Promise<void> {
    const changed = new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.request.resume();
    await this.trackWait(changed);
  }

  private async trackWait<T>(wait: Promise<T>): Promise<T> {
    if (this.pendingWaits === 0) this.waitStartedMs = performance.now();
    this.pendingWaits += 1;
    try {
      return await wait;
    } finally {
      this.pendingWaits -= 1;
      if (this.pendingWaits === 0) this.waitedMs += performance.now() - this.waitStartedMs;
    }
  }

  private addProgress(bytes: number): void {
    this.bytesSinceProgress += bytes;
    if (this.bytesSinceProgress < MIN_PROGRESS_BYTES) return;
    this.bytesSinceProgress = 0;
    this.waitedMs = 0;
    this.waitStartedMs = performance.now();
  }

  private writeChunk(bytes: Uint8Array): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.rejectWrite = reject;
      this.response.write(bytes, (error) => (error == null ? resolve() : reject(new OutputClosedError())));
    });
  }

  private readonly onData = (chunk: Uint8Array): void => {
    this.addProgress(chunk.length);
    this.chunks.push(chunk);
    this.bufferedBytes += chunk.length;
    if (this.bufferedBytes >= MAX_BUFFERED_BYTES && !this.readsWholeBody) this.request.pause();
    this.wake?.();
  };

  private onClose(): void {
    if (this.response.writableFinished) return;
    this.fail(new OutputClosedError());
  }

  private fail(failure: Error): void {
    this.failure ??= failure;
    this.wake?.();
    this.rejectWrite?.(this.failure);
  }
}

/** Writes a streamed response. Returns the failure that truncated it, if any: OutputClosedError if the client left. */
export async function sendStream(
  response: ServerResponse,
  body: DuplexBody,
  streamed: StreamedResponse,
  extraHeaders: readonly string[],
  close: boolean,
): Promise<unknown> {
  const { req: request } = response;
  try {
    const { trailer } = streamed;
    const headers = ["Content-Type", streamed.type, "Cache-Control", "no-store"];
    if (trailer !== undefined) headers.push("Trailer", trailer);
    // X-Accel-Buffering stops nginx from buffering rows.
    headers.push("X-Accel-Buffering", "no", "X-Content-Type-Options", "nosniff", ...extraHeaders);
    if (close) headers.push("Connection", "close");
    // If the client has disconnected, `run` still has to clean up.
    if (!response.destroyed) response.writeHead(200, headers);
    response.flushHeaders();
    const summary = await streamed.run(body);
    if (trailer !== undefined) response.addTrailers({ [trailer]: summary });
    // Close the connection if the client is still sending.
    response.end(() => request.complete || request.socket.destroy());
    return undefined;
  } catch (failure) {
    request.socket.destroy();
    return body.failure ?? failure;
  } finally {
    body.release();
  }
}

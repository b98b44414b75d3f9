// Bodies and answers of any length. An answer that fails is cut, so that no caller takes a part for the whole.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type ByteSink, type ByteSource, OutputClosedError } from "../../bulk/streams.ts";
import type { StreamedAnswer } from "./answer.ts";
import type { PlacedStream } from "./places.ts";

/** A connection that sends and reads nothing for this long is closed, but for one with a stream. */
export const QUIET_MS = 30_000;
// Finds connections whose peer has disappeared.
const PROBE_MS = 60_000;
// Bytes of a body that are read ahead.
const AHEAD_BYTES = 128 * 1024;
// A body up to this length is read whole before it is answered, because browsers read nothing while they send.
const SHORT_BYTES = 1024 * 1024;
// Each written piece counts as progress of a slow reader.
const WRITE_BYTES = 64 * 1024;

/** Another stream needed the place. The message says why this one lost it. */
export class StreamCut extends Error {}

/** Connections of streams, and their answers. */
export const STREAMS: WeakMap<Socket, ServerResponse> = new WeakMap();

/** Both directions of one request. Both fail when the caller has left. */
export class ByteStreams implements ByteSource, ByteSink, PlacedStream {
  /** Why the caller gets nothing more. */
  failure: Error | undefined;
  private readonly isShort: boolean;
  private readonly chunks: Uint8Array[] = [];
  private ahead = 0;
  private ended = false;
  private wake: (() => void) | undefined;
  private refuseWrite: ((reason: Error) => void) | undefined;
  /** How many waits for the caller there are now. */
  private waits = 0;
  /** When a wait last began or ended, or bytes came. */
  private changedAt = 0;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    const { socket } = request;
    socket.setTimeout(0);
    socket.setKeepAlive(true, PROBE_MS);
    STREAMS.set(socket, response);
    this.isShort = Number(request.headers["content-length"] ?? Number.NaN) <= SHORT_BYTES;
    response.on("close", () => this.leave());
    request.on("error", () => this.leave());
    request.on("data", this.take);
    request.on("end", () => {
      this.ended = true;
      this.wake?.();
    });
    if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
  }

  async read(target: Uint8Array, at: number): Promise<number> {
    while (this.chunks.length === 0) {
      if (this.failure !== undefined) throw this.failure;
      if (this.ended) return 0;
      await this.change();
    }
    const chunk = this.chunks[0] as Uint8Array;
    const count = Math.min(chunk.length, target.length - at);
    target.set(chunk.subarray(0, count), at);
    this.ahead -= count;
    if (count < chunk.length) this.chunks[0] = chunk.subarray(count);
    else this.chunks.shift();
    if (this.ahead < AHEAD_BYTES / 2) this.request.resume();
    return count;
  }

  /** Resolves when the answer may begin. */
  async arrived(): Promise<void> {
    while (this.isShort && !this.ended && this.failure === undefined) await this.change();
    if (this.failure !== undefined) throw this.failure;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += WRITE_BYTES) {
      await this.during(this.writeSome(bytes.subarray(at, at + WRITE_BYTES)));
    }
  }

  close(): void {
    this.ended = true;
    this.chunks.length = 0;
    this.wake?.();
  }

  get idleMs(): number {
    return this.waits === 0 ? 0 : performance.now() - this.changedAt;
  }

  /** Before the answer has begun, it says so itself. */
  cut(reason: string): void {
    this.fail(new StreamCut(reason));
    if (this.response.headersSent) this.request.socket.destroy();
  }

  /** Restores the usual limits of the connection. */
  end(): void {
    STREAMS.delete(this.request.socket);
    this.request.socket.setTimeout(QUIET_MS);
    this.request.off("data", this.take);
    this.close();
  }

  private async change(): Promise<void> {
    const changed = new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.request.resume();
    await this.during(changed);
  }

  private async during<T>(wait: Promise<T>): Promise<T> {
    this.waits += 1;
    this.changedAt = performance.now();
    try {
      return await wait;
    } finally {
      this.waits -= 1;
      this.changedAt = performance.now();
    }
  }

  private writeSome(bytes: Uint8Array): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.refuseWrite = reject;
      this.response.write(bytes, (error) => (error == null ? resolve() : reject(new OutputClosedError())));
    });
  }

  private readonly take = (chunk: Uint8Array): void => {
    this.changedAt = performance.now();
    this.chunks.push(chunk);
    this.ahead += chunk.length;
    if (this.ahead >= AHEAD_BYTES && !this.isShort) this.request.pause();
    this.wake?.();
  };

  private leave(): void {
    if (this.response.writableFinished) return;
    this.fail(new OutputClosedError());
  }

  private fail(failure: Error): void {
    this.failure ??= failure;
    this.wake?.();
    this.refuseWrite?.(this.failure);
  }
}

/** Writes a streamed answer. Returns the failure that cut it: OutputClosedError if the caller left. */
export async function sendStream(
  response: ServerResponse,
  streams: ByteStreams,
  answer: StreamedAnswer,
  more: readonly string[],
  close: boolean,
): Promise<unknown> {
  const { req: request } = response;
  try {
    const { trailer } = answer;
    const head = ["Content-Type", answer.type, "Cache-Control", "no-store"];
    if (trailer !== undefined) head.push("Trailer", trailer);
    // nginx would keep rows back.
    head.push("X-Accel-Buffering", "no", "X-Content-Type-Options", "nosniff", ...more);
    if (close) head.push("Connection", "close");
    // `run` notices when the caller has left, and cleans up.
    if (!response.destroyed) response.writeHead(200, head);
    response.flushHeaders();
    const summary = await answer.run(streams);
    if (trailer !== undefined) response.addTrailers({ [trailer]: summary });
    // The caller still sends.
    response.end(() => request.complete || request.socket.destroy());
    return undefined;
  } catch (failure) {
    request.socket.destroy();
    return streams.failure ?? failure;
  } finally {
    streams.end();
  }
}

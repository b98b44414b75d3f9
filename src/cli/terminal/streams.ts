// Descriptors as byte streams: files, pipes and terminals in, any descriptor out. Whatever breaks becomes one line.

import * as fs from "node:fs";
import { type ByteSink, type ByteSource, OutputClosed } from "../../bulk/ports.ts";
import { AddrsiftError } from "../../errors.ts";

// Octets read ahead at once.
const AHEAD_OCTETS = 256 * 1024;

/** Reads a file, a device or a redirected standard input by descriptor, always one piece ahead of what was asked for. */
export class FileSource implements ByteSource {
  private readonly descriptor: number;
  private readonly shown: string;
  private readonly piece: Uint8Array = new Uint8Array(AHEAD_OCTETS);
  private start = 0;
  private end = 0;
  private reading: Promise<number> | undefined;

  constructor(descriptor: number, shown: string) {
    this.descriptor = descriptor;
    this.shown = shown;
  }

  close(): void {
    // A read under way ends by itself: files answer.
  }

  async read(target: Uint8Array, at: number): Promise<number> {
    if (this.start === this.end) {
      this.end = await (this.reading ?? this.readAhead());
      this.start = 0;
      if (this.end === 0) return 0;
    }
    const count = Math.min(this.end - this.start, target.length - at);
    target.set(this.piece.subarray(this.start, this.start + count), at);
    this.start += count;
    this.reading = this.start === this.end ? this.readAhead() : undefined;
    return count;
  }

  private readAhead(): Promise<number> {
    const reading = new Promise<number>((resolve, reject) => {
      fs.read(this.descriptor, this.piece, 0, AHEAD_OCTETS, null, (error, count) => {
        if (error === null) resolve(count);
        else reject(inputError(this.shown, error));
      });
    });
    // A failure is seen when the piece is asked for; until then it must not count as unhandled.
    reading.catch(() => {});
    return reading;
  }
}

/**
 * Reads a pipe, a socket or a terminal. A blocking read would hold the process until the writer says more, even when our own
 * reader is gone; a socket's can be given up.
 */
export class SocketSource implements ByteSource {
  private readonly socket: NodeJS.ReadStream;
  private readonly shown: string;
  private rest: Uint8Array = new Uint8Array(0);
  private ended = false;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;

  constructor(socket: NodeJS.ReadStream, shown: string) {
    this.socket = socket;
    this.shown = shown;
    socket.on("data", (chunk: Uint8Array) => this.take(chunk));
    socket.on("end", () => this.finish(undefined));
    socket.on("error", (error) => this.finish(error));
  }

  async read(target: Uint8Array, at: number): Promise<number> {
    while (this.rest.length === 0) {
      if (this.failure !== undefined) throw inputError(this.shown, this.failure);
      if (this.ended) return 0;
      const arrived = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      this.socket.resume();
      await arrived;
    }
    const count = Math.min(this.rest.length, target.length - at);
    target.set(this.rest.subarray(0, count), at);
    this.rest = this.rest.subarray(count);
    return count;
  }

  close(): void {
    this.finish(undefined);
    this.rest = new Uint8Array(0);
    this.socket.destroy();
  }

  private take(chunk: Uint8Array): void {
    this.socket.pause();
    this.rest = chunk;
    this.wake?.();
  }

  private finish(error: Error | undefined): void {
    this.ended = true;
    this.failure = error;
    this.wake?.();
  }
}

/** Writes to a descriptor without holding up the event loop, so that a signal is heard while the reader is slow. */
export class DescriptorSink implements ByteSink {
  private readonly descriptor: number;
  private readonly shown: string;

  constructor(descriptor: number, shown: string) {
    this.descriptor = descriptor;
    this.shown = shown;
  }

  async write(octets: Uint8Array): Promise<void> {
    for (let at = 0; at < octets.length; ) at += await this.writeSome(octets, at);
  }

  private writeSome(octets: Uint8Array, at: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.write(this.descriptor, octets, at, octets.length - at, null, (error, count) => {
        if (error === null) resolve(count);
        // A pipe that another process made non-blocking: wait for its reader.
        else if (error.code === "EAGAIN") setTimeout(resolve, 5, 0);
        else reject(outputError(this.shown, error));
      });
    });
  }
}

/** Writes a short text, or octets, at once. */
export function writeNow(descriptor: number, text: string | Uint8Array): void {
  const octets = typeof text === "string" ? Buffer.from(text) : text;
  for (let at = 0; at < octets.length; ) {
    try {
      at += fs.writeSync(descriptor, octets, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN")
        throw outputError(descriptor === 2 ? "standard error" : "standard output", error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function inputError(shown: string, error: Error): AddrsiftError {
  const { code } = error as NodeJS.ErrnoException;
  const reason = {
    ENOENT: "there is no such file, check its name",
    EISDIR: "it is a directory, give a file",
    EACCES: "permission denied, check its mode",
  }[code ?? ""];
  return new AddrsiftError("INPUT", `can't read ${shown}: ${reason ?? error.message}`, error);
}

function outputError(shown: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EPIPE" || code === "ECONNRESET") return new OutputClosed();
  const reason = { ENOSPC: "the disk is full, make room", EBADF: "it is closed, open it" }[code ?? ""];
  return new AddrsiftError("OUTPUT", `can't write to ${shown}: ${reason ?? message}`, error);
}

/** False when the descriptor is surely no terminal; asking node:tty costs loading the network stack. */
export function maybeTerminal(descriptor: number): boolean {
  try {
    return fs.fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/** True when the descriptor is a terminal. */
export function isTerminal(descriptor: number, load: (module: string) => unknown): boolean {
  return maybeTerminal(descriptor) && (load("node:tty") as typeof import("node:tty")).isatty(descriptor);
}

/** Opens a file for reading, or standard input for `-`. `load` brings in node:tty when it is needed. */
export function openSource(
  path: string,
  load: (module: string) => unknown,
): { source: ByteSource; bytes: number | undefined } {
  if (path !== "-") {
    try {
      const descriptor = fs.openSync(path, "r");
      return describe(new FileSource(descriptor, path), fs.fstatSync(descriptor));
    } catch (error) {
      throw inputError(path, error as Error);
    }
  }
  const shown = "standard input";
  let stat: fs.Stats;
  try {
    stat = fs.fstatSync(0);
  } catch (error) {
    throw inputError(shown, error as Error);
  }
  // Node's own stream: a second one on the same descriptor would clash with it.
  const streams = stat.isFIFO() || stat.isSocket() || isTerminal(0, load);
  if (streams) return { source: new SocketSource(process.stdin, shown), bytes: undefined };
  return describe(new FileSource(0, shown), stat);
}

function describe(source: ByteSource, stat: fs.Stats): { source: ByteSource; bytes: number | undefined } {
  return { source, bytes: stat.isFile() ? stat.size : undefined };
}

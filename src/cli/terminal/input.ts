// The input of a command: files, pipes and terminals as byte streams. Every failure becomes a one-line error.

import * as fs from "node:fs";
import type { ByteSource } from "../../bulk/ports.ts";
import { fileIdentity, isCharacterDevice } from "./output.ts";
import { inputError, readBounded, readLine } from "./small-input.ts";

export interface Input {
  readonly isTerminal: boolean;
  open(): OpenedSource;
  /** Its first bytes; one more than `limitBytes` if the input is longer. */
  readBounded(limitBytes: number): Uint8Array;
  /** Its first line without the line break, at most `limitBytes` of it. */
  readLine(limitBytes: number): string;
}

/** A source, and what is known of a regular file: its length in bytes, and which one it is. */
export interface OpenedSource {
  readonly source: ByteSource;
  readonly bytes?: number | undefined;
  readonly file?: string | undefined;
}

const AHEAD_BYTES = 256 * 1024;

/** Reads a file, a device or a redirected standard input by descriptor, always one piece ahead. */
class FileSource implements ByteSource {
  private readonly piece: Uint8Array;
  private start = 0;
  private end = 0;
  private reading: Promise<number> | undefined;
  private isReading = false;
  private closed = false;
  private isOpen = true;
  /** A small regular file is read in one call, which costs less than to wait. */
  private readonly isSmall: boolean;

  constructor(
    private readonly descriptor: number,
    private readonly shown: string,
    bytes: number = AHEAD_BYTES,
  ) {
    this.isSmall = bytes < AHEAD_BYTES;
    this.piece = new Uint8Array(Math.min(bytes + 1, AHEAD_BYTES));
  }

  close(): void {
    this.closed = true;
    // A read of a file ends soon by itself.
    if (!this.isReading) this.release();
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
    if (!this.isOpen) return Promise.resolve(0);
    if (this.isSmall) return Promise.resolve().then(() => this.readNow());
    this.isReading = true;
    const reading = new Promise<number>((resolve, reject) => {
      fs.read(this.descriptor, this.piece, 0, this.piece.length, null, (error, count) => {
        this.isReading = false;
        if (this.closed || count === 0) this.release();
        if (error === null) resolve(count);
        else reject(inputError(this.shown, error));
      });
    });
    // The failure is reported when the piece is asked for; until then it must not count as unhandled.
    reading.catch(() => {});
    return reading;
  }

  private readNow(): number {
    if (!this.isOpen) return 0;
    try {
      const count = fs.readSync(this.descriptor, this.piece, 0, this.piece.length, null);
      if (count === 0) this.release();
      return count;
    } catch (error) {
      throw inputError(this.shown, error);
    }
  }

  /** Standard input stays open. */
  private release(): void {
    if (this.isOpen && this.descriptor !== 0) fs.close(this.descriptor, () => {});
    this.isOpen = false;
  }
}

/**
 * Reads a pipe, a socket or a terminal. A blocking read would hold the process until the writer sends more, even after
 * the reader of our output has left. A stream can be destroyed.
 */
class StreamSource implements ByteSource {
  private readonly chunks: AsyncIterator<Uint8Array>;
  private rest: Uint8Array = new Uint8Array(0);
  private closed = false;

  constructor(
    private readonly stream: NodeJS.ReadStream,
    private readonly shown: string,
  ) {
    this.chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  }

  async read(target: Uint8Array, at: number): Promise<number> {
    while (this.rest.length === 0) {
      const { done, value } = await this.chunks.next().catch((error: unknown) => {
        if (this.closed) return { done: true, value: undefined } as const;
        throw inputError(this.shown, error);
      });
      if (done === true || this.closed) return 0;
      this.rest = value;
    }
    const count = Math.min(this.rest.length, target.length - at);
    target.set(this.rest.subarray(0, count), at);
    this.rest = this.rest.subarray(count);
    return count;
  }

  close(): void {
    this.closed = true;
    this.rest = new Uint8Array(0);
    this.stream.destroy();
  }
}

export class StandardInput implements Input {
  constructor(
    private readonly stream: () => NodeJS.ReadStream,
    private readonly loadTty: () => typeof import("node:tty"),
  ) {}

  get isTerminal(): boolean {
    return isCharacterDevice(0) && this.loadTty().isatty(0);
  }

  open(): OpenedSource {
    const shown = "standard input";
    let stat: fs.Stats;
    try {
      stat = fs.fstatSync(0);
    } catch (error) {
      throw inputError(shown, error);
    }
    if (stat.isFIFO() || stat.isSocket() || this.isTerminal) {
      // Node's own stream: a second stream on the same descriptor would conflict with it.
      return { source: new StreamSource(this.stream(), shown) };
    }
    return { source: new FileSource(0, shown), ...measure(stat) };
  }

  readBounded(limitBytes: number): Uint8Array {
    return readBounded(0, limitBytes);
  }

  readLine(limitBytes: number): string {
    return readLine(0, limitBytes);
  }
}

export function openFile(path: string): OpenedSource {
  try {
    const descriptor = fs.openSync(path, "r");
    const stat = fs.fstatSync(descriptor);
    return { source: new FileSource(descriptor, path, stat.isFile() ? stat.size : undefined), ...measure(stat) };
  } catch (error) {
    throw inputError(path, error);
  }
}

/** Looks at a file that is opened later. Throws AddrsiftError INPUT when it is not there or may not be read. */
export function lookAtFile(path: string): Omit<OpenedSource, "source"> {
  try {
    fs.accessSync(path, fs.constants.R_OK);
    const stat = fs.statSync(path);
    if (stat.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    return measure(stat);
  } catch (error) {
    throw inputError(path, error);
  }
}

function measure(stat: fs.Stats): Omit<OpenedSource, "source"> {
  return { bytes: stat.isFile() ? stat.size : undefined, file: fileIdentity(stat) };
}

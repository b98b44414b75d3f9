// The input of a command: files, pipes and terminals as byte streams. Every failure becomes a one-line error.

import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import type { Readable } from "node:stream";
import { LF } from "../../base/bytes/ascii.ts";
import { READ_BYTES } from "../../bulk/reader.ts";
import { type ByteSource, ChunkSource, emptySource } from "../../bulk/streams.ts";
import { fileIdentity, isCharacterDevice, isNullDevice } from "./output.ts";
import { inputError, readBounded, readUntil } from "./read-value.ts";

export type Input = Pick<StandardInput, keyof StandardInput>;

/** A source; for a regular file also its size in bytes and its `fileIdentity`. */
export interface OpenedSource {
  readonly source: ByteSource;
  readonly bytes?: number | undefined;
  readonly file?: string | undefined;
}

/** Reads a regular file, or a device that does not block. */
class FileSource implements ByteSource {
  private isOpen = true;

  constructor(
    private readonly descriptor: number,
    private readonly inputLabel: string,
  ) {}

  async read(target: Uint8Array, at: number): Promise<number> {
    // Yield, so that signals are handled even in a run that writes nothing.
    await new Promise(setImmediate);
    if (!this.isOpen) return 0;
    try {
      const count = readSync(this.descriptor, target, at, Math.min(READ_BYTES, target.length - at), null);
      if (count === 0) this.close();
      return count;
    } catch (error) {
      throw inputError(this.inputLabel, error);
    }
  }

  /** Closes the file, but not standard input. */
  close(): void {
    if (this.isOpen && this.descriptor !== 0) closeSync(this.descriptor);
    this.isOpen = false;
  }
}

/**
 * Creates a source for a pipe, a socket or a terminal. Unlike a blocking read, a stream can be destroyed while it
 * waits, for example when the reader of our output has closed it.
 */
function createStreamSource(stream: Readable, inputLabel: string): ByteSource {
  return new ChunkSource(
    readChunks(stream, inputLabel),
    emptySource(() => stream.destroy()),
  );
}

async function* readChunks(stream: Readable, inputLabel: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw inputError(inputLabel, error);
  }
}

export class StandardInput {
  constructor(
    private readonly stream: () => NodeJS.ReadStream,
    private readonly loadTty: () => typeof import("node:tty"),
  ) {}

  get isTerminal(): boolean {
    return isCharacterDevice(0) && this.loadTty().isatty(0);
  }

  /** True if it is closed or the null device. */
  get isNull(): boolean {
    return isNullDevice(0);
  }

  open(): OpenedSource {
    const displayName = "standard input";
    let stat: Stats;
    try {
      stat = fstatSync(0);
    } catch (error) {
      throw inputError(displayName, error);
    }
    if (stat.isFIFO() || stat.isSocket() || this.isTerminal) {
      // Use Node's own stream: a second stream on the descriptor would compete with it.
      return { source: createStreamSource(this.stream(), displayName) };
    }
    return { source: new FileSource(0, displayName), ...fileFacts(stat) };
  }

  /** Reads at most `limitBytes` + 1 bytes, so that the caller can detect a longer input. */
  readBounded(limitBytes: number): Uint8Array {
    return readBounded(0, limitBytes);
  }

  /** Reads the first line without its line break, at most `limitBytes` of it. */
  readLine(limitBytes: number): string {
    const bytes = readUntil(0, limitBytes, (read) => read.includes(LF));
    return new TextDecoder().decode(bytes).split(/\r?\n/, 1)[0] as string;
  }
}

// Linux reports the end of a FIFO only after a writer has opened it; elsewhere, only a blocking open waits for one.
const FIFO_FLAGS = process.platform === "linux" ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY;

export function openFile(path: string): OpenedSource {
  try {
    const descriptor = openSync(path, statSync(path).isFIFO() ? FIFO_FLAGS : constants.O_RDONLY);
    const stat = fstatSync(descriptor);
    const source = stat.isFile()
      ? new FileSource(descriptor, path)
      : createStreamSource(createStream(descriptor, stat), path);
    return { source, ...fileFacts(stat) };
  } catch (error) {
    throw inputError(path, error);
  }
}

/** A pending read of a FIFO or a terminal ends when the stream is destroyed; that of a file stream would not. */
function createStream(descriptor: number, stat: Stats): Readable {
  // Loading these modules takes longer than a short run.
  const load = process.getBuiltinModule;
  if (stat.isFIFO()) return new (load("node:net").Socket)({ fd: descriptor, readable: true, writable: false });
  const { isatty, ReadStream } = load("node:tty");
  return isatty(descriptor) ? new ReadStream(descriptor) : createReadStream("", { fd: descriptor });
}

/** Checks a file that is opened later. Throws AddrsiftError INPUT if it is missing or unreadable. */
export function checkFile(path: string): Omit<OpenedSource, "source"> {
  try {
    accessSync(path, constants.R_OK);
    const stat = statSync(path);
    if (stat.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    return fileFacts(stat);
  } catch (error) {
    throw inputError(path, error);
  }
}

function fileFacts(stat: Stats): Omit<OpenedSource, "source"> {
  return { bytes: stat.isFile() ? stat.size : undefined, file: fileIdentity(stat) };
}

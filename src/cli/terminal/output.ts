// The output of a command: a descriptor as a byte stream, whose failures become one-line errors.

import { fstatSync, type Stats, statSync, write, writeSync } from "node:fs";
import { sep } from "node:path";
import { AddrsiftError, describeSystemError } from "../../base/errors.ts";
import { escapeInvisible } from "../../base/format-text.ts";
import { type ByteSink, isOutputClosed, OutputClosedError } from "../../bulk/streams.ts";

// Same as `devNull` of node:os, which takes 0.5 ms to load.
const NULL_DEVICE = sep === "/" ? "/dev/null" : "\\\\.\\nul";

export type Output = Pick<DescriptorOutput, keyof DescriptorOutput>;

export class DescriptorOutput {
  /** `loadTty` and `stream` load the network stack, so they are called only when needed. */
  constructor(
    private readonly descriptor: 1 | 2,
    private readonly stream: () => NodeJS.WriteStream,
    private readonly loadTty: () => typeof import("node:tty"),
  ) {}

  /** False if it is certainly not a terminal. Cheaper than `isTerminal`. */
  get maybeTerminal(): boolean {
    return isCharacterDevice(this.descriptor);
  }

  get isTerminal(): boolean {
    return this.maybeTerminal && this.loadTty().isatty(this.descriptor);
  }

  get columns(): number | undefined {
    // If it is not a terminal, `stream` would open a stream. Some terminals report 0 columns.
    return (this.isTerminal && this.stream().columns) || undefined;
  }

  get rows(): number | undefined {
    return (this.isTerminal && this.stream().rows) || undefined;
  }

  get file(): string | undefined {
    try {
      return fileIdentity(fstatSync(this.descriptor));
    } catch {
      return undefined;
    }
  }

  /** Writes without blocking the event loop, so that signals are handled while the reader is slow. */
  get sink(): ByteSink {
    return {
      write: async (bytes) => {
        for (let at = 0; at < bytes.length; ) at += await this.writeSome(bytes, at);
      },
    };
  }

  /**
   * Writes short data synchronously. Throws OutputClosedError, or AddrsiftError OUTPUT. If the reader of standard error
   * is gone, the data is dropped: a message without a reader must not end the run.
   */
  write(data: string | Uint8Array): void {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    for (let at = 0; at < bytes.length; ) {
      try {
        at += retryOnEagain(() => writeSync(this.descriptor, bytes, at));
      } catch (error) {
        const failure = this.toError(error);
        if (this.descriptor === 2 && isOutputClosed(failure)) return;
        throw failure;
      }
    }
  }

  private writeSome(bytes: Uint8Array, at: number): Promise<number> {
    return new Promise((resolve, reject) => {
      write(this.descriptor, bytes, at, bytes.length - at, null, (error, count) => {
        if (error === null) resolve(count);
        // Another process made the pipe non-blocking: retry when its reader has made room.
        else if (error.code === "EAGAIN") setTimeout(resolve, 5, 0);
        else reject(this.toError(error));
      });
    });
  }

  private toError(error: unknown): Error {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EPIPE" || code === "ECONNRESET") return new OutputClosedError();
    const streamName = this.descriptor === 1 ? "standard output" : "standard error";
    return new AddrsiftError("OUTPUT", `can't write to ${streamName}: ${describeSystemError(error)}`, error);
  }
}

/** Returns a value that identifies a regular file and is equal for all its hard links; otherwise undefined. */
export function fileIdentity(stat: Stats): string | undefined {
  return stat.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
}

/** Reports whether a descriptor may be a terminal. node:tty would load the network stack. */
export function isCharacterDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice() && !isNullDevice(descriptor);
  } catch {
    return false;
  }
}

/** Reports whether a descriptor is the null device, which is common in CI. Node opens it for a closed descriptor. */
export function isNullDevice(descriptor: number): boolean {
  const stat = fstatSync(descriptor);
  return stat.isCharacterDevice() && stat.rdev === statSync(NULL_DEVICE).rdev;
}

/** Retries a read or write while a pipe, made non-blocking by another process, is not ready. */
export function retryOnEagain<T>(work: () => T): T {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

export function warn({ stderr }: { readonly stderr: Pick<Output, "write"> }, line: string): void {
  stderr.write(`addrsift: ${escapeInvisible(line)}\n`);
}

// The output of a command: a descriptor as a byte stream, whose failures become one-line errors; text for a terminal.

import { fstatSync, type Stats, statSync, write, writeSync } from "node:fs";
import { sep } from "node:path";
import { AddrsiftError, describeSystemError } from "../../base/errors.ts";
import { escapeInvisible } from "../../base/format-text.ts";
import { type ByteSink, OutputClosedError } from "../../bulk/streams.ts";

// As `devNull` of node:os, which takes half a millisecond to load.
const NULL_DEVICE = sep === "/" ? "/dev/null" : "\\\\.\\nul";

export type Output = Pick<DescriptorOutput, keyof DescriptorOutput>;

export class DescriptorOutput {
  /** `loadTty` and `stream` are called when needed: both load the network stack. */
  constructor(
    private readonly descriptor: 1 | 2,
    private readonly stream: () => NodeJS.WriteStream,
    private readonly loadTty: () => typeof import("node:tty"),
  ) {}

  /** False when it is certainly not a terminal. Cheaper than `isTerminal`. */
  get maybeTerminal(): boolean {
    return isCharacterDevice(this.descriptor);
  }

  get isTerminal(): boolean {
    return this.maybeTerminal && this.loadTty().isatty(this.descriptor);
  }

  /** Columns of the terminal; undefined where they are not known. */
  get columns(): number | undefined {
    // On anything else, `stream` would open a stream. Some terminals have 0 columns.
    return (this.isTerminal && this.stream().columns) || undefined;
  }

  get rows(): number | undefined {
    return (this.isTerminal && this.stream().rows) || undefined;
  }

  /** The `fileIdentity` of a regular file; undefined for anything else. */
  get file(): string | undefined {
    try {
      return fileIdentity(fstatSync(this.descriptor));
    } catch {
      return undefined;
    }
  }

  /** Writes long output without blocking the event loop, so that signals are handled while the reader is slow. */
  get sink(): ByteSink {
    return {
      write: async (bytes) => {
        for (let at = 0; at < bytes.length; ) at += await this.writeSome(bytes, at);
      },
    };
  }

  /** Writes at once: for short texts. Throws OutputClosedError, or AddrsiftError OUTPUT. */
  write(data: string | Uint8Array): void {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    for (let at = 0; at < bytes.length; ) {
      try {
        at += retryOnEagain(() => writeSync(this.descriptor, bytes, at));
      } catch (error) {
        throw this.toError(error);
      }
    }
  }

  private writeSome(bytes: Uint8Array, at: number): Promise<number> {
    return new Promise((resolve, reject) => {
      write(this.descriptor, bytes, at, bytes.length - at, null, (error, count) => {
        if (error === null) resolve(count);
        // Another process made the pipe non-blocking: wait for its reader.
        else if (error.code === "EAGAIN") setTimeout(resolve, 5, 0);
        else reject(this.toError(error));
      });
    });
  }

  private toError(error: unknown): Error {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EPIPE" || code === "ECONNRESET") return new OutputClosedError();
    const shown = this.descriptor === 1 ? "standard output" : "standard error";
    return new AddrsiftError("OUTPUT", `can't write to ${shown}: ${describeSystemError(error)}`, error);
  }
}

/** The same for all names of a regular file; undefined for anything else. */
export function fileIdentity(stat: Stats): string | undefined {
  return stat.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
}

/** Whether a descriptor may be a terminal. Asking node:tty would load the network stack. */
export function isCharacterDevice(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    // A gate's output goes to the null device, which is one too.
    return stat.isCharacterDevice() && stat.rdev !== statSync(NULL_DEVICE).rdev;
  } catch {
    return false;
  }
}

/** Reads or writes a pipe that another process may have made non-blocking: waits for that process. */
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

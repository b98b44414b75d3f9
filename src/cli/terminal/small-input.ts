// Small inputs read as a whole: a value from a file or standard input, a typed line. Rows are read elsewhere.

import { closeSync, openSync, readSync } from "node:fs";
import { AddrsiftError } from "../../base/errors.ts";

/** A file's octets; one more than the limit when there are more. Throws as node:fs does. */
export function readFileBounded(path: string, limitOctets: number): Uint8Array {
  const descriptor = openSync(path, "r");
  try {
    return readBounded(descriptor, limitOctets);
  } finally {
    closeSync(descriptor);
  }
}

/** A descriptor's octets; one more than the limit when there are more. Throws as node:fs does. */
export function readBounded(descriptor: number, limitOctets: number): Uint8Array {
  const octets = new Uint8Array(limitOctets + 1);
  let end = 0;
  for (let count = 1; count > 0 && end < octets.length; end += count) count = readSome(descriptor, octets, end);
  return octets.subarray(0, end);
}

function readSome(descriptor: number, octets: Uint8Array, at: number): number {
  for (;;) {
    try {
      return readSync(descriptor, octets, at, octets.length - at, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Windows' code for the end of a pipe.
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      // Another process made the pipe non-blocking: wait for its writer.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** A descriptor's first line without its line break, or everything when there is no break; at most `limitOctets`. */
export function readLine(descriptor: number, limitOctets: number): string {
  const octets = new Uint8Array(limitOctets);
  let end = 0;
  for (let count = 1; count > 0 && end < limitOctets && !octets.subarray(0, end).includes(LINE_FEED); end += count) {
    count = readSome(descriptor, octets, end);
  }
  return new TextDecoder().decode(octets.subarray(0, end)).split(/\r?\n/, 1)[0] as string;
}

const LINE_FEED = 0x0a;

/** The error of an input that can't be read. */
export function inputError(shown: string, error: unknown): AddrsiftError {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const reason = {
    ENOENT: "there is no such file, check its name",
    EISDIR: "it is a directory, give a file",
    EACCES: "permission denied, check its mode",
  }[code];
  return new AddrsiftError("INPUT", `can't read ${shown}: ${reason ?? message}`, error);
}

// Reads small inputs: option values that may be secrets, names one per line.

import { closeSync, openSync, readSync } from "node:fs";
import { AddrsiftError, describeSystemError, usageError } from "../../base/errors.ts";
import { escapeInvisible } from "../../base/format-text.ts";
import { retryOnEagain } from "./output.ts";

const MAX_VALUE_BYTES = 65_536;
const MAX_NAMES_BYTES = 64 * 1024 * 1024;

/** Reads at most `limitBytes` + 1 bytes of a descriptor. Throws as node:fs does. */
export function readBounded(descriptor: number, limitBytes: number): Uint8Array {
  return readUntil(descriptor, limitBytes + 1, () => false);
}

/** Reads a descriptor until `isDone`, at most `maxBytes` of it. Throws as node:fs does. */
export function readUntil(descriptor: number, maxBytes: number, isDone: (read: Uint8Array) => boolean): Uint8Array {
  const bytes = new Uint8Array(maxBytes);
  let end = 0;
  for (let count = 1; count > 0 && end < maxBytes && !isDone(bytes.subarray(0, end)); end += count) {
    count = readOnce(descriptor, bytes, end);
  }
  return bytes.subarray(0, end);
}

function readOnce(descriptor: number, bytes: Uint8Array, at: number): number {
  try {
    return retryOnEagain(() => readSync(descriptor, bytes, at, bytes.length - at, null));
  } catch (error) {
    // Windows reports the end of a pipe as an error.
    if ((error as NodeJS.ErrnoException).code === "EOF") return 0;
    throw error;
  }
}

export function inputError(inputLabel: string, error: unknown): AddrsiftError {
  return new AddrsiftError("INPUT", `can't read ${inputLabel}: ${describeSystemError(error)}`, error);
}

/** Reports whether a URL has credentials or a query. Text that is not a URL has credentials if it contains `@`. */
export function urlHasSecret(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const hasCredentials = url === undefined ? text.includes("@") : url.username + url.password !== "";
  return hasCredentials || text.includes("?");
}

interface BoundedInput {
  readonly stdin: { readBounded(limitBytes: number): Uint8Array };
}

/** Reads an option's value from a file, or from standard input for `-`, without the final line break. */
export function readOptionValue(path: string, option: string, { stdin }: BoundedInput): string {
  const inputLabel = path === "-" ? "standard input" : escapeInvisible(path);
  let bytes: Uint8Array;
  try {
    bytes = path === "-" ? stdin.readBounded(MAX_VALUE_BYTES) : readFileBounded(path, MAX_VALUE_BYTES);
  } catch (error) {
    throw inputError(`${inputLabel} for ${option}`, error);
  }
  if (bytes.length > MAX_VALUE_BYTES) {
    throw new AddrsiftError("INPUT", `${inputLabel} is too long for ${option}: give at most 64 KiB`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch (error) {
    throw new AddrsiftError("INPUT", `${inputLabel} for ${option} is not UTF-8: save it as UTF-8`, error);
  }
}

function readFileBounded(path: string, limitBytes: number): Uint8Array {
  const descriptor = openSync(path, "r");
  try {
    return readBounded(descriptor, limitBytes);
  } finally {
    closeSync(descriptor);
  }
}

/** A domain or address from the command line or standard input. Error messages about it start with `prefix`. */
export interface InputName {
  readonly text: string;
  readonly prefix: string;
}

/** Returns the arguments; for `-`, the lines of standard input without blank lines and comments. */
export function readNames(positionals: readonly string[], { stdin }: BoundedInput): InputName[] {
  if (!positionals.includes("-")) return positionals.map((text) => ({ text, prefix: "" }));
  if (positionals.length > 1) throw usageError("- means standard input: give it without domains and addresses");
  const bytes = stdin.readBounded(MAX_NAMES_BYTES);
  if (bytes.length > MAX_NAMES_BYTES) throw new AddrsiftError("INPUT", "standard input is over 64 MiB: split it");
  // UTF-16 has a byte-order mark, or zero bytes between ASCII characters.
  if (bytes.subarray(0, 2).some((byte) => byte === 0 || byte >= 0xfe))
    throw new AddrsiftError("INPUT", "standard input is UTF-16: convert it, as with iconv -f UTF-16 -t UTF-8");
  const names = new TextDecoder()
    .decode(bytes)
    .split(/\r?\n/)
    .map((line, i) => ({ text: line.replace(/(^|\s)#.*$/, "").trim(), prefix: `line ${i + 1}: ` }))
    .filter(({ text }) => text !== "");
  // The header of a CSV file.
  if (/^[^@]*,[^@]*$/.test(names[0]?.text ?? ""))
    throw usageError(
      "standard input has columns: give one of them without its header, as from cut -d, -f1 FILE.csv | tail -n +2",
    );
  return names;
}

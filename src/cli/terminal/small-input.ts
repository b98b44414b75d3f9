// Small inputs read as a whole: a file, a typed line, and a value of an option that may be a secret. Rows are read
// elsewhere.

import { closeSync, openSync, readSync } from "node:fs";
import { AddrsiftError, remedyOf } from "../../base/errors.ts";
import { whenReady } from "./output.ts";
import { shownText } from "./say.ts";

/** A file's bytes; one more than the limit when there are more. Throws as node:fs does. */
function readFileBounded(path: string, limitBytes: number): Uint8Array {
  const descriptor = openSync(path, "r");
  try {
    return readBounded(descriptor, limitBytes);
  } finally {
    closeSync(descriptor);
  }
}

/** A descriptor's bytes; one more than the limit when there are more. Throws as node:fs does. */
export function readBounded(descriptor: number, limitBytes: number): Uint8Array {
  const bytes = new Uint8Array(limitBytes + 1);
  let end = 0;
  for (let count = 1; count > 0 && end < bytes.length; end += count) count = readSome(descriptor, bytes, end);
  return bytes.subarray(0, end);
}

function readSome(descriptor: number, bytes: Uint8Array, at: number): number {
  try {
    return whenReady(() => readSync(descriptor, bytes, at, bytes.length - at, null));
  } catch (error) {
    // Windows' code for the end of a pipe.
    if ((error as NodeJS.ErrnoException).code === "EOF") return 0;
    throw error;
  }
}

/** A descriptor's first line without its line break, or everything when there is no break; at most `limitBytes`. */
export function readLine(descriptor: number, limitBytes: number): string {
  const bytes = new Uint8Array(limitBytes);
  let end = 0;
  for (let count = 1; count > 0 && end < limitBytes && !bytes.subarray(0, end).includes(LINE_FEED); end += count) {
    count = readSome(descriptor, bytes, end);
  }
  return new TextDecoder().decode(bytes.subarray(0, end)).split(/\r?\n/, 1)[0] as string;
}

const LINE_FEED = 0x0a;

export function inputError(shown: string, error: unknown): AddrsiftError {
  return new AddrsiftError("INPUT", `can't read ${shown}: ${remedyOf(error)}`, error);
}

const VALUE_MAX_BYTES = 65_536;

/**
 * Whether a URL has credentials or a query. Text that can't be read as a URL may have credentials, so it counts as one
 * that has.
 */
export function urlHasSecret(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const { username, password } = url ?? { username: /@/.exec(text)?.[0] ?? "", password: "" };
  return username + password !== "" || text.includes("?");
}

/**
 * The value of an option that stands in a file, or in standard input for the path `-`, without the line break at its
 * end.
 */
export function readGivenValue(path: string, option: string, runtime: BoundedInput): string {
  // Editors add one line break at the end.
  return readText(path, runtime, VALUE_MAX_BYTES, ` for ${option}`).replace(/\r?\n$/, "");
}

interface BoundedInput {
  readonly stdin: { readBounded(limitBytes: number): Uint8Array };
}

/**
 * The text of a file, or of standard input for the path `-`; messages add `use` to its name. Throws AddrsiftError
 * INPUT.
 */
export function readText(path: string, { stdin }: BoundedInput, limitBytes: number, use = ""): string {
  const shown = path === "-" ? "standard input" : shownText(path);
  let bytes: Uint8Array;
  try {
    bytes = path === "-" ? stdin.readBounded(limitBytes) : readFileBounded(path, limitBytes);
  } catch (error) {
    throw inputError(shown + use, error);
  }
  if (bytes.length > limitBytes) {
    throw new AddrsiftError("INPUT", `${shown} is too long${use}: give at most ${limitBytes / 1024} KiB`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AddrsiftError("INPUT", `${shown}${use} is not UTF-8: save it as UTF-8`, error);
  }
}

// A value of an option that may be a secret: read from a file or standard input, because every process of the machine can read
// another's arguments.

import { AddrsiftError } from "../../base/errors.ts";
import type { Runtime } from "../runtime.ts";
import { shownText } from "./escape.ts";
import { inputError, readFileBounded } from "./small-input.ts";

const VALUE_MAX_OCTETS = 65_536;

/** Whether a URL has credentials or a query. Text that can't be read as a URL may have credentials, so it counts as one that has. */
export function urlHasSecret(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const { username, password } = url ?? { username: /@/.exec(text)?.[0] ?? "", password: "" };
  return username + password !== "" || text.includes("?");
}

/**
 * The text of a file, or of standard input for the path `-`, without the line break at its end. `option` is what messages call its use.
 * Throws AddrsiftError INPUT.
 */
export function readGivenValue(path: string, option: string, { stdin }: Pick<Runtime, "stdin">): string {
  const shown = path === "-" ? "standard input" : shownText(path);
  let octets: Uint8Array;
  try {
    octets = path === "-" ? stdin.readBounded(VALUE_MAX_OCTETS) : readFileBounded(path, VALUE_MAX_OCTETS);
  } catch (error) {
    throw inputError(`${shown} for ${option}`, error);
  }
  if (octets.length > VALUE_MAX_OCTETS) {
    throw new AddrsiftError("INPUT", `${shown} is too long for ${option}: give at most 64 KiB`);
  }
  try {
    // Editors add one line break at the end.
    return new TextDecoder("utf-8", { fatal: true }).decode(octets).replace(/\r?\n$/, "");
  } catch (error) {
    throw new AddrsiftError("INPUT", `${shown} for ${option} is not UTF-8: save it as UTF-8`, error);
  }
}

// The domains and addresses that a command about lists is given: arguments, or the lines of standard input.

import { AddrsiftError, usage } from "../../../base/errors.ts";
import type { Runtime } from "../../runtime.ts";

const INPUT_MAX_BYTES = 64 * 1024 * 1024;

export interface GivenName {
  readonly text: string;
  /** Its place, which begins an error about it. */
  readonly place: string;
}

/** The arguments, or with `-` the lines of standard input without blank ones and remarks. */
export function givenNames(positionals: readonly string[], runtime: Runtime): GivenName[] {
  if (!positionals.includes("-")) return positionals.map((text) => ({ text, place: "" }));
  if (positionals.length > 1) {
    throw usage("- means standard input: give it without domains and addresses");
  }
  const bytes = runtime.stdin.readBounded(INPUT_MAX_BYTES);
  if (bytes.length > INPUT_MAX_BYTES) throw new AddrsiftError("INPUT", "standard input is over 64 MiB: split it");
  return new TextDecoder()
    .decode(bytes)
    .split(/\r?\n/)
    .map((line, i) => ({ text: line.replace(/(^|\s)#.*$/, "").trim(), place: `line ${i + 1}: ` }))
    .filter(({ text }) => text !== "");
}

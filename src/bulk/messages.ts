// Messages about options and inputs, worded for the caller: the command line, an HTTP request or the page.

import { formatAlternatives } from "../base/closest-names.ts";
import { AddrsiftError } from "../base/errors.ts";

/** How a caller spells options, input kinds, output formats and pipes. */
export interface Wording {
  /** Spells an option, with or without a value, such as `--skip 3` or `skip=3`. */
  readonly option: (name: string, value?: string) => string;
  /** Spells how to select an input kind, such as `--csv`. Empty if the caller can't select the kind. */
  readonly kind: (name: string) => string;
  /** Spells an output format, to follow `formatOption`. Empty if the caller can't select the format. */
  readonly format: (name: string) => string;
  readonly formatOption: string;
  /**
   * Spells how to send the output of `program` to addrsift. If `program` does not contain FILE, it is appended.
   * `options` follow `addrsift detect`.
   */
  readonly send: (program: string, options?: string) => string;
}

/** A message that each caller gets in its own wording. */
export type Message = (wording: Wording) => string;

/** Lists how to select the input kinds. Omits the kinds that the caller can't select. */
export function listKindOptions({ kind }: Pick<Wording, "kind">, names: readonly string[]): string {
  return formatAlternatives(names.map(kind).filter((word) => word !== ""));
}

/** Appends FILE to a command line that does not contain it. */
export function appendFileOperand(program: string): string {
  return program.includes("FILE") ? program : `${program} FILE`;
}

export const CLI_WORDING: Wording = {
  option: (name, value) => (value === undefined ? `--${name}` : `--${name} ${value}`),
  kind: (name) => (name === "lines" ? name : `--${name}`),
  format: (name) => (name === "auto" ? "" : name),
  formatOption: "--format",
  send: (program, options = ", with the same options but no input file") =>
    `run ${appendFileOperand(program)} | addrsift detect${options}`,
};

/** Options that would correct the error. The page sets them by itself. */
export interface SuggestedOptions {
  readonly skip?: number;
  readonly column?: string;
  readonly prefix?: true;
}

/** An error in options or in an input. `message` is in the wording of the command line. */
export class InputError extends AddrsiftError {
  constructor(
    code: "USAGE" | "INPUT",
    readonly template: Message,
    readonly suggestedOptions: SuggestedOptions = {},
  ) {
    super(code, template(CLI_WORDING));
  }
}

/** Returns the text of an error or a note in the given wording. */
export function renderMessage(wording: Wording, message: AddrsiftError | Message | string): string {
  if (typeof message === "string") return message;
  if (typeof message === "function") return message(wording);
  return message instanceof InputError ? message.template(wording) : message.message;
}

export function usage(message: Message, suggestedOptions?: SuggestedOptions): InputError {
  return new InputError("USAGE", message, suggestedOptions);
}

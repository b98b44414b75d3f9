// Messages about options and inputs in the words of those who gave them: on the command line, or in a request.

import { AddrsiftError } from "../base/errors.ts";
import { choiceOf } from "../base/near-names.ts";

/** How options, kinds of input and what converts them are written. */
export interface Face {
  /** An option, with its value or without. */
  readonly option: (name: string, value?: string) => string;
  /** The option that says that the input is CSV, for example; empty for a kind that can't be given. */
  readonly kind: (name: string) => string;
  /** The name of an output format; empty for one that can't be given. It follows `formatOption`. */
  readonly format: (name: string) => string;
  readonly formatOption: string;
  /**
   * How to send us a program's output. FILE is appended to `program` unless it is in it. `options` are those of our
   * command.
   */
  readonly send: (program: string, options?: string) => string;
}

/** A message, in the words of a face. */
export type Message = (face: Face) => string;

/** The kinds of input among these that can be given. */
export function choiceOfKinds({ kind }: Pick<Face, "kind">, names: readonly string[]): string {
  return choiceOf(names.map(kind).filter((word) => word !== ""));
}

export function withFile(program: string): string {
  return program.includes("FILE") ? program : `${program} FILE`;
}

export const COMMAND_LINE: Face = {
  option: (name, value) => (value === undefined ? `--${name}` : `--${name} ${value}`),
  kind: (name) => (name === "lines" ? name : `--${name}`),
  format: (name) => (name === "auto" ? "" : name),
  formatOption: "--format",
  send: (program, options = ", with the same options except --input") =>
    `run ${withFile(program)} | addrsift detect${options}`,
};

/** Options that would help, which a form can set by itself. */
export interface Offers {
  readonly skip?: number;
  readonly column?: string;
  readonly prefix?: true;
}

/** A fault of options or of an input. `message` has the words of the command line. */
export class RowsFault extends AddrsiftError {
  constructor(
    code: "USAGE" | "INPUT",
    readonly said: Message,
    readonly offers: Offers = {},
  ) {
    super(code, said(COMMAND_LINE));
  }
}

/** The message of any error, or a note, in the words of a face. */
export function inWordsOf(face: Face, said: AddrsiftError | Message | string): string {
  if (typeof said === "string") return said;
  if (typeof said === "function") return said(face);
  return said instanceof RowsFault ? said.said(face) : said.message;
}

export function usage(said: Message, offers?: Offers): RowsFault {
  return new RowsFault("USAGE", said, offers);
}

// The inputs of a run, one after another: files, and standard input among them. All files are looked at before the first is read.

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { AddrsiftError } from "../../../base/errors.ts";
import type { ByteSource } from "../../../bulk/ports.ts";
import type { Runtime } from "../../runtime.ts";
import { lookAtFile, type OpenedSource, openFile } from "../../terminal/input.ts";
import { fileIdentity } from "../../terminal/output.ts";

/** One input that was opened. */
export interface OpenedInput {
  readonly source: ByteSource;
  /** What messages call it. */
  readonly shown: string;
}

/** What messages call an input. */
export function shownInput(name: string): string {
  return name === "-" ? "standard input" : name;
}

/** The named inputs, or standard input where none is named. */
export class Inputs {
  /** Octets of all inputs, if known; what was read of them so far. */
  readonly octets: number | undefined;
  octetsRead = 0;
  /** What the files are called; `-` is standard input. */
  readonly names: readonly string[];
  /** The regular files that are written. */
  private readonly outputs: readonly string[];
  private current: ByteSource | undefined;
  private closed = false;

  /**
   * `written` are the names of files that are written besides standard output. Throws AddrsiftError INPUT for a file that can't be
   * read, or that is also an output. Standard input is looked at when its turn
   * comes.
   */
  constructor(
    names: readonly string[],
    private readonly runtime: Runtime,
    written: readonly (string | undefined)[] = [],
  ) {
    this.names = names.length === 0 ? ["-"] : names;
    const { stdout } = runtime;
    this.outputs = [stdout.file, ...written.map(fileOf)].filter((file) => file !== undefined);
    refuseTwice(this.outputs);
    const looked = this.names.map((name) => (name === "-" ? {} : this.look(name)));
    const sizes = looked.map(({ bytes }) => bytes);
    this.octets = sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  /** Opens an input. After `close` it has no octets. */
  open(name: string): OpenedInput {
    const shown = shownInput(name);
    const opened = name === "-" ? this.runtime.stdin.open() : openFile(name);
    this.current = opened.source;
    if (this.closed) opened.source.close();
    this.refuseOutput(opened, shown);
    return { source: this.counted(opened.source), shown };
  }

  /** Ends reading. */
  close(): void {
    this.closed = true;
    this.current?.close();
  }

  private look(name: string): Omit<OpenedSource, "source"> {
    if (name.includes("@") && !existsSync(name)) {
      throw new AddrsiftError(
        "INPUT",
        `there is no file ${name}: with --csv, --tsv, --jsonl, --lines and --input files are named; for an address give none of them`,
      );
    }
    const looked = lookAtFile(name);
    this.refuseOutput(looked, name);
    return looked;
  }

  /** The shell empties a file before it gives it to us as output, and rows that are written would be read again. */
  private refuseOutput({ file }: Omit<OpenedSource, "source">, shown: string): void {
    if (file === undefined || !this.outputs.includes(file)) return;
    throw new AddrsiftError("INPUT", `${shown} is both input and output: write to another file, and rename that`);
  }

  private counted(source: ByteSource): ByteSource {
    return {
      read: async (target, at) => {
        const count = await source.read(target, at);
        this.octetsRead += count;
        return count;
      },
      close: () => source.close(),
    };
  }
}

/** The one that is written last would replace the other. */
function refuseTwice(outputs: readonly string[]): void {
  if (new Set(outputs).size === outputs.length) return;
  throw new AddrsiftError("OUTPUT", "the rows, the summary and the report must go to different files");
}

/** Which regular file it is, or will be. */
function fileOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  return existsSync(name) ? fileIdentity(statSync(name)) : resolve(name);
}

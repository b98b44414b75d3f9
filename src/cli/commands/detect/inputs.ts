// The inputs of a run, one after another: files, and standard input among them. All files are looked at before the
// first is read, and each is named in messages where there are several.

import { existsSync, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { AddrsiftError, isAddrsiftError } from "../../../base/errors.ts";
import { COMMAND_LINE, inWordsOf } from "../../../bulk/face.ts";
import type { ByteSource } from "../../../bulk/ports.ts";
import { READ_BYTES } from "../../../bulk/reader.ts";
import { type Irregularities, irregularLines, PassedParts } from "../../../bulk/rows/irregularities.ts";
import type { TextTools } from "../../../bulk/rows/text.ts";
import { GunzipSource, type Zlib } from "../../../bulk/run/gunzip.ts";
import type { OpenedRows } from "../../../bulk/run/open-rows.ts";
import { type Input, lookAtFile, type OpenedSource, openFile } from "../../terminal/input.ts";
import { fileIdentity } from "../../terminal/output.ts";
import type { ListingTools } from "./folders.ts";

// Bytes read at once of the smallest file.
const LEAST_READ = 4096;
const EMPTY: ByteSource = { read: async () => 0, close: () => {} };

export interface InputsTools extends Pick<ListingTools, "env" | "tell"> {
  readonly stdin: Input;
  /** The files that are written: `fileIdentity` of the output, and others by their names. */
  readonly written: { readonly file: string | undefined; readonly names: readonly (string | undefined)[] };
  readonly zlib: () => Zlib;
  readonly tellPassed: (line: string) => void;
}

/**
 * The inputs of these names: standard input where there is none. A folder that is scanned means the files in it. Throws
 * AddrsiftError INPUT for a file that can't be read, or that is also an output.
 */
export async function openInputs(names: readonly string[], scans: boolean, tools: InputsTools): Promise<Inputs> {
  const passed = new PassedParts();
  const { written } = tools;
  const outputs = [written.file, ...written.names.map(fileOf)].filter((each) => each !== undefined);
  if (names.length === 0) return new Inputs(["-"], outputs, tools, passed);
  if (!scans) return new Inputs(names, outputs, tools, passed);
  const { listFiles } = await import("./folders.ts");
  const isWritten = (stat: Stats): boolean => outputs.includes(fileIdentity(stat) ?? "");
  return new Inputs(listFiles(names, passed, { ...tools, isWritten }), outputs, tools, passed);
}

export class Inputs {
  /** Bytes of all inputs, if known; what was read of them so far. */
  readonly bytes: number | undefined;
  bytesRead = 0;
  private current: ByteSource | undefined;
  private closed = false;

  /** Standard input, `-`, is looked at when its turn comes. */
  constructor(
    readonly names: readonly string[],
    private readonly outputs: readonly string[],
    private readonly tools: InputsTools,
    private readonly passed: PassedParts,
  ) {
    if (new Set(outputs).size < outputs.length) {
      // The one that is written last would replace the other.
      throw new AddrsiftError("OUTPUT", "the rows, the summary and the report must go to different files");
    }
    const sizes = names.map((name) => (name === "-" ? undefined : this.look(name).bytes));
    this.bytes = sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  close(): void {
    this.closed = true;
    this.current?.close();
  }

  /** Notes what was irregular in an input that was read. */
  note(name: string, byKind: Irregularities["byKind"], isBinary: boolean): void {
    for (const line of irregularLines(byKind, COMMAND_LINE)) this.tools.tell(this.named(name) + line);
    this.passed.addAll(byKind);
    byKind.clear();
    if (isBinary) this.passed.add("binary");
  }

  tellPassed(): void {
    const line = this.passed.text();
    if (line !== undefined) this.tools.tellPassed(line);
  }

  /** Opens an input, which is empty where all were passed over. After `close` it has no bytes. */
  open(
    name: string | undefined,
    read: (source: ByteSource, tools: TextTools) => Promise<OpenedRows>,
  ): Promise<OpenedRows> {
    const { stdin, zlib, tell } = this.tools;
    const opened = name === undefined ? { source: EMPTY } : name === "-" ? stdin.open() : openFile(name);
    const { source, bytes = READ_BYTES } = opened;
    const shown = shownInput(name);
    this.current = source;
    if (this.closed) source.close();
    this.refuseOutput(opened, shown);
    const tools: TextTools = {
      // A small file needs no large buffers, and there may be many.
      readBytes: Math.min(READ_BYTES, Math.max(LEAST_READ, bytes + 1)),
      gunzip: (packed) => new GunzipSource(packed, shown, zlib()),
      tell: (note) => tell(this.named(name) + inWordsOf(COMMAND_LINE, note)),
    };
    return this.about(name, () => read(this.counted(source), tools));
  }

  /** The beginning of a message about an input, which is empty where there is only one. */
  named(name: string | undefined): string {
    return this.names.length > 1 ? `${shownInput(name)}: ` : "";
  }

  async about<Value>(name: string | undefined, act: () => Promise<Value>): Promise<Value> {
    try {
      return await act();
    } catch (error) {
      const isAboutInput = isAddrsiftError(error) && (error.code === "INPUT" || error.code === "USAGE");
      if (!isAboutInput || this.names.length === 1 || error.message.includes(shownInput(name))) throw error;
      throw new AddrsiftError(error.code, this.named(name) + error.message, error);
    }
  }

  private look(name: string): Omit<OpenedSource, "source"> {
    if (name.includes("@") && !existsSync(name)) {
      throw new AddrsiftError(
        "INPUT",
        `there is no file ${name}: with --csv, --tsv, --jsonl, --lines, --scan and --input files are named; ` +
          `for an address give none of them`,
      );
    }
    const file = lookAtFile(name);
    this.refuseOutput(file, name);
    return file;
  }

  /** The shell empties a file before we write to it, and rows that are written would be read again. */
  private refuseOutput({ file }: Omit<OpenedSource, "source">, shown: string): void {
    if (file === undefined || !this.outputs.includes(file)) return;
    throw new AddrsiftError("INPUT", `${shown} is both input and output: write to another file, and rename that`);
  }

  private counted(source: ByteSource): ByteSource {
    return {
      read: async (target, at) => {
        const count = await source.read(target, at);
        this.bytesRead += count;
        return count;
      },
      close: () => source.close(),
    };
  }
}

export function shownInput(name = "-"): string {
  return name === "-" ? "standard input" : name;
}

/** The regular file that a name is, or will be. */
function fileOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  return existsSync(name) ? fileIdentity(statSync(name)) : resolve(name);
}

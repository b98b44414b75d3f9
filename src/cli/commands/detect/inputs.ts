// The inputs of a run, one after another: files, and standard input among them. All files are looked at before the first is read, and
// each is named in messages where there are several.

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { AddrsiftError, isAddrsiftError } from "../../../base/errors.ts";
import { counted } from "../../../base/shown.ts";
import type { TextTools } from "../../../bulk/beginning/beginning.ts";
import { COMMAND_LINE, inWordsOf } from "../../../bulk/face.ts";
import type { Pipeline } from "../../../bulk/pipeline.ts";
import { type ByteSource, OutputClosed } from "../../../bulk/ports.ts";
import { READ_OCTETS, type Watch } from "../../../bulk/reader.ts";
import type { ReportCounts } from "../../../bulk/report-counts.ts";
import { irregularLines } from "../../../bulk/rows/irregularities.ts";
import { GunzipSource, type Zlib } from "../../../bulk/run/gunzip.ts";
import { type OpenedRows, openFurtherRows, openingOf, openRows } from "../../../bulk/run/open-rows.ts";
import type { InputSettings } from "../../../bulk/run/settings.ts";
import { type Input, lookAtFile, type OpenedSource, openFile } from "../../terminal/input.ts";
import { fileIdentity } from "../../terminal/output.ts";
import { FailingRows } from "./odd-rows.ts";

// Octets read at once of the smallest file.
const LEAST_READ = 4096;

export interface InputsSetup {
  /** Names of files, and `-` for standard input, which is read where none is named. */
  readonly names: readonly string[];
  readonly stdin: Input;
  /** The files that are written: the output if it is one, as `fileIdentity` gives it, and others by their names. */
  readonly written: { readonly file: string | undefined; readonly names: readonly (string | undefined)[] };
  readonly zlib: () => Zlib;
  /** Told in a line what a person should know of an input. */
  readonly tell: (line: string) => void;
}

export interface InputTaker {
  readonly pipeline: Pipeline;
  readonly format: string;
  readonly part: boolean;
  readonly report: ReportCounts | undefined;
  readonly readAll: (input: OpenedRows) => Promise<void>;
  /** True ends the run. */
  readonly watch: Watch;
}

/** The named inputs, or standard input where none is named. */
export class Inputs {
  /** Octets of all inputs, if known; what was read of them so far. */
  readonly octets: number | undefined;
  octetsRead = 0;
  private readonly names: readonly string[];
  private readonly outputs: readonly string[];
  private current: ByteSource | undefined;
  private closed = false;

  /**
   * Throws AddrsiftError INPUT for a file that can't be read, or that is also an output. Standard input is looked at when its turn
   * comes.
   */
  constructor(private readonly setup: InputsSetup) {
    const { names, written } = setup;
    this.names = names.length === 0 ? ["-"] : names;
    this.outputs = [written.file, ...written.names.map(fileOf)].filter((file) => file !== undefined);
    refuseTwice(this.outputs);
    const looked = this.names.map((name) => (name === "-" ? {} : this.look(name)));
    const sizes = looked.map(({ bytes }) => bytes);
    this.octets = sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  openFirst(settings: InputSettings): Promise<OpenedRows> {
    return this.open(this.names[0] as string, (source, tools) => openRows(source, settings, tools));
  }

  /** Takes the rows of all inputs and writes their output; gives the rows that --fail-on looks for. `first` is the first input, opened. */
  async take(first: OpenedRows, taker: InputTaker): Promise<FailingRows> {
    const { pipeline, format, part } = taker;
    const failing = new FailingRows();
    pipeline.passThrough(openingOf(first, format), false);
    // The outputs of parts are joined, so a part has no header of its own.
    if (!part) pipeline.begin();
    try {
      await this.takeEach(first, taker, failing);
    } catch (error) {
      // The rows before an unreadable one are written.
      if (!(error instanceof OutputClosed)) await pipeline.settle();
      throw error;
    }
    await pipeline.end();
    return failing;
  }

  close(): void {
    this.closed = true;
    this.current?.close();
  }

  private async takeEach(first: OpenedRows, taker: InputTaker, failing: FailingRows): Promise<void> {
    const { pipeline, part, report, readAll, watch } = taker;
    let binary = 0;
    for (const [index, name] of this.names.entries()) {
      const further = (source: ByteSource, tools: TextTools): Promise<OpenedRows> =>
        openFurtherRows(source, first, part, tools);
      const input = index === 0 ? first : await this.open(name, further);
      pipeline.beginInput(name, input);
      report?.beginInput(shownInput(name));
      // Writes the header before more input is awaited.
      await pipeline.settle();
      await this.about(name, () => readAll(input));
      const { byKind } = pipeline.irregularities;
      for (const line of irregularLines(byKind, COMMAND_LINE)) this.setup.tell(this.named(name) + line);
      failing.add(this.named(name), byKind.get("failing"), input.headerRows);
      byKind.clear();
      if (input.isBinary === true) binary += 1;
      if (watch()) break;
    }
    if (binary > 0) this.setup.tell(`${counted(binary, "binary file", "binary files")} passed over`);
  }

  /** Opens an input. After `close` it has no octets. */
  private open(name: string, read: (source: ByteSource, tools: TextTools) => Promise<OpenedRows>): Promise<OpenedRows> {
    const { stdin, zlib, tell } = this.setup;
    const shown = shownInput(name);
    const opened = name === "-" ? stdin.open() : openFile(name);
    this.current = opened.source;
    if (this.closed) opened.source.close();
    this.refuseOutput(opened, shown);
    const tools: TextTools = {
      // A small file needs no large buffers, and there may be many.
      readOctets: Math.min(READ_OCTETS, Math.max(LEAST_READ, (opened.bytes ?? READ_OCTETS) + 1)),
      gunzip: (packed) => new GunzipSource(packed, shown, zlib()),
      tell: (note) => tell(this.named(name) + inWordsOf(COMMAND_LINE, note)),
    };
    return this.about(name, () => read(this.counted(opened.source), tools));
  }

  /** The beginning of a message about an input, which is empty where there is only one. */
  private named(name: string): string {
    return this.names.length > 1 ? `${shownInput(name)}: ` : "";
  }

  /** Among several inputs, an error names the one that it is about. */
  private async about<Value>(name: string, act: () => Promise<Value>): Promise<Value> {
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
        `there is no file ${name}: with --csv, --tsv, --jsonl, --lines, --scan and --input files are named; for an address give none of them`,
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

function shownInput(name: string): string {
  return name === "-" ? "standard input" : name;
}

/** The one that is written last would replace the other. */
function refuseTwice(outputs: readonly string[]): void {
  if (new Set(outputs).size === outputs.length) return;
  throw new AddrsiftError("OUTPUT", "the rows, the summary and the report must go to different files");
}

/** The regular file that a name is, or will be. */
function fileOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  return existsSync(name) ? fileIdentity(statSync(name)) : resolve(name);
}

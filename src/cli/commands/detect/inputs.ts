// The inputs of a run, one after another: files, and standard input among them. All files are looked at before the
// first is read, and each is named in messages where there are several.

import { existsSync, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { AddrsiftError, isAddrsiftError } from "../../../base/errors.ts";
import { COMMAND_LINE, inWordsOf } from "../../../bulk/face.ts";
import type { Pipeline } from "../../../bulk/pipeline.ts";
import { type ByteSource, OutputClosed } from "../../../bulk/ports.ts";
import { READ_BYTES, type Watch } from "../../../bulk/reader.ts";
import type { ReportCounts } from "../../../bulk/report-counts.ts";
import { irregularLines, PassedParts } from "../../../bulk/rows/irregularities.ts";
import type { TextTools } from "../../../bulk/rows/text.ts";
import { GunzipSource, type Zlib } from "../../../bulk/run/gunzip.ts";
import { type OpenedRows, openFurtherRows, openingOf, openRows } from "../../../bulk/run/open-rows.ts";
import type { InputSettings } from "../../../bulk/run/settings.ts";
import { type Input, lookAtFile, type OpenedSource, openFile } from "../../terminal/input.ts";
import { fileIdentity } from "../../terminal/output.ts";
import type { ListingTools } from "./folders.ts";
import { FailingRows } from "./odd-rows.ts";

// Bytes read at once of the smallest file.
const LEAST_READ = 4096;
const EMPTY: ByteSource = { read: async () => 0, close: () => {} };

export interface InputsTools {
  readonly stdin: Input;
  /** The files that are written: the output if it is one, as `fileIdentity` gives it, and others by their names. */
  readonly written: { readonly file: string | undefined; readonly names: readonly (string | undefined)[] };
  readonly zlib: () => Zlib;
  /** Told in a line what a person should know of an input. */
  readonly tell: (line: string) => void;
  /** Told in a line what was passed over. */
  readonly tellPassed: (line: string) => void;
  readonly env: ListingTools["env"];
}

/**
 * The inputs of these names: standard input where there is none. A folder that is scanned stands for the files in it.
 * Throws AddrsiftError INPUT for a file that can't be read, or that is also an output.
 */
export async function openInputs(names: readonly string[], scans: boolean, tools: InputsTools): Promise<Inputs> {
  const passed = new PassedParts();
  if (!scans || names.length === 0) return new Inputs(names.length === 0 ? ["-"] : names, tools, passed);
  const { listFiles } = await import("./folders.ts");
  const { env, tell, written } = tools;
  const outputs = outputsOf(written);
  const isWritten = (stat: Stats): boolean => outputs.includes(fileIdentity(stat) ?? "");
  return new Inputs(listFiles(names, passed, { env, tell, isWritten }), tools, passed);
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
  /** Bytes of all inputs, if known; what was read of them so far. */
  readonly bytes: number | undefined;
  bytesRead = 0;
  private readonly outputs: readonly string[];
  private current: ByteSource | undefined;
  private closed = false;

  /** Standard input, `-`, is looked at when its turn comes. */
  constructor(
    private readonly names: readonly string[],
    private readonly tools: InputsTools,
    private readonly passed: PassedParts,
  ) {
    this.outputs = outputsOf(tools.written);
    refuseTwice(this.outputs);
    const sizes = names.map((name) => (name === "-" ? undefined : this.look(name).bytes));
    this.bytes = sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  openFirst(settings: InputSettings): Promise<OpenedRows> {
    const [name] = this.names;
    return this.open(name, (source, tools) => openRows(source, settings, tools));
  }

  /**
   * Takes the rows of all inputs and writes their output; gives the rows that --fail-on looks for. `first` is the first
   * input, opened.
   */
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
    const { passed } = this;
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
      for (const line of irregularLines(byKind, COMMAND_LINE)) this.tools.tell(this.named(name) + line);
      failing.add(this.named(name), byKind.get("failing"), input.headerRows);
      passed.addAll(byKind);
      byKind.clear();
      if (input.isBinary === true) passed.add("binary");
      if (watch()) break;
    }
    const line = passed.text();
    if (line !== undefined) this.tools.tellPassed(line);
  }

  /** Opens an input, which is empty where all were passed over. After `close` it has no bytes. */
  private open(
    name: string | undefined,
    read: (source: ByteSource, tools: TextTools) => Promise<OpenedRows>,
  ): Promise<OpenedRows> {
    const { stdin, zlib, tell } = this.tools;
    const opened = name === undefined ? { source: EMPTY } : name === "-" ? stdin.open() : openFile(name);
    const shown = shownInput(name);
    this.current = opened.source;
    if (this.closed) opened.source.close();
    this.refuseOutput(opened, shown);
    const tools: TextTools = {
      // A small file needs no large buffers, and there may be many.
      readBytes: Math.min(READ_BYTES, Math.max(LEAST_READ, (opened.bytes ?? READ_BYTES) + 1)),
      gunzip: (packed) => new GunzipSource(packed, shown, zlib()),
      tell: (note) => tell(this.named(name) + inWordsOf(COMMAND_LINE, note)),
    };
    return this.about(name, () => read(this.counted(opened.source), tools));
  }

  /** The beginning of a message about an input, which is empty where there is only one. */
  private named(name: string | undefined): string {
    return this.names.length > 1 ? `${shownInput(name)}: ` : "";
  }

  /** Among several inputs, an error names the one that it is about. */
  private async about<Value>(name: string | undefined, act: () => Promise<Value>): Promise<Value> {
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
        this.bytesRead += count;
        return count;
      },
      close: () => source.close(),
    };
  }
}

function shownInput(name = "-"): string {
  return name === "-" ? "standard input" : name;
}

/** The regular files that are written. */
function outputsOf({ file, names }: InputsTools["written"]): string[] {
  return [file, ...names.map(fileOf)].filter((each) => each !== undefined);
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

// Opens the inputs of a run one after another. All files are checked before the first is read. With several inputs,
// messages start with the input's name.

import { existsSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { AddrsiftError, isAddrsiftError } from "../../../base/errors.ts";
import type { Duplicates } from "../../../bulk/duplicates.ts";
import { CLI_WORDING, renderMessage } from "../../../bulk/messages.ts";
import { READ_BYTES } from "../../../bulk/reader.ts";
import type { DecodeContext } from "../../../bulk/rows/decode-input.ts";
import {
  describeSkipped,
  formatRowNumbers,
  formatRowWarnings,
  type RowWarnings,
} from "../../../bulk/rows/row-warnings.ts";
import { createKeyReader, missingKeyError } from "../../../bulk/run/columns.ts";
import { gunzipSource } from "../../../bulk/run/gunzip.ts";
import { addKnownMailboxes } from "../../../bulk/run/known-mailboxes.ts";
import { type OpenedRows, openNextInput, openRows, openScan } from "../../../bulk/run/open-rows.ts";
import { type ByteSource, emptySource, meteredSource } from "../../../bulk/streams.ts";
import type { ClassifierSetup } from "../../../detection/classifier.ts";
import type { Runtime } from "../../runtime.ts";
import { checkFile, type OpenedSource, openFile } from "../../terminal/input.ts";
import { fileIdentity } from "../../terminal/output.ts";
import type { DetectSettings } from "./settings.ts";

// Minimum size of reads, in bytes, for small files.
const MIN_READ_BYTES = 4096;

const MAX_LINES_SHOWN = 10;

/** Prints a line on standard error. With --quiet, only if `isRequired`. */
type Notice = (line: string, isRequired?: boolean) => void;

/**
 * Checks the inputs of a run, standard input by default. With --scan, folders are replaced by their files. Throws
 * AddrsiftError INPUT if a file is unreadable, or is also an output.
 */
export async function openInputs(
  settings: DetectSettings,
  runtime: Runtime,
  notice: Notice,
  warnings: RowWarnings,
): Promise<Inputs> {
  const { inputs, scan, summaryFile, report, known, allowFile } = settings;
  const outputs = [runtime.stdout.file, findFileIdentity(summaryFile), findFileIdentity(report?.file)].filter(
    (identity) => identity !== undefined,
  );
  if (new Set(outputs).size < outputs.length) {
    // The last one written would replace the other.
    throw new AddrsiftError("OUTPUT", "the rows, the summary and the report must go to different files");
  }
  for (const name of [...known, allowFile]) if (name !== undefined) rejectOutput(findFileIdentity(name), name, outputs);
  let names = inputs.length === 0 ? ["-"] : inputs;
  let checksAllFiles = false;
  if (scan !== undefined) {
    const { findRepository, listFiles } = await import("./list-files.ts");
    const allowedFrom = findRepository(dirname(resolve(allowFile ?? ""))) ?? process.cwd();
    const [{ allowList }, { env }] = [scan, runtime];
    if (allowFile !== undefined) allowList.ownPath = relative(allowedFrom, resolve(allowFile));
    const context = { allowList, allowedFrom, allowFile: findFileIdentity(allowFile), outputs, env, notice };
    if (inputs.length > 0) names = listFiles(inputs, warnings, context);
    checksAllFiles = inputs.some((name) => !relative(resolve(name), allowedFrom).startsWith(".."));
  }
  return new Inputs(names, notice, settings, runtime, outputs, warnings, checksAllFiles);
}

export class Inputs {
  /** Total size of all inputs in bytes, if known. */
  readonly bytes: number | undefined;
  bytesRead = 0;
  private current: ByteSource | undefined;
  private currentName = "-";
  private isClosed = false;
  /** The first input, whose detected format applies to all inputs. */
  private first: OpenedRows | undefined;

  /** Standard input is checked when it is opened. */
  constructor(
    readonly names: readonly string[],
    readonly notice: Notice,
    private readonly settings: DetectSettings,
    private readonly runtime: Runtime,
    private readonly outputs: readonly string[],
    private readonly warnings: RowWarnings,
    private readonly checksAllFiles: boolean,
  ) {
    const sizes = names.map((name) => (name === "-" ? undefined : this.checkInput(name).bytes));
    this.bytes = sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  close(): void {
    this.isClosed = true;
    this.current?.close();
  }

  /** Reports the irregular rows of the input opened last. */
  reportWarnings(warnings: RowWarnings, isBinary = false): void {
    const name = this.currentName;
    for (const line of formatRowWarnings(warnings.irregular, CLI_WORDING)) this.notice(this.prefixFor(name) + line);
    const split = warnings.byKind.get("split");
    if (split?.names.length === 0) split.names.push(name);
    this.warnings.addInput(warnings, this.names.length > 1 ? `${name}:` : "");
    warnings.byKind.clear();
    if (isBinary) this.warnings.add("binary", undefined, 1, [name]);
  }

  /** Reports what was skipped, or that there was nothing to scan. */
  reportSkipped(): void {
    const { scan, allowFile } = this.settings;
    const unused = this.checksAllFiles && !this.isClosed ? (scan?.allowList.unusedLines() ?? []) : [];
    if (unused.length > 0) {
      const numbers = formatRowNumbers({ rows: unused.length, first: unused.slice(0, MAX_LINES_SHOWN) }, "line");
      this.notice(`not used in these files: ${numbers} of --allow-file ${allowFile}`);
    }
    const hasNoText = this.bytesRead === 0 && this.names.every((name) => name === "-");
    const reason = scan?.isDiff ? "the diff is empty" : "standard input or the folder is empty";
    const emptyScan = scan !== undefined && hasNoText ? `nothing was scanned: ${reason}` : undefined;
    const line = describeSkipped(this.warnings.byKind) ?? emptyScan;
    // In CI, always say what was not checked. In a hook, an empty diff is normal.
    const isRequired = this.settings.rows.failOn !== 0 && !(hasNoText && scan?.isDiff);
    if (line !== undefined) this.notice(line, isRequired);
  }

  /** Opens an input: an empty one if `name` is undefined, or after `close`. */
  open(name: string | undefined): Promise<OpenedRows> {
    const inputLabel = displayInputName(name);
    this.currentName = name ?? "-";
    // Removed since its folder was listed.
    const isAbsent = name !== undefined && !this.isArgument(name) && !existsSync(name);
    if (isAbsent) this.warnings.add("absent", undefined, 1, [name]);
    const opened =
      name === undefined || isAbsent
        ? { source: emptySource(() => {}) }
        : name === "-"
          ? this.runtime.stdin.open()
          : openFile(name);
    const { source, bytes = READ_BYTES } = opened;
    this.current = source;
    if (this.isClosed) source.close();
    rejectOutput(opened.file, inputLabel, this.outputs);
    const context = this.createDecodeContext(inputLabel, this.prefixFor(name));
    const tools: DecodeContext = {
      ...context,
      gunzip: (packed) => this.skipDamage(context.gunzip(packed)),
      // There may be many small files, which need no large buffers.
      readBytes: Math.min(READ_BYTES, Math.max(MIN_READ_BYTES, bytes + 1)),
    };
    const metered = meteredSource(source, (count) => {
      this.bytesRead += count;
    });
    return this.withInputName(name, async () => {
      const { first, settings } = this;
      const openRowInput = (): Promise<OpenedRows> =>
        first === undefined ? openRows(metered, settings, tools) : openNextInput(metered, first, settings, tools);
      const rows = await (settings.scan === undefined ? openRowInput() : openScan(metered, settings.scan, tools));
      this.first ??= rows;
      return rows;
    });
  }

  /** Adds the rows of --known, and sets up --key. */
  async addKnownRows(duplicates: Duplicates, setup: ClassifierSetup, shouldStop: () => boolean): Promise<void> {
    const { known, knownColumn: column, key } = this.settings;
    const first = this.first as OpenedRows;
    duplicates.hasKeys = key !== undefined;
    for (const name of known) {
      const { source } = openFile(name);
      const context = { ...this.createDecodeContext(name, `${name}: `), prefersUtf8: true, shouldStop };
      const file = { name, source, column, key };
      await addKnownMailboxes(file, duplicates, setup, context).finally(() => source.close());
    }
    duplicates.keyOf = key === undefined ? undefined : createKeyReader(key, first);
    if (key !== undefined && known.length === 0 && duplicates.keyOf === undefined)
      throw missingKeyError(key, "the input", first);
  }

  /** Returns the start of a message about an input: empty if there is only one. */
  prefixFor(name: string | undefined): string {
    return this.names.length > 1 ? `${displayInputName(name)}: ` : "";
  }

  async withInputName<Value>(name: string | undefined, action: () => Promise<Value>): Promise<Value> {
    try {
      return await action();
    } catch (error) {
      const isAboutInput = isAddrsiftError(error) && (error.code === "INPUT" || error.code === "USAGE");
      if (!isAboutInput || this.names.length === 1 || error.message.includes(displayInputName(name))) throw error;
      throw new AddrsiftError(error.code, this.prefixFor(name) + error.message, error);
    }
  }

  /** Errors name the input by `inputLabel`; notes start with `notePrefix`. */
  private createDecodeContext(inputLabel: string, notePrefix: string): DecodeContext {
    return {
      encoding: this.settings.encoding,
      gunzip: (packed) => gunzipSource(packed, inputLabel, this.runtime.load("node:zlib")),
      onNote: (note) => this.notice(notePrefix + renderMessage(CLI_WORDING, note)),
    };
  }

  /** Ends a damaged file of a folder early, so that the scan goes on. Throws the error for a file that is an argument. */
  private skipDamage(source: ByteSource): ByteSource {
    const name = this.currentName;
    const read: ByteSource["read"] = (target, offset) =>
      source.read(target, offset).catch((error: unknown) => {
        if (this.isArgument(name)) throw error;
        this.warnings.add("damaged", undefined, 1, [name]);
        return 0;
      });
    return { read, close: () => source.close() };
  }

  private isArgument(name: string): boolean {
    return name === "-" || this.settings.inputs.includes(name);
  }

  private checkInput(name: string): Omit<OpenedSource, "source"> {
    const file = checkFile(name);
    rejectOutput(file.file, name, this.outputs);
    return file;
  }
}

/** Throws if a file is both input and output: the shell would empty it first, or the run would read what it writes. */
function rejectOutput(file: string | undefined, inputLabel: string, outputs: readonly string[]): void {
  if (file === undefined || !outputs.includes(file)) return;
  throw new AddrsiftError("INPUT", `${inputLabel} is both input and output: write to another file, and rename that`);
}

export function displayInputName(name = "-"): string {
  return name === "-" ? "standard input" : name;
}

/** Returns the identity of a regular file; if there is none yet, its absolute path. */
function findFileIdentity(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  return existsSync(name) ? fileIdentity(statSync(name)) : resolve(name);
}

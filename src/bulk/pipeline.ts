// Classifies rows: bytes in, bytes out, one output row for each input row, in constant memory. One class, because all rows
// go through the same steps in the same order.

import { AT, CR, LF } from "../base/bytes/ascii.ts";
import { ByteWriter } from "../base/bytes/byte-writer.ts";
import { findByte } from "../base/bytes/bytes.ts";
import type { Classifier } from "../detection/classifier.ts";
import type { Explanation } from "../detection/evidence.ts";
import type { Explain } from "../detection/explain.ts";
import type { MailRouting } from "../detection/routing.ts";
import { classesOf, ROW_CLASS } from "./classes.ts";
import type { CountsBy } from "./counts-by.ts";
import type { Duplicates } from "./duplicates.ts";
import type { Renderer } from "./render/render.ts";
import type { ReportCounts } from "./report-counts.ts";
import type { Row, RowSink } from "./rows/row.ts";
import { type RowWarning, RowWarnings } from "./rows/row-warnings.ts";
import type { DnsLookahead } from "./run/dns-lookahead.ts";
import type { ByteSink, TimeSlice } from "./streams.ts";
import type { Summary } from "./summary.ts";

export interface PipelineSetup {
  readonly classifier: Classifier;
  readonly renderer: Renderer;
  readonly summary: Summary;
  readonly sink: ByteSink;
  /** Class bits of rows to keep; 0 keeps all. */
  readonly select: number;
  /** Class bits of rows to drop; beats `select`. */
  readonly reject: number;
  /** Class bits of rows whose numbers are recorded for --fail-on. */
  readonly failOn?: number;
  readonly report?: ReportCounts | undefined;
  readonly duplicates?: Duplicates | undefined;
  readonly by?: CountsBy | undefined;
  /** Creates the evidence of an address; undefined without --explain. */
  readonly explain: Explain | undefined;
  /** Bytes to collect before a write. Default: WRITE_BYTES. */
  readonly writeBytes?: number;
  /** Undefined: the run may block the event loop. */
  readonly timeSlice?: TimeSlice | undefined;
}

/** Default number of bytes to collect before a write. */
const WRITE_BYTES = 1024 * 1024;
// Enough for a short stream: frequent allocation of large buffers would cost garbage collections.
const INITIAL_BYTES = 8 * 1024;

/** Classifies rows, collects their output, and writes it in large chunks. */
export class Pipeline implements RowSink {
  private readonly writeBytes: number;
  /** Collects output until the next `flush`. Double buffering: one buffer is filled while the other is written. */
  output: ByteWriter;
  private spareOutput: ByteWriter | undefined;
  private pendingWrite: Promise<void> = Promise.resolve();
  /** Rows with warnings, reported at the end of the input. */
  readonly warnings: RowWarnings = new RowWarnings();
  /** Number of the last processed row. A CSV header is row 1. */
  rowNumber = 0;
  /** Number of the row after which the pipeline is full. */
  rowLimit: number = Infinity;
  /** The DNS lookups of the next rows, pending or done. */
  lookahead: DnsLookahead | undefined = undefined;

  constructor(readonly setup: PipelineSetup) {
    this.writeBytes = setup.writeBytes ?? WRITE_BYTES;
    this.output = this.newWriter();
  }

  /** Begins an input. A header counts as row 1; Excel's `sep=` line before it does not count. */
  beginInput(
    name: string,
    { names, preambleBytes }: { names: readonly string[] | undefined; preambleBytes: Uint8Array },
  ): void {
    this.rowNumber = names === undefined ? 0 : 1;
    this.setup.renderer.beginInput?.(name, preambleBytes.filter((byte) => byte === LF).length);
    this.setup.duplicates?.beginInput(name);
  }

  begin(): void {
    this.setup.renderer.begin(this.output);
  }

  /** True if the caller must flush before the next row: enough output, the row limit, a pending lookup, or the end of a time slice. */
  get isFull(): boolean {
    if (this.lookahead?.pendingLookup !== undefined) return true;
    if (this.setup.timeSlice?.expired === true) return true;
    return this.output.length >= this.writeBytes || this.rowNumber >= this.rowLimit;
  }

  /**
   * Classifies the addresses of a row, counts the row and writes its output. Returns whether the row is selected for the
   * output. A row with several addresses has the classes of all of them, but is blank only if all are: an optional field
   * may be empty.
   */
  accept(row: Row, mayBeBlank = true, routing?: MailRouting): boolean {
    const { classifier, summary, by, failOn = 0, renderer } = this.setup;
    const { output: out } = this;
    const rowStart = out.length;
    const isSingle = row.additionalAddresses.length === 0;
    this.rowNumber += 1;
    if (!isSingle) renderer.openRow?.(out, row);
    let classes = this.addAddress(row, isSingle, mayBeBlank, routing);
    for (const other of row.additionalAddresses) classes |= this.addAddress(other, false);
    if (classes !== ROW_CLASS.blank) classes &= ~ROW_CLASS.blank;
    summary.addRow(classes);
    by?.add(row, classes, classifier);
    if ((classes & failOn) !== 0) this.warnings.add("failing", this.rowNumber);
    if (!isSelected(this.setup, classes)) {
      out.length = rowStart;
      renderer.skipRow?.(row);
      return false;
    }
    if (isSingle) renderer.row(out, row, classifier, this.explain(row, classes));
    else renderer.closeRow?.(out, row);
    return true;
  }

  /** Records a warning about the next row. */
  warn(kind: RowWarning): void {
    this.warnings.add(kind, this.rowNumber + 1);
  }

  /**
   * Starts to write the collected output, after the previous write and, at the end of a time slice, after other work of
   * the event loop. A failed write is thrown by the next call.
   */
  async flush(): Promise<void> {
    if (this.setup.timeSlice?.expired === true) await this.setup.timeSlice.yieldToEventLoop();
    await this.pendingWrite;
    const { output: out } = this;
    if (out.length === 0) return;
    this.pendingWrite = this.setup.sink.write(out.buffer.subarray(0, out.length));
    // The next `flush` throws the error. Until then it must not count as an unhandled rejection.
    this.pendingWrite.catch(() => {});
    this.output = this.spareOutput ?? this.newWriter();
    this.spareOutput = out;
    this.output.clear();
  }

  /** Writes rows that the renderer holds back, because the next ones may take long to arrive. */
  flushRenderer(): void {
    this.setup.renderer.flush?.(this.output);
  }

  /** Writes the collected output. Resolves when all writes are complete. */
  async drain(): Promise<void> {
    await this.flush();
    await this.pendingWrite;
  }

  /** Copies bytes to the output unchanged, for formats that echo the input. */
  passThrough(bytes: Uint8Array, endsLine: boolean): void {
    this.output.bytes(bytes);
    if (endsLine) this.output.byte(LF);
  }

  async end(): Promise<void> {
    this.setup.renderer.end(this.output);
    await this.drain();
  }

  private newWriter(): ByteWriter {
    // A quarter more, because the last row may exceed `writeBytes`.
    return new ByteWriter(INITIAL_BYTES, 1.25 * this.writeBytes);
  }

  /**
   * Classifies and counts one address of a row; returns its class bits. If the row has several addresses, also writes the
   * address: `row` rolls back the output if the row is not selected.
   */
  private addAddress(row: Row, isSingle: boolean, mayBeBlank = true, knownRouting?: MailRouting): number {
    const { classifier, summary, renderer } = this.setup;
    const routing = this.lookahead === undefined ? knownRouting : this.lookahead.nextRouting();
    if (row.readFault === undefined) classifier.classify(row.bytes, row.start, row.end, routing);
    else classifier.refuse(row.readFault, row.start);
    if (row.readFault === "line_too_long") this.warnTooLong(row, isSingle);
    row.number = this.rowNumber;
    const classes = this.classesOf(row, mayBeBlank && row.readFault === undefined && row.isBlank);
    summary.addAddress(classes, classifier, row);
    this.reportAddress(classes, row);
    if (!isSingle) renderer.address?.(this.output, row, classifier, this.explain(row, classes));
    return classes;
  }

  /** Returns the evidence of the classifier's current address; undefined without --explain. */
  private explain({ bytes, start, end }: Row, classes: number): Explanation | undefined {
    const { classifier, explain } = this.setup;
    return classes === ROW_CLASS.blank ? undefined : explain?.(bytes, start, end, classifier);
  }

  private warnTooLong(row: Row, mayBeLines: boolean): void {
    this.warnings.add("too_long", this.rowNumber);
    if (mayBeLines && looksLikeLines(row, findByte(row.bytes, CR, row.start, row.end))) {
      this.warnings.add("bare_cr", this.rowNumber);
    }
  }

  /** Returns the classes of the classifier's current address, which is the row's address. */
  private classesOf(row: Row, blank: boolean): number {
    const { classifier, duplicates } = this.setup;
    const classes = classesOf(classifier, blank, row.location?.isMachine);
    if (duplicates === undefined) return classes;
    const isValid = (classes & ROW_CLASS.valid) !== 0;
    row.duplicateOf = isValid ? duplicates.firstRow(classifier, this.rowNumber, row) : undefined;
    return row.duplicateOf === undefined ? classes : classes | ROW_CLASS.duplicate;
  }

  /** Adds the classifier's current address to the report, and records warnings about it. */
  private reportAddress(classes: number, row: Row): void {
    const { classifier, report } = this.setup;
    report?.add(classes, classifier, row, this.rowNumber);
    const { fault } = classifier;
    if (fault === "invalid_utf8") this.warnings.add("not_utf8", this.rowNumber);
    else if (fault === "white_space" || fault === "several_addresses") {
      if (looksLikeLines(row, classifier.faultIndex)) this.warnings.add("bare_cr", this.rowNumber);
      else if (fault === "several_addresses") this.warnings.add("several", this.rowNumber);
    }
  }
}

/** Reports whether --select and --reject let rows of these classes into the output. */
export function isSelected({ select, reject }: PipelineSetup, classes: number): boolean {
  return (classes & reject) === 0 && (select === 0 || (classes & select) !== 0);
}

/** Reports whether a CR at `index` has an `@` on both sides: these are probably lines that end in CR only. */
function looksLikeLines({ bytes, start, end }: Row, index: number): boolean {
  if (index >= end || bytes[index] !== CR) return false;
  return findByte(bytes, AT, start, index) < index && findByte(bytes, AT, index, end) < end;
}

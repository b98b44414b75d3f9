// Rows through the classifier: bytes in, bytes out, one output row for each input row. Memory does not grow with the
// input. It is one class, because every row takes the same steps in the same order, whichever way it came.

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
import { Irregularities, type Irregularity } from "./rows/irregularities.ts";
import type { Row, RowTaker } from "./rows/row.ts";
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
  /** Class bits of rows whose numbers are kept. */
  readonly failOn?: number;
  readonly report?: ReportCounts | undefined;
  readonly duplicates?: Duplicates | undefined;
  readonly by?: CountsBy | undefined;
  /** Makes the evidence; undefined when it was not asked for. */
  readonly explain: Explain | undefined;
  /** Bytes collected before they are written. Default: WRITE_BYTES. */
  readonly writeBytes?: number;
  /** Without them, the work is one turn. */
  readonly timeSlice?: TimeSlice | undefined;
}

/** Bytes collected before they are written, if nothing else is said. */
const WRITE_BYTES = 1024 * 1024;
// A short stream needs no more: the engine collects garbage when much such memory comes and goes.
const INITIAL_BYTES = 8 * 1024;

/** Classifies rows and collects their output, which is written when there is enough of it. */
export class Pipeline implements RowTaker {
  private readonly writeBytes: number;
  /** Collects output until the next `flush`: one buffer is filled while the other is written. */
  output: ByteWriter;
  private spareOutput: ByteWriter | undefined;
  private pendingWrite: Promise<void> = Promise.resolve();
  /** Irregular rows, for a note at the end. */
  readonly irregularities: Irregularities = new Irregularities();
  /** Number of the last row taken; a CSV header is row 1. */
  rowNumber = 0;
  /** DNS answers, present or to come, for the next rows. */
  lookahead: DnsLookahead | undefined = undefined;

  constructor(readonly setup: PipelineSetup) {
    this.writeBytes = setup.writeBytes ?? WRITE_BYTES;
    this.output = this.newWriter();
  }

  /** Begins an input. Its header is a row that is not taken, but Excel's `sep=` line above it is none. */
  beginInput(name: string, { names, given }: { names: readonly string[] | undefined; given: Uint8Array }): void {
    this.rowNumber = names === undefined ? 0 : 1;
    this.setup.renderer.beginInput?.(name, given.filter((byte) => byte === LF).length);
    this.setup.duplicates?.beginInput(name);
  }

  begin(): void {
    this.setup.renderer.begin(this.output);
  }

  /**
   * True when the collected output should be written before more rows are taken, an answer is awaited or others get
   * their turn.
   */
  get full(): boolean {
    if (this.lookahead?.pendingLookup !== undefined) return true;
    if (this.setup.timeSlice?.expired === true) return true;
    return this.output.length >= this.writeBytes;
  }

  /**
   * Classifies the row's addresses, with DNS's answers about their domains if it was asked; counts the row and writes
   * its output. True when it is shown. A row of several addresses is of a class when one of them is, but blank only
   * when all are: an optional field may be empty.
   */
  row(row: Row, mayBeBlank = true, routing?: MailRouting): boolean {
    const { classifier, summary, by, failOn = 0, renderer } = this.setup;
    const { output: out } = this;
    const rowStart = out.length;
    const isSingle = row.others.length === 0;
    this.rowNumber += 1;
    if (!isSingle) renderer.openRow?.(out, row);
    let classes = this.addAddress(row, isSingle, mayBeBlank, routing);
    for (const other of row.others) classes |= this.addAddress(other, false);
    if (classes !== ROW_CLASS.blank) classes &= ~ROW_CLASS.blank;
    summary.addRow(classes);
    by?.add(row, classes, classifier);
    if ((classes & failOn) !== 0) this.irregularities.add("failing", this.rowNumber);
    if (!isSelected(this.setup, classes)) {
      out.length = rowStart;
      renderer.skipRow?.(row);
      return false;
    }
    if (isSingle) renderer.row(out, row, classifier, this.explain(row, classes));
    else renderer.closeRow?.(out, row);
    return true;
  }

  /** Notes that the next row is irregular. */
  irregular(kind: Irregularity): void {
    this.irregularities.add(kind, this.rowNumber + 1);
  }

  /**
   * Starts to write the collected output, after the previous write and others' turn. A failed write is thrown by the
   * next call.
   */
  async flush(): Promise<void> {
    if (this.setup.timeSlice?.expired === true) await this.setup.timeSlice.yieldToEventLoop();
    await this.pendingWrite;
    const { output: out } = this;
    if (out.length === 0) return;
    this.pendingWrite = this.setup.sink.write(out.bytes.subarray(0, out.length));
    // Thrown where it is awaited; until then it must not count as unhandled.
    this.pendingWrite.catch(() => {});
    this.output = this.spareOutput ?? this.newWriter();
    this.spareOutput = out;
    this.output.clear();
  }

  /** All rows that are there were taken: none of them waits for those to come. */
  flushRenderer(): void {
    this.setup.renderer.flush?.(this.output);
  }

  /** Writes the collected output; resolves when everything is written. */
  async drain(): Promise<void> {
    await this.flush();
    await this.pendingWrite;
  }

  /** Bytes that go into the output unchanged, where the format shows the input itself. */
  passThrough(bytes: Uint8Array, endsLine: boolean): void {
    this.output.all(bytes);
    if (endsLine) this.output.byte(LF);
  }

  async end(): Promise<void> {
    this.setup.renderer.end(this.output);
    await this.drain();
  }

  private newWriter(): ByteWriter {
    // The last row goes beyond what is written at once.
    return new ByteWriter(INITIAL_BYTES, 1.25 * this.writeBytes);
  }

  /**
   * Counts one of a row's addresses; returns its class bits. One of several is written before it is known whether the
   * row is shown.
   */
  private addAddress(row: Row, isSingle: boolean, mayBeBlank = true, knownRouting?: MailRouting): number {
    const { classifier, summary, renderer } = this.setup;
    const routing = this.lookahead === undefined ? knownRouting : this.lookahead.nextRouting();
    if (row.refused === undefined) classifier.classify(row.bytes, row.start, row.end, routing);
    else classifier.refuse(row.refused, row.start);
    if (row.refused === "line_too_long") this.warnTooLong(row, isSingle);
    row.number = this.rowNumber;
    const classes = this.classesOf(row, mayBeBlank && row.refused === undefined && row.blank);
    summary.addAddress(classes, classifier, row);
    this.reportAddress(classes, row);
    if (!isSingle) renderer.address?.(this.output, row, classifier, this.explain(row, classes));
    return classes;
  }

  /** The evidence of the classifier's current address, if it was asked for. */
  private explain({ bytes, start, end }: Row, classes: number): Explanation | undefined {
    const { classifier, explain } = this.setup;
    return classes === ROW_CLASS.blank ? undefined : explain?.(bytes, start, end, classifier);
  }

  private warnTooLong(row: Row, mayBeLines: boolean): void {
    this.irregularities.add("too_long", this.rowNumber);
    if (mayBeLines && looksLikeLines(row, findByte(row.bytes, CR, row.start, row.end))) {
      this.irregularities.add("bare_cr", this.rowNumber);
    }
  }

  /** The classes of the classifier's current address, which is that of the row. */
  private classesOf(row: Row, blank: boolean): number {
    const { classifier, duplicates } = this.setup;
    const classes = classesOf(classifier, blank, row.place?.isMachine);
    if (duplicates === undefined) return classes;
    const isValid = (classes & ROW_CLASS.valid) !== 0;
    row.duplicateOf = isValid ? duplicates.firstRow(classifier, this.rowNumber, row) : undefined;
    return row.duplicateOf === undefined ? classes : classes | ROW_CLASS.duplicate;
  }

  /** Notes about the classifier's current address besides its row: in the report, and when it is odd. */
  private reportAddress(classes: number, row: Row): void {
    const { classifier, report } = this.setup;
    report?.add(classes, classifier, row, this.rowNumber);
    const { fault } = classifier;
    if (fault === "invalid_utf8") this.irregularities.add("not_utf8", this.rowNumber);
    else if (fault === "white_space" || fault === "several_addresses") {
      if (looksLikeLines(row, classifier.faultIndex)) this.irregularities.add("bare_cr", this.rowNumber);
      else if (fault === "several_addresses") this.irregularities.add("several", this.rowNumber);
    }
  }
}

/** True when rows of these classes are shown. */
export function isSelected({ select, reject }: PipelineSetup, classes: number): boolean {
  return (classes & reject) === 0 && (select === 0 || (classes & select) !== 0);
}

/** True when a CR at `index` has an `@` on both sides: probably lines that end in CR only. */
function looksLikeLines({ bytes, start, end }: Row, index: number): boolean {
  if (index >= end || bytes[index] !== CR) return false;
  return findByte(bytes, AT, start, index) < index && findByte(bytes, AT, index, end) < end;
}

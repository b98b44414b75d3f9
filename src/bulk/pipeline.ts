// Classifies rows: bytes in, bytes out, one output row for each input row, in constant memory.

import { LF } from "../base/bytes/ascii.ts";
import { isSelected, ROW_CLASS, type Selection } from "../detection/classes.ts";
import type { Classifier } from "../detection/classifier.ts";
import type { Explanation } from "../detection/evidence.ts";
import type { Explainer } from "../detection/explain.ts";
import { classesOf } from "../detection/field-reader.ts";
import type { MailRouting } from "../detection/routing.ts";
import type { Duplicates } from "./duplicates.ts";
import { OutputBuffer } from "./output-buffer.ts";
import type { Renderer } from "./render/render.ts";
import { RowCounts, type RowCountsSetup } from "./row-counts.ts";
import type { Row, RowSink } from "./rows/row.ts";
import { type RowWarning, RowWarnings } from "./rows/row-warnings.ts";
import type { ByteSink, TimeSlice } from "./streams.ts";

export interface PipelineSetup extends RowCountsSetup, Selection {
  readonly classifier: Classifier;
  readonly renderer: Renderer;
  readonly sink: ByteSink;
  readonly duplicates?: Duplicates | undefined;
  /** Collects the evidence of an address; undefined without --explain. */
  readonly explain: Explainer | undefined;
  /** If false, an empty address is invalid instead of blank. */
  readonly allowsBlank?: boolean;
  /** Number of bytes to collect before a write. */
  readonly writeBytes?: number;
  /** If undefined, the run may block the event loop. */
  readonly timeSlice?: TimeSlice | undefined;
}

export class Pipeline implements RowSink {
  readonly output: OutputBuffer;
  /** Rows with warnings, reported at the end of the input. */
  readonly warnings: RowWarnings = new RowWarnings();
  /** Number of the last processed row. Rows of the preamble count. */
  rowNumber = 0;
  lineOffset = 0;
  /** Number of the row after which the scanner must stop. */
  rowLimit: number = Infinity;
  /** Returns the routing of the next address's domain, if it was looked up. Undefined without DNS. */
  nextRouting: (() => MailRouting | undefined) | undefined;
  private readonly counts: RowCounts;

  constructor(readonly setup: PipelineSetup) {
    this.output = new OutputBuffer(setup.sink, setup.writeBytes);
    this.counts = new RowCounts(setup, this.warnings);
  }

  beginInput(name: string, { rows, lines }: { rows: number; lines: number }, hasLines: () => boolean): void {
    this.rowNumber = rows;
    this.lineOffset = lines - rows;
    this.setup.renderer.beginInput?.(name, lines, hasLines);
    this.setup.duplicates?.beginInput(name);
  }

  begin(): void {
    this.setup.renderer.begin?.(this.output.writer);
  }

  /** True if the caller must flush before the next row: enough output, the row limit, or the end of a time slice. */
  get isFull(): boolean {
    return this.setup.timeSlice?.expired === true || this.output.isFull || this.rowNumber >= this.rowLimit;
  }

  /** Classifies, counts and writes a row. Returns whether the row is selected for the output. */
  accept(row: Row): boolean {
    const { classifier, renderer } = this.setup;
    this.rowNumber += 1;
    if (row.additionalAddresses.length > 0) return this.writeAddresses(row);
    const classes = this.classify(row);
    this.counts.addRow(row, classes);
    const selected = this.select(classes);
    if (selected) renderer.row(this.output.writer, row, classifier, this.explain(row, classes));
    else renderer.skipRow?.(row);
    return selected;
  }

  warn(kind: RowWarning, place?: string): void {
    this.warnings.add(kind, this.rowNumber + 1, 1, place === undefined ? [] : [place]);
  }

  /** Copies bytes to the output unchanged, for formats that echo the input. */
  passThrough(bytes: Uint8Array, endsLine: boolean): void {
    this.output.writer.bytes(bytes);
    if (endsLine) this.output.writer.byte(LF);
  }

  /** Starts to write the collected output. At the end of a time slice, other work of the event loop comes first. */
  async flush(): Promise<void> {
    const { timeSlice } = this.setup;
    if (timeSlice?.expired === true) await timeSlice.yieldToEventLoop();
    await this.output.flush();
  }

  /** Writes the rows that the renderer has buffered, because the next row may take long to arrive. */
  flushRenderer(): void {
    this.setup.renderer.flush?.(this.output.writer);
  }

  /** Writes the collected output. Resolves when all writes are complete. */
  async drain(): Promise<void> {
    await this.flush();
    await this.output.drain();
  }

  async end(): Promise<void> {
    this.setup.renderer.end?.(this.output.writer);
    await this.drain();
  }

  /**
   * Processes a row with several addresses. It has the classes of all of them, but is blank only if all are: an optional
   * field may be empty. The classifier has one result at a time, so each address is written before it is known whether
   * the row is selected.
   */
  private writeAddresses(row: Row): boolean {
    const { classifier, renderer } = this.setup;
    const out = this.output.writer;
    const rowStart = out.length;
    renderer.openRow?.(out, row);
    let classes = 0;
    for (const address of [row, ...row.additionalAddresses]) {
      const addressClasses = this.classify(address);
      renderer.address?.(out, address, classifier, this.explain(address, addressClasses));
      classes |= addressClasses;
    }
    if (classes !== ROW_CLASS.blank) classes &= ~ROW_CLASS.blank;
    this.counts.addRow(row, classes);
    const selected = this.select(classes);
    if (selected) renderer.closeRow?.(out, row);
    else {
      out.length = rowStart;
      renderer.skipRow?.(row);
    }
    return selected;
  }

  /** Reports whether the current row is selected. Warns if it is dropped only as the duplicate of a dropped row. */
  private select(classes: number): boolean {
    const { setup, rowNumber } = this;
    if (isSelected(setup, classes)) return true;
    if ((setup.reject & ROW_CLASS.duplicate) === 0) return false;
    if (!isSelected(setup, classes & ~ROW_CLASS.duplicate)) setup.duplicates?.drop(rowNumber);
    else if (setup.duplicates?.isFirstRowDropped === true) this.warnings.add("repeats_dropped", rowNumber);
    return false;
  }

  /** Classifies and counts an address of the current row. Returns its class bits. */
  private classify(row: Row): number {
    const { classifier, duplicates, allowsBlank = true } = this.setup;
    const routing = this.nextRouting?.();
    row.number = this.rowNumber;
    if (row.readFault === undefined) classifier.classify(row.bytes, row.start, row.end, routing);
    else classifier.rejectUnread(row.readFault, row.start);
    const isBlank = allowsBlank && row.readFault === undefined && row.isBlank;
    let classes = classesOf(classifier, isBlank, row.location?.isHidden);
    if (duplicates !== undefined) {
      const isValid = (classes & ROW_CLASS.valid) !== 0;
      row.duplicateOf = isValid ? duplicates.firstRow(classifier, row.number, row) : undefined;
      if (row.duplicateOf !== undefined) {
        classes |= ROW_CLASS.duplicate | (duplicates.isKnown ? ROW_CLASS.known : 0);
        if (String(row.duplicateOf).includes("\u{fffd}")) this.warnings.add("key_not_utf8", row.number);
      }
    }
    row.classes = classes;
    this.counts.addAddress(row, classes);
    return classes;
  }

  /** Returns the evidence of the classifier's current address; undefined without --explain. */
  private explain({ bytes, start, end }: Row, classes: number): Explanation | undefined {
    const { classifier, explain } = this.setup;
    return classes === ROW_CLASS.blank ? undefined : explain?.(bytes, start, end, classifier);
  }
}

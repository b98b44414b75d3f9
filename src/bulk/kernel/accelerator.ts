// The only interface to the kernel: a scanner that lets the kernel write the output of rows that have a template, and
// passes all other rows to the general scanner.

import { COMMA, LF, SEMICOLON, TAB } from "../../base/bytes/ascii.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { ROW_CLASS } from "../../detection/classes.ts";
import type { FieldScope } from "../../detection/fields.ts";
import type { Pipeline } from "../pipeline.ts";
import type { RowLayout } from "../rows/layout.ts";
import type { Scanner } from "../rows/row.ts";
import { createKernel, type KernelForm, ROW_RECORD_WORDS } from "./kernel.ts";
import * as layout from "./layout.ts";
import { type TemplateInfo, Templates } from "./templates.ts";

/** Minimum rows, or bytes in the first chunk, to create a kernel. For a smaller input, it would not save time. */
export const MIN_ROWS = 1000;
const MIN_BYTES = 32 * 1024;
/** Number of domains in the kernel's hash table, a power of two: 8 MB, or 0.5 MB if many runs share a process. */
const CACHED_DOMAINS = 131_072;
const CACHED_DOMAINS_SHARED = 8192;

// A row that the kernel can't process costs as much time as it saves on MISS_COST rows. When `balance` reaches 0, the
// scanner processes PAUSE_MIN rows before the kernel is tried again. Until `balance` is full again, each further pause
// is twice as long.
const MISS_COST = 2;
const BALANCE_MAX = 32;
const PAUSE_MIN = 64;
const PAUSE_MAX = 65_536;

/** Index of each word of a row record; see ROW_RECORD_BYTES. */
const RECORD = { rowStart: 0, differsAt: 1, mailboxEnd: 2, template: 3, fieldStart: 4, fieldEnd: 5 } as const;

/** Processes all rows of an input: with the kernel if possible, else with the general scanner. */
export class RowAccelerator implements Scanner {
  processedRows = 0;
  private templates: Templates | undefined;
  private hasKernel = false;
  /** True if the general scanner has read a part of a row, so that it must finish that row. */
  private isInRow = false;
  private balance = BALANCE_MAX;
  private pause = PAUSE_MIN;

  constructor(
    private readonly scanner: Scanner,
    private readonly pipeline: Pipeline,
    private readonly scope: FieldScope,
    private readonly form: KernelForm,
    private readonly domains: number,
  ) {}

  scan(bytes: Uint8Array, start: number, end: number, isLast: boolean): number {
    const templates = this.templates ?? this.createTemplates(start, end);
    if (templates === undefined) {
      const next = this.scanner.scan(bytes, start, end, isLast, this.pipeline);
      this.isInRow = next < end;
      return next;
    }
    const { pipeline, scanner } = this;
    let from = start;
    let loadedEnd = start;
    while (!pipeline.isFull) {
      if (!this.isInRow && from < end) {
        if (from >= loadedEnd) loadedEnd = templates.kernel.load(bytes, from, end);
        const { stopReason, rows, quotedLineFeeds, next } = templates.kernel.run(from, loadedEnd);
        from = next;
        this.addRows(rows);
        pipeline.lineOffset += quotedLineFeeds;
        if (pipeline.setup.summary.withNames) templates.kernel.drainRows(layout.EVICTED, this.countDomain);
        if (stopReason === layout.UNKNOWN_NAME && this.learn(templates)) continue;
        this.write(templates);
        if (stopReason === layout.OUTPUT_FULL) continue;
        if (stopReason === layout.NEED_INPUT && loadedEnd < end && rows > 0) {
          loadedEnd = from;
          continue;
        }
      }
      pipeline.rowLimit = pipeline.rowNumber + this.countMiss();
      from = scanner.scan(bytes, from, end, isLast, pipeline);
      const ranOutOfInput = pipeline.rowNumber < pipeline.rowLimit;
      pipeline.rowLimit = Infinity;
      // The rest of a long line belongs to the same row.
      this.isInRow = ranOutOfInput || (from === end && bytes[end - 1] !== LF);
      // At the end of the input, don't call the scanner again.
      if (ranOutOfInput || from === end) break;
    }
    this.write(templates);
    return from;
  }

  /** Adds the rows that the kernel has processed to the counts of the run. Call it once, at the end of the input. */
  addCounts(): void {
    const { templates } = this;
    if (templates === undefined) return;
    const { summary } = this.pipeline.setup;
    for (const [template, { classes, verdict, difference }] of templates.infoByTemplate) {
      const repeats = difference?.repeats ?? 0;
      const firstRowCount = templates.kernel.drainTemplateRows(template) - repeats;
      if (firstRowCount > 0) summary.addClasses(classes, verdict, firstRowCount);
      if (repeats > 0) summary.addClasses(classes | ROW_CLASS.duplicate, verdict, repeats);
    }
    if (summary.withNames) templates.kernel.drainDomains(this.countDomain);
  }

  private addRows(rows: number): void {
    const { pipeline } = this;
    pipeline.rowNumber += rows;
    pipeline.setup.summary.rows += rows;
    this.processedRows += rows;
    this.balance = Math.min(this.balance + rows, BALANCE_MAX);
    if (this.balance === BALANCE_MAX) this.pause = PAUSE_MIN;
  }

  /** Counts a row that the kernel could not process. Returns how many rows to scan before the kernel's next try. */
  private countMiss(): number {
    this.balance -= MISS_COST;
    if (this.balance > 0) return 1;
    const { pause } = this;
    this.pause = Math.min(2 * pause, PAUSE_MAX);
    // The next miss must start the next pause.
    this.balance = 0;
    return pause;
  }

  /** Writes the output of the kernel so far. */
  private write({ kernel, infoByTemplate }: Templates): void {
    const { pipeline } = this;
    const { duplicates, by, failOn = 0, reject } = pipeline.setup;
    const { start, end, count, rowRecords, mailboxes } = kernel.drainOutput();
    const { bytes, words } = kernel;
    const out = pipeline.output.writer;
    const row = pipeline.rowNumber - count + 1;
    const recordWord = (i: number, word: number): number => rowRecords[ROW_RECORD_WORDS * i + word] as number;
    duplicates?.digestBatch(words, mailboxes, count, (i) => recordWord(i, RECORD.mailboxEnd));
    const rejectsDuplicates = (reject & ROW_CLASS.duplicate) !== 0;
    // Most rows are the first of their mailbox. If such rows are selected, their output is copied unchanged.
    let from = start;
    for (let i = 0; i < count; i += 1) {
      const { classes, difference } = infoByTemplate.get(recordWord(i, RECORD.template)) as TemplateInfo;
      const isDropped = rejectsDuplicates && difference !== undefined && difference.first === undefined;
      const first = duplicates === undefined ? row + i : duplicates.firstRowOf(i, row + i, isDropped);
      const rowStart = recordWord(i, RECORD.rowStart);
      if (first === 0) {
        out.slice(bytes, from, rowStart);
        throw duplicates?.createLimitError();
      }
      const isFirst = first === row + i;
      const rowClasses = isFirst ? classes : classes | ROW_CLASS.duplicate;
      by?.addField(bytes, recordWord(i, RECORD.fieldStart), recordWord(i, RECORD.fieldEnd), rowClasses);
      if (difference === undefined) continue;
      if (!isFirst) {
        difference.repeats += 1;
        if ((failOn & ROW_CLASS.duplicate) !== 0) pipeline.warnings.add("failing", row + i);
      }
      if (isFirst && difference.first !== undefined) continue;
      out.slice(bytes, from, rowStart);
      from = i + 1 < count ? recordWord(i + 1, RECORD.rowStart) : end;
      if (isFirst || difference.later === undefined) {
        const isLost = difference.first !== undefined && duplicates?.isFirstRowDropped === true;
        if (isLost) pipeline.warnings.add("repeats_dropped", row + i);
        continue;
      }
      const differsAt = recordWord(i, RECORD.differsAt);
      out.slice(bytes, rowStart, differsAt);
      out.prepared(difference.later.before);
      if (difference.isNumbered) out.decimal(first);
      out.prepared(difference.later.after);
      from = differsAt + (difference.first ?? 0);
    }
    out.slice(bytes, from, end);
  }

  /** Creates the kernel and its templates if the input is long enough and the kernel can read its rows. */
  private createTemplates(start: number, end: number): Templates | undefined {
    const { pipeline } = this;
    if (this.hasKernel || start === end) return undefined;
    if (pipeline.rowNumber < MIN_ROWS && end - start < MIN_BYTES) return undefined;
    this.hasKernel = true;
    const kernel = createKernel(this.form, pipeline.setup.classifier.lists.bloomFilters(), this.domains);
    if (kernel !== undefined) this.templates = new Templates(kernel, pipeline.setup, this.scope === "verdict");
    return this.templates;
  }

  /** Adds the name that the kernel stopped at to its table. Returns false if the name can't have a template yet. */
  private learn(templates: Templates): boolean {
    const { kernel } = templates;
    const { classifier } = this.pipeline.setup;
    const { bytes, nameEnd, variant } = kernel;
    if (variant === layout.LOCAL_PART) {
      const isRole = classifier.lists.lookUpRole(bytes, layout.NAME, nameEnd) !== "none";
      const isNoReply = classifier.lists.isNoReply(bytes, layout.NAME, nameEnd);
      kernel.learn(isNoReply ? layout.NOT_SUPPORTED : isRole ? layout.ROLE : layout.NO_ROLE);
      return true;
    }
    const facts = classifier.readValidDomain(bytes, layout.NAME, nameEnd);
    const isPlain = facts !== undefined && !facts.isUserSubdomain && !facts.mayHaveMailboxOverrides;
    const template = isPlain ? templates.templateFor(facts) : layout.NOT_SUPPORTED;
    if (template === undefined) return false;
    kernel.learn(template, isPlain ? facts.provider : undefined);
    return true;
  }

  private readonly countDomain = (name: string, rows: number, template: number): void => {
    const { summary, report } = this.pipeline.setup;
    const verdict = this.templates?.infoByTemplate.get(template)?.verdict;
    if (verdict?.isDisposable === true) summary.disposableNames.add(name, rows);
    report?.domains.add(name, rows);
  };
}

/**
 * Creates the accelerator of an input. Returns undefined if the kernel could process no row: because output or counts
 * depend on other rows, or on more of an address than its domain, tag and role, or because the kernel can't read rows
 * of this layout.
 */
export function createAccelerator(
  scanner: Scanner,
  pipeline: Pipeline,
  rowLayout: RowLayout,
  scope: FieldScope,
  domains: number = pipeline.setup.timeSlice === undefined ? CACHED_DOMAINS : CACHED_DOMAINS_SHARED,
): RowAccelerator | undefined {
  const { duplicates, by } = pipeline.setup;
  // If the first row of a mailbox is in an earlier input, `duplicate_of` needs more than its number.
  if (scope === "address" || duplicates?.usesBareNumbers === false) return undefined;
  if (by !== undefined && by.index === undefined) return undefined;
  const form = kernelFormOf(rowLayout, by?.index);
  return form && new RowAccelerator(scanner, pipeline, scope, form, domains);
}

/** Returns how the kernel reads rows of a layout; undefined if it can't. */
function kernelFormOf(rowLayout: RowLayout, byColumn = -1): KernelForm | undefined {
  if (rowLayout.kind === "scan") return undefined;
  if (rowLayout.kind === "lines")
    return { form: layout.RECORDS, delimiter: LF, column: 0, width: 1, byColumn, keys: [] };
  if (rowLayout.additionalColumns !== undefined) return undefined;
  if (rowLayout.kind === "jsonl") {
    const { path = [], added } = rowLayout;
    const keys = [...added, ...path].map(encodeUtf8);
    return path.length === 1
      ? { form: layout.JSONL, delimiter: LF, column: 0, width: keys.length, byColumn, keys }
      : undefined;
  }
  const { kind, column, width, delimiter, hasOpenWidth } = rowLayout;
  // An address may contain any other delimiter.
  if (hasOpenWidth === true || ![COMMA, SEMICOLON, TAB].includes(delimiter)) return undefined;
  return { form: kind === "csv" ? layout.CSV : layout.RECORDS, delimiter, column, width, byColumn, keys: [] };
}

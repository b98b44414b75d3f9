// A scanner that lets the kernel answer the rows that it can; the scanner of all rows takes the others.

import { COMMA, LF, SEMICOLON, TAB } from "../../base/bytes/ascii.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { ROW_CLASS } from "../classes.ts";
import type { Pipeline, PipelineSetup } from "../pipeline.ts";
import type { FormatFacts } from "../render/formats.ts";
import type { RowLayout } from "../rows/layout.ts";
import type { Scanner } from "../rows/row.ts";
import type { RowSettings } from "../run/options.ts";
import { createKernel, type KernelForm, NOTE_WORDS } from "./kernel.ts";
import { CSV, FULL, INCOMPLETE, JSONL, LEFT, LOCAL, NAME, PLAIN, RECORDS, REFUSED, ROLE, UNKNOWN } from "./layout.ts";
import { type Answer, Templates } from "./templates.ts";

/** Rows before a kernel is made, or bytes that are there at once: fewer cost less without it. */
export const ROWS_BEFORE = 1000;
const BYTES_AT_ONCE = 32 * 1024;
/** After MISSES_MAX odd rows in succession, the usual scanner takes OTHERS rows before the kernel is asked again. */
const MISSES_MAX = 8;
const OTHERS = 64;

/** Fields that depend on more of the address than its domain and its canonical form. */
const OWN_FIELDS = ["row", "suggestion"];

/** Facts about all rows. */
export interface KernelSetup {
  readonly layout: RowLayout;
  readonly format: FormatFacts;
  readonly rows: Pick<RowSettings, "fields" | "spreadsheetSafe">;
  /** Domains that are kept, a power of two. */
  readonly kernelEntries: number;
}

export class KernelScanner implements Scanner {
  /** Rows that the kernel answered. */
  answered = 0;
  private templates: Templates | undefined;
  /** The scanner has begun a row. */
  private within = false;
  /** How often, one time after another, the kernel could not answer the next row. */
  private misses = 0;
  private form: KernelForm | undefined;

  constructor(
    private readonly scanner: Scanner,
    private readonly pipeline: Pipeline,
    private readonly setup: KernelSetup,
  ) {
    this.form = formToAnswer(pipeline.setup, setup);
  }

  take(bytes: Uint8Array, start: number, end: number, last: boolean): number {
    const { pipeline, scanner } = this;
    const templates = this.templates ?? this.createTemplates(end - start);
    if (templates === undefined) {
      const taken = scanner.take(bytes, start, end, last, pipeline);
      this.within = taken < end || bytes[end - 1] !== LF;
      return taken;
    }
    const { kernel } = templates;
    let from = start;
    let loaded = start;
    while (!pipeline.full) {
      if (!this.within && from < end) {
        if (from >= loaded) loaded = kernel.load(bytes, from, end);
        const { why, rows, next } = kernel.run(from, loaded);
        from = next;
        pipeline.answered(rows);
        this.answered += rows;
        this.misses = rows > 0 ? 0 : this.misses + 1;
        if (why === UNKNOWN && this.learn(templates)) continue;
        this.write(templates);
        if (why === FULL) continue;
        if (why === INCOMPLETE && loaded < end && rows > 0) {
          loaded = from;
          continue;
        }
      }
      const before = pipeline.rowNumber;
      const others = this.misses < MISSES_MAX ? 1 : OTHERS;
      from = pipeline.atMost(others, () => scanner.take(bytes, from, end, last, pipeline));
      const isShort = pipeline.rowNumber < before + others;
      // The rest of a long line belongs to its row.
      this.within = isShort || (from === end && bytes[end - 1] !== LF);
      // After the last row, a scanner is not asked again.
      if (isShort || from === end) break;
    }
    this.write(templates);
    return from;
  }

  /** Writes the kernel's answers so far. */
  private write({ kernel, answers }: Templates): void {
    const { pipeline } = this;
    const { duplicates, by, failOn = 0 } = pipeline.setup;
    const { start, end: written, count, notes, mailboxes } = kernel.takeOutput();
    const { bytes, words } = kernel;
    const out = pipeline.output;
    const row = pipeline.rowNumber - count + 1;
    const note = (i: number, word: number): number => notes[NOTE_WORDS * i + word] as number;
    const { firsts, error } = duplicates?.firstRows(words, mailboxes, row, count, (i) => note(i, 2)) ?? {};
    const noted = firsts?.length ?? count;
    const end = noted < count ? note(noted, 0) : written;
    // Most rows are the first of their mailbox. Their answers stay as they are, if such rows are shown.
    let from = start;
    for (let i = 0; i < noted; i += 1) {
      const { classes, difference } = answers.get(note(i, 3)) as Answer;
      const first = firsts?.[i] ?? row + i;
      const isFirst = first === row + i;
      by?.addField(bytes, note(i, 4), note(i, 5), isFirst ? classes : classes | ROW_CLASS.duplicate);
      if (difference === undefined) continue;
      if (!isFirst) {
        difference.repeats += 1;
        if ((failOn & ROW_CLASS.duplicate) !== 0) pipeline.irregularities.add("failing", row + i);
      }
      if (isFirst && difference.first !== undefined) continue;
      out.range(bytes, from, note(i, 0));
      from = i + 1 < noted ? note(i + 1, 0) : end;
      if (isFirst || difference.others === undefined) continue;
      const hole = note(i, 1);
      out.range(bytes, note(i, 0), hole);
      out.constant(difference.others.before);
      if (difference.isNumbered) out.decimal(first);
      out.constant(difference.others.after);
      from = hole + (difference.first ?? 0);
    }
    out.range(bytes, from, end);
    if (error !== undefined) throw error;
  }

  /** Counts the rows that the kernel answered. */
  count(): void {
    const { templates } = this;
    if (templates === undefined) return;
    const { summary } = this.pipeline.setup;
    for (const [template, answer] of templates.answers) {
      const { classes, verdict, difference } = answer;
      const repeats = difference?.repeats ?? 0;
      summary.addClasses(classes, verdict, templates.kernel.takeAnswered(template) - repeats);
      if (repeats > 0) summary.addClasses(classes | ROW_CLASS.duplicate, verdict, repeats);
    }
    if (summary.withNames) templates.kernel.takeDomains(this.countDomain);
  }

  /** A kernel and its templates, for an input that is long enough. */
  private createTemplates(bytes: number): Templates | undefined {
    const { form, setup, pipeline } = this;
    if (form === undefined || (pipeline.rowNumber < ROWS_BEFORE && bytes < BYTES_AT_ONCE)) return undefined;
    this.form = undefined;
    const kernel = createKernel(form, pipeline.setup.classifier.lists.roleFilters(), setup.kernelEntries);
    if (kernel !== undefined) this.templates = new Templates(kernel, pipeline.setup, setup.rows.fields);
    return this.templates;
  }

  /** Teaches the kernel the name that it stopped at; false when that is not possible yet. */
  private learn(templates: Templates): boolean {
    const { kernel } = templates;
    const { classifier, summary } = this.pipeline.setup;
    const { bytes, nameEnd, variant } = kernel;
    if (summary.withNames) kernel.takeRows(LEFT, this.countDomain);
    if (variant === LOCAL) {
      kernel.keep(classifier.lists.role(bytes, NAME, nameEnd) === "none" ? PLAIN : ROLE);
      return true;
    }
    const facts = classifier.factsOf(bytes, NAME, nameEnd);
    const isOdd = facts === undefined || facts.mapped !== undefined || facts.userSubdomain || facts.mailboxes;
    const template = isOdd ? REFUSED : templates.of(facts);
    if (template === undefined) return false;
    kernel.keep(template, facts?.provider);
    return true;
  }

  /** Counts the rows of a domain by its name. */
  private readonly countDomain = (name: string, rows: number, template: number): void => {
    const { summary, report } = this.pipeline.setup;
    if (this.templates?.answers.get(template)?.verdict.disposable === true) summary.disposable.add(name, rows);
    report?.domains.add(name, rows);
  };
}

/**
 * The form of the rows that the kernel may answer. Undefined where a row needs more than the answer for its domain:
 * where the output or a count depends on other rows or on more of the address.
 */
function formToAnswer(
  { classifier, explain, duplicates, by }: PipelineSetup,
  setup: KernelSetup,
): KernelForm | undefined {
  const { layout, format, rows } = setup;
  const isOwn = rows.fields?.some((name) => OWN_FIELDS.includes(name)) === true;
  // The first row of a mailbox may be one of an earlier input, which needs more than its number.
  if (isOwn || duplicates?.hasOneInput === false || (by !== undefined && by.index === undefined)) return undefined;
  if (rows.spreadsheetSafe || explain !== undefined || classifier.ofDomains) return undefined;
  if (!format.hasIndependentRows || layout.kind === "scan") return undefined;
  if (layout.kind === "lines") return { form: RECORDS, delimiter: LF, column: 0, width: 1, counted: -1, keys: [] };
  if (layout.kind === "jsonl") {
    const { path = [], others, added } = layout;
    const keys = [...added, ...path].map(encodeUtf8);
    const isPlain = path.length === 1 && others === undefined;
    return isPlain ? { form: JSONL, delimiter: LF, column: 0, width: keys.length, counted: -1, keys } : undefined;
  }
  const { column, width, others, open } = layout;
  const delimiter = layout.kind === "csv" ? layout.delimiter : TAB;
  // Another delimiter may be in an address.
  const fits = others === undefined && open !== true && [COMMA, SEMICOLON, TAB].includes(delimiter);
  return fits
    ? { form: layout.kind === "csv" ? CSV : RECORDS, delimiter, column, width, counted: by?.index ?? -1, keys: [] }
    : undefined;
}

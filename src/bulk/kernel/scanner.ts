// A scanner that lets the kernel answer the rows that it can; the scanner of all rows takes the others.

import { COMMA, LF, PLUS, SEMICOLON, TAB } from "../../base/bytes/ascii.ts";
import { asciiText, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { ROW_CLASS } from "../classes.ts";
import type { Pipeline, PipelineSetup } from "../pipeline.ts";
import type { RowLayout } from "../rows/layout.ts";
import type { Scanner } from "../rows/row.ts";
import type { RowSettings } from "../run/options.ts";
import { createKernel, type Kernel, type KernelForm, NOTE_WORDS, VARIANTS } from "./kernel.ts";
import { FULL, INCOMPLETE, NAME, PLAIN, REFUSED, ROLE, STRANGE, UNKNOWN, WORD } from "./layout.ts";
import { type Difference, Templates } from "./templates.ts";

/** Rows before a kernel is made, or bytes that are there at once: fewer cost less without it. */
export const ROWS_BEFORE = 1000;
const BYTES_AT_ONCE = 32 * 1024;
/** After MISSES_MAX odd rows in succession, the usual scanner takes OTHERS rows before the kernel is asked again. */
const MISSES_MAX = 8;
const OTHERS = 64;

const ALL_REFUSED = new Uint16Array(VARIANTS).fill(REFUSED);

/** Output formats in which a row depends on no other row. */
const FORMATS = ["ndjson", "csv", "tsv", "plain"];
/** Fields that depend on more of the address than its domain and its canonical form. */
const OWN_FIELDS = ["row", "suggestion"];

/** Facts about all rows. */
export interface KernelSetup {
  readonly layout: RowLayout;
  readonly format: string;
  readonly rows: Pick<RowSettings, "fields" | "spreadsheetSafe">;
  /** Domains that are kept, a power of two. */
  readonly kernelEntries: number;
}

export class KernelScanner implements Scanner {
  /** Rows that the kernel answered. */
  answered = 0;
  private kernel: Kernel | undefined;
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
    const kernel = this.kernel ?? this.createKernel(end - start);
    if (kernel === undefined) {
      const taken = scanner.take(bytes, start, end, last, pipeline);
      this.within = taken < end || bytes[end - 1] !== LF;
      return taken;
    }
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
        if (why === UNKNOWN && this.learn(kernel)) continue;
        if (why === WORD) {
          this.learnWord(kernel);
          continue;
        }
        this.write(kernel);
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
    this.write(kernel);
    return from;
  }

  /** Writes the kernel's answers so far. */
  private write(kernel: Kernel): void {
    const { pipeline, templates } = this;
    const { duplicates, by, failOn = 0 } = pipeline.setup;
    const { start, end: written, count, notes, mailboxes } = kernel.takeOutput();
    const { bytes, words } = kernel;
    const out = pipeline.output;
    const row = pipeline.rowNumber - count + 1;
    const endOf = (i: number): number => notes[NOTE_WORDS * i + 2] as number;
    const { firsts = [], error } = duplicates?.firstRows(words, mailboxes, row, count, endOf) ?? {};
    const end = error === undefined ? written : (notes[NOTE_WORDS * firsts.length] as number);
    const answered = error === undefined ? count : firsts.length;
    for (let i = 0; by !== undefined && i < answered; i += 1) {
      const { classes = 0 } = templates?.answers[notes[NOTE_WORDS * i + 3] as number] ?? {};
      const repeats = (firsts[i] ?? row + i) === row + i ? 0 : ROW_CLASS.duplicate;
      const [fieldStart, fieldEnd] = [notes[NOTE_WORDS * i + 4] as number, notes[NOTE_WORDS * i + 5] as number];
      by.addField(bytes, fieldStart, fieldEnd, classes | repeats);
    }
    // Most rows are the first of their mailbox. Their answers stay as they are, if such rows are shown.
    let from = start;
    for (const [i, first] of firsts.entries()) {
      const [at, hole] = [notes[NOTE_WORDS * i] as number, notes[NOTE_WORDS * i + 1] as number];
      const difference = templates?.differences[notes[NOTE_WORDS * i + 3] as number] as Difference;
      const isFirst = first === row + i;
      if (!isFirst) {
        difference.repeats += 1;
        if ((failOn & ROW_CLASS.duplicate) !== 0) pipeline.irregularities.add("failing", row + i);
      }
      if (isFirst && difference.first !== undefined) continue;
      out.range(bytes, from, at);
      from = i + 1 < firsts.length ? (notes[NOTE_WORDS * (i + 1)] as number) : end;
      if (isFirst || difference.others === undefined) continue;
      const [before, after] = difference.others;
      out.range(bytes, at, hole);
      out.constant(before);
      if (difference.isNumbered) out.decimal(first);
      out.constant(after);
      from = hole + (difference.first ?? 0);
    }
    out.range(bytes, from, end);
    if (error !== undefined) throw error;
  }

  /** Counts the rows that the kernel answered. */
  count(): void {
    const { kernel, templates } = this;
    if (kernel === undefined || templates === undefined) return;
    const { summary } = this.pipeline.setup;
    for (const [template, answer] of templates.answers.entries()) {
      // Their numbers begin at 1.
      if (answer === undefined) continue;
      const { classes, verdict } = answer;
      const { repeats = 0 } = templates.differences[template] ?? {};
      summary.addClasses(classes, verdict, kernel.takeAnswered(template) - repeats);
      if (repeats > 0) summary.addClasses(classes | ROW_CLASS.duplicate, verdict, repeats);
    }
    if (summary.withNames) kernel.takeDomains(this.countDomain);
  }

  /** The kernel, for an input that is long enough. */
  private createKernel(bytes: number): Kernel | undefined {
    const { form, setup, pipeline } = this;
    if (form === undefined || (pipeline.rowNumber < ROWS_BEFORE && bytes < BYTES_AT_ONCE)) return undefined;
    this.form = undefined;
    this.kernel = createKernel(form, pipeline.setup.classifier.lists.roleFilters(), setup.kernelEntries);
    if (this.kernel !== undefined) this.templates = new Templates(this.kernel, pipeline.setup, setup.rows.fields);
    return this.kernel;
  }

  /** Teaches the kernel the domain that it stopped at; false when that is not possible yet. */
  private learn(kernel: Kernel): boolean {
    const { classifier, summary } = this.pipeline.setup;
    if (summary.withNames) kernel.takeLeft(this.countDomain);
    const facts = classifier.factsOf(kernel.bytes, NAME, kernel.nameEnd);
    const isOdd = facts === undefined || facts.mapped !== undefined || facts.userSubdomain || facts.mailboxes;
    const templates = isOdd ? ALL_REFUSED : this.templates?.of(facts);
    if (templates === undefined) return false;
    kernel.keep(isOdd ? 0 : kernel.ruleOf(facts.provider), templates);
    return true;
  }

  /** Teaches the kernel whether the word that it stopped at is a role's name. */
  private learnWord(kernel: Kernel): void {
    const { bytes, nameEnd } = kernel;
    const isRole = this.pipeline.setup.classifier.lists.role(bytes, NAME, nameEnd) !== "none";
    // A name may end at a plus already.
    const isOdd = bytes.subarray(NAME, nameEnd).includes(PLUS);
    kernel.keepWord(isOdd ? STRANGE : isRole ? ROLE : PLAIN);
  }

  /** Counts the rows of a domain by its name. */
  private readonly countDomain = (bytes: Uint8Array, start: number, end: number, rows: number, template: number) => {
    const { summary, report } = this.pipeline.setup;
    const isDisposable = this.templates?.answers[template]?.verdict.disposable === true;
    if (!isDisposable && report === undefined) return;
    const name = asciiText(bytes, start, end);
    if (isDisposable) summary.disposable.add(name, rows);
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
  if (!FORMATS.includes(format) || layout.kind === "scan") return undefined;
  if (layout.kind === "lines") return { form: "lines", delimiter: LF, column: 0, width: 1, counted: -1, keys: [] };
  if (layout.kind === "jsonl") {
    const { path = [], others, added } = layout;
    const keys = [...added, ...path].map(encodeUtf8);
    const isPlain = path.length === 1 && others === undefined;
    return isPlain ? { form: "jsonl", delimiter: LF, column: 0, width: keys.length, counted: -1, keys } : undefined;
  }
  const { column, width, others, open } = layout;
  const delimiter = layout.kind === "csv" ? layout.delimiter : TAB;
  // Another delimiter may be in an address.
  const fits = others === undefined && open !== true && [COMMA, SEMICOLON, TAB].includes(delimiter);
  return fits ? { form: layout.kind, delimiter, column, width, counted: by?.index ?? -1, keys: [] } : undefined;
}

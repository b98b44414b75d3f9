// Rows whose answer is a copy of what is known: the kernel answers them, and the scanner of all rows takes the others. For each domain
// the kernel gets what the renderer writes for an address there that has marks in it.

import type { ProviderRule } from "../address/providers.ts";
import { ByteWriter } from "../base/bytes/byte-writer.ts";
import { asciiText, encodeUtf8 } from "../base/bytes/octets.ts";
import type { DomainFacts } from "../detection/domain/facts.ts";
import { ADDED_COLUMNS } from "../detection/fields.ts";
import type { DomainVerdict } from "../detection/verdict.ts";
import {
  createKernel,
  Kernel,
  type KernelForm,
  type Part,
  REFUSED,
  STOP,
  UNKNOWN_NAME,
  VARIANT,
  VARIANTS,
  WORD,
} from "../kernel/kernel.ts";
import { classesOf, ROW_CLASS } from "./classes.ts";
import { DIFFERENCE_MAX, type MailboxAnswer, NOTE_WORDS } from "./duplicates.ts";
import type { Pipeline, PipelineSetup } from "./pipeline.ts";
import type { RowLayout } from "./row-layout.ts";
import { Row } from "./rows/row.ts";
import type { Scanner } from "./rows/scanner.ts";
import type { RowSettings } from "./run/settings.ts";

const LF = 0x0a;
const TAB = 0x09;
const COMMA = 0x2c;
const HYPHEN = 0x2d;
const PLUS = 0x2b;
const SEMICOLON = 0x3b;
/** Rows before a kernel is made: fewer cost less without it. */
export const ROWS_BEFORE = 1000;
/** Where so many rows one after another are odd, so many are taken before the kernel is asked again. */
const MISSES_MAX = 8;
const OTHERS = 64;

const ALL_REFUSED = new Uint16Array(VARIANTS).fill(REFUSED);

// Marks, which no other part of an output has. The address has capitals, so that its canonical form differs.
const USER = "QJXKZVWPHQ";
const TAG = "VQZJXWKQHJ";
const LINE = "\u0001line\u0001";
const REST = "\u0001rest\u0001";
/** In place of the number of a first row; rows have none that is so large. */
const FIRST_ROW = 9_876_543_201;

/** Output formats in which a row depends on no other row. */
const FORMATS = ["ndjson", "csv", "tsv", "plain"];
/** Fields that depend on more of the address than its domain and its canonical form. */
const OWN_FIELDS = ["row", "tag", "suggestion"];

/** The meaning of a template, for the counts. */
interface Answer {
  readonly classes: number;
  readonly verdict: DomainVerdict;
}

/** Facts about all rows. */
export interface KnownRowsSetup {
  readonly layout: RowLayout;
  readonly format: string;
  readonly rows: Pick<RowSettings, "fields" | "spreadsheetSafe">;
  /** Domains that are kept, a power of two. */
  readonly kernelEntries: number;
}

/** A scanner that lets the kernel answer what it can. */
export class KnownRows implements Scanner {
  /** Rows that the kernel answered. */
  answered = 0;
  private kernel: Kernel | undefined;
  /** The scanner has begun a row. */
  private within = false;
  /** How often, one time after another, the kernel could not answer the next row. */
  private misses = 0;
  /** The meanings of the templates, by their numbers. */
  private readonly answers: Answer[] = [];
  private readonly templates: Map<string, number> = new Map();
  private readonly shared: Map<DomainFacts, Uint16Array> = new Map();
  private readonly rules: Map<ProviderRule, number> = new Map();
  private readonly row = new Row();
  private readonly written = new ByteWriter(4096);
  private form: KernelForm | undefined;
  /** Domains with equal facts have equal answers, but for their names. */
  private readonly sharesAnswers: boolean;

  constructor(
    private readonly scanner: Scanner,
    private readonly pipeline: Pipeline,
    private readonly known: KnownRowsSetup,
  ) {
    this.form = formToAnswer(pipeline.setup, known);
    const { fields = ADDED_COLUMNS } = known.rows;
    const shared: readonly string[] = [...ADDED_COLUMNS, "duplicate_of"];
    this.sharesAnswers = fields.every((name) => shared.includes(name));
  }

  take(octets: Uint8Array, start: number, end: number, last: boolean): number {
    const { pipeline, scanner } = this;
    const kernel = this.kernel ?? this.createKernel();
    if (kernel === undefined) {
      const taken = scanner.take(octets, start, end, last, pipeline);
      this.within = taken < end || octets[end - 1] !== LF;
      return taken;
    }
    let from = start;
    let loaded = start;
    while (!pipeline.full) {
      if (!this.within && from < end) {
        if (from >= loaded) loaded = kernel.load(octets, from, end);
        const why = kernel.run(from, loaded);
        const { rows } = kernel;
        from = kernel.next;
        pipeline.answered(rows);
        this.answered += rows;
        this.misses = rows > 0 ? 0 : this.misses + 1;
        if (why === STOP.unknown && this.learn(kernel)) continue;
        if (why === STOP.word) {
          this.learnWord(kernel);
          continue;
        }
        this.write(kernel);
        if (why === STOP.full) continue;
        if (why === STOP.incomplete && loaded < end && rows > 0) {
          loaded = from;
          continue;
        }
      }
      const before = pipeline.rowNumber;
      const others = this.misses < MISSES_MAX ? 1 : OTHERS;
      from = pipeline.atMost(others, () => scanner.take(octets, from, end, last, pipeline));
      const isShort = pipeline.rowNumber < before + others;
      // The rest of a long line belongs to its row.
      this.within = isShort || (from === end && octets[end - 1] !== LF);
      // After the last row, a scanner is not asked again.
      if (isShort || from === end) break;
    }
    this.write(kernel);
    return from;
  }

  /** Writes the kernel's answers so far. */
  private write(kernel: Kernel): void {
    const { pipeline } = this;
    const { duplicates, failOn = 0 } = pipeline.setup;
    kernel.takeOutput((octets, notes) => {
      if (duplicates === undefined) return pipeline.passThrough(octets, false);
      const row = pipeline.rowNumber - notes.length / NOTE_WORDS + 1;
      duplicates.answer(octets, notes, row, (answers, firsts) => {
        pipeline.passThrough(answers, false);
        if ((failOn & ROW_CLASS.duplicate) === 0) return;
        for (const [i, first] of firsts.entries())
          if (first !== row + i) pipeline.irregularities.add("failing", row + i);
      });
    });
  }

  /** Counts the rows that the kernel answered. */
  count(): void {
    const { kernel, answers } = this;
    if (kernel === undefined) return;
    const { summary, duplicates } = this.pipeline.setup;
    for (const [template, answer] of answers.entries()) {
      if (answer === undefined) continue;
      const { classes, verdict } = answer;
      const others = duplicates?.takeOthers(template) ?? 0;
      summary.addClasses(classes, verdict, kernel.takeAnswered(template) - others);
      if (others > 0) summary.addClasses(classes | ROW_CLASS.duplicate, verdict, others);
    }
    if (summary.withNames) kernel.takeDomains(this.countDomain);
  }

  /** The kernel, for an input that is long enough. */
  private createKernel(): Kernel | undefined {
    const { form, known, pipeline } = this;
    if (form === undefined || pipeline.rowNumber < ROWS_BEFORE) return undefined;
    this.form = undefined;
    this.kernel = createKernel(form, pipeline.setup.classifier.lists.roleFilters(), known.kernelEntries);
    return this.kernel;
  }

  /** Makes the form of the row before which the kernel stopped known for its domain; false when it can't be known yet. */
  private learn(kernel: Kernel): boolean {
    const { classifier, summary } = this.pipeline.setup;
    const facts = classifier.factsOf(kernel.octets, UNKNOWN_NAME, kernel.nameEnd);
    const { fault, provider, mapped, userSubdomain, mailboxes } = facts;
    const isOdd = fault !== undefined || mapped !== undefined || userSubdomain || mailboxes;
    const rule = isOdd ? undefined : this.ruleOf(kernel, provider);
    const templates = rule === undefined ? ALL_REFUSED : this.templatesOf(kernel, facts);
    if (templates === undefined) return false;
    if (summary.withNames) kernel.takeLeaving(this.countDomain);
    kernel.keep(rule ?? 0, templates);
    return true;
  }

  /** Makes known whether the word before which the kernel stopped is a role's name. */
  private learnWord(kernel: Kernel): void {
    const { octets, nameEnd } = kernel;
    const isRole = this.pipeline.setup.classifier.lists.role(octets, UNKNOWN_NAME, nameEnd) !== "none";
    // A name may end at a plus already.
    const isOdd = octets.subarray(UNKNOWN_NAME, nameEnd).includes(PLUS);
    kernel.keepWord(isOdd ? WORD.odd : isRole ? WORD.role : WORD.plain);
  }

  private ruleOf(kernel: Kernel, provider: ProviderRule): number | undefined {
    const { separator, ignored, hyphenIsDot } = provider;
    const known = this.rules.get(provider);
    const rule = known ?? kernel.addRule({ separator, ignored, refused: hyphenIsDot ? HYPHEN : 0 });
    if (known === undefined && rule !== undefined) this.rules.set(provider, rule);
    return rule;
  }

  /** Templates of a domain by variants, among them that of the last row; undefined when it is not to be known yet. */
  private templatesOf(kernel: Kernel, facts: DomainFacts): Uint16Array | undefined {
    const isShared = this.sharesAnswers && facts.shared && facts.provider.domain === undefined;
    const known = isShared ? this.shared.get(facts) : undefined;
    const { variant } = kernel;
    if (known !== undefined && known[variant] !== 0) return known;
    const template = this.makeTemplate(kernel, facts);
    if (template === undefined) return undefined;
    const templates = known ?? new Uint16Array(VARIANTS);
    templates[variant] = template;
    if (isShared) this.shared.set(facts, templates);
    return templates;
  }

  /** The template of such rows as the last one; undefined when it is not to be known yet. */
  private makeTemplate(kernel: Kernel, { provider: { separator } }: DomainFacts): number | undefined {
    const { row, pipeline } = this;
    const { classifier, failOn = 0, report, duplicates } = pipeline.setup;
    const { variant } = kernel;
    const domain = asciiText(kernel.octets, UNKNOWN_NAME, kernel.nameEnd);
    const hasTag = (variant & VARIANT.tag) !== 0;
    const address = `${USER}${hasTag ? String.fromCharCode(separator) + TAG : ""}@${domain}`;
    placeMarks(row, encodeUtf8(address), (variant & VARIANT.crlf) !== 0);
    classifier.classify(row.octets, row.start, row.end);
    if (classifier.fault !== undefined || classifier.role) return REFUSED;
    // The mark stands for a role's name, which is the whole local part.
    classifier.role = (variant & VARIANT.role) !== 0;
    if (classifier.role && hasTag) return REFUSED;
    const classes = classesOf(classifier, false);
    // The numbers of such rows are kept.
    if ((classes & failOn) !== 0) return REFUSED;
    if (report?.wants(classes) === true) return undefined;
    const output =
      duplicates === undefined
        ? { text: this.outputOf(classes) ?? "", differs: undefined }
        : this.comparedOutput(classes);
    const parts = output && partsOf(output.text, address, domain);
    if (output === undefined || parts === undefined) return REFUSED;
    const { verdict } = classifier;
    const { relayProvider, settled, unknown, source } = verdict;
    const key = [classes, relayProvider, settled, unknown, source, JSON.stringify(output.differs), ...parts].join(
      "\u0002",
    );
    let template = this.templates.get(key);
    if (template === undefined) {
      template = kernel.addTemplate(
        parts.map((part) => (isRowPart(part) ? part.slice(1) : encodeBinary(part)) as Part),
      );
      if (template === undefined) return undefined;
      if (output.differs !== undefined) duplicates?.addAnswer(template, output.differs);
      this.templates.set(key, template);
      this.answers[template] = { classes, verdict };
    }
    return template;
  }

  /** The output of the row with marks, octets as characters; undefined where rows of these classes are not shown. */
  private outputOf(classes: number): string | undefined {
    const { row, written } = this;
    const { classifier, renderer, select, reject } = this.pipeline.setup;
    if ((classes & reject) !== 0 || (select !== 0 && (classes & select) === 0)) return undefined;
    written.clear();
    renderer.row(written, row, classifier, undefined);
    return binaryText(written);
  }

  /**
   * The output of the row with marks, with its mailbox in the place where a first row of a mailbox and the others differ. Undefined where
   * they differ too much.
   */
  private comparedOutput(classes: number): { text: string; differs: MailboxAnswer } | undefined {
    const { row } = this;
    const first = this.outputOf(classes);
    row.duplicateOf = FIRST_ROW;
    const other = this.outputOf(classes | ROW_CLASS.duplicate);
    row.duplicateOf = undefined;
    const [head = "", tail, ...more] = (other ?? first ?? "").split(String(FIRST_ROW));
    const kept = first ?? head + (tail ?? "");
    const start = first === undefined ? head.length : commonStart([...head], [...first]);
    const after = tail ?? "";
    const end = commonStart([...after].reverse(), [...kept.slice(start)].reverse());
    const others = [head.slice(start), after.slice(0, after.length - end)] as const;
    const middle = kept.slice(start, kept.length - end);
    if (more.length > 0 || [middle, ...others].some((text) => text.length > DIFFERENCE_MAX)) return undefined;
    const mailbox = `${PART}open${PART}${this.pipeline.setup.classifier.normalized}${PART}close${PART}`;
    return {
      text: kept.slice(0, start) + mailbox + kept.slice(kept.length - end),
      differs: {
        first: first === undefined ? undefined : middle,
        others: other === undefined ? undefined : others,
        isNumbered: tail !== undefined,
      },
    };
  }

  /** Counts the rows of a domain by its name. */
  private readonly countDomain = (octets: Uint8Array, start: number, end: number, rows: number, template: number) => {
    const { summary, report } = this.pipeline.setup;
    if (this.answers[template]?.verdict.disposable === true) summary.addDisposable(octets, start, end, rows);
    report?.domains.add(octets, start, end, rows);
  };
}

/**
 * The form of the rows that the kernel may answer. Undefined where a row needs more than the answer for its domain: where the output or a
 * count depends on other rows or on more of the address.
 */
function formToAnswer(
  { classifier, explain, duplicates, by }: PipelineSetup,
  known: KnownRowsSetup,
): KernelForm | undefined {
  const { layout, format, rows } = known;
  const isOwn = rows.fields?.some((name) => OWN_FIELDS.includes(name)) === true;
  // The first row of a mailbox may be one of an earlier input, which is told by more than its number.
  if (isOwn || duplicates?.hasOneInput === false || by !== undefined) return undefined;
  if (rows.spreadsheetSafe || explain !== undefined || classifier.ofDomains) return undefined;
  if (!FORMATS.includes(format) || layout.kind === "scan") return undefined;
  if (layout.kind === "lines") return { form: "lines" };
  if (layout.kind === "jsonl") {
    const [key, ...deeper] = layout.path ?? [];
    if (key === undefined || deeper.length > 0 || layout.several !== undefined) return undefined;
    const keys = [key, ...layout.added];
    return Kernel.takesKeys(keys) ? { form: "jsonl", keys } : undefined;
  }
  const { column, width, others, open } = layout;
  const delimiter = layout.kind === "csv" ? layout.delimiter : TAB;
  // Another delimiter may stand in an address.
  const fits = others === undefined && open !== true && [COMMA, SEMICOLON, TAB].includes(delimiter);
  return fits ? { form: layout.kind, delimiter, column, width } : undefined;
}

/** Makes the row one with marks in its line and in its address. */
function placeMarks(row: Row, address: Uint8Array, crlf: boolean): void {
  row.line = encodeUtf8(LINE + REST);
  row.lineStart = 0;
  row.insertAt = LINE.length;
  row.lineEnd = row.line.length;
  row.crlf = crlf;
  row.object = "keys";
  row.octets = address;
  row.start = 0;
  row.end = address.length;
}

// Parts of a row are written as a control character and their name while an output is taken apart.
const PART = "\u0002";

function isRowPart(part: string): boolean {
  return part.startsWith(PART);
}

/** The parts of an output: text, and names of parts of the row. Undefined when it has more of the address. */
function partsOf(output: string, address: string, domain: string): string[] | undefined {
  const marked = output
    .replaceAll(LINE, `${PART}line${PART}`)
    .replaceAll(REST, `${PART}rest${PART}`)
    .replaceAll(address, `${PART}address${PART}`)
    .replaceAll(`${USER.toLowerCase()}@${domain}`, `${PART}normalized${PART}`)
    .replaceAll(USER.toLowerCase(), `${PART}canonical${PART}`)
    .replaceAll(domain, `${PART}domain${PART}`);
  const text = marked.toUpperCase();
  if (text.includes(USER) || text.includes(TAG)) return undefined;
  return marked.split(new RegExp(`(${PART}[a-z]+)${PART}`)).filter((part) => part !== "");
}

/** How many characters two texts begin with that are the same. */
function commonStart(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((char, i) => char !== other[i]);
  return end < 0 ? one.length : end;
}

/** Octets as text of as many characters. */
function binaryText({ octets, length }: ByteWriter): string {
  return String.fromCharCode(...octets.subarray(0, length));
}

function encodeBinary(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

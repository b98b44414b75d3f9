// Rows whose answer is a copy of what is known: the kernel answers them, and the scanner of all rows takes the others.
// For each domain the kernel gets what the renderer writes for two examples of an address there, recorded.

import type { ProviderRule } from "../address/providers.ts";
import { asciiText, encodeUtf8 } from "../base/bytes/octets.ts";
import type { DomainFacts } from "../detection/domain/facts.ts";
import { ADDED_COLUMNS } from "../detection/fields.ts";
import { writeJsonNormalized } from "../detection/format.ts";
import type { DomainVerdict } from "../detection/verdict.ts";
import {
  createKernel,
  Kernel,
  type KernelForm,
  PART,
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
import { NUMBER, ODD, Recorder } from "./recorder.ts";
import type { RowLayout } from "./rows/layout.ts";
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

/** Bytes that an answer has in place of its mailbox. */
const DIFFERENCE = new RegExp(`^[\\0-\\xff]{0,${DIFFERENCE_MAX}}$`);
const ALL_REFUSED = new Uint16Array(VARIANTS).fill(REFUSED);

/**
 * Users and tags of two examples, which differ in each letter and in length; capitals make their canonical form another
 * array.
 */
const EXAMPLES = [
  { user: "Qxj", tag: "vk", before: 1, number: 7 },
  { user: "Hwzby", tag: "gfm", before: 2, number: 80_000 },
] as const;

/** Output formats in which a row depends on no other row. */
const FORMATS = ["ndjson", "csv", "tsv", "plain"];
/** Fields that depend on more of the address than its domain and its canonical form. */
const OWN_FIELDS = ["row", "suggestion"];

/** The meaning of a template, for the counts. */
interface Answer {
  readonly classes: number;
  readonly verdict: DomainVerdict;
}

/** An answer as recorded: a first row of its mailbox, and another one; undefined where such a row is not shown. */
interface Recording extends Answer {
  readonly first: string | undefined;
  readonly other: string | undefined;
  readonly mailbox: string;
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

  /**
   * Makes the form of the row before which the kernel stopped known for its domain; false when it can't be known yet.
   */
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
    const { failOn = 0, report, duplicates } = this.pipeline.setup;
    const { variant } = kernel;
    const domain = asciiText(kernel.octets, UNKNOWN_NAME, kernel.nameEnd);
    const [one, two] = EXAMPLES.map((example) => this.record(exampleRow(example, variant, separator, domain), variant));
    // An answer that has more of the row than its parts is not the same twice.
    if (one === undefined || JSON.stringify(one) !== JSON.stringify(two)) return REFUSED;
    const { classes, verdict, first } = one;
    // The numbers of such rows are kept.
    if ((classes & failOn) !== 0) return REFUSED;
    if (report?.wants(classes) === true) return undefined;
    const answer = duplicates === undefined ? { text: first ?? "", differs: undefined } : comparedAnswer(one);
    if (answer === undefined || answer.text.includes(ODD)) return REFUSED;
    const key = [classes, verdict.id, JSON.stringify(answer.differs), answer.text].join(ODD);
    let template = this.templates.get(key);
    if (template === undefined) {
      template = kernel.addTemplate(answer.text);
      if (template === undefined) return undefined;
      if (answer.differs !== undefined) duplicates?.addAnswer(template, answer.differs);
      this.templates.set(key, template);
      this.answers[template] = { classes, verdict };
    }
    return template;
  }

  /** What is written for an example, and counted; undefined for one that no kernel may answer. */
  private record(example: Row, variant: number): Recording | undefined {
    const { classifier, duplicates } = this.pipeline.setup;
    classifier.classify(example.octets, example.start, example.end);
    if (classifier.fault !== undefined || classifier.role) return undefined;
    // The user stands for a role's name, which is the whole local part.
    classifier.role = (variant & VARIANT.role) !== 0;
    if (classifier.role && classifier.subaddressing) return undefined;
    const classes = classesOf(classifier, false);
    const other = duplicates && this.outputOf(example, classes | ROW_CLASS.duplicate);
    example.duplicateOf = undefined;
    const first = this.outputOf(example, classes);
    const mailbox = new Recorder(example, classifier);
    writeJsonNormalized(mailbox, classifier);
    return { classes, verdict: classifier.verdict, first, other, mailbox: mailbox.recorded };
  }

  /** The recorded output of an example; undefined where rows of these classes are not shown. */
  private outputOf(example: Row, classes: number): string | undefined {
    const { classifier, renderer, select, reject } = this.pipeline.setup;
    if ((classes & reject) !== 0 || (select !== 0 && (classes & select) === 0)) return undefined;
    const recorder = new Recorder(example, classifier);
    renderer.row(recorder, example, classifier, undefined);
    return recorder.recorded;
  }

  /** Counts the rows of a domain by its name. */
  private readonly countDomain = (octets: Uint8Array, start: number, end: number, rows: number, template: number) => {
    const { summary, report } = this.pipeline.setup;
    if (this.answers[template]?.verdict.disposable === true) summary.addDisposable(octets, start, end, rows);
    report?.domains.add(octets, start, end, rows);
  };
}

/**
 * The form of the rows that the kernel may answer. Undefined where a row needs more than the answer for its domain:
 * where the output or a count depends on other rows or on more of the address.
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

/** A row whose line, address and canonical local part are arrays of their own. */
function exampleRow(
  { user, tag, before, number }: (typeof EXAMPLES)[number],
  variant: number,
  separator: number,
  domain: string,
): Row {
  const row = new Row();
  const local = (variant & VARIANT.tag) === 0 ? user : `${user}${String.fromCharCode(separator)}${tag}`;
  row.octets = encodeUtf8(`${local}@${domain}`);
  row.end = row.octets.length;
  row.line = new Uint8Array(3 * before);
  row.insertAt = before;
  row.lineEnd = row.line.length;
  row.crlf = (variant & VARIANT.crlf) !== 0;
  row.object = "keys";
  row.number = number + 1;
  row.duplicateOf = number;
  return row;
}

/**
 * The answer with its mailbox in the place where a first row of a mailbox and the others differ. Undefined where they
 * differ too much.
 */
function comparedAnswer({ first, other, mailbox }: Recording): { text: string; differs: MailboxAnswer } | undefined {
  const [head = "", tail, ...more] = (other ?? first ?? "").split(NUMBER);
  const kept = first ?? head + (tail ?? "");
  const start = first === undefined ? head.length : commonStart(head, first);
  const after = tail ?? "";
  const end = commonStart(reversed(after), reversed(kept.slice(start)));
  const others = [head.slice(start), after.slice(0, after.length - end)] as const;
  const middle = kept.slice(start, kept.length - end);
  if (more.length > 0 || ![middle, ...others].every((text) => DIFFERENCE.test(text))) return undefined;
  return {
    text: kept.slice(0, start) + PART.open + mailbox + PART.close + kept.slice(kept.length - end),
    differs: {
      first: first === undefined ? undefined : middle,
      others: other === undefined ? undefined : others,
      isNumbered: tail !== undefined,
    },
  };
}

/** How many characters two texts begin with that are the same. */
function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}

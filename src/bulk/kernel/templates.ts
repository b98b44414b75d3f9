// Templates of answers: for each kind of domain the kernel gets what the renderer writes for two examples of an address
// there, recorded.

import { ByteWriter, Constant } from "../../base/bytes/byte-writer.ts";
import { asciiText, encodeUtf8 } from "../../base/bytes/bytes.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { DomainFacts } from "../../detection/domain/facts.ts";
import { writeJsonNormalized } from "../../detection/format.ts";
import type { DomainVerdict } from "../../detection/verdict.ts";
import { classesOf, ROW_CLASS } from "../classes.ts";
import { isSelected, type PipelineSetup } from "../pipeline.ts";
import { Row } from "../rows/row.ts";
import type { Kernel } from "./kernel.ts";
import {
  ADDRESS,
  CANONICAL,
  DOMAIN,
  LINE,
  LINE_REST,
  MAILBOX_END,
  MAILBOX_START,
  NAME,
  NOT_ANSWERED,
  ROLE,
  TAGGED,
} from "./layout.ts";

/** Users and tags of two examples, which differ in each letter and in length. Capitals change in the canonical form. */
const EXAMPLES = [
  { user: "Qxj", tag: "vk", number: 7 },
  { user: "Hwzby", tag: "gfm", number: 80_000 },
] as const;

// Parts of a recorded output beside those of a template: the number of another row, and bytes of the row that the
// kernel can't copy.
const NUMBER = 0x1fe;
const UNSUPPORTED_PART = 0x1ff;

/** The meaning of a template, for the counts. */
export interface TemplateMeaning {
  readonly classes: number;
  readonly verdict: DomainVerdict;
  /** The difference between a first row of a mailbox and the others; undefined where rows are not compared. */
  readonly difference: NonNullable<ReturnType<typeof mergeAnswers>>["difference"] | undefined;
}

/** Makes the templates of a kernel. */
export class Templates {
  /** The meanings of the templates. */
  readonly meanings: Map<number, TemplateMeaning> = new Map();
  private readonly templatesByAnswer: Map<string, number> = new Map();
  /** Templates of domains with equal facts, by variant. */
  private readonly templatesByFacts: Map<DomainFacts, (number | undefined)[]> = new Map();

  constructor(
    readonly kernel: Kernel,
    private readonly setup: PipelineSetup,
    /** Domains with equal facts have equal answers, but for their names. */
    private readonly sharesAnswers: boolean,
  ) {
    // A report counts each domain.
    if (sharesAnswers && setup.report === undefined && setup.classifier.sharesUnlistedByTld) kernel.collapseUnlisted();
  }

  /** The template of such rows as the last one at its domain; undefined when it is not to be known yet. */
  templateFor(facts: DomainFacts): number | undefined {
    const { variant } = this.kernel;
    const isShared = this.sharesAnswers && facts.shared;
    const templates = (isShared ? this.templatesByFacts.get(facts) : undefined) ?? [];
    templates[variant] ??= this.makeTemplate(facts);
    if (isShared) this.templatesByFacts.set(facts, templates);
    return templates[variant];
  }

  private makeTemplate({ provider: { separator } }: DomainFacts): number | undefined {
    const { kernel, setup } = this;
    const { failOn = 0, report, duplicates, by } = setup;
    const { variant } = kernel;
    const domain = asciiText(kernel.bytes, NAME, kernel.nameEnd);
    const [one, two] = EXAMPLES.map((example) => this.record(exampleRow(example, variant, separator, domain), variant));
    // An answer that has more of the row than its parts is not the same twice.
    const key = JSON.stringify(one);
    if (one === undefined || key !== JSON.stringify(two)) return NOT_ANSWERED;
    const { classes, verdict, first, other, mailbox } = one;
    // The numbers of such rows are kept.
    if ((classes & failOn) !== 0) return NOT_ANSWERED;
    if (report?.wants(classes) === true) return undefined;
    const note = by === undefined ? "" : String.fromCharCode(MAILBOX_START, MAILBOX_END);
    const plain = { text: (first ?? "") + note, difference: undefined };
    const answer = duplicates === undefined ? plain : mergeAnswers(first, other, mailbox);
    if (answer === undefined || answer.text.includes(String.fromCharCode(UNSUPPORTED_PART))) return NOT_ANSWERED;
    let template = this.templatesByAnswer.get(key);
    if (template === undefined) {
      template = kernel.addTemplate(answer.text);
      if (template === undefined) return NOT_ANSWERED;
      this.templatesByAnswer.set(key, template);
      this.meanings.set(template, { classes, verdict, difference: answer.difference });
    }
    return template;
  }

  /** The answers to an example as a first row of its mailbox, and as another; undefined where no kernel may answer. */
  private record(example: Row, variant: number) {
    const { classifier, duplicates } = this.setup;
    classifier.classify(example.bytes, example.start, example.end);
    // The user is a role's name, which is the whole local part.
    classifier.role = (variant & ROLE) !== 0;
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
    const { classifier, renderer } = this.setup;
    if (!isSelected(this.setup, classes)) return undefined;
    const recorder = new Recorder(example, classifier);
    renderer.row(recorder, example, classifier, undefined);
    return recorder.recorded;
  }
}

/** A row whose line, address and canonical local part are separate arrays. */
function exampleRow(
  { user, tag, number }: (typeof EXAMPLES)[number],
  variant: number,
  separator: number,
  domain: string,
): Row {
  const row = new Row();
  const local = (variant & TAGGED) === 0 ? user : `${user}${String.fromCharCode(separator)}${tag}`;
  row.bytes = encodeUtf8(`${local}@${domain}`);
  row.end = row.bytes.length;
  row.line = new Uint8Array(2 * user.length);
  row.insertAt = user.length;
  row.lineEnd = row.line.length;
  row.object = "keys";
  row.number = number + 1;
  row.duplicateOf = number;
  return row;
}

/**
 * The answer to a first row and to others, with their mailbox where they differ, and the one difference; undefined
 * where that is more than bytes and a number.
 */
function mergeAnswers(first: string | undefined, other: string | undefined, mailbox: string) {
  const [head = "", tail, ...more] = (other ?? first ?? "").split(String.fromCharCode(NUMBER));
  const after = tail ?? "";
  const kept = first ?? head + after;
  const start = first === undefined ? head.length : commonPrefixLength(head, first);
  const end = commonPrefixLength(reversed(after), reversed(kept.slice(start)));
  const middle = kept.slice(start, kept.length - end);
  const others = [head.slice(start), after.slice(0, after.length - end)] as const;
  if (more.length > 0 || /[^\0-\xff]/.test(middle + others.join(""))) return undefined;
  const bytesOf = (text: string) => new Constant(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  return {
    text:
      kept.slice(0, start) +
      String.fromCharCode(MAILBOX_START) +
      mailbox +
      String.fromCharCode(MAILBOX_END) +
      kept.slice(start),
    difference: {
      /** Bytes there in a first row; undefined where such rows are not shown. */
      first: first === undefined ? undefined : middle.length,
      /** Bytes there in another row, before and after the number of the first; undefined where it is not shown. */
      others: other === undefined ? undefined : { before: bytesOf(others[0]), after: bytesOf(others[1]) },
      isNumbered: tail !== undefined,
      /** The rows that were not the first of their mailbox. */
      repeats: 0,
    },
  };
}

/** How many characters two texts begin with that are the same. */
function commonPrefixLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}

/**
 * Distinguishes a row's parts by the arrays that their bytes come from: the row's line and its address have an array
 * each, and so has its canonical local part, which is not as written.
 */
class Recorder extends ByteWriter {
  /** Parts by the index of the zero in place of each, because renderers take back bytes by the length. */
  private readonly parts: number[] = [];

  constructor(
    private readonly row: Row,
    private readonly classifier: Classifier,
  ) {
    super(512);
  }

  /** The output: a character below U+0100 for each byte, another one for each part. */
  get recorded(): string {
    const { bytes, parts } = this;
    let text = "";
    for (let i = 0; i < this.length; i += 1) {
      text += String.fromCharCode(bytes[i] === 0 ? (parts[i] ?? UNSUPPORTED_PART) : (bytes[i] as number));
    }
    return text;
  }

  override range(bytes: Uint8Array, start: number, end: number): void {
    const { row, classifier } = this;
    const { canonical } = classifier;
    if (bytes === row.line) {
      const { lineStart, insertAt, lineEnd } = row;
      if (start === lineStart && end === lineEnd) {
        this.part(LINE);
        this.part(LINE_REST);
      } else if (start === lineStart && end === insertAt) this.part(LINE);
      else this.part(start === insertAt && end === lineEnd ? LINE_REST : UNSUPPORTED_PART);
    } else if (bytes === row.bytes) {
      this.part(start === row.start && end === row.end ? ADDRESS : UNSUPPORTED_PART);
    } else if (bytes === canonical.bytes) {
      this.part(start === canonical.start && end === canonical.end ? CANONICAL : UNSUPPORTED_PART);
    } else super.range(bytes, start, end);
  }

  override hostName(bytes: Uint8Array, start: number, end: number): void {
    const { row, classifier } = this;
    if (bytes !== row.bytes) super.hostName(bytes, start, end);
    else this.part(start === classifier.domainAt && end === row.end ? DOMAIN : UNSUPPORTED_PART);
  }

  override decimal(value: number): void {
    if (value === this.row.duplicateOf) this.part(NUMBER);
    else super.decimal(value);
  }

  private part(part: number): void {
    this.parts[this.length] = part;
    this.byte(0);
  }
}

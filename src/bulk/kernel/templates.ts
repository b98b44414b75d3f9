// Creates the kernel's templates: compares what the renderer writes for two example addresses at a domain.

import { ByteWriter, PreparedBytes } from "../../base/bytes/byte-writer.ts";
import { decodeAsciiLowercase, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { isSelected, ROW_CLASS } from "../../detection/classes.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { DomainFacts } from "../../detection/domain/facts.ts";
import { classesOf } from "../../detection/field-reader.ts";
import { writeJsonNormalized } from "../../detection/format.ts";
import type { DomainVerdict } from "../../detection/verdict.ts";
import type { PipelineSetup } from "../pipeline.ts";
import { Row } from "../rows/row.ts";
import type { Kernel } from "./kernel.ts";
import * as layout from "./layout.ts";

/**
 * Two examples that differ in each letter of the user, in length, and in the case of the domain. If the output depends
 * on other bytes of the row, the recordings differ. The user has capitals, which change in the canonical form.
 */
const EXAMPLES = [
  { user: "Qxj", tag: "vk", isUpperCase: false, number: 7 },
  { user: "Hwzby", tag: "gfm", isUpperCase: true, number: 80_000 },
] as const;

/** Placeholder for the number of another row, which a template can't contain. */
const NUMBER = 0x1fe;

/** Facts about a template's rows, which their counts depend on. */
export interface TemplateInfo {
  readonly classes: number;
  readonly verdict: DomainVerdict;
  /** How the output of a mailbox's first row and its later rows differs; undefined without duplicate detection. */
  readonly difference: ReturnType<typeof mergeOutputs>["difference"] | undefined;
}

export class Templates {
  readonly infoByTemplate: Map<number, TemplateInfo> = new Map();
  private readonly templatesByOutput: Map<string, number> = new Map();
  /** Templates of domains with equal facts, by row variant. */
  private readonly templatesByFacts: Map<DomainFacts, (number | undefined)[]> = new Map();

  constructor(
    readonly kernel: Kernel,
    private readonly setup: PipelineSetup,
    /** True if the output of domains with equal facts differs only in the name. */
    private readonly sharesOutputs: boolean,
  ) {
    // A report counts each domain by name.
    if (sharesOutputs && setup.report === undefined && setup.classifier.sharesUnlistedByTld) kernel.collapseUnlisted();
  }

  /** Returns the template of the row that the kernel stopped at; undefined if it can't be created yet. */
  templateFor(facts: DomainFacts): number | undefined {
    const { variant } = this.kernel;
    const isShared = this.sharesOutputs && facts.isShared;
    const templates = (isShared ? this.templatesByFacts.get(facts) : undefined) ?? [];
    templates[variant] ??= this.makeTemplate(facts);
    if (isShared) this.templatesByFacts.set(facts, templates);
    return templates[variant];
  }

  private makeTemplate({ provider: { separator } }: DomainFacts): number | undefined {
    const { kernel, setup } = this;
    const { failOn = 0, report, duplicates, by } = setup;
    const { variant } = kernel;
    const domain = decodeAsciiLowercase(kernel.bytes, layout.NAME, kernel.nameEnd);
    const recordings = EXAMPLES.map((example) => this.record(exampleRow(example, variant, separator, domain), variant));
    const [recording] = recordings;
    const key = JSON.stringify(recording);
    // If the recordings differ, the output depends on more of the row than the kernel can copy.
    if (recording === undefined || key !== JSON.stringify(recordings[1])) return layout.NOT_SUPPORTED;
    const { classes, verdict, first, later, mailbox } = recording;
    // --fail-on needs the numbers of these rows.
    if ((classes & failOn) !== 0) return layout.NOT_SUPPORTED;
    if (report?.needsSamples(classes) === true) return undefined;
    const emptyMailbox = by === undefined ? "" : String.fromCharCode(layout.MAILBOX_START, layout.MAILBOX_END);
    const firstOutput = { text: (first ?? "") + emptyMailbox, difference: undefined };
    const output = duplicates === undefined ? firstOutput : mergeOutputs(first, later, mailbox);
    let template = this.templatesByOutput.get(key);
    if (template === undefined) {
      template = kernel.addTemplate(output.text);
      if (template === undefined) return layout.NOT_SUPPORTED;
      this.templatesByOutput.set(key, template);
      this.infoByTemplate.set(template, { classes, verdict, difference: output.difference });
    }
    return template;
  }

  /** Records the output of an example as the first row of its mailbox, and as a later row. */
  private record(example: Row, variant: number) {
    const { classifier, duplicates } = this.setup;
    classifier.classify(example.bytes, example.start, example.end);
    // The kernel has matched the role name, which is the whole local part.
    classifier.isRole = (variant & layout.ROLE) !== 0;
    const classes = classesOf(classifier, false);
    const later = duplicates && this.outputOf(example, classes | ROW_CLASS.duplicate);
    example.duplicateOf = undefined;
    const first = this.outputOf(example, classes);
    const mailbox = new Recorder(example, classifier);
    writeJsonNormalized(mailbox, classifier);
    return { classes, verdict: classifier.verdict, first, later, mailbox: mailbox.recorded };
  }

  /** Records the output of an example; undefined if rows of these classes are not selected. */
  private outputOf(example: Row, classes: number): string | undefined {
    const { classifier, renderer } = this.setup;
    if (!isSelected(this.setup, classes)) return undefined;
    const recorder = new Recorder(example, classifier);
    renderer.row(recorder, example, classifier, undefined);
    return recorder.recorded;
  }
}

/** Returns a row whose line and address are separate arrays, so that a Recorder can distinguish them. */
function exampleRow(
  { user, tag, isUpperCase, number }: (typeof EXAMPLES)[number],
  variant: number,
  separator: number,
  domain: string,
): Row {
  const row = new Row();
  const local = (variant & layout.TAGGED) === 0 ? user : `${user}${String.fromCharCode(separator)}${tag}`;
  row.bytes = encodeUtf8(`${local}@${isUpperCase ? domain.toUpperCase() : domain}`);
  row.end = row.bytes.length;
  row.line = encodeUtf8(`${user}${user}`);
  row.appendOffset = user.length;
  row.lineEnd = row.line.length;
  row.jsonObject = "keys";
  row.number = number + 1;
  row.duplicateOf = number;
  return row;
}

/**
 * Merges the output of a mailbox's first row and of its later rows. These differ at one offset, in some bytes and a row
 * number. The template writes the output of a first row, with the mailbox inserted at that offset.
 */
function mergeOutputs(first: string | undefined, later: string | undefined, mailbox: string) {
  const [head = "", tail] = (later ?? first ?? "").split(String.fromCharCode(NUMBER));
  const after = tail ?? "";
  const output = first ?? head + after;
  const start = first === undefined ? head.length : commonPrefixLength(head, first);
  const end = commonPrefixLength(reversed(after), reversed(output.slice(start)));
  const middle = output.slice(start, output.length - end);
  const laterBytes = [head.slice(start), after.slice(0, after.length - end)] as const;
  const bytesOf = (text: string) => new PreparedBytes(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  return {
    text:
      output.slice(0, start) +
      String.fromCharCode(layout.MAILBOX_START) +
      mailbox +
      String.fromCharCode(layout.MAILBOX_END) +
      output.slice(start),
    difference: {
      /** Number of bytes that differ in a first row; undefined if first rows are not selected. */
      first: first === undefined ? undefined : middle.length,
      /** Bytes of a later row, before and after the first row's number; undefined if later rows are not selected. */
      later: later === undefined ? undefined : { before: bytesOf(laterBytes[0]), after: bytesOf(laterBytes[1]) },
      isNumbered: tail !== undefined,
      /** Number of later rows so far. */
      repeats: 0,
    },
  };
}

/** Returns the number of equal characters at the start of two texts. */
function commonPrefixLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}

/**
 * Records which parts of a row the output contains, by the array that the bytes are copied from: the line, the address
 * and the canonical local part are different arrays. Other slices of the row are recorded as bytes.
 */
class Recorder extends ByteWriter {
  /** Parts, by the index of their placeholder byte: renderers may remove bytes by setting the length. */
  private readonly parts: number[] = [];

  constructor(
    private readonly row: Row,
    private readonly classifier: Classifier,
  ) {
    super(512);
  }

  /** The recorded output, with a character below U+0100 for each byte and a higher one for each part. */
  get recorded(): string {
    const { buffer: bytes, parts } = this;
    let text = "";
    for (let i = 0; i < this.length; i += 1) {
      text += String.fromCharCode((bytes[i] === 0 ? parts[i] : bytes[i]) as number);
    }
    return text;
  }

  override slice(bytes: Uint8Array, start: number, end: number): void {
    const { row } = this;
    const { line, lineStart, appendOffset, lineEnd } = row;
    const { canonicalLocalPart } = this.classifier;
    const isSlice = (array: Uint8Array, from: number, to: number): boolean =>
      bytes === array && start === from && end === to;
    if (isSlice(line, lineStart, lineEnd)) {
      this.part(layout.LINE);
      this.part(layout.LINE_REST);
    } else if (isSlice(line, lineStart, appendOffset)) this.part(layout.LINE);
    else if (isSlice(line, appendOffset, lineEnd)) this.part(layout.LINE_REST);
    else if (isSlice(row.bytes, row.start, row.end)) this.part(layout.ADDRESS);
    else if (isSlice(canonicalLocalPart.bytes, canonicalLocalPart.start, canonicalLocalPart.end))
      this.part(layout.CANONICAL);
    else super.slice(bytes, start, end);
  }

  override hostName(bytes: Uint8Array, start: number, end: number): void {
    const { row, classifier } = this;
    if (bytes === row.bytes && start === classifier.domainInputStart && end === row.end) this.part(layout.DOMAIN);
    else super.hostName(bytes, start, end);
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

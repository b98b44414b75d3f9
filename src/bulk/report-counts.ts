// Collects what --report shows besides the summary, in bounded memory: frequent domains, and sample rows with problems.

import { AT } from "../base/bytes/ascii.ts";
import { decodeUtf8 } from "../base/bytes/bytes.ts";
import { classBits, ROW_CLASS, type RowClass } from "../detection/classes.ts";
import type { Classifier } from "../detection/classifier.ts";
import { EMAIL_OUTPUT_MAX } from "../detection/format.ts";
import { NameCounts } from "./name-counts.ts";
import { unescapeText } from "./rows/escapes.ts";
import type { Row } from "./rows/row.ts";

const SAMPLES_PER_CLASS = 10;
/** Maximum bytes of a domain that may be mistyped, including the @. */
const MAX_MALFORMED_BYTES = 65;

export const SAMPLE_CLASSES = ["invalid", "disposable", "no_mail", "unknown"] as const satisfies readonly RowClass[];

const SAMPLE_BITS = classBits(SAMPLE_CLASSES);

export interface SampleRow {
  /** Undefined if the run has one input. */
  readonly input: string | undefined;
  readonly row: number;
  readonly fault: string | undefined;
  /** Undefined if the report shows no addresses. */
  readonly address: string | undefined;
}

/** Replaces the text up to an @. */
export const REDACTED = "…@";
/** Matches text up to its last @, or a character that looks like one. Captures the scheme and the host of a URL. */
const UP_TO_AT = /^(https?:\/\/[\w.-]+\/)?.*[@\uff20\ufe6b]/s;
/** Maximum length of a text that is searched for addresses: the longest path (PATH_MAX of Linux). */
const MAX_REDACTED_CHARS = 4096;
/** Enough for a URL in a parameter of a URL in HTML. */
const MAX_NESTED_ESCAPES = 3;

/**
 * Redacts a file name, an option or a value of --by up to the last @, even if the @ is escaped, but not a URL's host. Also
 * redacts the last word of a truncated value, which may be the beginning of an address.
 */
export function redactAddresses(text: string): string {
  if (text.length > MAX_REDACTED_CHARS) return "…";
  const wholeWords = text.replace(/\S*…$/, "…");
  let decoded = wholeWords;
  for (let depth = 0; depth < MAX_NESTED_ESCAPES; depth += 1) decoded = unescapeText(decoded);
  return UP_TO_AT.test(decoded) ? decoded.replace(UP_TO_AT, `$1${REDACTED}`) : wholeWords;
}

/** Returns the end of a row's address in lower case. */
function domainText({ bytes, end }: Row, start: number): string {
  return decodeUtf8(bytes, start, end).toLowerCase();
}

export class ReportCounts {
  /** Domains of well-formed addresses, as written, and the text after the @ of malformed ones if it is mistyped. */
  readonly domains: NameCounts = new NameCounts();
  readonly samples: ReadonlyMap<RowClass, SampleRow[]> = new Map(SAMPLE_CLASSES.map((name) => [name, []]));
  private input: string | undefined;
  /** Bits of the classes that don't have enough samples yet. */
  private neededBits: number = SAMPLE_BITS;

  constructor(readonly showsAddresses: boolean) {}

  beginInput(name: string): void {
    this.input = this.showsAddresses ? name : redactAddresses(name);
  }

  /** Reports whether rows of these classes must be added one by one. */
  needsSamples(classes: number): boolean {
    return (classes & this.neededBits) !== 0;
  }

  add(classes: number, classifier: Classifier, row: Row, rowNumber: number): void {
    if ((classes & ROW_CLASS.valid) !== 0) {
      const { domainBytes, domainStart, domainInputStart } = classifier;
      this.domains.add(domainText(row, domainBytes === row.bytes ? domainStart : domainInputStart));
    }
    if ((classes & ROW_CLASS.invalid) !== 0 && classifier.isMistyped) {
      const at = row.bytes.lastIndexOf(AT, row.end - 1);
      if (at >= row.start && at + 1 < row.end && row.end - at <= MAX_MALFORMED_BYTES)
        this.domains.add(domainText(row, at + 1));
    }
    if ((classes & this.neededBits) !== 0) this.addSamples(classes, classifier, row, rowNumber);
  }

  private addSamples(classes: number, { fault }: Classifier, row: Row, rowNumber: number): void {
    for (const name of SAMPLE_CLASSES) {
      if ((classes & this.neededBits & ROW_CLASS[name]) === 0) continue;
      const samples = this.samples.get(name) as SampleRow[];
      const last = samples.at(-1);
      // A row can have several addresses.
      if (last?.row === rowNumber && last.input === this.input) continue;
      const end = Math.min(row.end, row.start + EMAIL_OUTPUT_MAX);
      const address = this.showsAddresses ? decodeUtf8(row.bytes, row.start, end) : undefined;
      samples.push({ input: this.input, row: rowNumber, fault, address });
      if (samples.length === SAMPLES_PER_CLASS) this.neededBits &= ~ROW_CLASS[name];
    }
  }
}

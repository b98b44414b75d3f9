// Counts for a report about a run besides the summary: frequent domains, and the first rows of each class that is
// wrong. Memory is bounded.

import { AT } from "../base/bytes/ascii.ts";
import { decodeUtf8 } from "../base/bytes/bytes.ts";
import type { Classifier } from "../detection/classifier.ts";
import { EMAIL_OUTPUT_MAX } from "../detection/format.ts";
import { ROW_CLASS, type RowClass } from "./classes.ts";
import { NameCounts } from "./name-counts.ts";
import type { Row } from "./rows/row.ts";

const SAMPLES_PER_CLASS = 10;
/** Bytes from the @ on of what may be a mistyped domain. */
const MAX_MALFORMED_BYTES = 65;

export const SAMPLE_CLASSES = ["invalid", "disposable", "no_mail", "unknown"] as const satisfies readonly RowClass[];

const SAMPLE_BITS = SAMPLE_CLASSES.reduce((bits, name) => bits | ROW_CLASS[name], 0);

export interface SampleRow {
  readonly input: string;
  readonly row: number;
  /** Why, in a word: the fault of an invalid row. */
  readonly fault: string | undefined;
  /** Undefined where addresses are not shown. */
  readonly address: string | undefined;
}

/** Text of the user, such as the name of a file, with what may be the local part of an address left out. */
export function redactAddresses(text: string): string {
  return text.replace(/[^/\\]*@/g, "…@");
}

/** The end of a row's address, without letter case. */
function domainText({ bytes, end }: Row, start: number): string {
  return decodeUtf8(bytes, start, end).toLowerCase();
}

export class ReportCounts {
  /** Domains of well-formed addresses, as they are written. */
  readonly domains: NameCounts = new NameCounts();
  /** The text behind the @ of malformed ones. */
  readonly malformed: NameCounts = new NameCounts();
  readonly samples: ReadonlyMap<RowClass, SampleRow[]> = new Map(SAMPLE_CLASSES.map((name) => [name, []]));
  private input = "";
  /** The bits of classes that have not enough rows yet: most rows of a run then cost one comparison. */
  private neededBits: number = SAMPLE_BITS;

  constructor(/** Rows are shown with their addresses. */ readonly showsAddresses: boolean) {}

  beginInput(name: string): void {
    this.input = this.showsAddresses ? name : redactAddresses(name);
  }

  /** True when rows of these classes are looked at one by one. */
  needsSamples(classes: number): boolean {
    return (classes & this.neededBits) !== 0;
  }

  add(classes: number, classifier: Classifier, row: Row, rowNumber: number): void {
    if ((classes & ROW_CLASS.valid) !== 0) {
      const { domainBytes, domainStart, domainInputStart } = classifier;
      this.domains.add(domainText(row, domainBytes === row.bytes ? domainStart : domainInputStart));
    }
    if ((classes & ROW_CLASS.invalid) !== 0) {
      const at = row.bytes.lastIndexOf(AT, row.end - 1);
      if (at >= row.start && at + 1 < row.end && row.end - at <= MAX_MALFORMED_BYTES)
        this.malformed.add(domainText(row, at + 1));
    }
    if ((classes & this.neededBits) !== 0) this.addSamples(classes, classifier, row, rowNumber);
  }

  private addSamples(classes: number, { fault }: Classifier, row: Row, rowNumber: number): void {
    for (const name of SAMPLE_CLASSES) {
      if ((classes & this.neededBits & ROW_CLASS[name]) === 0) continue;
      const kept = this.samples.get(name) as SampleRow[];
      const end = Math.min(row.end, row.start + EMAIL_OUTPUT_MAX);
      const address = this.showsAddresses ? decodeUtf8(row.bytes, row.start, end) : undefined;
      kept.push({ input: this.input, row: rowNumber, fault, address });
      if (kept.length === SAMPLES_PER_CLASS) this.neededBits &= ~ROW_CLASS[name];
    }
  }
}

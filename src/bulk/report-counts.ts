// Counts for a report about a run besides the summary: frequent domains, and the first rows of each class that is wrong. Memory is
// bounded.

import { decodeUtf8 } from "../base/bytes/octets.ts";
import type { Classifier } from "../detection/classifier.ts";
import { EMAIL_SHOWN_MAX } from "../detection/format.ts";
import { ROW_CLASS, type RowClass } from "./classes.ts";
import { type Frequent, HeavyHitters } from "./heavy-hitters.ts";
import type { Row } from "./rows/row.ts";

const AT = 0x40;
/** Rows that are shown of each class. */
const FIRST = 10;

/** The classes whose rows are shown. */
export const WORST = ["invalid", "disposable", "no_mail", "unknown"] as const satisfies readonly RowClass[];

const WORST_BITS = WORST.reduce((bits, name) => bits | ROW_CLASS[name], 0);

/** A row that is wrong. */
export interface WorstRow {
  readonly input: string;
  readonly row: number;
  /** Why, in a word: the fault of an invalid row. */
  readonly fault: string | undefined;
  /** Undefined where addresses are not shown. */
  readonly address: string | undefined;
}

/** Wrong rows by class. */
export type WorstRows = readonly (readonly [RowClass, readonly WorstRow[]])[];

/** Names with their rows. */
export interface ReportNames {
  readonly domains: readonly Frequent[];
  readonly malformed: readonly Frequent[];
}

/** Text of the user, such as the name of a file, with what may be the local part of an address left out. */
export function withoutAddresses(text: string): string {
  return text.replace(/[^/\\]*@/g, "…@");
}

/** Counts rows for a report. */
export class ReportCounts {
  /** Domains of well-formed addresses, as they are written; a DomainTally fills it. */
  readonly domains: HeavyHitters = new HeavyHitters();
  /** The text behind the @ of malformed ones. */
  readonly malformed: HeavyHitters = new HeavyHitters();
  readonly worst: ReadonlyMap<RowClass, WorstRow[]> = new Map(WORST.map((name) => [name, []]));
  private input = "";
  /** The bits of classes that may not have enough rows yet: most rows of a run then cost one comparison. */
  private wanted: number = WORST_BITS;

  constructor(/** Rows are shown with their addresses. */ readonly addresses: boolean) {}

  /** The rows that follow are those of an input. */
  beginInput(name: string): void {
    this.input = this.addresses ? name : withoutAddresses(name);
  }

  /** True when rows of these classes are looked at one by one. */
  wants(classes: number): boolean {
    return (classes & this.wanted) !== 0;
  }

  /** Counts the classifier's current row. */
  add(classes: number, classifier: Classifier, row: Row, rowNumber: number): void {
    if ((classes & ROW_CLASS.invalid) !== 0) {
      const at = row.octets.lastIndexOf(AT, row.end - 1);
      if (at >= row.start) this.malformed.add(row.octets, at + 1, row.end);
    }
    if ((classes & this.wanted) !== 0) this.keep(classes, classifier, row, rowNumber);
  }

  /** The first wrong rows since the last call, for a worker to hand over with a piece. */
  takeWorst(): WorstRows {
    const worst = [...this.worst]
      .filter(([, rows]) => rows.length > 0)
      .map(([name, rows]) => [name, [...rows]] as const);
    for (const rows of this.worst.values()) rows.length = 0;
    this.wanted = WORST_BITS;
    return worst;
  }

  /** Adds those of a worker's piece, whose rows come after `offset`. */
  mergeWorst(worst: WorstRows, offset: number): void {
    for (const [name, rows] of worst) {
      const kept = this.worst.get(name) as WorstRow[];
      for (const row of rows.slice(0, FIRST - kept.length))
        kept.push({ ...row, input: this.input, row: row.row + offset });
    }
  }

  /** The names so far, for a worker to hand over at the end. */
  names(): ReportNames {
    return { domains: this.domains.top(), malformed: this.malformed.top() };
  }

  mergeNames({ domains, malformed }: ReportNames): void {
    this.domains.merge(domains);
    this.malformed.merge(malformed);
  }

  private keep(classes: number, { fault }: Classifier, row: Row, rowNumber: number): void {
    for (const name of WORST) {
      const kept = this.worst.get(name) as WorstRow[];
      if ((classes & this.wanted & ROW_CLASS[name]) === 0) continue;
      if (kept.length >= FIRST) {
        this.wanted &= ~ROW_CLASS[name];
        continue;
      }
      const end = Math.min(row.end, row.start + EMAIL_SHOWN_MAX);
      const address = this.addresses ? decodeUtf8(row.octets, row.start, end) : undefined;
      kept.push({ input: this.input, row: rowNumber, fault, address });
    }
  }
}

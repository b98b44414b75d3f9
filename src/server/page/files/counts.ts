// Counts the classes of rows in the CSV that the daemon answers with.

import { RecordScan } from "../../../bulk/rows/csv.ts";
import type { Bar } from "../common/tone.ts";

/** How many columns the daemon adds, and which of them are flags, in their order. */
const ADDED = 9;
const [VALID, TAGGED, ROLE, PUBLIC, RELAY, DISPOSABLE] = [0, 2, 3, 4, 5, 7] as const;
const COMMA = 0x2c;
const QUOTE = 0x22;
/** The first octet of `true`. */
const T = 0x74;

/** What the classes of a file are, by their names. */
export type ClassCounts = Readonly<Record<ClassName, number>>;
type ClassName = "valid" | "invalid" | "disposable" | "relay" | "role" | "public_domain" | "tagged";

/** How rows of the answer are read. */
export interface AnswerLayout {
  readonly delimiter: number;
  /** How many columns stand before the added ones; undefined: the added ones are the last. */
  readonly width: number | undefined;
}

/** For a file of lines. */
export const LINES_ANSWER: AnswerLayout = { delimiter: COMMA, width: 1 };

/** Counts rows as their octets come. */
export class RowCounter {
  rows = 0;
  readonly classes: Record<ClassName, number> = {
    valid: 0,
    invalid: 0,
    disposable: 0,
    relay: 0,
    role: 0,
    public_domain: 0,
    tagged: 0,
  };
  private readonly layout: AnswerLayout;
  private readonly scan = new RecordScan();

  constructor(layout: AnswerLayout) {
    this.layout = layout;
  }

  /** Counts the records of a whole answer from `start` on. */
  add(octets: Uint8Array, start: number): void {
    const { scan } = this;
    const { delimiter, width } = this.layout;
    let column = width ?? 0;
    for (let from = start; from < octets.length; from = scan.next) {
      scan.scan(octets, from, octets.length, { delimiter, column, width: 1 }, true);
      if (width === undefined && scan.fields !== column + ADDED) {
        // The first of the last columns; mostly the same as in the row before.
        column = Math.max(0, scan.fields - ADDED);
        scan.scan(octets, from, octets.length, { delimiter, column, width: 1 }, true);
      }
      this.count(octets, scan.columnStart, scan.end);
    }
  }

  /** Counts the row whose added fields stand there. None is decoded: a file may have millions of rows. */
  private count(octets: Uint8Array, start: number, end: number): void {
    const { classes } = this;
    let flags = 0;
    let at = start;
    for (let i = 0; i < ADDED && at < end; i += 1) {
      if (octets[at] === T) flags |= 1 << i;
      at = this.afterField(octets, at, end) + 1;
    }
    const is = (i: number): boolean => (flags & (1 << i)) !== 0;
    this.rows += 1;
    if (is(VALID)) classes.valid += 1;
    else classes.invalid += 1;
    if (is(DISPOSABLE)) classes.disposable += 1;
    if (is(RELAY)) classes.relay += 1;
    if (is(ROLE)) classes.role += 1;
    if (is(PUBLIC)) classes.public_domain += 1;
    if (is(TAGGED)) classes.tagged += 1;
  }

  /** Where the field ends. The daemon quotes well: a quote in a field is doubled. */
  private afterField(octets: Uint8Array, start: number, end: number): number {
    const { delimiter } = this.layout;
    let quoted = false;
    let i = start;
    for (; i < end && (quoted || octets[i] !== delimiter); i += 1) if (octets[i] === QUOTE) quoted = !quoted;
    return i;
  }
}

/** Where the second record begins: after the header. */
export function afterHeader(octets: Uint8Array, delimiter: number): number {
  const scan = new RecordScan();
  scan.scan(octets, 0, octets.length, { delimiter, column: 0, width: 1 }, true);
  return octets.length === 0 ? 0 : scan.next;
}

const BARS: readonly (readonly [ClassName, string, Bar["tone"]])[] = [
  ["valid", "valid", "good"],
  ["invalid", "invalid", "bad"],
  ["disposable", "disposable", "bad"],
  ["relay", "relay", "warn"],
  ["role", "role", "warn"],
  ["public_domain", "public domain", "plain"],
  ["tagged", "tagged", "plain"],
];

/** The counts as bars. */
export function countBars(classes: ClassCounts): Bar[] {
  return BARS.map(([name, title, tone]) => ({ name: title, count: classes[name], tone }));
}

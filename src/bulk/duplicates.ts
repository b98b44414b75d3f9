// Rows that are one mailbox: the first row of each canonical form, exact but for a chance below 10^-20. A mailbox is kept as its keyed
// digest of 128 bits, so that no input can be made whose mailboxes meet, in a table that takes at most 24 octets for each.

import { LOWER } from "../base/bytes/octets.ts";
import { AddrsiftError } from "../base/errors.ts";
import type { Classifier } from "../detection/classifier.ts";
import { openModule, type WebAssemblyMemory } from "../kernel/kernel.ts";
import { DUPLICATES_MODULE } from "../kernel/module.ts";

/** Octets that a mailbox takes at most, where there are thousands. */
export const MAILBOX_OCTETS = 24;
/** Words of 32 bits in a key. */
export const KEY_WORDS = 4;

const AT = 0x40;
const LARGEST = 10;

// The memory's parts, which `../kernel/assembly/duplicates.ts` tells. A text is a canonical address: 255 octets, and thrice that where
// letters grow.
const KEY = 0x200;
const FIRSTS = 0x1000;
const NOTES = 0x6000;
const TEXT = 0xc000;
const ANSWERS = 0x1_0000;
const INPUT = 0x41_0000;
const OUTPUT = 0x43_0000;
const TABLE = 0x45_0000;
const ANSWER_OCTETS = 128;
const SHOWN_AT = 3;
const OTHERS_AT = 4;
const TEXTS_AT = [8, 48, 88] as const;
/** Octets of each text of such an answer. */
export const DIFFERENCE_MAX = 40;
/** Words of what is noted of an answer. */
export const NOTE_WORDS = 4;
const PAGE_OCTETS = 65_536;
const PAGES_MAX = 65_536;
/** Words of an entry: four of the digest, of which low bits count the rows that repeat it, and the first row's number; 0: no entry. */
const ENTRY = 5;
const ROW = 4;
const LOW_BITS = 63;
const FIRST_PLACES = 59_000;

/** The exports of the module. */
type Program = Readonly<Record<"most" | "places" | "mailboxes" | "repeated" | "groups", { value: number }>> & {
  firstRow(start: number, end: number, row: number): number;
  answer(count: number, row: number, shift: number): number;
  writtenEnd(): number;
};

/** The octets that an answer has in place of its mailbox, as characters. */
export interface MailboxAnswer {
  /** In the first row of a mailbox; undefined where such rows are not shown. */
  readonly first: string | undefined;
  /** In another one, before and after the number of the first; undefined where such rows are not shown. */
  readonly others: readonly [before: string, after: string] | undefined;
  readonly isNumbered: boolean;
}

/** Mailboxes that several rows are. */
export interface DuplicateReport {
  /** Rows that are one mailbox with another row, the first ones included. */
  readonly rows: number;
  /** The mailboxes of these rows. */
  readonly mailboxes: number;
  /** The mailboxes with the most rows, each by its first row. */
  readonly largest: readonly { readonly first_row: number | string; readonly rows: number }[];
}

/** Finds for each address the first row of its mailbox, over all inputs of a run. */
export class Duplicates {
  private readonly memory: WebAssemblyMemory;
  private readonly program: Program;
  private octets: Uint8Array = new Uint8Array(0);
  private words: Uint32Array = new Uint32Array(0);
  /** Rows beyond those that an entry can count, by its first row. */
  private readonly more = new Map<number, number>();
  /** The inputs, each with the number of rows before it, from the last one on. */
  private readonly inputs: { readonly name: string; readonly before: number }[] = [{ name: "", before: 0 }];
  private last = 0;

  /**
   * `key` has KEY_WORDS random words. `full` makes the error for more than `most` mailboxes. Throws AddrsiftError where there is no
   * WebAssembly.
   */
  constructor(
    key: Int32Array,
    most: number,
    private readonly full: (rows: number) => Error,
  ) {
    const pages = Math.ceil((TABLE + 4 * ENTRY * FIRST_PLACES) / PAGE_OCTETS);
    const opened = openModule(
      DUPLICATES_MODULE,
      { pages, maximum: PAGES_MAX },
      { more: (row: number) => this.addMore(row) },
    );
    if (opened === undefined) {
      throw new AddrsiftError(
        "OPERATION",
        "rows are compared by WebAssembly, which can't be had: run Node without --jitless, and without a limit on address space (ulimit -v)",
      );
    }
    this.memory = opened.memory;
    this.program = opened.exports as Program;
    this.program.most.value = Math.min(most, 0xffff_ffff);
    this.program.places.value = FIRST_PLACES;
    this.look();
    const whole = doubled(key);
    this.words.set([...key, ...whole, ...doubled(whole)], KEY / 4);
  }

  /** Distinct mailboxes so far. */
  get mailboxes(): number {
    return this.program.mailboxes.value >>> 0;
  }

  /** Octets of the table. */
  get tableOctets(): number {
    return 4 * ENTRY * this.program.places.value;
  }

  /** True while all rows are of one input, so that the first row of a mailbox is told by its number. */
  get hasOneInput(): boolean {
    return this.inputs.length === 1;
  }

  /** The rows that follow are those of an input, and numbered from its beginning on. */
  beginInput(name: string): void {
    if (this.last === 0) this.inputs.length = 0;
    this.inputs.unshift({ name, before: this.last });
  }

  /** The first row with the mailbox of the classifier's current address, which is well-formed; undefined where that is `row`. */
  firstRow({ canonical, domainOctets, domainStart, domainEnd }: Classifier, row: number): number | string | undefined {
    const { octets } = this;
    const number = (this.inputs[0]?.before ?? 0) + row;
    this.last = number;
    if (number > 0xffff_ffff) throw this.full(number - 1);
    let end = TEXT;
    for (let i = canonical.start; i < canonical.end; i += 1) octets[end++] = canonical.octets[i] as number;
    octets[end++] = AT;
    for (let i = domainStart; i < domainEnd; i += 1) octets[end++] = LOWER[domainOctets[i] as number] as number;
    const first = this.program.firstRow(TEXT, end, number) >>> 0;
    this.look();
    if (first === 0) throw this.full(number - 1);
    return first === number ? undefined : this.shown(first);
  }

  /** Notes what the answer of a number has in place of its mailbox. */
  addAnswer(number: number, { first, others, isNumbered }: MailboxAnswer): void {
    const at = ANSWERS + ANSWER_OCTETS * number;
    for (const [i, text] of [first ?? "", ...(others ?? [])].entries()) {
      this.octets[at + i] = text.length;
      for (let j = 0; j < text.length; j += 1) this.octets[at + (TEXTS_AT[i] as number) + j] = text.charCodeAt(j);
    }
    this.octets[at + SHOWN_AT] = (first === undefined ? 0 : 1) | (others === undefined ? 0 : 2) | (isNumbered ? 4 : 0);
  }

  /** The rows of an answer that repeat a mailbox, since the last call. */
  takeOthers(number: number): number {
    const at = (ANSWERS + ANSWER_OCTETS * number + OTHERS_AT) / 4;
    const rows = this.words[at] as number;
    this.words[at] = 0;
    return rows;
  }

  /**
   * Puts the first row of its mailbox into each of the kernel's answers; `row` is the number of the first one. `take` gets them, and for
   * each the number of the first row with its mailbox.
   */
  answer(
    answers: Uint8Array,
    notes: Uint32Array,
    row: number,
    take: (octets: Uint8Array, firsts: Uint32Array) => void,
  ): void {
    const count = notes.length / NOTE_WORDS;
    if (count === 0) return;
    const number = (this.inputs[0]?.before ?? 0) + row;
    this.last = number + count - 1;
    if (this.last > 0xffff_ffff) throw this.full(number - 1);
    const shift = INPUT - (notes[0] as number);
    this.octets.set(answers, INPUT);
    this.words.set(notes, NOTES / 4);
    this.words[NOTES / 4 + notes.length] = answers.length + (notes[0] as number);
    const done = this.program.answer(count, number, shift);
    this.look();
    take(this.octets.subarray(OUTPUT, this.program.writtenEnd()), this.words.subarray(FIRSTS / 4, FIRSTS / 4 + done));
    if (done < count) throw this.full(number + done - 1);
  }

  report(): DuplicateReport {
    const { words, program } = this;
    const groups = program.groups.value;
    const largest: { first: number; rows: number }[] = [];
    let least = 2;
    const end = groups === 0 ? 0 : (TABLE + this.tableOctets) / 4;
    for (let at = TABLE / 4; at < end; at += ENTRY) {
      if (((words[at] as number) & LOW_BITS) < least - 1 || words[at + ROW] === 0) continue;
      const first = words[at + ROW] as number;
      largest.push({ first, rows: 1 + ((words[at] as number) & LOW_BITS) + (this.more.get(first) ?? 0) });
      if (largest.length < 100 * LARGEST) continue;
      keepLargest(largest);
      least = Math.min(LOW_BITS + 1, (largest[LARGEST - 1] as { rows: number }).rows);
    }
    keepLargest(largest);
    return {
      rows: program.repeated.value + groups,
      mailboxes: groups,
      largest: largest.map(({ first, rows }) => ({ first_row: this.shown(first), rows })),
    };
  }

  /** A row of the current input by its number, and one of an earlier input with its name before it. */
  private shown(number: number): number | string {
    const at = this.inputs.findIndex(({ before }) => number > before);
    const { name, before } = this.inputs[at] as { name: string; before: number };
    return at === 0 ? number - before : `${name}:${number - before}`;
  }

  private addMore(row: number): void {
    const first = row >>> 0;
    this.more.set(first, (this.more.get(first) ?? 0) + 1);
  }

  /** Looks at the memory, which is another buffer after it grew. */
  private look(): void {
    const { buffer } = this.memory;
    if (this.octets.buffer === buffer) return;
    this.octets = new Uint8Array(buffer);
    this.words = new Uint32Array(buffer);
  }
}

function keepLargest(groups: { readonly first: number; readonly rows: number }[]): void {
  groups.sort((a, b) => b.rows - a.rows || a.first - b.first);
  groups.length = Math.min(groups.length, LARGEST);
}

/** The key times two in the field of 2^128 elements. */
function doubled(key: Int32Array): Int32Array {
  return key.map(
    (word, i) => (word << 1) ^ (i === 0 ? ((key[3] as number) >>> 31) * 0x87 : (key[i - 1] as number) >>> 31),
  );
}

// The kernel's memory: its tables, the domains that it knows, and a run of it. `assembly/kernel.ts` says where things are. It
// knows what an answer consists of, and not what it says.

import { isAtext } from "../../address/local-part.ts";
import type { ProviderRule } from "../../address/providers.ts";
import { LOWER } from "../../base/bytes/bytes.ts";
import type { RoleFilters } from "../../lists/format.ts";
import { KERNEL_MODULE } from "./module.ts";

const PAGE_BYTES = 65_536;
const STATE = 0x240;
/** Index in the memory of the unknown domain, or word, in lower case. */
export const UNKNOWN_NAME = 0x260;
const KEPT = 0x280;
const LOCAL_LOW = 0x2c0;
const HIGH = 0x2d0;
const BREAKS = 0x300;
const ESCAPES = 0x400;
const LOWERS = 0x500;
const KEYS = 0x800;
const RULES = 0x2000;
const ROLES = 0xc000;
const TEMPLATES = 0x20000;
const ENTRIES = 0x40000;
const ENTRY_BYTES = 64;
const ROWS_AT = 4;
const TEMPLATES_AT = 8;
/** Variants of row at a domain, each with a template. */
export const VARIANTS = 8;
/** Beside the variant: the domain is not kept yet. */
const NEW = 8;
const RULE_AT = 1;
const DOMAIN_AT = 32;
const WORD_IS_AT = 16;
const PARTS_AT = 12;
const DOMAIN_MAX = 32;
const HYPHEN = 0x2d;
const RULES_MAX = 128;
const TEMPLATES_MAX = 32_768;
const TEMPLATE_BYTES = 1 << 20;
/** Input that is looked at together. A longer row is not answered. */
const INPUT_BYTES = 1 << 18;
const OUTPUT_BYTES = 1 << 16;
/** Rows that are noted together at most, and bytes of a note and of a mailbox. */
const NOTES_MAX = 128;
export const NOTE_WORDS = 4;
const NOTE_BYTES = 4 * NOTE_WORDS;
const MAILBOX_MAX = 144;
// Bytes that are read or written beyond an end, because 32 are copied at a time.
const SLACK_BYTES = 64;

/** Forms of input, by their numbers. */
const FORMS = ["lines", "csv", "tsv", "jsonl"] as const;

/** How rows are found. */
export interface KernelForm {
  readonly form: (typeof FORMS)[number];
  /** CSV: the byte between fields. */
  readonly delimiter?: number;
  /** CSV and TSV: the index of the address's column, and the number of columns. */
  readonly column?: number;
  readonly width?: number;
  /** JSON Lines: the key of the address, then the keys that are added. */
  readonly keys?: readonly string[];
}

/** Why a run stopped, by its number. */
export const STOP = { incomplete: 1, unknown: 2, odd: 3, full: 4, word: 5 } as const;
/** Bits of a variant of row: it has a tag, its line ends in CR LF, its local part is a role's name. */
export const VARIANT = { tag: 1, crlf: 2, role: 4 } as const;
/** Kinds of local parts that may be a role's name. Rows with an odd one are not answered. */
export const WORD = { plain: 1, odd: 2, role: VARIANT.role } as const;
/** In place of a template: such rows of the domain are not answered. */
export const REFUSED = 0xffff;

/**
 * Parts of a row in an answer, as characters that are no bytes: these are below U+0100. `line` and `rest` are the row's
 * bytes before and after what is added; what is between `open` and `close` is the mailbox of the row, which is noted.
 */
export const PART = {
  line: "\u0102",
  rest: "\u0103",
  address: "\u0104",
  canonical: "\u0105",
  domain: "\u0106",
  open: "\u0107",
  close: "\u0108",
} as const;
const PART_0 = 0x100;
const BYTES = 1;

/** WebAssembly's API, as far as it is used; it is not there under --jitless. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (pages: {
    readonly initial: number;
    readonly maximum: number;
  }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}
/** Settings of all runs; the kernel's source says what each is. */
interface Settings {
  readonly form: number;
  readonly delimiter: number;
  readonly column: number;
  readonly width: number;
  readonly keyCount: number;
  readonly entryMask: number;
  readonly output: number;
  readonly outputEnd: number;
  readonly names: number;
  readonly namesMask: number;
  readonly roleSeed: number;
  readonly notes: number;
  readonly noted: number;
}

/** The exports of the module. */
type Program = Readonly<Record<keyof Settings, { value: number }>> & {
  run(start: number, end: number): number;
};
const { WebAssembly } = globalThis as { readonly WebAssembly?: WebAssemblyApi };

// Words that a run leaves, from STATE on.
const FOUND = { rows: 0, next: 1, written: 2, length: 3, entry: 4, variant: 5 } as const;

let compiled: object | undefined;

/**
 * A kernel for such rows that keeps up to `entries` domains, a power of two; undefined where WebAssembly, its vectors,
 * or the address space for a memory (V8 reserves 10 GB) are not available.
 */
export function createKernel(form: KernelForm, roles: RoleFilters, entries: number): Kernel | undefined {
  if (WebAssembly === undefined) return undefined;
  const pages = Math.ceil(memoryEnds(entries, roles.names.length).notes / PAGE_BYTES);
  try {
    compiled ??= new WebAssembly.Module(Uint8Array.from(atob(KERNEL_MODULE), (char) => char.charCodeAt(0)));
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
    return new Kernel(memory.buffer, exports as Program, { form, roles, entries });
  } catch {
    return undefined;
  }
}

/** Where the parts of the memory end whose size is not fixed; each begins where the one before it ends. */
function memoryEnds(entries: number, namesLength: number) {
  const known = ENTRIES + ENTRY_BYTES * entries;
  const names = known + namesLength;
  const templates = names + TEMPLATE_BYTES;
  const input = templates + INPUT_BYTES + SLACK_BYTES;
  const output = input + OUTPUT_BYTES + SLACK_BYTES;
  const notes = output + NOTES_MAX * (NOTE_BYTES + MAILBOX_MAX) + SLACK_BYTES;
  return { known, names, templates, input, output, notes };
}

/** Takes a domain between two indexes of bytes, its rows, and a template of it. */
export type TakeDomain = (bytes: Uint8Array, start: number, end: number, rows: number, template: number) => void;

/**
 * Answers of a kernel, between two indexes. Where rows are compared, `notes` has NOTE_WORDS for each: the indexes where
 * it begins, where rows of one mailbox differ, and where its mailbox ends, and its template. The mailboxes begin at
 * `mailboxes`, each at a multiple of 16.
 */
export interface Answers {
  readonly start: number;
  readonly end: number;
  readonly notes: Int32Array;
  readonly mailboxes: number;
}

/** Notes a byte in a table of bits by low halves. */
function markByte(lows: Uint8Array, byte: number): void {
  lows[byte & 15] = (lows[byte & 15] as number) | (1 << (byte >>> 4));
}

/** A kernel with its memory. Indexes of bytes are those of the memory. */
export class Kernel {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  private readonly halves: Uint16Array;
  private readonly state: Int32Array;
  private readonly program: Program;
  private readonly ends: ReturnType<typeof memoryEnds>;
  private readonly rules: Map<ProviderRule, number> = new Map();
  private templates = 0;
  private templatesEnd: number;
  /** The difference between an index of the input and one of the memory. */
  private shift = 0;

  constructor(
    memory: ArrayBuffer,
    program: Program,
    { form, roles, entries }: { readonly form: KernelForm; readonly roles: RoleFilters; readonly entries: number },
  ) {
    this.bytes = new Uint8Array(memory);
    this.words = new Int32Array(memory);
    this.halves = new Uint16Array(memory);
    this.state = new Int32Array(memory, STATE, 6);
    this.program = program;
    this.ends = memoryEnds(entries, roles.names.length);
    this.templatesEnd = this.ends.names;
    this.fillTables();
    this.bytes.set(roles.beginnings, ROLES);
    this.bytes.set(roles.names, this.ends.known);
    this.setForm(form, roles, entries);
  }

  private setForm(
    { form, delimiter = 0x09, column = 0, width = 1, keys = [] }: KernelForm,
    roles: RoleFilters,
    entries: number,
  ): void {
    const { bytes, ends, program } = this;
    const settings: Settings = {
      ...{ form: FORMS.indexOf(form), delimiter, column, width, keyCount: keys.length, entryMask: entries - 1 },
      ...{ output: ends.input, outputEnd: ends.output - SLACK_BYTES },
      ...{ names: ends.known, namesMask: 8 * roles.names.length - 1, roleSeed: roles.seed },
      ...{ notes: ends.output, noted: 0 },
    };
    for (const [name, value] of Object.entries(settings)) program[name as keyof Settings].value = value;
    let at = KEYS;
    for (const key of keys) {
      const name = new TextEncoder().encode(key);
      bytes[at] = name.length;
      bytes.set(name, at + 1);
      at += 1 + name.length;
    }
  }

  /** True when the keys fit into their table. */
  static takesKeys(keys: readonly string[]): boolean {
    const lengths = keys.map((key) => new TextEncoder().encode(key).length);
    return Math.max(...lengths) < 256 && lengths.reduce((sum, length) => sum + length + 1, KEYS) <= RULES;
  }

  /** The number of a provider's rule; undefined when there is no room. */
  ruleOf(provider: ProviderRule): number | undefined {
    const known = this.rules.get(provider);
    const number = this.rules.size;
    if (known !== undefined || number === RULES_MAX) return known;
    const { separator, ignored, hyphenIsDot } = provider;
    const at = RULES + 32 * number;
    this.bytes.set([separator, hyphenIsDot ? HYPHEN : 0, ignored.includes(".") ? 1 : 0], at);
    for (const char of ignored) markByte(this.bytes.subarray(at + 16), char.charCodeAt(0));
    this.rules.set(provider, number);
    return number;
  }

  /** The number of an answer, bytes and PARTs, from 1 on; undefined when there is no room. */
  addTemplate(answer: string): number | undefined {
    const { words, bytes } = this;
    const parts = answer.match(/[\0-\xff]+|[^\0-\xff]/g) ?? [];
    const texts = parts.filter((part) => part.charCodeAt(0) < PART_0);
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    const at = this.templatesEnd;
    let text = at + PARTS_AT + 12 * (parts.length + 1);
    if (this.templates + 1 >= TEMPLATES_MAX || text + length + SLACK_BYTES > this.ends.templates) return undefined;
    this.templates += 1;
    words[TEMPLATES / 4 + this.templates] = at;
    words.set([length, parts.length - texts.length], at / 4);
    for (const [i, part] of parts.entries()) {
      const place = (at + PARTS_AT) / 4 + 3 * i;
      const code = part.charCodeAt(0);
      words.set(code < PART_0 ? [BYTES, text, part.length] : [code - PART_0], place);
      if (code < PART_0) for (const char of part) bytes[text++] = char.charCodeAt(0);
    }
    this.templatesEnd = (text + 3) & ~3;
    return this.templates;
  }

  /** Copies input from `start` on; gives the index where what was copied ends. */
  load(bytes: Uint8Array, start: number, end: number): number {
    const stop = Math.min(end, start + INPUT_BYTES);
    this.bytes.set(bytes.subarray(start, stop), this.ends.templates);
    this.shift = start - this.ends.templates;
    return stop;
  }

  /** Answers rows of the input that was loaded; gives one of STOP. The fields below are its result. */
  run(start: number, end: number): number {
    return this.program.run(start - this.shift, end - this.shift);
  }

  /** Rows that the last run answered. */
  get rows(): number {
    return this.state[FOUND.rows] as number;
  }

  /** Index of the input where the next row begins. */
  get next(): number {
    return (this.state[FOUND.next] as number) + this.shift;
  }

  /** The answers since the last call, which stay in the memory until the next run. */
  takeOutput(): Answers {
    const { state, program, ends } = this;
    const end = state[FOUND.written] as number;
    const notes = this.words.subarray(ends.output / 4, (ends.output + NOTE_BYTES * program.noted.value) / 4);
    state[FOUND.written] = ends.input;
    program.noted.value = 0;
    return { start: ends.input, end, notes, mailboxes: ends.output + NOTES_MAX * NOTE_BYTES };
  }

  /** The end of the unknown domain, or word, which begins at UNKNOWN_NAME. */
  get nameEnd(): number {
    return UNKNOWN_NAME + (this.state[FOUND.length] as number);
  }

  /** The unknown variant of row. */
  get variant(): number {
    return (this.state[FOUND.variant] as number) & (VARIANTS - 1);
  }

  /**
   * Keeps the templates of the unknown domain by their variants, 0 where one is not to be changed; a new domain takes
   * the place of another. Words of 4 bytes are written, because different domains may be kept by the million.
   */
  keep(rule: number, templates: Uint16Array): void {
    const { state, words, halves } = this;
    const entry = state[FOUND.entry] as number;
    if ((state[FOUND.variant] as number) >= NEW) {
      const at = entry / 4;
      words[at] = (state[FOUND.length] as number) | (rule << (8 * RULE_AT));
      for (let i = 1; i < DOMAIN_AT / 4; i += 1) words[at + i] = 0;
      for (let i = 0; i < DOMAIN_MAX / 4; i += 1) {
        words[at + DOMAIN_AT / 4 + i] = words[UNKNOWN_NAME / 4 + i] as number;
      }
    }
    const at = (entry + TEMPLATES_AT) / 2;
    for (let variant = 0; variant < VARIANTS; variant += 1) {
      if (templates[variant] !== 0) halves[at + variant] = templates[variant] as number;
    }
  }

  /** Keeps what the unknown word is. */
  keepWord(word: (typeof WORD)[keyof typeof WORD]): void {
    const entry = this.state[FOUND.entry] as number;
    this.bytes.copyWithin(entry, UNKNOWN_NAME, UNKNOWN_NAME + WORD_IS_AT);
    this.bytes[entry + WORD_IS_AT] = word;
  }

  /** Calls `take` with the domain that `keep` would remove, if it has rows. */
  takeLeaving(take: TakeDomain): void {
    this.takeRows(this.state[FOUND.entry] as number, take);
  }

  /** Gives the rows of each domain since the last call. */
  takeDomains(take: TakeDomain): void {
    for (let entry = ENTRIES; entry < this.ends.known; entry += ENTRY_BYTES) this.takeRows(entry, take);
  }

  private takeRows(entry: number, take: TakeDomain): void {
    const { words, halves } = this;
    const rowsAt = (entry + ROWS_AT) / 4;
    const rows = words[rowsAt] as number;
    if (rows === 0) return;
    words[rowsAt] = 0;
    const start = entry + DOMAIN_AT;
    let template = 0;
    for (let at = (entry + TEMPLATES_AT) / 2; template === 0 || template === REFUSED; at += 1) {
      template = halves[at] as number;
    }
    take(this.bytes, start, start + (this.bytes[entry] as number), rows, template);
  }

  /** The rows that a template answered since the last call. */
  takeAnswered(template: number): number {
    const { words } = this;
    const at = (words[TEMPLATES / 4 + template] as number) / 4 + 2;
    const rows = words[at] as number;
    words[at] = 0;
    return rows;
  }

  private fillTables(): void {
    const { bytes } = this;
    this.state[FOUND.written] = this.ends.input;
    bytes.set(LOWER, LOWERS);
    bytes.fill(0xff, KEPT, KEPT + DOMAIN_MAX);
    for (let high = 0; high < 8; high += 1) bytes[HIGH + high] = 1 << high;
    for (let byte = 0; byte < 256; byte += 1) {
      const char = String.fromCharCode(byte);
      const isLetter = /[a-z]/i.test(char);
      bytes[BREAKS + byte] = isLetter ? 0 : 1;
      bytes[ESCAPES + byte] = '"\\/bfnrt'.includes(char) ? 1 : 0;
      if (byte < 0x80 && (char === "." || isAtext(byte))) {
        markByte(bytes.subarray(LOCAL_LOW), byte);
      }
    }
  }
}

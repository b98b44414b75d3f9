// The kernel's memory: its tables, the domains that it knows, and a run of it. It knows the parts of an answer,
// not their meaning.

import { isLdhOrDot } from "../../address/domain/idna.ts";
import { isAtext } from "../../address/local-part.ts";
import type { ProviderRule } from "../../address/providers.ts";
import { HYPHEN } from "../../base/bytes/ascii.ts";
import { LOWER, wordsOf } from "../../base/bytes/bytes.ts";
import { HIDDEN_PREFIX } from "../../detection/domain/kind.ts";
import { hashSeed, KIND, type RoleFilters } from "../../lists/format.ts";
import * as layout from "./layout.ts";
import { KERNEL_MODULE } from "./module.ts";

const { ENTRIES, ENTRY_BYTES, NAME, NOTE_BYTES, NOTES_MAX, TEMPLATES } = layout;
const PAGE_BYTES = 65_536;
/** Variants of row at a domain, each with a template. */
export const VARIANTS = 8;
const TEMPLATE_BYTES = 1 << 20;
/** Input that is looked at together. A longer row is not answered. */
const INPUT_BYTES = 1 << 18;
const OUTPUT_BYTES = 1 << 16;
export const NOTE_WORDS: number = NOTE_BYTES / 4;
const MAILBOX_MAX = 144;
// Bytes that are read or written beyond an end, because 32 are copied at a time.
const SLACK_BYTES = 64;

const FORMS = { lines: layout.LINES, csv: layout.CSV, tsv: layout.TSV, jsonl: layout.JSONL } as const;

/**
 * How rows are found: the byte between fields, the index of the address's column, and the number of columns or keys.
 */
export interface KernelForm {
  readonly form: keyof typeof FORMS;
  readonly delimiter: number;
  readonly column: number;
  readonly width: number;
  /** The index of a column whose fields are noted; -1: of none. */
  readonly counted: number;
  /** Of JSON Lines: the keys that are added, and that of the address. */
  readonly keys: readonly Uint8Array[];
}

/** WebAssembly's API, as far as it is used; it is not there under --jitless. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (pages: Readonly<Record<"initial" | "maximum", number>>) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}
/** Settings of all runs; the kernel's source says what each is. */
type Setting = Exclude<keyof KernelForm, "keys"> | TableSetting;
type Seed = "roleSeed" | "domainSeed" | "namespaceSeed" | "suffixSeed";
type TableSetting = "entryMask" | "output" | "outputEnd" | "names" | "namesMask" | Seed | "apart" | "notes";
/** The exports of the module. */
type Program = Readonly<Record<Setting | "byLabel" | "noted", { value: number }>> & {
  run(start: number, end: number): number;
};
const { WebAssembly } = globalThis as { readonly WebAssembly?: WebAssemblyApi };

let compiled: object | undefined;

/**
 * A kernel for such rows that keeps up to `entries` domains, a power of two; undefined where the keys are too many or
 * too long, or where WebAssembly, its vectors, or the address space for a memory (V8 reserves 10 GB) are not available.
 */
export function createKernel(form: KernelForm, roles: RoleFilters, entries: number): Kernel | undefined {
  const { keys } = form;
  const takesKeys = keys.length <= layout.KEYS_MAX && keys.every(({ length }) => length <= layout.KEY_MAX);
  if (WebAssembly === undefined || !takesKeys) return undefined;
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

/** The ends of the parts of the memory whose size varies; each begins where the one before it ends. */
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

/** Notes a byte in a table of bits by low halves. */
function markByte(lows: Uint8Array, byte: number): void {
  lows[byte & 15] = (lows[byte & 15] as number) | (1 << (byte >>> 4));
}

/** A kernel with its memory. Indexes of bytes are those of the memory. */
export class Kernel {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  private readonly halves: Uint16Array;
  private readonly notes: Int32Array;
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
    this.program = program;
    this.ends = memoryEnds(entries, roles.names.length);
    this.templatesEnd = this.ends.names;
    this.notes = this.words.subarray(this.ends.output / 4);
    this.fillTables();
    this.bytes.set(roles.beginnings, layout.ROLES);
    this.bytes.set(roles.names, this.ends.known);
    const { keys, ...numbers } = form;
    const keysTable = keys.flatMap((key) => [key.length, ...key]);
    this.bytes.set(keysTable, layout.KEYS);
    const settings: Readonly<Record<Setting, number>> = {
      ...{ ...numbers, form: FORMS[form.form], entryMask: entries - 1 },
      ...{ output: this.ends.input, outputEnd: this.ends.output - SLACK_BYTES, notes: this.ends.output },
      ...{ names: this.ends.known, namesMask: 8 * roles.names.length - 1, roleSeed: hashSeed(KIND.role) },
      ...{ domainSeed: hashSeed(KIND.domain), namespaceSeed: hashSeed(KIND.namespace) },
      ...{ suffixSeed: hashSeed(KIND.suffix), apart: wordsOf(HIDDEN_PREFIX).getUint32(0, true) },
    };
    for (const [name, value] of Object.entries(settings)) program[name as Setting].value = value;
  }

  /** Makes all domains at a top-level label that no list has one name. */
  joinUnlisted(): void {
    this.program.byLabel.value = 1;
  }

  /** The number of a provider's rule. */
  ruleOf(provider: ProviderRule): number {
    const number = this.rules.get(provider) ?? this.rules.size;
    if (number < this.rules.size) return number;
    const { separator, ignored, hyphenIsDot } = provider;
    const at = layout.RULES + 32 * number;
    this.bytes.set([separator, hyphenIsDot ? HYPHEN : 0, ignored.includes(".") ? 1 : 0], at);
    for (const char of ignored) markByte(this.bytes.subarray(at + 16), char.charCodeAt(0));
    this.rules.set(provider, number);
    return number;
  }

  /**
   * The number of an answer, from 1 on: a character below U+0100 for each byte, and those with the numbers of parts.
   * Undefined when there is no room.
   */
  addTemplate(answer: string): number | undefined {
    const { words, bytes } = this;
    const parts = answer.match(/[\0-\xff]+|[^\0-\xff]/g) ?? [];
    const texts = parts.filter((part) => part.charCodeAt(0) < layout.LINE);
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    const at = this.templatesEnd;
    let text = at + layout.PARTS_AT + layout.PART_BYTES * (parts.length + 1);
    if (this.templates + 1 >= layout.TEMPLATES_MAX || text + length + SLACK_BYTES > this.ends.templates)
      return undefined;
    this.templates += 1;
    words[TEMPLATES / 4 + this.templates] = at;
    words.set([length, parts.length - texts.length], at / 4);
    for (const [i, part] of parts.entries()) {
      const place = (at + layout.PARTS_AT + layout.PART_BYTES * i) / 4;
      const code = part.charCodeAt(0);
      words.set(code < layout.LINE ? [layout.BYTES, text, part.length] : [code], place);
      if (code < layout.LINE) for (const char of part) bytes[text++] = char.charCodeAt(0);
    }
    this.templatesEnd = (text + 3) & ~3;
    return this.templates;
  }

  /** Copies input from `start` on; returns the index where what was copied ends. */
  load(bytes: Uint8Array, start: number, end: number): number {
    const stop = Math.min(end, start + INPUT_BYTES);
    this.bytes.set(bytes.subarray(start, stop), this.ends.templates);
    this.shift = start - this.ends.templates;
    return stop;
  }

  /** Answers rows of the input that was loaded: why it stopped, how many rows, and where the next one begins. */
  run(start: number, end: number) {
    const why = this.program.run(start - this.shift, end - this.shift);
    return { why, rows: this.left(layout.ANSWERED), next: this.left(layout.NEXT) + this.shift };
  }

  private left(word: number): number {
    return this.words[word / 4] as number;
  }

  /**
   * The answers since the last call, between two indexes, which stay in the memory until the next run. Where rows are
   * compared or counted, `notes` has NOTE_WORDS for each of `count`. Their mailboxes are at `mailboxes`, each at a
   * multiple of 16.
   */
  takeOutput() {
    const { program, ends } = this;
    const end = this.left(layout.WRITTEN);
    const count = program.noted.value;
    this.words[layout.WRITTEN / 4] = ends.input;
    program.noted.value = 0;
    return { start: ends.input, end, count, notes: this.notes, mailboxes: ends.output + NOTES_MAX * NOTE_BYTES };
  }

  /** The end of the unknown domain, or word, which begins at NAME. */
  get nameEnd(): number {
    return NAME + this.left(layout.NAME_LENGTH);
  }

  /** The unknown variant of row. */
  get variant(): number {
    return this.left(layout.VARIANT) & (VARIANTS - 1);
  }

  /** Keeps the templates of the unknown domain by their variants, 0 where one is not to be changed. */
  keep(rule: number, templates: Uint16Array): void {
    const entry = this.left(layout.ENTRY);
    this.bytes[entry + layout.RULE_AT] = rule;
    const at = (entry + layout.TEMPLATES_AT) / 2;
    for (let variant = 0; variant < VARIANTS; variant += 1) {
      if (templates[variant] !== 0) this.halves[at + variant] = templates[variant] as number;
    }
  }

  /** Keeps what the unknown word is. */
  keepWord(kind: number): void {
    const entry = this.left(layout.ENTRY);
    this.bytes.copyWithin(entry, NAME, NAME + layout.WORD_KIND_AT);
    this.bytes[entry + layout.WORD_KIND_AT] = kind;
  }

  /** Calls `take` with the domain whose place the unknown one took, if it has rows. */
  takeLeft(take: TakeDomain): void {
    this.takeRows(layout.LEFT, take);
  }

  /** Calls `take` with the rows of each domain since the last call. */
  takeDomains(take: TakeDomain): void {
    for (let entry = ENTRIES; entry < this.ends.known; entry += ENTRY_BYTES) this.takeRows(entry, take);
  }

  private takeRows(entry: number, take: TakeDomain): void {
    const { words, halves } = this;
    const rowsAt = (entry + layout.ROWS_AT) / 4;
    const rows = words[rowsAt] as number;
    if (rows === 0) return;
    words[rowsAt] = 0;
    const start = entry + layout.DOMAIN_AT;
    let template = 0;
    for (let at = (entry + layout.TEMPLATES_AT) / 2; template === 0 || template === layout.REFUSED; at += 1) {
      template = halves[at] as number;
    }
    take(this.bytes, start, start + (this.bytes[entry] as number), rows, template);
  }

  /** The rows that a template answered since the last call. */
  takeAnswered(template: number): number {
    const { words } = this;
    const at = ((words[TEMPLATES / 4 + template] as number) + layout.TEMPLATE_ROWS_AT) / 4;
    const rows = words[at] as number;
    words[at] = 0;
    return rows;
  }

  private fillTables(): void {
    const { bytes } = this;
    this.words[layout.WRITTEN / 4] = this.ends.input;
    bytes.set(LOWER, layout.LOWERS);
    bytes.fill(0xff, layout.KEPT, layout.KEPT + layout.DOMAIN_MAX);
    for (let high = 0; high < 8; high += 1) bytes[layout.HIGH + high] = 1 << high;
    for (let byte = 0; byte < 256; byte += 1) {
      const char = String.fromCharCode(byte);
      bytes[layout.BREAKS + byte] = /[a-z]/i.test(char) ? 0 : 1;
      if (byte < 0x80 && (char === "." || isAtext(byte))) markByte(bytes.subarray(layout.LOCAL_LOW), byte);
      if (isLdhOrDot(byte)) markByte(bytes.subarray(layout.DOMAIN_LOW), byte);
    }
  }
}

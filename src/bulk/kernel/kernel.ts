// Owns the kernel's memory: fills its tables and runs it. It does not know what the templates mean.

import { isLdhOrDot } from "../../address/domain/idna.ts";
import { isAtext } from "../../address/local-part.ts";
import type { ProviderRule } from "../../address/providers.ts";
import { DOT, HYPHEN } from "../../base/bytes/ascii.ts";
import { dataViewOf, decodeAsciiLowercase, LOWERCASE } from "../../base/bytes/bytes.ts";
import { HIDDEN_ADDRESS_PREFIX } from "../../detection/domain/kind.ts";
import { type BloomFilters, hashSeed, KIND } from "../../lists/format.ts";
import * as layout from "./layout.ts";
import { KERNEL_MODULE } from "./module.ts";

const { ENTRIES, ENTRY_BYTES, NAME, ROW_RECORD_BYTES, ROW_RECORDS_MAX, NOT_SUPPORTED, VARIANTS } = layout;
const PAGE_BYTES = 65_536;
const TEMPLATE_BYTES = 1 << 20;
/** Maximum bytes of input per load. Longer rows need the full parser. */
const INPUT_BYTES = 1 << 18;
const OUTPUT_BYTES = 1 << 16;
export const ROW_RECORD_WORDS: number = ROW_RECORD_BYTES / 4;
const MAILBOX_MAX = 144;
// Rule numbers are indexes of LOCAL_PART_RULES. The table UNSUPPORTED_DOMAIN stays all zeros, so every local part at
// such a domain needs the full parser.
const FIRST_RULE = layout.UNSUPPORTED_DOMAIN + 1;
// Slack after a region: the kernel copies 32 bytes at a time, so it may read or write beyond the region's end.
const SLACK_BYTES = 64;

/**
 * How the kernel finds rows: RECORDS, CSV or JSONL, the delimiter, the index of the address column, and the number of
 * columns or keys.
 */
export interface KernelForm {
  readonly form: number;
  readonly delimiter: number;
  readonly column: number;
  readonly width: number;
  /** Index of the column of --by; -1 if none. */
  readonly byColumn: number;
  /** JSON Lines: the added keys, then the key of the address. */
  readonly keys: readonly Uint8Array[];
}

/** The parts of the WebAssembly API that are used. It does not exist under --jitless. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (pages: Readonly<Record<"initial" | "maximum", number>>) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}
/** Exports of the module: its settings, the number of row records, and the entry point. */
type Program = Readonly<Record<keyof ReturnType<typeof settingsOf> | "rowRecordCount", { value: number }>> & {
  run(start: number, end: number): number;
};
const { WebAssembly } = globalThis as { readonly WebAssembly?: WebAssemblyApi };

let compiledModule: object | undefined;

/**
 * Creates a kernel with a table of `entries` domains, a power of two. Returns undefined if there are too many keys, if
 * a key is too long, or if WebAssembly, its SIMD, or address space for its memory (V8 reserves 10 GB) is not available.
 */
export function createKernel(form: KernelForm, filters: BloomFilters, entries: number): Kernel | undefined {
  const { keys } = form;
  const keysFit = keys.length <= layout.KEYS_MAX && keys.every(({ length }) => length <= layout.KEY_MAX);
  if (WebAssembly === undefined || !keysFit) return undefined;
  const ends = regionEnds(entries, filters.names.length);
  const pages = Math.ceil(ends.rowRecords / PAGE_BYTES);
  try {
    compiledModule ??= new WebAssembly.Module(Uint8Array.from(atob(KERNEL_MODULE), (char) => char.charCodeAt(0)));
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const program = new WebAssembly.Instance(compiledModule, { env: { memory } }).exports as Program;
    const settings = Object.entries(settingsOf(form, filters, entries, ends));
    for (const [name, value] of settings) program[name as keyof ReturnType<typeof settingsOf>].value = value;
    return new Kernel(memory.buffer, program, ends, keys, filters);
  } catch {
    return undefined;
  }
}

type RegionEnds = ReturnType<typeof regionEnds>;

/** Returns the end offsets of the memory regions of variable size; each region begins at the end of the previous one. */
function regionEnds(entries: number, namesLength: number) {
  const entriesEnd = ENTRIES + ENTRY_BYTES * entries;
  const names = entriesEnd + namesLength;
  const templates = names + TEMPLATE_BYTES;
  const input = templates + INPUT_BYTES + SLACK_BYTES;
  const output = input + OUTPUT_BYTES + SLACK_BYTES;
  const rowRecords = output + ROW_RECORDS_MAX * (ROW_RECORD_BYTES + MAILBOX_MAX) + SLACK_BYTES;
  return { entries: entriesEnd, names, templates, input, output, rowRecords };
}

/** Returns the kernel's settings, which assembly/kernel.ts documents. */
function settingsOf({ keys, ...form }: KernelForm, { names }: BloomFilters, entries: number, ends: RegionEnds) {
  return {
    ...form,
    entryMask: entries - 1,
    output: ends.input,
    outputEnd: ends.output - SLACK_BYTES,
    rowRecords: ends.output,
    names: ends.entries,
    namesMask: 8 * names.length - 1,
    roleSeed: hashSeed(KIND.role),
    domainSeed: hashSeed(KIND.domain),
    namespaceSeed: hashSeed(KIND.namespace),
    suffixSeed: hashSeed(KIND.suffix),
    collapseUnlisted: 0,
    hiddenPrefix: dataViewOf(HIDDEN_ADDRESS_PREFIX).getUint32(0, true),
  };
}

/** Called with a domain, its number of rows, and one of its templates. */
type OnDomain = (name: string, rows: number, template: number) => void;

/** A kernel and its memory. Indexes of bytes are offsets in the memory. */
export class Kernel {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  private readonly rowRecords: Int32Array;
  private readonly rules: ProviderRule[] = [];
  private templatesEnd: number;
  /** Difference between an index in the input and its offset in the memory. */
  private inputOffset = 0;

  constructor(
    memory: ArrayBuffer,
    private readonly program: Program,
    private readonly ends: RegionEnds,
    keys: readonly Uint8Array[],
    filters: BloomFilters,
  ) {
    this.bytes = new Uint8Array(memory);
    this.words = new Int32Array(memory);
    this.templatesEnd = ends.names;
    this.rowRecords = this.words.subarray(ends.output / 4);
    this.words[layout.OUTPUT_END / 4] = ends.input;
    this.bytes.set(LOWERCASE, layout.LOWERCASE_TABLE);
    this.bytes.set(
      LOWERCASE.map((lower, byte) => (isLdhOrDot(byte) ? lower : 0)),
      layout.HOST_TABLE,
    );
    this.bytes.fill(0xff, layout.PREFIX_MASK, layout.PREFIX_MASK + layout.NAME_MAX);
    this.bytes.set(filters.rolePrefixes, layout.ROLE_PREFIXES);
    this.bytes.set(filters.names, ends.entries);
    const keysTable = keys.flatMap((key) => [key.length, ...key]);
    this.bytes.set(keysTable, layout.KEYS);
  }

  /** Makes all unlisted domains of a top-level domain share one entry. */
  collapseUnlisted(): void {
    this.program.collapseUnlisted.value = 1;
  }

  private ruleNumberOf(provider: ProviderRule): number {
    const existingRule = this.rules.indexOf(provider);
    if (existingRule >= 0) return existingRule + FIRST_RULE;
    const number = this.rules.push(provider) - 1 + FIRST_RULE;
    const { separator, ignoredChars: ignored, treatsHyphenAsDot: hyphenIsDot } = provider;
    for (const [byte, lower] of LOWERCASE.entries()) {
      const isUnsupported = !(byte === DOT || isAtext(byte)) || (hyphenIsDot && byte === HYPHEN);
      const isIgnored = ignored.includes(String.fromCharCode(byte));
      const read = isIgnored ? layout.IGNORED : byte === separator ? lower | layout.SEPARATOR : lower;
      this.bytes[layout.LOCAL_PART_RULES + 256 * number + byte] = isUnsupported ? 0 : read;
    }
    return number;
  }

  /**
   * Adds a template for rows with this output. In `output`, characters below U+0100 are constant bytes; any other is
   * the kind of a template part, such as LINE. Returns the template's offset, or undefined if the region is full.
   */
  addTemplate(output: string): number | undefined {
    const { words, bytes } = this;
    const parts = output.match(/[\0-\xff]+|[^\0-\xff]/g) ?? [];
    const texts = parts.filter((part) => part.charCodeAt(0) < layout.LINE);
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    const templateStart = this.templatesEnd;
    let textAddress = templateStart + layout.PARTS_AT + layout.PART_BYTES * (parts.length + 1);
    if (textAddress + length + SLACK_BYTES > this.ends.templates) return undefined;
    words.set([length, parts.length - texts.length], templateStart / 4);
    for (const [i, part] of parts.entries()) {
      const partIndex = (templateStart + layout.PARTS_AT + layout.PART_BYTES * i) / 4;
      const code = part.charCodeAt(0);
      words.set(code < layout.LINE ? [layout.BYTES, textAddress, part.length] : [code], partIndex);
      if (code < layout.LINE) for (const char of part) bytes[textAddress++] = char.charCodeAt(0);
    }
    this.templatesEnd = (textAddress + 3) & ~3;
    return templateStart;
  }

  /** Copies `bytes` from `start` into the memory, at most INPUT_BYTES. Returns the index where the copy ends. */
  load(bytes: Uint8Array, start: number, end: number): number {
    const stop = Math.min(end, start + INPUT_BYTES);
    this.bytes.set(bytes.subarray(start, stop), this.ends.templates);
    this.inputOffset = start - this.ends.templates;
    return stop;
  }

  /** Processes rows of the loaded input. Returns why it stopped, counts of the rows, and the start of the next row. */
  run(start: number, end: number) {
    const stopReason = this.program.run(start - this.inputOffset, end - this.inputOffset);
    return {
      stopReason,
      rows: this.readWord(layout.PROCESSED_ROWS),
      quotedLineFeeds: this.readWord(layout.QUOTED_LINE_FEEDS),
      next: this.readWord(layout.NEXT_ROW) + this.inputOffset,
    };
  }

  private readWord(word: number): number {
    return this.words[word / 4] as number;
  }

  /**
   * Returns the bounds of the output since the last call; the output is valid until the next run. With --by or
   * duplicate detection, `rowRecords` has ROW_RECORD_WORDS words for each of `count` rows, and `mailboxes` is the
   * offset of their mailboxes, each aligned to 16 bytes.
   */
  drainOutput() {
    const { program, ends } = this;
    const end = this.readWord(layout.OUTPUT_END);
    const count = program.rowRecordCount.value;
    this.words[layout.OUTPUT_END / 4] = ends.input;
    program.rowRecordCount.value = 0;
    return {
      start: ends.input,
      end,
      count,
      rowRecords: this.rowRecords,
      mailboxes: ends.output + ROW_RECORDS_MAX * ROW_RECORD_BYTES,
    };
  }

  /** After a run returned UNKNOWN_NAME: the end of the name, which starts at NAME. */
  get nameEnd(): number {
    return NAME + this.readWord(layout.NAME_LENGTH);
  }

  /** After a run returned UNKNOWN_NAME: the variant of the row, or LOCAL_PART if the name is a local part. */
  get variant(): number {
    return this.readWord(layout.VARIANT);
  }

  /** After a run returned UNKNOWN_NAME: stores the template of `variant` and the provider's rule for this name. */
  learn(template: number, provider?: ProviderRule): void {
    const entry = this.readWord(layout.ENTRY);
    const rule = provider === undefined ? layout.UNSUPPORTED_DOMAIN : this.ruleNumberOf(provider);
    this.bytes[entry + layout.RULE_AT] = rule;
    this.words[(entry + layout.TEMPLATES_AT) / 4 + this.variant] = template;
  }

  /** Calls `onDomain` for each domain that has had rows since the last call. */
  drainDomains(onDomain: OnDomain): void {
    for (let entry = ENTRIES; entry < this.ends.entries; entry += ENTRY_BYTES) this.drainRows(entry, onDomain);
  }

  /** Calls `onDomain` if the entry's domain has had rows since the last call. */
  drainRows(entry: number, onDomain: OnDomain): void {
    const rows = this.drainCount(entry + layout.ROWS_AT);
    if (rows === 0) return;
    const start = entry + layout.DOMAIN_AT;
    const name = decodeAsciiLowercase(this.bytes, start, start + (this.bytes[entry] as number));
    const templatesAt = (entry + layout.TEMPLATES_AT) / 4;
    const templates = this.words.subarray(templatesAt, templatesAt + VARIANTS);
    onDomain(name, rows, templates.find((template) => template > NOT_SUPPORTED) as number);
  }

  /** Returns the number of rows that were written from a template since the last call. */
  drainTemplateRows(template: number): number {
    return this.drainCount(template + layout.TEMPLATE_ROWS_AT);
  }

  private drainCount(at: number): number {
    const count = this.readWord(at);
    this.words[at / 4] = 0;
    return count;
  }
}

// Encodes the fields of a row for each output format: CSV, TSV, and keys of a JSON object.

import { AT, BACKSLASH, CR, LF, QUOTE, TAB } from "../../base/bytes/ascii.ts";
import { ByteWriter } from "../../base/bytes/byte-writer.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import type { Classifier } from "../../detection/classifier.ts";
import type { FieldValue } from "../../detection/fields.ts";
import { toSafeJson, writeDomain, writeJsonNormalized } from "../../detection/format.ts";

export type PresentValue = Exclude<FieldValue, undefined>;

/** Encodes one field at a time. */
export interface FieldEncoder {
  /** True if host names and plain addresses are written unescaped. */
  readonly plainNeedsNoEscaping: boolean;
  encode(name: string, value: PresentValue): Uint8Array;
  /** Returns the bytes of a field that has no value in the row. */
  encodeMissing(name: string): Uint8Array;
  /** Returns the bytes of a field of a row whose address is null. */
  encodeNull(name: string): Uint8Array;
  /** Returns the bytes before and after the value of a field. */
  delimitersOf(name: string): readonly [before: Uint8Array, after: Uint8Array];
  /** Writes the canonical address, without the delimiters. */
  writeNormalized(out: ByteWriter, classifier: Classifier): void;
}

/** Quotes or escapes one field of a delimited format. */
export interface Quoting {
  readonly delimiter: number;
  /** True if an address of printable ASCII without quotes and backslashes is written unescaped. */
  readonly plainNeedsNoEscaping: boolean;
  write(out: ByteWriter, bytes: Uint8Array, start: number, end: number): void;
}

/** Encodes delimited fields, each after a delimiter. */
export class DelimitedEncoder implements FieldEncoder {
  readonly plainNeedsNoEscaping: boolean;
  private readonly emptyField: Uint8Array;
  private readonly scratch = new ByteWriter(1100);

  /** `emptyField` is the text of a missing value. */
  constructor(
    readonly quoting: Quoting,
    emptyField: string,
  ) {
    this.plainNeedsNoEscaping = quoting.plainNeedsNoEscaping;
    this.emptyField = Uint8Array.of(quoting.delimiter, ...encodeUtf8(emptyField));
  }

  encode(_: string, value: PresentValue): Uint8Array {
    const bytes = encodeUtf8(typeof value === "object" ? value.join("; ") : String(value));
    const { scratch, quoting } = this;
    scratch.clear();
    scratch.byte(quoting.delimiter);
    quoting.write(scratch, bytes, 0, bytes.length);
    return scratch.buffer.slice(0, scratch.length);
  }

  encodeMissing(): Uint8Array {
    return this.emptyField;
  }

  encodeNull(): Uint8Array {
    return this.emptyField;
  }

  delimitersOf(): readonly [Uint8Array, Uint8Array] {
    return [Uint8Array.of(this.quoting.delimiter), new Uint8Array(0)];
  }

  /** Writes a plain address directly; others go through a scratch buffer to be quoted. */
  writeNormalized(out: ByteWriter, classifier: Classifier): void {
    const { canonicalLocalPart } = classifier;
    const isPlain = classifier.isPlain && this.plainNeedsNoEscaping;
    const target = isPlain ? out : this.scratch;
    this.scratch.clear();
    if (!classifier.classifiesDomains) {
      target.slice(canonicalLocalPart.bytes, canonicalLocalPart.start, canonicalLocalPart.end);
      target.byte(AT);
    }
    writeDomain(target, classifier);
    if (!isPlain) this.quoting.write(out, this.scratch.buffer, 0, this.scratch.length);
  }
}

/** Encodes keys of a JSON object, each followed by a comma. Missing fields are omitted. */
export class JsonEncoder implements FieldEncoder {
  readonly plainNeedsNoEscaping = true;

  /** `prefix` precedes all keys. */
  constructor(private readonly prefix: string = "") {}

  encode(name: string, value: PresentValue): Uint8Array {
    return encodeUtf8(`${this.key(name)}${toSafeJson(value)},`);
  }

  encodeMissing(): Uint8Array {
    return new Uint8Array(0);
  }

  encodeNull(name: string): Uint8Array {
    return encodeUtf8(`${this.key(name)}null,`);
  }

  delimitersOf(name: string): readonly [Uint8Array, Uint8Array] {
    return [encodeUtf8(`${this.key(name)}"`), encodeUtf8('",')];
  }

  writeNormalized(out: ByteWriter, classifier: Classifier): void {
    writeJsonNormalized(out, classifier);
  }

  private key(name: string): string {
    return `${toSafeJson(this.prefix + name)}:`;
  }
}

/** Quotes fields with a delimiter, a quote or a line break, and doubles their quotes (RFC 4180). */
export class CsvQuoting implements Quoting {
  readonly plainNeedsNoEscaping: boolean;

  constructor(
    readonly delimiter: number,
    private readonly spreadsheetSafe: boolean,
  ) {
    // A delimiter may be any ASCII character, even one that an address may contain.
    this.plainNeedsNoEscaping = !spreadsheetSafe && [0x2c, 0x3b, TAB].includes(delimiter);
  }

  write(out: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
    let isQuoted = false;
    for (let i = start; i < end && !isQuoted; i += 1) {
      const byte = bytes[i] as number;
      isQuoted = byte === this.delimiter || byte === QUOTE || byte === LF || byte === CR;
    }
    if (isQuoted) out.byte(QUOTE);
    if (this.spreadsheetSafe && start < end && startsFormula(bytes[start] as number)) out.byte(0x27);
    if (!isQuoted) {
      out.slice(bytes, start, end);
      return;
    }
    for (let i = start; i < end; i += 1) {
      if (bytes[i] === QUOTE) out.byte(QUOTE);
      out.byte(bytes[i] as number);
    }
    out.byte(QUOTE);
  }
}

export function formatCsvField(text: string, delimiter: number, spreadsheetSafe = false): string {
  const bytes = encodeUtf8(text);
  fieldOutput.clear();
  new CsvQuoting(delimiter, spreadsheetSafe).write(fieldOutput, bytes, 0, bytes.length);
  return decodeUtf8(fieldOutput.buffer, 0, fieldOutput.length);
}

const fieldOutput = new ByteWriter(256);

function startsFormula(byte: number): boolean {
  return byte === 0x3d || byte === 0x2b || byte === 0x2d || byte === AT || byte === TAB || byte === CR;
}

/** Lookup table by byte: if TSV escapes the byte, the letter after the backslash; otherwise 0. */
const TSV_LETTERS = new Uint8Array(256);
for (const [byte, letter] of [
  [TAB, 0x74],
  [CR, 0x72],
  [LF, 0x6e],
  [BACKSLASH, BACKSLASH],
] as const) {
  TSV_LETTERS[byte] = letter;
}

/** Escapes tab, CR, LF and backslash as `\t`, `\r`, `\n` and `\\`. */
export class TsvQuoting implements Quoting {
  readonly delimiter = TAB;
  readonly plainNeedsNoEscaping = true;

  write(out: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
    let from = start;
    for (let i = start; i < end; i += 1) {
      const letter = TSV_LETTERS[bytes[i] as number] as number;
      if (letter === 0) continue;
      out.slice(bytes, from, i);
      out.byte(BACKSLASH);
      out.byte(letter);
      from = i + 1;
    }
    out.slice(bytes, from, end);
  }
}

// Rows to octets, one renderer for each data format. The human table is in the command line's folder.

import { ByteWriter } from "../bytes/byte-writer.ts";
import type { Classifier } from "../detection/classifier.ts";
import type { Explanation } from "../detection/evidence.ts";
import {
  ADDED_COLUMNS,
  EMAIL_SHOWN_MAX,
  flagsOf,
  JsonRenderer,
  shownEmail,
  Tails,
  writeDomain,
} from "../detection/format.ts";
import type { Row } from "./rows/row.ts";

/** Turns classified rows into output. */
export interface Renderer {
  /** Writes what comes before the first row. */
  begin(out: ByteWriter): void;
  /** One row. `explanation` is given when evidence was asked for. */
  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void;
  /** A row that is not shown, for a format that counts lines. */
  skip?(row: Row): void;
  /** A further input begins after so many lines of its own; `name` is that of a file, or `-`. */
  beginInput?(name: string, headerLines: number): void;
  /** Writes what comes after the last row. */
  end(out: ByteWriter): void;
}

export const DATA_FORMATS = ["ndjson", "json", "csv", "tsv", "plain"] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const AT = 0x40;
const encoder = new TextEncoder();

/** The renderer of a data format. */
export function createRenderer(format: DataFormat, spreadsheetSafe: boolean): Renderer {
  if (format === "ndjson") return new NdjsonRenderer();
  if (format === "json") return new JsonArrayRenderer();
  if (format === "plain") return new PlainRenderer();
  return new DelimitedRenderer(format === "csv" ? new CsvFields(0x2c, spreadsheetSafe) : new TsvFields());
}

class NdjsonRenderer implements Renderer {
  private readonly json = new JsonRenderer();

  begin(): void {}

  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    this.json.write(out, row.octets, row.start, row.end, classifier, explanation);
    out.octet(LF);
  }

  end(): void {}
}

class JsonArrayRenderer implements Renderer {
  private readonly json = new JsonRenderer();
  private first = true;

  begin(out: ByteWriter): void {
    out.text("[");
  }

  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    out.text(this.first ? "\n" : ",\n");
    this.first = false;
    this.json.write(out, row.octets, row.start, row.end, classifier, explanation);
  }

  end(out: ByteWriter): void {
    out.text(this.first ? "]\n" : "\n]\n");
  }
}

/** Gives the input lines back, unchanged. */
class PlainRenderer implements Renderer {
  begin(): void {}

  row(out: ByteWriter, row: Row): void {
    out.range(row.line, row.lineStart, row.lineEnd);
    if (row.crlf) out.octet(CR);
    if (!row.continues) out.octet(LF);
  }

  end(): void {}
}

/** Gives CSV records back unchanged, each with the added columns after the header's width. */
export class CsvRecordRenderer implements Renderer {
  private readonly added: AddedColumns;
  private readonly delimiter: number;
  private readonly header: Uint8Array;

  /** `header` is the output's first line, with its line break, or nothing. */
  constructor(delimiter: number, header: Uint8Array, spreadsheetSafe: boolean) {
    this.delimiter = delimiter;
    this.header = header;
    this.added = new AddedColumns(new CsvFields(delimiter, spreadsheetSafe));
  }

  begin(out: ByteWriter): void {
    out.all(this.header);
  }

  row(out: ByteWriter, row: Row, classifier: Classifier): void {
    out.range(row.line, row.lineStart, row.insertAt);
    for (let i = 0; i < row.missing; i += 1) out.octet(this.delimiter);
    this.added.write(out, classifier);
    if (row.insertAt < row.lineEnd) out.range(row.line, row.insertAt, row.lineEnd);
    if (row.crlf) out.octet(CR);
    out.octet(LF);
  }

  end(): void {}
}

/** How a delimited format writes its fields. */
interface Fields {
  readonly delimiter: number;
  /** An address of printable ASCII without quotes needs no quoting. */
  readonly plainStaysPlain: boolean;
  write(out: ByteWriter, octets: Uint8Array, start: number, end: number): void;
}

/** RFC 4180: a field with a delimiter, a quote or a line break is quoted, quotes are doubled. */
class CsvFields implements Fields {
  readonly delimiter: number;
  readonly plainStaysPlain: boolean;
  private readonly spreadsheetSafe: boolean;

  constructor(delimiter: number, spreadsheetSafe: boolean) {
    this.delimiter = delimiter;
    this.spreadsheetSafe = spreadsheetSafe;
    // A delimiter may be any ASCII character, also one that an address may contain.
    this.plainStaysPlain = !spreadsheetSafe && [0x2c, 0x3b, 0x09].includes(delimiter);
  }

  write(out: ByteWriter, octets: Uint8Array, start: number, end: number): void {
    let quoted = false;
    for (let i = start; i < end && !quoted; i += 1) {
      const octet = octets[i] as number;
      quoted = octet === this.delimiter || octet === QUOTE || octet === LF || octet === 0x0d;
    }
    if (quoted) out.octet(QUOTE);
    if (this.spreadsheetSafe && start < end && startsFormula(octets[start] as number)) out.octet(0x27);
    if (!quoted) {
      out.range(octets, start, end);
      return;
    }
    for (let i = start; i < end; i += 1) {
      if (octets[i] === QUOTE) out.octet(QUOTE);
      out.octet(octets[i] as number);
    }
    out.octet(QUOTE);
  }
}

/** Text as a CSV field. */
export function csvField(text: string, delimiter: number): string {
  const special = text.includes(String.fromCharCode(delimiter)) || /["\r\n]/.test(text);
  return special ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet runs a cell that begins with `=`, `+`, `-`, `@`, tab or CR (OWASP, CSV injection). */
function startsFormula(octet: number): boolean {
  return octet === 0x3d || octet === 0x2b || octet === 0x2d || octet === 0x40 || octet === 0x09 || octet === 0x0d;
}

/** Tab, CR and LF are written as `\t`, `\r`, `\n`. */
class TsvFields implements Fields {
  readonly delimiter = 0x09;
  readonly plainStaysPlain = true;

  write(out: ByteWriter, octets: Uint8Array, start: number, end: number): void {
    for (let i = start; i < end; i += 1) {
      const octet = octets[i] as number;
      const letter = octet === 0x09 ? 0x74 : octet === 0x0d ? 0x72 : octet === LF ? 0x6e : 0;
      if (letter === 0) {
        out.octet(octet);
      } else {
        out.octet(0x5c);
        out.octet(letter);
      }
    }
  }
}

/** Writes the nine columns that are added to a row, each after a delimiter. Their constant parts are made once. */
export class AddedColumns {
  private readonly fields: Fields;
  private readonly valid: Uint8Array;
  private readonly invalid: Uint8Array;
  private readonly tails: Tails;
  private readonly scratch = new ByteWriter(1100);

  constructor(fields: Fields) {
    this.fields = fields;
    const delimiter = String.fromCharCode(fields.delimiter);
    this.valid = encoder.encode(`${delimiter}true${delimiter}`);
    this.invalid = encoder.encode(`${delimiter}false${delimiter.repeat(ADDED_COLUMNS.length - 1)}`);
    this.tails = new Tails((...said) => {
      const flags = flagsOf(...said);
      const names = ADDED_COLUMNS.slice(2) as readonly (keyof typeof flags)[];
      const values = names.map((name) => csvField(String(flags[name] ?? ""), fields.delimiter));
      return encoder.encode(["", ...values].join(delimiter));
    });
  }

  write(out: ByteWriter, classifier: Classifier): void {
    if (classifier.fault !== undefined) {
      out.all(this.invalid);
      return;
    }
    out.all(this.valid);
    this.writeNormalized(out, classifier);
    out.all(this.tails.of(classifier));
  }

  /** Writes straight into the output where no such field can need quoting, else through a scratch writer. */
  private writeNormalized(out: ByteWriter, classifier: Classifier): void {
    const { canonical } = classifier;
    const plain = classifier.plain && this.fields.plainStaysPlain;
    const target = plain ? out : this.scratch;
    this.scratch.clear();
    target.range(canonical.octets, canonical.start, canonical.end);
    target.octet(AT);
    writeDomain(target, classifier);
    if (!plain) this.fields.write(out, this.scratch.octets, 0, this.scratch.length);
  }
}

/** CSV or TSV of plain lines: the address and the added columns, under a header. */
class DelimitedRenderer implements Renderer {
  private readonly fields: Fields;
  private readonly added: AddedColumns;

  constructor(fields: Fields) {
    this.fields = fields;
    this.added = new AddedColumns(fields);
  }

  begin(out: ByteWriter): void {
    out.text(`${["email", ...ADDED_COLUMNS].join(String.fromCharCode(this.fields.delimiter))}\n`);
  }

  row(out: ByteWriter, row: Row, classifier: Classifier): void {
    if (row.end - row.start <= EMAIL_SHOWN_MAX) {
      this.fields.write(out, row.octets, row.start, row.end);
    } else {
      const shown = encoder.encode(shownEmail(row.octets, row.start, row.end));
      this.fields.write(out, shown, 0, shown.length);
    }
    this.added.write(out, classifier);
    out.octet(LF);
  }

  end(): void {}
}

// The first bytes of an input, and what they show: a byte-order mark, another encoding, a packed file. gzip is unpacked
// and UTF-16 converted; other packings and encodings are errors.

import { LF } from "../../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { type Message, RowsFault } from "../face.ts";
import { type ByteSource, ConvertedSource } from "../ports.ts";
import { InputBuffer } from "../reader.ts";

const UTF_8_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);
const NO_MARK = new Uint8Array(0);
// Bytes by which a text shows what it is.
const SHOWN_BY = 512;
// Bytes of UTF-16 read at once.
const PIECE_BYTES = 64 * 1024;

/** The text of an input in UTF-8, without the byte-order mark that it begins with. */
export interface Text {
  readonly buffer: InputBuffer;
  /** A UTF-8 byte-order mark if the input began with a mark, or no bytes. */
  readonly mark: Uint8Array;
}

export interface TextTools {
  readonly gunzip: (packed: ByteSource) => ByteSource;
  /** Receives a sentence about what was converted. */
  readonly tell: (note: string | Message) => void;
  /** Texts without rows are taken too. */
  readonly anyText?: boolean;
  /** Bytes read at once. Default: READ_BYTES. */
  readonly readBytes?: number;
  /** Where bytes go, in an InputBuffer. Default: its own memory. */
  readonly memory?: Uint8Array;
}

/** The kind of an input that begins with certain bytes. */
type Kind =
  | { readonly is: "marked" | "gzip" | "zip" }
  | { readonly is: "utf-16"; readonly encoding: "utf-16le" | "utf-16be"; readonly markBytes: 0 | 2 }
  | { readonly is: "refused"; readonly fault: Message };

const spreadsheet: Kind = {
  is: "refused",
  fault: () => `the input is a spreadsheet: save it as CSV, for example with libreoffice --convert-to csv FILE`,
};

/** Bytes in hexadecimal (`..` is any byte except zero), and what begins with them. The first match counts. */
const BEGINNINGS: readonly (readonly [bytes: string, kind: Kind])[] = [
  ["fffe0000", encoded("UTF-32")],
  ["0000feff", encoded("UTF-32")],
  ["fffe", { is: "utf-16", encoding: "utf-16le", markBytes: 2 }],
  ["feff", { is: "utf-16", encoding: "utf-16be", markBytes: 2 }],
  // Without a mark, ASCII text in these encodings shows by its zeros; iconv would guess the byte order.
  ["..000000..000000", encoded("UTF-32LE")],
  ["000000..000000..", encoded("UTF-32BE")],
  ["..00..00", { is: "utf-16", encoding: "utf-16le", markBytes: 0 }],
  ["00..00..", { is: "utf-16", encoding: "utf-16be", markBytes: 0 }],
  ["1f8b", { is: "gzip" }],
  ["fd377a585a00", packed("xz", "xz -dc")],
  ["425a68..314159265359", packed("bzip2", "bzip2 -dc")],
  ["28b52ffd", packed("zstd", "zstd -dc")],
  ["504b0304", { is: "zip" }],
  ["d0cf11e0a1b11ae1", spreadsheet],
  [
    "50415231",
    refused(({ send }) => `the input is a Parquet file: ${send("duckdb -csv -c \"FROM 'FILE'\"", " --csv")}`),
  ],
  ["255044462d", refused(({ send }) => `the input is a PDF file: ${send("pdftotext FILE -", " --scan")}`)],
  [
    "53514c69746520666f726d6174203300",
    refused(({ send }) => `the input is an SQLite database: ${send("sqlite3 -csv -header FILE 'SELECT …'", " --csv")}`),
  ],
  ["efbbbf", { is: "marked" }],
];

const ZIP_FAULT: Message = ({ send }) => `the input is a zip archive: ${send("unzip -p")}`;

/** Texts that are neither rows nor JSON, and what is known of a zip archive by the names in it. */
const SHAPES: readonly (readonly [shape: RegExp, kind: Kind])[] = [
  [/^PK\x03\x04.{8,26}(?:\[Content_Types\]\.xml|_rels\/|xl\/|docProps\/)/s, spreadsheet],
  [/^PK\x03\x04.{8,26}mimetypeapplication\/vnd\.oasis\.opendocument\.sp/s, spreadsheet],
  [/^From \S+@\S+ +\w{3} \w{3} +\d/, scanned("a mailbox of messages (mbox)")],
  [/^(?:Received|Return-Path|Delivered-To|MIME-Version|Message-ID): .*\r?\n/i, scanned("a message")],
  [/^\ufeff?\s*<(?:!doctype html|html[\s>])/i, scanned("a web page")],
  [/^\ufeff?BEGIN:VCARD\s/i, scanned("a file of contacts (vCard)")],
  [
    /^(?:-- (?:MySQL|MariaDB|PostgreSQL|phpMyAdmin)|(?:INSERT INTO|CREATE TABLE) )/i,
    scanned("a dump of a database (SQL)"),
  ],
];

/**
 * Reads as much of the beginning as shows what the input is; returns its text. Throws AddrsiftError INPUT for an input
 * that can't be read as text.
 */
export async function openText(raw: ByteSource, tools: TextTools): Promise<Text> {
  const begun = new InputBuffer(raw, tools.readBytes, tools.memory);
  const kind = await kindOf(begun, tools);
  if (kind?.is !== "gzip") return textOf(begun, kind, tools);
  const unpacked = new InputBuffer(tools.gunzip(begun), tools.readBytes);
  const inside = await kindOf(unpacked, tools);
  if (inside?.is === "gzip") {
    throw new RowsFault("INPUT", ({ send }) => `the input is packed with gzip twice: ${send("gzip -dc", "")}`);
  }
  return textOf(unpacked, inside, tools);
}

function textOf(buffer: InputBuffer, kind: Kind | undefined, { tell, readBytes }: TextTools): Text {
  if (kind?.is === "refused") throw new RowsFault("INPUT", kind.fault);
  if (kind?.is === "zip") throw new RowsFault("INPUT", ZIP_FAULT);
  if (kind?.is === "marked") {
    buffer.start += UTF_8_MARK.length;
    return { buffer, mark: UTF_8_MARK };
  }
  if (kind?.is !== "utf-16") return { buffer, mark: NO_MARK };
  buffer.start += kind.markBytes;
  tell("the input is UTF-16: it is converted, and the output is UTF-8");
  const converted = new InputBuffer(new Utf16Source(buffer, kind.encoding), readBytes);
  return { buffer: converted, mark: kind.markBytes === 0 ? NO_MARK : UTF_8_MARK };
}

/**
 * The kind of an input of which nothing was read; undefined for plain text. It never waits when a whole row has
 * arrived, because that must be answered.
 */
async function kindOf(buffer: InputBuffer, { anyText }: TextTools): Promise<Kind | undefined> {
  do await buffer.fill();
  while (!buffer.ended && isUndecided(buffer.bytes.subarray(0, buffer.end)));
  const bytes = buffer.bytes.subarray(0, buffer.end);
  const kind = BEGINNINGS.find(([begin]) => 2 * bytes.length >= begin.length && agrees(bytes, begin))?.[1];
  if (anyText === true || (kind !== undefined && kind.is !== "zip" && kind.is !== "marked")) return kind;
  const text = decodeUtf8(bytes.subarray(0, SHOWN_BY));
  return SHAPES.find(([shape]) => shape.test(text))?.[1] ?? kind;
}

function isUndecided(bytes: Uint8Array): boolean {
  if (bytes.includes(LF)) return false;
  return BEGINNINGS.some(([begin]) => 2 * bytes.length < begin.length && agrees(bytes, begin));
}

function agrees(bytes: Uint8Array, beginning: string): boolean {
  return bytes.subarray(0, beginning.length / 2).every((byte, i) => {
    const wanted = beginning.slice(2 * i, 2 * i + 2);
    return wanted === ".." ? byte !== 0 : byte === Number.parseInt(wanted, 16);
  });
}

function scanned(what: string): Kind {
  return refused(() => `the input is ${what}, not a list of addresses: addrsift detect --scan FILE finds those in it`);
}

function encoded(encoding: string): Kind {
  const family = encoding.slice(0, 6);
  return refused(() => `the input is ${family}: convert it first, for example with iconv -f ${encoding} -t UTF-8`);
}

function packed(program: string, command: string): Kind {
  return refused(({ send }) => `the input is compressed with ${program}: ${send(command)}`);
}

function refused(fault: Message): Kind {
  return { is: "refused", fault };
}

/** Converts UTF-16 without a byte-order mark. Half of a surrogate pair becomes U+FFFD, which no valid address has. */
class Utf16Source extends ConvertedSource {
  private readonly decoder: InstanceType<typeof TextDecoder>;
  private readonly piece: Uint8Array = new Uint8Array(PIECE_BYTES);

  constructor(source: ByteSource, encoding: "utf-16le" | "utf-16be") {
    super(source);
    this.decoder = new TextDecoder(encoding, { ignoreBOM: true });
  }

  protected async next(): Promise<void> {
    const count = await this.source.read(this.piece, 0);
    this.ended = count === 0;
    this.rest = encodeUtf8(this.decoder.decode(this.piece.subarray(0, count), { stream: !this.ended }));
  }
}

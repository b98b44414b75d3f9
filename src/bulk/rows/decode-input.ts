// The first bytes of an input, and what they show: a byte-order mark, another encoding, a packed file. gzip is unpacked;
// UTF-16, and an encoding that an option names, are converted; other packings and encodings are errors.

import { LF } from "../../base/bytes/ascii.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { SAVE_AS_CSV } from "../../base/errors.ts";
import { quote } from "../../base/format-text.ts";
import { InputError, type Message, usage } from "../messages.ts";
import { InputBuffer } from "../reader.ts";
import { type ByteSource, ChunkSource } from "../streams.ts";

const UTF_8_BOM = Uint8Array.of(0xef, 0xbb, 0xbf);
const NO_BOM = new Uint8Array(0);
// Bytes by which a packed input shows what it is, and a text if they have arrived.
const PROBE_BYTES = 16;
const TEXT_PROBE_BYTES = 512;
// Bytes that are converted at once.
const CHUNK_BYTES = 64 * 1024;

/** The text of an input in UTF-8, without the byte-order mark that it begins with. */
export interface DecodedInput {
  readonly buffer: InputBuffer;
  /** A UTF-8 byte-order mark if the input began with a mark, or no bytes. */
  readonly byteOrderMark: Uint8Array;
}

export interface DecodeContext {
  readonly gunzip: (compressedKind: ByteSource) => ByteSource;
  /** Receives a sentence about what was converted. */
  readonly tell: (note: string | Message) => void;
  /** The name of the encoding of a text that shows no other one. Default: UTF-8. */
  readonly encoding?: string | undefined;
  /** Texts without rows are taken too. */
  readonly acceptsAnyText?: boolean;
  /** Bytes read at once. Default: READ_BYTES. */
  readonly readBytes?: number;
  /** Where bytes go, in an InputBuffer. Default: its own memory. */
  readonly memory?: Uint8Array;
}

/** The kind of an input that begins with certain bytes. `scanned` is a text that is neither rows nor JSON. */
type Kind =
  | { readonly is: "marked" | "gzip" }
  | { readonly is: "utf-16"; readonly encoding: "utf-16le" | "utf-16be"; readonly markBytes: 0 | 2 }
  | { readonly is: "refused" | "scanned"; readonly fault: Message };

const spreadsheet = unsupportedKind(() => `the input is a spreadsheet: ${SAVE_AS_CSV}`);

/** How an input that is not rows begins, as a character for each byte. The first match counts. */
const SIGNATURES: readonly (readonly [begin: RegExp, kind: Kind])[] = [
  [/^\xff\xfe\0\0/, encodedKind("UTF-32")],
  [/^\0\0\xfe\xff/, encodedKind("UTF-32")],
  [/^\xff\xfe/, { is: "utf-16", encoding: "utf-16le", markBytes: 2 }],
  [/^\xfe\xff/, { is: "utf-16", encoding: "utf-16be", markBytes: 2 }],
  // Without a mark, ASCII text in these encodings shows by its zeros; iconv would guess the byte order.
  [/^(?:[^\0]\0{3}){2}/, encodedKind("UTF-32LE")],
  [/^(?:\0{3}[^\0]){2}/, encodedKind("UTF-32BE")],
  [/^(?:[^\0]\0){2}/, { is: "utf-16", encoding: "utf-16le", markBytes: 0 }],
  [/^(?:\0[^\0]){2}/, { is: "utf-16", encoding: "utf-16be", markBytes: 0 }],
  [/^\x1f\x8b/, { is: "gzip" }],
  [/^\xfd7zXZ\0/, packed("xz", "xz -dc")],
  [/^BZh[^\0]1AY&SY/, packed("bzip2", "bzip2 -dc")],
  [/^\x28\xb5\x2f\xfd/, packed("zstd", "zstd -dc")],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, spreadsheet],
  [
    /^PAR1/,
    unsupportedKind(({ send }) => `the input is a Parquet file: ${send("duckdb -csv -c \"FROM 'FILE'\"", " --csv")}`),
  ],
  [/^%PDF-/, unsupportedKind(({ send }) => `the input is a PDF file: ${send("pdftotext FILE -", " --scan")}`)],
  [
    /^SQLite format 3\0/,
    unsupportedKind(
      ({ send }) => `the input is an SQLite database: ${send("sqlite3 -csv -header FILE 'SELECT …'", " --csv")}`,
    ),
  ],
  // A zip archive with files of these names is a spreadsheet.
  [/^PK\x03\x04.{26}(?:\[Content_Types\]\.xml|_rels\/|xl\/|docProps\/)/s, spreadsheet],
  [/^PK\x03\x04.{26}mimetypeapplication\/vnd\.oasis\.opendocument\.sp/s, spreadsheet],
  [/^PK\x03\x04/, unsupportedKind(({ send }) => `the input is a zip archive: ${send("unzip -p")}`)],
  [/^From \S+@\S+ +\w{3} \w{3} +\d/, scannableKind("a mailbox of messages (mbox)")],
  [/^(?:Received|Return-Path|Delivered-To|MIME-Version|Message-ID): .*\r?\n/i, scannableKind("a message")],
  [/^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html[\s>])/i, scannableKind("a web page")],
  [/^(?:\xef\xbb\xbf)?BEGIN:VCARD\s/i, scannableKind("a file of contacts (vCard)")],
  [/^(?:\xef\xbb\xbf)?(?:version: *1\s+)?(?:#.*\s+)*dn::? *\S/i, scannableKind("a file of entries (LDIF)")],
  [
    /^(?:-- (?:MySQL|MariaDB|PostgreSQL|phpMyAdmin)|(?:INSERT INTO|CREATE TABLE) )/i,
    scannableKind("a dump of a database (SQL)"),
  ],
  [/^\xef\xbb\xbf/, { is: "marked" }],
];

/**
 * Reads as much of the beginning as shows what the input is; returns its text. Throws AddrsiftError INPUT for an input
 * that can't be read as text.
 */
export async function decodeInput(raw: ByteSource, tools: DecodeContext): Promise<DecodedInput> {
  const begun = new InputBuffer(raw, tools.readBytes, tools.memory);
  const kind = await detectKind(begun, tools);
  if (kind?.is !== "gzip") return decodeKind(begun, kind, tools);
  const unpacked = new InputBuffer(tools.gunzip(begun), tools.readBytes);
  const inside = await detectKind(unpacked, tools);
  if (inside?.is === "gzip") {
    throw new InputError("INPUT", ({ send }) => `the input is packed with gzip twice: ${send("gzip -dc", "")}`);
  }
  return decodeKind(unpacked, inside, tools);
}

function decodeKind(
  buffer: InputBuffer,
  kind: Kind | undefined,
  { tell, readBytes, encoding }: DecodeContext,
): DecodedInput {
  if (kind !== undefined && "fault" in kind) throw new InputError("INPUT", kind.fault);
  if (kind?.is === "marked") {
    buffer.start += UTF_8_BOM.length;
    return { buffer, byteOrderMark: UTF_8_BOM };
  }
  const converted = (from: string): InputBuffer =>
    new InputBuffer(new ChunkSource(toUtf8(buffer, from), buffer), readBytes);
  if (kind?.is !== "utf-16")
    return { buffer: encoding === undefined ? buffer : converted(encoding), byteOrderMark: NO_BOM };
  buffer.start += kind.markBytes;
  tell("the input is UTF-16: it is converted, and the output is UTF-8");
  return { buffer: converted(kind.encoding), byteOrderMark: kind.markBytes === 0 ? NO_BOM : UTF_8_BOM };
}

/**
 * Returns the name of an encoding by its label (WHATWG Encoding §4.2); undefined for UTF-8, which is not converted.
 * Throws AddrsiftError USAGE for a label that is unknown.
 */
export function resolveEncoding(label: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === "utf-8" ? undefined : encoding;
  } catch {
    throw usage(
      ({ option }) =>
        `${option("encoding")} does not know ${quote(label)}: use a name such as windows-1252 or shift_jis`,
    );
  }
}

/**
 * The kind of an input of which nothing was read; undefined for plain text. It never waits when a whole row has
 * arrived, because that must be answered.
 */
async function detectKind(buffer: InputBuffer, { acceptsAnyText: anyText }: DecodeContext): Promise<Kind | undefined> {
  do await buffer.fill();
  while (!buffer.ended && buffer.end < PROBE_BYTES && !buffer.unread.includes(LF));
  const text = String.fromCharCode(...buffer.unread.subarray(0, TEXT_PROBE_BYTES));
  return SIGNATURES.find(([begin, { is }]) => !(is === "scanned" && anyText === true) && begin.test(text))?.[1];
}

function scannableKind(what: string): Kind {
  const fault = (): string =>
    `the input is ${what}, not a list of addresses: addrsift detect --scan FILE finds those in it`;
  return { is: "scanned", fault };
}

function encodedKind(encoding: string): Kind {
  const family = encoding.slice(0, 6);
  return unsupportedKind(
    () => `the input is ${family}: convert it first, for example with iconv -f ${encoding} -t UTF-8`,
  );
}

function packed(program: string, command: string): Kind {
  return unsupportedKind(({ send }) => `the input is compressed with ${program}: ${send(command)}`);
}

function unsupportedKind(fault: Message): Kind {
  return { is: "refused", fault };
}

/** Converts a text without a byte-order mark. What can't be decoded becomes U+FFFD, which no valid address has. */
async function* toUtf8(source: ByteSource, encoding: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const piece = new Uint8Array(CHUNK_BYTES);
  let count: number;
  do {
    count = await source.read(piece, 0);
    // Only in a stream does Node 20 decode all of windows-1252.
    yield encodeUtf8(decoder.decode(piece.subarray(0, count), { stream: count > 0 }));
  } while (count > 0);
}

// Detects the encoding and the file type of an input from its first bytes. Decompresses gzip, and converts UTF-16 and
// the encoding of an option to UTF-8; other compressions and encodings are errors.

import { LF } from "../../base/bytes/ascii.ts";
import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { SAVE_AS_CSV } from "../../base/errors.ts";
import { quote } from "../../base/format-text.ts";
import { InputError, type Message, usage } from "../messages.ts";
import { InputBuffer } from "../reader.ts";
import { type ByteSource, ChunkSource } from "../streams.ts";

const UTF_8_BOM = Uint8Array.of(0xef, 0xbb, 0xbf);
const NO_BOM = new Uint8Array(0);
// Bytes to wait for, and maximum bytes to check, to detect what the input is.
const PROBE_BYTES = 16;
const TEXT_PROBE_BYTES = 512;
const CHUNK_BYTES = 64 * 1024;

/** An input as UTF-8, without its byte-order mark. */
export interface DecodedInput {
  readonly buffer: InputBuffer;
  /** A UTF-8 byte-order mark if the input had a byte-order mark; otherwise empty. */
  readonly byteOrderMark: Uint8Array;
  /** Reports whether JSON was converted to JSON Lines, so that lines of the input are not rows. Known after a read. */
  readonly isConverted?: () => boolean;
}

export interface DecodeContext {
  readonly gunzip: (compressed: ByteSource) => ByteSource;
  /** Receives a note about each conversion. */
  readonly onNote: (note: string | Message) => void;
  /** Name of the encoding of an input without a byte-order mark. Default: UTF-8. */
  readonly encoding?: string | undefined;
  /** Whether to ignore `encoding` if the first bytes beyond ASCII are UTF-8. */
  readonly prefersUtf8?: boolean;
  /** Whether to accept text that has no rows, such as mail. */
  readonly acceptsAnyText?: boolean;
  /** Bytes per read. Default: READ_BYTES. */
  readonly readBytes?: number;
  /** Initial buffer of the input. Default: a new one. */
  readonly memory?: Uint8Array;
}

/** Kind of an input that is not plain text. `scannable`: text that has no rows, but may contain addresses. */
type Kind =
  | { readonly type: "utf-8-bom" | "gzip" }
  | { readonly type: "utf-16"; readonly encoding: "utf-16le" | "utf-16be"; readonly bomBytes: 0 | 2 }
  | { readonly type: "rejected" | "scannable"; readonly fault: Message };

const spreadsheet: Kind = { type: "rejected", fault: () => `the input is a spreadsheet: ${SAVE_AS_CSV}` };

/** Signatures of inputs that need conversion or are rejected, with one character per byte. The first match counts. */
const SIGNATURES: readonly (readonly [pattern: RegExp, kind: Kind])[] = [
  // Zero bytes between ASCII characters reveal UTF-32 or UTF-16, and its byte order.
  [/^(?:\xff\xfe\0\0|\0\0\xfe\xff|(?:[^\0]\0{3}){2})/, convertibleKind("UTF-32", "iconv -f UTF-32 -t UTF-8")],
  [/^(?:\0{3}[^\0]){2}/, convertibleKind("UTF-32", "iconv -f UTF-32BE -t UTF-8")],
  [/^\xff\xfe/, { type: "utf-16", encoding: "utf-16le", bomBytes: 2 }],
  [/^\xfe\xff/, { type: "utf-16", encoding: "utf-16be", bomBytes: 2 }],
  [/^(?:[^\0]\0){2}/, { type: "utf-16", encoding: "utf-16le", bomBytes: 0 }],
  [/^(?:\0[^\0]){2}/, { type: "utf-16", encoding: "utf-16be", bomBytes: 0 }],
  [/^\x1f\x8b/, { type: "gzip" }],
  [/^\xfd7zXZ\0/, convertibleKind("compressed with xz", "xz -dc")],
  [/^BZh[^\0]1AY&SY/, convertibleKind("compressed with bzip2", "bzip2 -dc")],
  [/^\x28\xb5\x2f\xfd/, convertibleKind("compressed with zstd", "zstd -dc")],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, spreadsheet],
  [/^PAR1/, convertibleKind("a Parquet file", "duckdb -csv -c \"FROM 'FILE'\"", " --csv")],
  [/^%PDF-/, convertibleKind("a PDF file", "pdftotext FILE -", " --scan")],
  [/^SQLite format 3\0/, convertibleKind("an SQLite database", "sqlite3 -csv -header FILE 'SELECT …'", " --csv")],
  // A zip archive with these files is a spreadsheet.
  [/^PK\x03\x04.{26}(?:\[Content_Types\]\.xml|_rels\/|xl\/|docProps\/)/s, spreadsheet],
  [/^PK\x03\x04.{26}mimetypeapplication\/vnd\.oasis\.opendocument\.sp/s, spreadsheet],
  [/^PK\x03\x04/, convertibleKind("a zip archive", "unzip -p")],
  [/^From \S+@\S+ +\w{3} \w{3} +\d/, scannableKind("a mailbox of messages (mbox)")],
  [/^(?:Received|Return-Path|Delivered-To|MIME-Version|Message-ID): .*\r?\n/i, scannableKind("a message")],
  [/^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html[\s>])/i, scannableKind("a web page")],
  [/^(?:\xef\xbb\xbf)?BEGIN:VCARD\s/i, scannableKind("a file of contacts (vCard)")],
  [/^(?:\xef\xbb\xbf)?(?:version: *1\s+)?(?:#.*\s+)*dn::? *\S/i, scannableKind("a file of entries (LDIF)")],
  [
    /^(?:-- (?:MySQL|MariaDB|PostgreSQL|phpMyAdmin)|(?:INSERT INTO|CREATE TABLE) )/i,
    scannableKind("a dump of a database (SQL)"),
  ],
  [/^\xef\xbb\xbf/, { type: "utf-8-bom" }],
];

/** Detects what the input is and decodes it. Throws AddrsiftError INPUT if it can't be read as text. */
export async function decodeInput(raw: ByteSource, context: DecodeContext): Promise<DecodedInput> {
  const input = new InputBuffer(raw, context.readBytes, context.memory);
  const kind = await detectKind(input, context);
  if (kind?.type !== "gzip") return decodeKind(input, kind, context);
  const unpacked = new InputBuffer(context.gunzip(input), context.readBytes);
  const unpackedKind = await detectKind(unpacked, context);
  if (unpackedKind?.type === "gzip") {
    throw new InputError("INPUT", ({ send }) => `the input is packed with gzip twice: ${send("gzip -dc", "")}`);
  }
  return decodeKind(unpacked, unpackedKind, context);
}

function decodeKind(
  buffer: InputBuffer,
  kind: Kind | undefined,
  { onNote, readBytes, encoding, prefersUtf8 = false }: DecodeContext,
): DecodedInput {
  if (kind !== undefined && "fault" in kind) throw new InputError("INPUT", kind.fault);
  if (kind?.type === "utf-8-bom") {
    buffer.start += UTF_8_BOM.length;
    return { buffer, byteOrderMark: UTF_8_BOM };
  }
  const convert = (fromEncoding: string, acceptUtf8?: () => boolean): InputBuffer =>
    new InputBuffer(new ChunkSource(toUtf8(buffer, fromEncoding, acceptUtf8), buffer), readBytes);
  const acceptUtf8 = (): boolean => {
    if (!prefersUtf8) onNote(({ option }) => `the input looks like UTF-8: if it is, leave out ${option("encoding")}`);
    return prefersUtf8;
  };
  if (kind?.type !== "utf-16")
    return { buffer: encoding === undefined ? buffer : convert(encoding, acceptUtf8), byteOrderMark: NO_BOM };
  buffer.start += kind.bomBytes;
  onNote("UTF-16 is converted to UTF-8");
  return { buffer: convert(kind.encoding), byteOrderMark: kind.bomBytes === 0 ? NO_BOM : UTF_8_BOM };
}

/**
 * Returns the name of an encoding by its label (WHATWG Encoding §4.2); undefined for UTF-8, which is not converted.
 * Throws AddrsiftError USAGE for an unknown label.
 */
export function resolveEncoding(label: string): string | undefined {
  const encoding = findEncoding(label);
  if (encoding !== undefined) return encoding === "utf-8" ? undefined : encoding;
  const fix = "use a name such as windows-1252 or shift_jis";
  throw usage(({ option }) => `${option("encoding")} does not know ${quote(label)}: ${fix}`);
}

function findEncoding(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Detects what an unread input is; undefined for plain text. Stops waiting as soon as a complete line has arrived. */
async function detectKind(buffer: InputBuffer, { acceptsAnyText }: DecodeContext): Promise<Kind | undefined> {
  do await buffer.fill();
  while (!buffer.ended && buffer.end < PROBE_BYTES && !buffer.unread.includes(LF));
  const text = String.fromCharCode(...buffer.unread.subarray(0, TEXT_PROBE_BYTES));
  const isAccepted = ({ type }: Kind): boolean => type === "scannable" && acceptsAnyText === true;
  return SIGNATURES.find(([pattern, kind]) => !isAccepted(kind) && pattern.test(text))?.[1];
}

function scannableKind(description: string): Kind {
  const fault = (): string =>
    `the input is ${description}, not a list of addresses: addrsift detect --scan FILE finds those in it`;
  return { type: "scannable", fault };
}

/** `command` converts the input; `options` follow `addrsift detect`. */
function convertibleKind(description: string, command: string, options?: string): Kind {
  return { type: "rejected", fault: ({ send }) => `the input is ${description}: ${send(command, options)}` };
}

/**
 * Converts to UTF-8. Undecodable bytes become U+FFFD, which no valid address contains. If the first characters beyond
 * ASCII are in UTF-8 already, and `acceptUtf8` returns true, nothing is converted.
 */
async function* toUtf8(
  source: ByteSource,
  encoding: string,
  acceptUtf8: (() => boolean) | undefined,
): AsyncGenerator<Uint8Array> {
  let decoder = new TextDecoder(encoding, { ignoreBOM: true });
  let mayBeUtf8 = acceptUtf8 !== undefined;
  const chunk = new Uint8Array(CHUNK_BYTES);
  let count: number;
  /** Number of bytes of the first character beyond ASCII, as long as it is incomplete. */
  let pending = 0;
  do {
    count = await source.read(chunk, pending);
    const end = pending + count;
    pending = 0;
    const bytes = chunk.subarray(0, end);
    if (mayBeUtf8 && bytes.some((byte) => byte >= 0x80)) {
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
      if (/\P{ASCII}/u.test(text) || count === 0) mayBeUtf8 = false;
      else pending = end - text.length;
      const isUtf8 = !mayBeUtf8 && count > 0 && !text.includes("\u{fffd}");
      if (isUtf8 && acceptUtf8?.()) decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    }
    // Node 20 decodes windows-1252 correctly only with `stream: true`.
    yield encodeUtf8(decoder.decode(bytes.subarray(0, end - pending), { stream: count > 0 }));
    chunk.copyWithin(0, end - pending, end);
  } while (count > 0);
}

// Finds addresses in any text: source code, logs, mail, HTML. Searches for an @ and checks the text on both sides. Does
// not check whether the domain exists. In a unified diff, searches only added lines.

import {
  AT,
  BACKSLASH,
  CLOSE_ANGLE,
  CLOSE_BRACE,
  COLON,
  CR,
  EQUALS,
  LF,
  QUOTE,
  SEMICOLON,
  SPACE,
  TAB,
} from "../../base/bytes/ascii.ts";
import { countByte, decodeUtf8, encodeUtf8, findByte } from "../../base/bytes/bytes.ts";
import type { CompiledLists } from "../../lists/table.ts";
import type { AllowList } from "./allow-list.ts";
import { DiffReader } from "./diff.ts";
import { AtSignFinder, LIKE_BEFORE_PERCENT, mayBeEscape, unescapeRange } from "./escapes.ts";
import { HIDDEN_PATTERNS, MACHINE_ADDRESSES } from "./machines.ts";
import { MESSAGE_ID_HEADER, RETURN_PATH } from "./mail-headers.ts";
import { Row, type RowSink, type Scanner } from "./row.ts";

export interface ScanLayout {
  /** True if the input is a unified diff: only its added lines are searched. */
  readonly isDiff: boolean;
  /** True if the input is a log with diffs: locations include the commit. */
  readonly isLog?: boolean;
  /** Addresses and files to skip. */
  readonly allowList: AllowList;
}

/** A line with this text is skipped. Case is ignored, there may be any number of spaces, and `allow` must end a word. */
export const ALLOW_COMMENT = "addrsift: allow";
const HAS_ALLOW_COMMENT = /addrsift: *allow(?![\w-])/i;

// Maximum bytes of a line that is scanned as a whole. In a longer line, an allow comment has no effect.
const MAX_LINE_BYTES = 64 * 1024;
const MAX_DECODED_LINE_BYTES = 1024;
// Maximum bytes that are checked before and after an @. An address has at most 64 before and 255 after it.
const MAX_BYTES_BEFORE = 160;
const MAX_BYTES_AFTER = 270;
// The same limits for escaped text, in which a character takes up to eight bytes.
const MAX_ESCAPED_BYTES_BEFORE = 640;
const MAX_ESCAPED_BYTES_AFTER = 1280;
// Quoted-printable mail folds lines at 76 characters (RFC 2045 §6.7). A much shorter line that ends in = is something
// else, and so is a longer one, except for the sign or the indentation of a diff.
const MIN_FOLDED_BYTES = 50;
const MAX_FOLDED_BYTES = 80;
// A longer run before an @ may be incomplete: its first character, of up to four bytes, may be truncated.
const MAX_COMPLETE_RUN = MAX_BYTES_BEFORE - 4;

/** Creates a lookup table by byte: 1 for ASCII characters that match, and for bytes of non-ASCII characters. */
function byteTable(ascii: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x80 || ascii.test(String.fromCharCode(byte)) ? 1 : 0));
}
const IS_UNQUOTED_LOCAL_PART = byteTable(/[\w!#$%&'*+/=?^`{|}~.-]/);
/** Bytes of an address that are neither delimiters nor part of an escape. */
const IS_WORD = byteTable(/[\w.+-]/);
const CAN_PRECEDE_AT = byteTable(/[\w"!&+=~-]/);
const CAN_FOLLOW_AT = byteTable(/[a-z0-9]/i);

// Matches at least two labels, the last one without digits, unless more of a name follows. The second group matches what
// follows a host, but not a mail domain: another @, a call, or an scp path. A date after a colon is not an scp path.
const DOMAIN =
  /^((?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+(?:xn--[a-z0-9-]*[a-z0-9]|[a-z]{2,63}|(?![a-z])[\p{L}\p{M}]{2,}))(?![-_]*[a-z0-9]|\.[\p{L}\p{N}])(\.?@|\(|:(?:(?!\d+\/\d)[\w~.-]*\/[\w~./:@%*{}$-]*(?:[^\w~./:@%*{}$+=,-]|,?(?:\s|$))|\S+\.git\b))?/iu;
// Matches a package version, such as `pkg@1.2.3`, or an image for high-density screens, such as `icon@2x.png`.
const VERSION_OR_IMAGE = /^v?\d+\.\d+(?:\.\d|[-+.][a-z])|^\d(?:\.\d)?x\./i;
// Matches the first word of the next sentence, if the space before it is missing.
const NEXT_SENTENCE = /\.[A-Z](?<=\.[a-z]{2,6}\..)[a-z]*$/;
// Matches a local part without delimiters and escapes.
const PLAIN_LOCAL_PART = /^[a-z\d]+(?:[._+-][a-z\d]+)*$/i;
const QUOTED_LOCAL_PART = /(?:^|[\s<>,:;([`'|=])("(?! )(?:[^"\\]|\\.)+(?<! )")$/;
const ESCAPED_QUOTED_LOCAL_PART = /(\\"(?! )(?:[^"\\]|\\\\.)+(?<! )\\")$/;
// Matches the rest of a source code escape, or of roff's font change, after the backslash.
const SOURCE_ESCAPE = /^(?:f[BIRP](?=.)|x[\da-f]{2}|u[\da-f]{4}|u\{[\da-f]+\}|[nrtbfvae0])/i;
const UNSPACED_SCRIPT = /^.*[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}](?=[!-~]+$)/su;
/** Matches the scheme and the user information of a URL, whose slashes JSON may escape. */
const AUTHORITY = /:(?:\\?\/){2}[^\s/?#"'<>()[\]]*$/;
/** The same in escaped text: a delimiter that is percent-encoded is part of the user information. */
const ESCAPED_AUTHORITY = /:(?:\\?\/){2}(?![^/]*&(?:quot|[lg]t|apos);)[^\s/?#"'<>()[\]\\]*$/i;
/** The same in a URL that is percent-encoded as a whole. */
const ENCODED_AUTHORITY = /%3a(?:%2f){2}(?:[\w.~!$&*+,;=-]|%(?!2[023f]|3[cef])[\da-f]{2})*%?$/i;
// Matches the text before a message identifier, which looks like an address.
const ID_LABEL =
  /(?:(?:message|msg)[-_ ]?ids?|in[-_]reply[-_]to)(?:field)?(?:_text)?(?:[^\w@,]|\b(?:to|eq|value|new)\b){1,32}$|\bid\s+<$|MTP\w*\s+id\s+$|\b[cm]id:$/i;
/** Matches the local part of a message identifier: at least three digits, but not a name before up to eight digits. */
const ID_LOCAL_PART = /^(?=(?:\D*\d){3})(?![\p{L}\p{M}'._+-]+\d{0,8}$)/u;
/** Matches a local part that mutt or qmail made from the time, which needs no label. */
const TIME_LOCAL_PART = /^\d{8,}\.(?:[a-z]{0,2}\d{4,}|\d+\.qmail)$/;
/** Matches a second @. A handle of the Fediverse, such as `@jane@example.org`, has none. */
const SECOND_AT = /[\p{L}\p{N}_.+@-]@$/u;
/** Matches the last segment of a URL's path, such as a message identifier in an archive. */
const URL_SEGMENT = /:\/\/[^\s?#"'<>()]+\/([^\s/?#"'<>()]+)$/;
/** Matches the beginning of a commit trailer, such as Signed-off-by. */
const TRAILER = /^\s*[a-z][a-z\d-]*: /i;
/** Matches the text between the @ of two successive message identifiers. */
const ID_AFTER_ID = /^[\w.-]+(?:[\s<>,'"[\]]|\\[rnt])+[\w.$+-]*$/;

/** Start and end of an address, and its text if that differs from the bytes there. */
interface FoundAddress {
  readonly start: number;
  readonly end: number;
  readonly unescaped: Uint8Array | undefined;
  /** The address in lower case, without escapes. */
  readonly lowercase: string;
  /** True if a word before it says that it is a message identifier. */
  readonly isLabeledId: boolean;
}

/**
 * Decodes parts of a line. A short line in ASCII or Latin-1 is decoded once, because byte and string indexes are the
 * same. In Latin-1, two successive bytes beyond ASCII probably belong to another encoding, so they become U+FFFD.
 */
class LineText {
  readonly isLatin1: boolean = false;
  private readonly oneByteText: string | undefined;

  constructor(
    readonly bytes: Uint8Array,
    readonly start: number,
    readonly end: number,
    /** Set if escapes were decoded: the original bytes. */
    private readonly original?: {
      readonly bytes: Uint8Array;
      readonly origins: Uint32Array;
      readonly isTruncated: boolean;
    },
  ) {
    const size = end - start;
    if (size > MAX_DECODED_LINE_BYTES) return;
    const text = decodeUtf8(bytes, start, end);
    if (text.includes("\ufffd") && !this.isTruncated) {
      // An invalid byte becomes U+FFFD, which has two more bytes. If only a few are invalid, the line is damaged UTF-8.
      const invalidCount = (encodeUtf8(text).length - size) / 2;
      this.isLatin1 = invalidCount > text.replace(/\p{ASCII}/gu, "").length / 2;
    }
    if (this.isLatin1)
      this.oneByteText = String.fromCharCode(...bytes.subarray(start, end)).replace(/[\x80-\xff]{2,}/g, (run) =>
        "\ufffd".repeat(run.length),
      );
    // In UTF-8, a character beyond ASCII has more bytes than UTF-16 units.
    else if (text.length === size && !text.includes("\ufffd")) this.oneByteText = text;
  }

  decode(from: number, to: number): string {
    if (this.oneByteText === undefined) return decodeUtf8(this.bytes, from, to);
    return this.oneByteText.slice(from - this.start, to - this.start);
  }

  /** True if the line starts before `start`. */
  get isTruncated(): boolean {
    return this.original?.isTruncated ?? false;
  }

  /** Reports whether the characters at `i` and `other` are the same, escaped in the same way. */
  isSpelledAlike(i: number, other: number): boolean {
    if (this.original === undefined) return this.bytes[i] === this.bytes[other];
    const { bytes, origins } = this.original;
    const spelling = bytes.subarray(origins[i], origins[i + 1]);
    return spelling.every((byte, k) => bytes[(origins[other] as number) + k] === byte);
  }

  byteLength(part: string): number {
    return this.oneByteText !== undefined || /^[ -~]*$/.test(part) ? part.length : encodeUtf8(part).length;
  }
}

/** Finds the address around the @, or an escape of it, at `at`. */
function findAddress(line: LineText, at: number, start: number, lists: CompiledLists): FoundAddress | undefined {
  const { bytes, end } = line;
  const isEscaped = bytes[at] !== AT || bytes[at - 1] === BACKSLASH;
  if (!isEscaped) {
    if (at === start || at + 1 >= end) return undefined;
    const before = bytes[at - 1] as number;
    if (CAN_PRECEDE_AT[before] === 0 && before !== SEMICOLON && before !== CLOSE_BRACE) return undefined;
    if (CAN_FOLLOW_AT[bytes[at + 1] as number] === 0 && !mayBeEscape(bytes, at + 1)) return undefined;
    if (!mayBeEscape(bytes, skipWord(bytes, at - 1, Math.max(start, at - MAX_BYTES_BEFORE) - 1))) {
      const address = findUnescapedAddress(line, at, start, false, lists);
      // Check the end of the word, because an escaped letter may follow a dot after the domain.
      const next = skipWord(bytes, at + 1, Math.min(end, at + MAX_BYTES_AFTER));
      if (next === end || !mayBeEscape(bytes, next)) return address;
    }
  }
  const from = Math.max(start, at - MAX_ESCAPED_BYTES_BEFORE);
  const to = Math.min(end, at + MAX_ESCAPED_BYTES_AFTER);
  const unescaped = unescapeRange(bytes, from, to, at);
  if (unescaped === undefined) return isEscaped ? undefined : findUnescapedAddress(line, at, start, false, lists);
  const { bytes: text, length, origins } = unescaped;
  if (text[unescaped.index] !== AT) return undefined;
  const original = { bytes, origins, isTruncated: from > start };
  const isEncoded = bytes[at] !== AT;
  const match = findUnescapedAddress(new LineText(text, 0, length, original), unescaped.index, 0, isEncoded, lists);
  if (match === undefined) return undefined;
  if (match.end === length && to < end) return undefined;
  const range = { start: origins[match.start] as number, end: origins[match.end] as number };
  if ((isEncoded ? ENCODED_AUTHORITY : ESCAPED_AUTHORITY).test(decodeUtf8(bytes, from, at))) {
    const isPartOfUser = !isEncoded && /%[\da-f]{2}$/i.test(decodeUtf8(bytes, from, range.start));
    if (isPartOfUser || !lists.isMailService(decodeUtf8(text, unescaped.index + 1, match.end))) return undefined;
  }
  const isSame = range.end - range.start === match.end - match.start;
  return {
    ...match,
    ...range,
    unescaped: match.unescaped ?? (isSame ? undefined : text.slice(match.start, match.end)),
  };
}

/** Returns the first index from `i` to `stop`, forward or backward, whose byte is not part of a word. */
function skipWord(bytes: Uint8Array, i: number, stop: number): number {
  const step = i < stop ? 1 : -1;
  while (i !== stop && IS_WORD[bytes[i] as number] === 1) i += step;
  return i;
}

function findUnescapedAddress(
  line: LineText,
  at: number,
  start: number,
  isEncoded: boolean,
  lists: CompiledLists,
): FoundAddress | undefined {
  const { bytes, end } = line;
  if (at === start || at + 1 >= end) return undefined;
  if (CAN_PRECEDE_AT[bytes[at - 1] as number] === 0 || CAN_FOLLOW_AT[bytes[at + 1] as number] === 0) return undefined;
  const textAfter = line.decode(at + 1, Math.min(end, at + MAX_BYTES_AFTER));
  const [, name = "", pathAfter] = DOMAIN.exec(textAfter) ?? [];
  const domain = name.replace(NEXT_SENTENCE, "");
  if (domain === "" || VERSION_OR_IMAGE.test(domain)) return undefined;
  if (pathAfter !== undefined && !lists.isMailService(domain)) return undefined;
  const before = line.decode(Math.max(start, at - MAX_BYTES_BEFORE), at);
  const next = textAfter.slice(domain.length);
  const domainEnd = at + 1 + line.byteLength(domain);
  const local =
    bytes[at - 1] === QUOTE
      ? (ESCAPED_QUOTED_LOCAL_PART.exec(before) ?? QUOTED_LOCAL_PART.exec(before))?.[1]
      : trimLocalPart(before, decodeRunBefore(line, at, start), next, line, at, domainEnd);
  // Invalid UTF-8 is not part of an address.
  if (local === undefined || local.includes("\ufffd")) return undefined;
  const textBefore = before.slice(0, before.length - local.length);
  if (textBefore.endsWith("@") && (SECOND_AT.test(textBefore) || !lists.isMailService(domain))) return undefined;
  if (!isEncoded && isUserOfHost(textBefore, local, domain, next) && !lists.isMailService(domain)) return undefined;
  const address = `${local.startsWith("\\") ? local.replace(/\\(.)/g, "$1") : local}@${domain}`;
  return {
    start: at - line.byteLength(local),
    end: domainEnd,
    unescaped: local.startsWith("\\") || line.isLatin1 ? encodeUtf8(address) : undefined,
    lowercase: address.toLowerCase(),
    // Skip the pattern for CSV fields, which are frequent.
    isLabeledId: !textBefore.endsWith(",") && ID_LABEL.test(textBefore),
  };
}

/** Decodes the bytes before the @ that can be part of a local part, without a truncated first character. */
function decodeRunBefore(line: LineText, at: number, start: number): string {
  const { bytes } = line;
  let from = at;
  while (from > start && at - from < MAX_BYTES_BEFORE && IS_UNQUOTED_LOCAL_PART[bytes[from - 1] as number] === 1)
    from -= 1;
  if (at - from === MAX_BYTES_BEFORE) while (((bytes[from] as number) & 0xc0) === 0x80) from += 1;
  return line.decode(from, at);
}

/** Returns the local part at the end of `run`, the end of `before`. In a long run, it starts after a delimiter. */
function trimLocalPart(
  before: string,
  run: string,
  next: string,
  line: LineText,
  at: number,
  domainEnd: number,
): string | undefined {
  let local = run;
  const opening = before.at(-local.length - 1);
  if (run.length <= MAX_COMPLETE_RUN && opening !== "\\" && PLAIN_LOCAL_PART.test(run)) return run;
  if (opening === "<" && next.startsWith(">") && /^(?!=\?|#)[!-)+-~]+$/.test(local)) return local;
  // Starts after the last delimiter, or after the last character of another script.
  local = local.replace(/^.*[^\p{L}\p{M}\p{N}!-~]/su, "").replace(UNSPACED_SCRIPT, "");
  if (RETURN_PATH.test(local)) return local;
  const nameStart = local.search(/[^=/?!|{}`^*#%$~]*$/);
  const delimiter = local[nameStart - 1];
  local = local.slice(nameStart);
  const textBefore = before.slice(0, before.length - local.length);
  // A format conversion such as %s, or an octet that is not UTF-8.
  if (delimiter === "%" && !LIKE_BEFORE_PERCENT.test(textBefore.slice(0, -1))) return undefined;
  // Variables, templates and masked addresses such as j***@x.org.
  if (delimiter === "$" || delimiter === "}" || (delimiter === "*" && /\w\*+$/.test(textBefore))) {
    return undefined;
  }
  let quote = local.lastIndexOf("'");
  while (quote >= 0 && !line.isSpelledAlike(at - line.byteLength(local.slice(quote)), domainEnd))
    quote = local.slice(0, quote).lastIndexOf("'");
  local = local.slice(quote + 1);
  if (before.at(-local.length - 1) === "\\") {
    if (/^[wdsb][+]?$/i.test(local)) return undefined;
    local = local.replace(SOURCE_ESCAPE, "");
  }
  if (next.startsWith("_")) local = local.replace(/^_+/, "");
  const isOpened = local.length > 0 && /["'`<]/.test(before.at(-local.length - 1) ?? "");
  local = local.replace(isOpened ? /^['&.]+|^.*\.{2,}/ : /^['&.+-]+|^.*\.{2,}/, "");
  if (encodeUtf8(run).length > MAX_COMPLETE_RUN || (line.isTruncated && run === before)) {
    local = local.replace(/^_+/, "");
    if (local === run) return undefined;
  }
  return /[\p{L}\p{N}]/u.test(local) ? local : undefined;
}

/**
 * Reports whether a match only looks like an address: the user of a URL, a Git remote, a path in a repository, a Kotlin
 * label, or a message identifier in a URL. An encoded @ in a URL, such as %40, belongs to an address. No one has an
 * account on the hosts of a mail service, so a match at one is an address, whatever follows it.
 */
function isUserOfHost(textBefore: string, local: string, domain: string, next: string): boolean {
  if (AUTHORITY.test(textBefore)) return true;
  if (next.startsWith("/") && /(?:^|[^\w@:./-])[\w./-]+\/$/.test(textBefore)) return true;
  if (/[\w-]:$/.test(textBefore) && /^(?::\d|\/)/.test(next)) return !/mailto:$/i.test(textBefore);
  const segment = URL_SEGMENT.exec(textBefore + local)?.[1] ?? "";
  // Gmail writes mail.gmail.com in its message identifiers only.
  if (ID_LOCAL_PART.test(segment) || (segment !== "" && domain === "mail.gmail.com")) return true;
  return (local === "git" && /^[:/]/.test(next)) || (/^(?:this|super|return)$/.test(local) && /^[A-Z]/.test(domain));
}

/** Finds addresses in text. Each address is a row with its location. */
export class TextScanner implements Scanner {
  private readonly row = new Row();
  private readonly diff: DiffReader | undefined;
  private sink: RowSink | undefined;
  private readonly atSigns = new AtSignFinder();
  /** Number of the current line, from 1. */
  private line = 1;
  /** Number of the last line of message identifiers, which the next line may continue. */
  private idsLine = -1;
  // Offsets count from the first buffered byte of the line.
  /** Offset of the @ of the line's last identifier. */
  private lastIdOffset = -1;
  /** True if the previous line ends in a soft line break of quoted-printable mail. */
  private isFolded = false;
  /** Whether the line has an allow comment; undefined until it is checked. */
  private hasAllowComment: boolean | undefined;
  /** Offset up to which the line was searched. */
  private searchedBytes = 0;
  /** Index of the next @, if nothing of the current line was searched. */
  private nextAt = 0;
  /** Characters of the line before its buffered bytes. */
  private charactersBefore = 0;
  /** Number of buffered bytes that are counted in `characters`. */
  private countedBytes = 0;
  private characters = 0;

  constructor(
    private readonly layout: ScanLayout,
    private readonly lists: CompiledLists,
  ) {
    if (layout.isDiff) this.diff = new DiffReader((item, file) => this.sink?.warn(item, file), layout.allowList);
  }

  scan(bytes: Uint8Array, start: number, end: number, isLast: boolean, sink: RowSink): number {
    this.sink = sink;
    this.atSigns.reset(bytes, end);
    let from = start;
    while (from < end && !sink.isFull) {
      if (this.isAtLineStart) from = this.skipToAtSign(bytes, from);
      const lf = findByte(bytes, LF, this.isAtLineStart ? this.nextAt : from, end);
      if (lf === end && !isLast && end - from <= MAX_LINE_BYTES) break;
      const isWhole = lf < end || isLast;
      const stop = isWhole ? lf : end - MAX_ESCAPED_BYTES_AFTER;
      if (this.shouldSearch(bytes, from, lf)) {
        const nul = this.diff === undefined ? stop : findByte(bytes, 0, from, stop);
        if (!this.scanLine(bytes, from, nul, lf, sink)) break;
        if (nul < stop) this.diff?.skipFile();
      }
      from = isWhole
        ? this.endLine(bytes, from, lf, end)
        : this.endChunk(bytes, from, end - MAX_ESCAPED_BYTES_AFTER - MAX_ESCAPED_BYTES_BEFORE);
    }
    if (isLast && from === end) this.diff?.end();
    return from;
  }

  /** Reports whether the line is searched. The diff reads each line once, at its beginning. */
  private shouldSearch(bytes: Uint8Array, start: number, end: number): boolean {
    const { diff } = this;
    if (diff === undefined) return true;
    const isStart = this.charactersBefore === 0 && this.searchedBytes === 0;
    if (isStart) {
      diff.read(bytes, start, end);
      if (diff.isOutsideHunks) this.idsLine = -1;
      else if (diff.isInNewFile) this.detectIdHeader(bytes, start, end, diff.line);
    }
    return diff.isAdded;
  }

  /** Skips lines without an @. Returns the start of the first line with one, or of the last line. */
  private skipToAtSign(bytes: Uint8Array, start: number): number {
    this.nextAt = this.atSigns.find(start);
    const lines = countByte(bytes, LF, start, this.nextAt);
    if (lines === 0) return start;
    const lf = bytes.lastIndexOf(LF, this.nextAt - 1);
    const previous = lines === 1 ? start : bytes.lastIndexOf(LF, lf - 1) + 1;
    this.line += lines;
    this.isFolded = hasSoftLineBreak(bytes, previous, lf);
    this.detectIdHeader(bytes, previous, lf, this.line - 1);
    return lf + 1;
  }

  /** Emits the addresses with an @ before `stop`. The buffered line ends at `end`. Returns false if the sink is full. */
  private scanLine(bytes: Uint8Array, start: number, stop: number, end: number, sink: RowSink): boolean {
    const isStart = this.isAtLineStart;
    let at = isStart ? this.nextAt : this.atSigns.find(start + this.searchedBytes);
    const number = this.diff?.line ?? this.line;
    if (at >= stop && !(isStart && stop < end)) return true;
    const line = new LineText(bytes, start, end);
    if (isStart) this.detectIdHeader(bytes, start, end, number);
    const textStart = start + (this.charactersBefore === 0 ? this.prefixLength : 0);
    for (; at < stop; at = this.atSigns.find(at + 1)) {
      const match = findAddress(line, at, textStart, this.lists);
      if (match === undefined) continue;
      if (this.isMessageId(line, at, number, match)) {
        this.lastIdOffset = at - start;
        sink.warn("message_id");
        continue;
      }
      const endsAtBreak = match.end >= end - 2 && hasSoftLineBreak(bytes, start, end);
      if (endsAtBreak || (this.isFolded && match.start === textStart)) {
        sink.warn("split", this.diff?.file);
        continue;
      }
      this.hasAllowComment ??=
        this.charactersBefore === 0 && end - start <= MAX_LINE_BYTES && HAS_ALLOW_COMMENT.test(line.decode(start, end));
      if (this.hasAllowComment) {
        sink.warn("allow_mark");
        return true;
      }
      if (this.diff !== undefined && this.diff.commitPart !== "none" && /^no[-_]?reply@/.test(match.lowercase)) {
        sink.warn("no_reply");
        continue;
      }
      // The list may have all of a text such as `x=jane@gmail.com`, in which only the end is an address.
      const run = decodeRunBefore(line, at, textStart) + line.decode(at, match.end);
      if ([match.lowercase, run].some((address) => this.layout.allowList.hasAddress(address))) {
        sink.warn("allow_file");
        continue;
      }
      this.emit(line, match, sink);
      this.searchedBytes = at + 1 - start;
      if (sink.isFull) return false;
    }
    return true;
  }

  /** Detects a line of message identifiers: a header line, or a continuation of one. */
  private detectIdHeader(bytes: Uint8Array, start: number, end: number, number: number): void {
    const first = bytes[start + this.prefixLength];
    const isNextLine = this.idsLine === number - 1 && (first === SPACE || first === TAB);
    const isContinuation = isNextLine && (this.diff === undefined || findByte(bytes, AT, start, end) < end);
    const headEnd = Math.min(end, start + 80);
    const hasColon = findByte(bytes, COLON, start, headEnd) < headEnd;
    if (isContinuation || (hasColon && MESSAGE_ID_HEADER.test(decodeUtf8(bytes, start, headEnd))))
      this.idsLine = number;
  }

  /** Reports whether a match is a message identifier: by the text before it, and unlike a person's address. */
  private isMessageId(line: LineText, at: number, number: number, match: FoundAddress): boolean {
    const atSign = match.lowercase.lastIndexOf("@");
    const local = match.lowercase.slice(0, atSign);
    if (!ID_LOCAL_PART.test(local) || this.lists.isMailService(match.lowercase.slice(atSign + 1))) return false;
    if (match.isLabeledId || TIME_LOCAL_PART.test(local)) return true;
    if (this.idsLine === number && line.bytes[match.end] === CLOSE_ANGLE) return true;
    // Identifiers often follow each other.
    const lastId = line.start + this.lastIdOffset;
    const isNear = this.lastIdOffset >= 0 && at - lastId <= MAX_BYTES_BEFORE;
    return isNear && ID_AFTER_ID.test(line.decode(lastId + 1, at));
  }

  private get isAtLineStart(): boolean {
    return this.diff === undefined && this.searchedBytes === 0 && this.charactersBefore === 0;
  }

  private get prefixLength(): number {
    return this.diff?.prefixLength ?? 0;
  }

  private emit({ bytes, start, end, isLatin1 }: LineText, match: FoundAddress, sink: RowSink): void {
    const { row } = this;
    const columnOf = (i: number): number => {
      if (!isLatin1) this.countCharacters(bytes, start, i);
      const characters = isLatin1 ? i - start : this.charactersBefore + this.characters;
      return 1 + characters - this.prefixLength;
    };
    row.setLine(bytes, start, end);
    row.bytes = match.unescaped ?? bytes;
    row.start = match.unescaped === undefined ? match.start : 0;
    row.end = match.unescaped?.length ?? match.end;
    row.location = {
      commit: this.diff?.commit,
      file: this.diff?.file,
      line: this.diff?.line ?? this.line,
      column: columnOf(match.start),
      endColumn: columnOf(match.end),
      isHidden: this.isHidden(bytes, start, match),
    };
    sink.accept(row);
  }

  /** Reports whether an address is a placeholder, or of a machine or a service that made or signed the commit. */
  private isHidden(bytes: Uint8Array, start: number, match: FoundAddress): boolean {
    const { diff } = this;
    if (HIDDEN_PATTERNS.some((pattern) => pattern.test(match.lowercase))) return true;
    if (diff === undefined || diff.commitPart === "none" || !MACHINE_ADDRESSES.has(match.lowercase)) return false;
    if (diff.file !== "(message)") return true;
    return diff.commitPart === "message" && TRAILER.test(decodeUtf8(bytes, start, match.start));
  }

  private endLine(bytes: Uint8Array, start: number, lf: number, end: number): number {
    this.line += 1;
    this.isFolded = hasSoftLineBreak(bytes, start, lf);
    this.lastIdOffset = -1;
    this.hasAllowComment = undefined;
    this.searchedBytes = 0;
    this.charactersBefore = 0;
    this.countedBytes = 0;
    this.characters = 0;
    return Math.min(lf + 1, end);
  }

  /** Ends a chunk of a long line at `next`. The bytes in which the next address may start stay buffered. */
  private endChunk(bytes: Uint8Array, start: number, next: number): number {
    this.countCharacters(bytes, start, next);
    this.charactersBefore += this.characters;
    this.countedBytes = 0;
    this.characters = 0;
    this.searchedBytes = MAX_ESCAPED_BYTES_BEFORE;
    this.lastIdOffset -= next - start;
    return next;
  }

  /** Counts the characters from `start` to `end`, without UTF-8 continuation bytes. */
  private countCharacters(bytes: Uint8Array, start: number, end: number): void {
    const countStart = (i: number): number => (((bytes[start + i] as number) & 0xc0) === 0x80 ? 0 : 1);
    while (this.countedBytes < end - start) this.characters += countStart(this.countedBytes++);
    while (this.countedBytes > end - start) this.characters -= countStart(--this.countedBytes);
  }
}

/** Reports whether the line ends within a word, in a soft line break of quoted-printable mail. */
function hasSoftLineBreak(bytes: Uint8Array, start: number, lf: number): boolean {
  if (lf - start < MIN_FOLDED_BYTES || lf - start > MAX_FOLDED_BYTES) return false;
  const last = bytes[lf - 1] === CR ? lf - 2 : lf - 1;
  return bytes[last] === EQUALS && IS_WORD[bytes[last - 1] as number] === 1;
}

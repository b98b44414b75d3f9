// Addresses in any text: source code, logs, mail, HTML. It looks for an @ and at what is on both sides of it.
// Whether the domain can exist and the address is valid, it does not know. A unified diff is read line by line, for
// what it adds.

import { AT, LF, QUOTE } from "../../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8, findByte } from "../../base/bytes/bytes.ts";
import { Diff } from "./diff.ts";
import { Row, type RowTaker, type Scanner } from "./row.ts";

export interface ScanLayout {
  /** The input is a unified diff: only added lines count. */
  readonly diff: boolean;
  /** The diffs are those of a log, so each place has its commit. */
  readonly log?: boolean;
  /** Addresses, and domains behind an @, that are passed over; in lower case. */
  readonly allowed: ReadonlySet<string>;
}

/** A line with these words is passed over. */
export const ALLOW_MARK = "addrsift: allow";

// A longer line is taken in pieces, so it can't be passed over as a whole.
const LINE_MAX = 64 * 1024;
// A line up to this length is decoded as a whole.
const SHORT_LINE = 1024;
// Bytes on either side of an @ that are looked at; an address has at most 64 before and 255 behind it.
const BEFORE_MAX = 160;
const BEHIND_MAX = 270;
// A longer run before an @ may have begun before what is looked at, with a character of up to four bytes.
const UNCUT_MAX = BEFORE_MAX - 4;

/** Bytes that local parts have in text, without quotes. */
const IN_LOCAL: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[\w!#$%&'*+/=?^`{|}~.-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
/** Bytes that can be beside the @. */
const ENDS_LOCAL: Uint8Array = IN_LOCAL.map((is, byte) =>
  byte === QUOTE || (is === 1 && !"{}/*?|^`.'#$%".includes(String.fromCharCode(byte))) ? 1 : 0,
);
const BEGINS_DOMAIN: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[a-z0-9]/i.test(String.fromCharCode(byte)) ? 1 : 0,
);

// At least two labels, the last one without digits. It may not go on, and another @, a call or a path of scp may not
// follow.
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+(?:xn--[a-z0-9-]*[a-z0-9]|[a-z]{2,63}|(?![a-z])[\p{L}\p{M}]{2,})(?![-_]*[a-z0-9]|\.?@|\.[\p{L}\p{N}]|\(|:(?:[\w~.-]*\/|\S+\.git\b))/iu;
// The versions of packages, and names of pictures for screens of double density.
const NO_DOMAIN = /^v?\d+\.\d+(?:\.\d|[-+.][a-z])|^\d(?:\.\d)?x\./i;
// The first word of a sentence that follows without a space.
const NEXT_SENTENCE = /\.[A-Z](?<=\.[a-z]{2,6}\..)[a-z]*$/;
// A local part in which no character is a delimiter or an escape.
const CLEAN_LOCAL = /^[a-z\d]+(?:[._+-][a-z\d]+)*$/i;
const QUOTED = /(?:^|[\s<>,:;([`'|=])("(?! )(?:[^"\\]|\\.)+(?<! )")$/;
const ESCAPED_QUOTES = /(\\"(?! )(?:[^"\\]|\\\\.)+(?<! )\\")$/;
// Escapes that mean a character before an address in source code, and roff's change of font.
const ESCAPE = /^(?:f[BIRP](?=.)|x[\da-f]{2}|u[\da-f]{4}|u\{[\da-f]+\}|[nrtbfvae0])/i;
const NO_SPACES = /^.*[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}](?=[!-~]+$)/su;
/** The path back to a sender, which has another address inside. */
const RETURN_PATH = /^(?:srs[01][=+-]|(?:b?prvs|btv1)=)[\w.=+-]+$/i;
const AUTHORITY = /:\/\/[^\s/?#"'<>()[\]]*$/;
// An identifier of a message looks like an address.
const NAMED_ID =
  /(?:(?:message|msg|content)[-_ ]?ids?|in[-_]reply[-_]to|references)(?:field)?(?:_text)?(?:[^\w@,]|\b(?:to|eq|value|new)\b){1,32}$|\bid\s+<$|MTP\w*\s+id\s+$/i;
const ID_HEADER = /^[\s>+|-]*["']?(?:[\w-]*message-id|in-reply-to|references|content-id)["']?\s*:/i;
const ID_AFTER_ID = /^[\w.-]+(?:[\s<>,'"[\]]|\\[rnt])+[\w.$+-]*$/;

/** An address in bytes: where it is, and itself where that is not what is there. */
interface Found {
  readonly start: number;
  readonly end: number;
  readonly unescaped?: Uint8Array | undefined;
}

/** Text of a line. A short one in ASCII is decoded once, because its indexes are those of the bytes. */
class LineText {
  private readonly ascii: string | undefined;

  constructor(
    readonly bytes: Uint8Array,
    readonly start: number,
    readonly end: number,
  ) {
    if (end - start > SHORT_LINE) return;
    const whole = decodeUtf8(bytes, start, end);
    // Broken bytes are shown as U+FFFD; any other character beyond ASCII has more bytes than units.
    if (whole.length === end - start && !whole.includes("\ufffd")) this.ascii = whole;
  }

  between(from: number, to: number): string {
    if (this.ascii === undefined) return decodeUtf8(this.bytes, from, to);
    return this.ascii.slice(from - this.start, to - this.start);
  }

  /** The number of bytes of a part of the line. */
  length(part: string): number {
    return this.ascii === undefined ? encodeUtf8(part).length : part.length;
  }
}

/** The address around the @ at `at`, behind `start`; "id" for an identifier of a message. */
function addressAround(line: LineText, at: number, start: number): Found | "id" | undefined {
  const { bytes, end } = line;
  if (at === start || at + 1 >= end) return undefined;
  if (ENDS_LOCAL[bytes[at - 1] as number] === 0 || BEGINS_DOMAIN[bytes[at + 1] as number] === 0) return undefined;
  const behind = line.between(at + 1, Math.min(end, at + BEHIND_MAX));
  const domain = DOMAIN.exec(behind)?.[0].replace(NEXT_SENTENCE, "");
  if (domain === undefined || NO_DOMAIN.test(domain)) return undefined;
  const before = line.between(Math.max(start, at - BEFORE_MAX), at);
  const next = behind.slice(domain.length);
  const local =
    bytes[at - 1] === QUOTE
      ? (ESCAPED_QUOTES.exec(before) ?? QUOTED.exec(before))?.[1]
      : plainLocal(before, runBefore(line, at, start), next);
  // A byte that is not UTF-8 is in no address.
  if (local === undefined || local.includes("\ufffd")) return undefined;
  const left = before.slice(0, before.length - local.length);
  if (isOther(left, local, domain, next)) return undefined;
  if (NAMED_ID.test(left)) return "id";
  return {
    start: at - line.length(local),
    end: at + 1 + line.length(domain),
    unescaped: local.startsWith("\\") ? encodeUtf8(`${local.replace(/\\(.)/g, "$1")}@${domain}`) : undefined,
  };
}

/**
 * The text before the @ that may all be in a local part: of a longer one its end, without the rest of a character that
 * is cut.
 */
function runBefore(line: LineText, at: number, start: number): string {
  const { bytes } = line;
  let from = at;
  while (from > start && at - from < BEFORE_MAX && IN_LOCAL[bytes[from - 1] as number] === 1) from -= 1;
  if (at - from === BEFORE_MAX) while (((bytes[from] as number) & 0xc0) === 0x80) from += 1;
  return line.between(from, at);
}

/** The local part at the end of `run`, which is the end of `before`. In a long run it is behind a delimiter. */
function plainLocal(before: string, run: string, next: string): string | undefined {
  let local = run;
  const opening = before.at(-local.length - 1);
  if (run.length <= UNCUT_MAX && opening !== "\\" && CLEAN_LOCAL.test(run)) return run;
  if (opening === "<" && next.startsWith(">") && /^(?!=\?)[!-~]+$/.test(local)) return local;
  // Behind the last character that is rather a delimiter, an escape in a URL or other writing.
  local = local.replace(/^.*[^\p{L}\p{M}\p{N}!-~]/su, "").replace(NO_SPACES, "");
  if (RETURN_PATH.test(local)) return local;
  const cut = local.search(/[^=/?!|{}`^*#%$~]*$/);
  const delimiter = local[cut - 1];
  local = local.slice(cut);
  if (delimiter === "%") {
    if (!/^[\da-f]{2}./i.test(local)) return undefined;
    local = local.slice(2);
  }
  // Variables, templates and masked addresses.
  if (delimiter === "$" || delimiter === "}" || (delimiter === "*" && /\w\*+$/.test(before.slice(0, -local.length)))) {
    return undefined;
  }
  if (local.includes("'") && next.startsWith("'")) local = local.slice(local.lastIndexOf("'") + 1);
  if (before.at(-local.length - 1) === "\\") {
    if (/^[wdsb][+]?$/i.test(local)) return undefined;
    local = local.replace(ESCAPE, "");
  }
  if (next.startsWith("_")) local = local.replace(/^_+/, "");
  const isOpened = local.length > 0 && /["'`<]/.test(before.at(-local.length - 1) ?? "");
  local = local.replace(isOpened ? /^['&.]+|^.*\.{2,}/ : /^['&.+-]+|^.*\.{2,}/, "");
  if (encodeUtf8(run).length > UNCUT_MAX) {
    local = local.replace(/^_+/, "");
    if (local === run) return undefined;
  }
  return /[\p{L}\p{N}]/u.test(local) ? local : undefined;
}

/** True for what only looks like an address: the user of a URL, a handle, a remote of git, a label of Kotlin. */
function isOther(left: string, local: string, domain: string, next: string): boolean {
  if (/(?:@|\b[cm]id:)$/i.test(left) || AUTHORITY.test(left) || /^\d{4,}\.\w*\d{4}$/.test(local)) return true;
  if (next.startsWith("/") && /(?:^|[^\w@:./-])[\w./-]+\/$/.test(left)) return true;
  if (/[\w-]:$/.test(left) && /^(?::\d|\/)/.test(next)) return !/mailto:$/i.test(left);
  return (local === "git" && /^[:/]/.test(next)) || (/^(?:this|super|return)$/.test(local) && /^[A-Z]/.test(domain));
}

/** Finds addresses in text. Each is a row, with its place. */
export class TextScanner implements Scanner {
  private readonly row = new Row();
  private readonly diff: Diff | undefined;
  private taker: RowTaker | undefined;
  /** The number of the current line from 1 on, and of the last line of identifiers, which the next one may continue. */
  private line = 1;
  private idsLine = -1;
  /** The @ of the line's last identifier, from the first byte that is kept of the line on. */
  private id = -1;
  /** Facts about the current line: whether it has the mark, and an @ behind which the next is looked for. */
  private marked: boolean | undefined;
  private looked = 0;
  /**
   * Characters of the line before the bytes that are there, and how many of these bytes are counted as how many more.
   */
  private before = 0;
  private counted = 0;
  private characters = 0;

  constructor(private readonly layout: ScanLayout) {
    if (layout.diff) this.diff = new Diff((what) => this.taker?.irregular(what));
  }

  take(bytes: Uint8Array, start: number, end: number, last: boolean, taker: RowTaker): number {
    this.taker = taker;
    let from = start;
    while (from < end && !taker.full) {
      if (this.diff === undefined && this.looked === 0 && this.before === 0) from = this.toNextAt(bytes, from, end);
      const lf = findByte(bytes, LF, from, end);
      if (lf === end && !last && end - from <= LINE_MAX) break;
      const isWhole = lf < end || last;
      if (this.looksAt(bytes, from, lf) && !this.takePlaces(bytes, from, isWhole ? lf : end - BEHIND_MAX, lf, taker))
        break;
      from = isWhole ? this.endLine(lf, end) : this.endPiece(bytes, from, end - BEHIND_MAX - BEFORE_MAX);
    }
    if (last && from === end) this.diff?.end();
    return from;
  }

  /**
   * Whether the line that begins at `start` is looked at. A line of a diff is counted at its beginning, and only there.
   */
  private looksAt(bytes: Uint8Array, start: number, end: number): boolean {
    const { diff } = this;
    if (diff === undefined) return true;
    const begins = this.before === 0 && this.looked === 0;
    if (begins) {
      diff.read(bytes, start, end);
      if (diff.isHeader) this.idsLine = -1;
      else if (diff.isNew) this.noteIds(new LineText(bytes, start, end), diff.line);
    }
    if (diff.added && (begins || this.before > 0) && findByte(bytes, 0, start, end) < end) diff.passOver();
    return diff.added;
  }

  /** Counts the lines without an @; returns the beginning of the first line that has one, or of the last line. */
  private toNextAt(bytes: Uint8Array, start: number, end: number): number {
    const at = findByte(bytes, AT, start, end);
    let from = start;
    let previous = start;
    for (let lf = findByte(bytes, LF, from, at); lf < at; lf = findByte(bytes, LF, from, at)) {
      this.line += 1;
      previous = from;
      from = lf + 1;
    }
    if (from > start && isIdHeader(new LineText(bytes, previous, from))) this.idsLine = this.line - 1;
    return from;
  }

  /**
   * Takes the places whose @ is before `stop`, in a line that ends at `end`, as far as it is there. False when the
   * taker is full.
   */
  private takePlaces(bytes: Uint8Array, start: number, stop: number, end: number, taker: RowTaker): boolean {
    let at = findByte(bytes, AT, start + this.looked, stop);
    const number = this.diff?.line ?? this.line;
    const begins = this.diff === undefined && this.looked === 0 && this.before === 0;
    if (at >= stop && !(begins && stop < end)) return true;
    const line = new LineText(bytes, start, end);
    if (begins) this.noteIds(line, number);
    const begin = start + (this.before === 0 ? this.signs : 0);
    for (; at < stop; at = findByte(bytes, AT, at + 1, stop)) {
      const found = this.idsLine === number ? undefined : addressAround(line, at, begin);
      // One of several identifiers.
      const id = start + this.id;
      const isNear = this.id >= 0 && at - id <= BEFORE_MAX;
      const isId = found === "id" || (isNear && ID_AFTER_ID.test(line.between(id + 1, at)));
      if (isId) this.id = at - start;
      if (found === undefined || found === "id" || isId) continue;
      this.marked ??= end - start <= LINE_MAX && line.between(start, end).includes(ALLOW_MARK);
      if (this.marked) {
        taker.irregular("allow_mark");
        return true;
      }
      if (this.diff !== undefined && this.diff.text !== "none" && isNoReply(bytes, found.start, at)) {
        taker.irregular("no_reply");
        continue;
      }
      if (this.isAllowed(bytes, at, found)) {
        taker.irregular("allow_file");
        continue;
      }
      this.give(bytes, start, end, found, taker);
      this.looked = at + 1 - start;
      if (taker.full) return false;
    }
    return true;
  }

  /**
   * Notes whether the line of this number has identifiers of messages, as a header's line or as one that continues it.
   */
  private noteIds(line: LineText, number: number): void {
    const { bytes, start, end } = line;
    const first = bytes[start + this.signs];
    const follows = this.idsLine === number - 1 && (first === 0x20 || first === 0x09);
    const continues = follows && (this.diff === undefined || findByte(bytes, AT, start, end) < end);
    if (continues || isIdHeader(line)) this.idsLine = number;
  }

  /** The signs before a line of a diff. */
  private get signs(): number {
    return this.diff?.signs ?? 0;
  }

  private isAllowed(bytes: Uint8Array, at: number, { start, end, unescaped }: Found): boolean {
    const { allowed } = this.layout;
    if (allowed.size === 0) return false;
    const address = decodeUtf8(unescaped ?? bytes.subarray(start, end)).toLowerCase();
    return allowed.has(address) || allowed.has(decodeUtf8(bytes, at, end).toLowerCase());
  }

  private give(bytes: Uint8Array, start: number, end: number, found: Found, taker: RowTaker): void {
    const { row } = this;
    this.countTo(bytes, start, found.start);
    row.placeLine(bytes, start, end);
    row.bytes = found.unescaped ?? bytes;
    row.start = found.unescaped === undefined ? found.start : 0;
    row.end = found.unescaped?.length ?? found.end;
    row.place = {
      commit: this.diff?.commit,
      file: this.diff?.file,
      line: this.diff?.line ?? this.line,
      column: 1 + this.before + this.characters - this.signs,
    };
    taker.row(row);
  }

  private endLine(lf: number, end: number): number {
    this.line += 1;
    this.id = -1;
    this.marked = undefined;
    this.looked = 0;
    this.before = 0;
    this.counted = 0;
    this.characters = 0;
    return Math.min(lf + 1, end);
  }

  /** A long line goes on; bytes are kept in which the next address may begin. */
  private endPiece(bytes: Uint8Array, start: number, next: number): number {
    this.countTo(bytes, start, next);
    this.before += this.characters;
    this.counted = 0;
    this.characters = 0;
    this.looked = BEFORE_MAX;
    this.id -= next - start;
    return next;
  }

  /** Counts the characters from `start` to `end`; a byte that continues one is not counted. */
  private countTo(bytes: Uint8Array, start: number, end: number): void {
    const begins = (i: number): number => (((bytes[start + i] as number) & 0xc0) === 0x80 ? 0 : 1);
    while (this.counted < end - start) this.characters += begins(this.counted++);
    while (this.counted > end - start) this.characters -= begins(--this.counted);
  }
}

/** True for the address of a service that makes commits, such as noreply@github.com, GitHub's own. */
function isNoReply(bytes: Uint8Array, start: number, at: number): boolean {
  return at - start <= 10 && /^no[-_]?reply$/i.test(decodeUtf8(bytes, start, at));
}

function isIdHeader(line: LineText): boolean {
  return ID_HEADER.test(line.between(line.start, Math.min(line.end, line.start + 80)));
}

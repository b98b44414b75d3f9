// Addresses in any text: source code, logs, mail, HTML. It looks for an @ and at what stands on both sides of it. Whether the domain
// can exist and the address is valid, it does not know. A unified diff is read line by line, for what it adds.

import { decodeUtf8, encodeUtf8 } from "../../base/bytes/octets.ts";
import { findOctet } from "../../base/bytes/words.ts";
import { RowsFault } from "../face.ts";
import { Row } from "./row.ts";
import type { RowTaker, Scanner } from "./scanner.ts";

export interface ScanLayout {
  /** The input is a unified diff: only added lines count. */
  readonly diff: boolean;
  /** Addresses, and domains behind an @, that are passed over; in lower case. */
  readonly allowed: ReadonlySet<string>;
}

/** A line with these words is passed over. */
export const ALLOW_MARK = "addrsift: allow";

const LF = 0x0a;
const AT = 0x40;
const QUOTE = 0x22;
// A longer line is taken in pieces, so it can't be passed over as a whole.
const LINE_MAX = 64 * 1024;
// Octets on either side of an @ that are looked at; an address has at most 64 before and 255 behind it.
const BEFORE_MAX = 160;
const BEHIND_MAX = 270;

/** Octets that local parts have in text, without quotes. */
const IN_LOCAL: Uint8Array = Uint8Array.from({ length: 256 }, (_, octet) =>
  octet >= 0x80 || /[\w!#$%&'*+/=?^`{|}~.-]/.test(String.fromCharCode(octet)) ? 1 : 0,
);
/** Octets that can stand beside the @. */
const ENDS_LOCAL: Uint8Array = IN_LOCAL.map((is, octet) =>
  octet === QUOTE || (is === 1 && !"{}/*?|^`.'#$%".includes(String.fromCharCode(octet))) ? 1 : 0,
);
const BEGINS_DOMAIN: Uint8Array = Uint8Array.from({ length: 256 }, (_, octet) =>
  octet >= 0x80 || /[a-z0-9]/i.test(String.fromCharCode(octet)) ? 1 : 0,
);

// At least two labels, the last one without digits. It may not go on, and another @, a call or a path of scp may not follow.
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+(?:xn--[a-z0-9-]*[a-z0-9]|[a-z]{2,63}|(?![a-z])[\p{L}\p{M}]{2,})(?![-_]*[a-z0-9]|\.?@|\.[\p{L}\p{N}]|\(|:(?:[\w~.-]*\/|\S+\.git\b))/iu;
// The versions of packages, and names of pictures for screens of double density.
const NO_DOMAIN = /^v?\d+\.\d+(?:\.\d|[-+.][a-z])|^\d(?:\.\d)?x\./i;
// The first word of a sentence that follows without a space.
const NEXT_SENTENCE = /(?<=\.[a-z]{2,6})\.[A-Z][a-z]*$/;
const QUOTED = /(?:^|[\s<>,:;([`'|=])("(?! )(?:[^"\\]|\\.)+(?<! )")$/;
const ESCAPED_QUOTES = /(\\"(?! )(?:[^"\\]|\\\\.)+(?<! )\\")$/;
// Escapes that stand for a character before an address in source code, and roff's change of font.
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

/** An address in octets: where it stands, and itself where that is not what stands there. */
interface Found {
  readonly start: number;
  readonly end: number;
  readonly unescaped?: Uint8Array | undefined;
}

/** The address around the @ at `at`, between `start` and `end`, which have no line break; "id" for an identifier of a message. */
export function addressAround(octets: Uint8Array, at: number, start: number, end: number): Found | "id" | undefined {
  if (at === start || at + 1 >= end) return undefined;
  if (ENDS_LOCAL[octets[at - 1] as number] === 0 || BEGINS_DOMAIN[octets[at + 1] as number] === 0) return undefined;
  const behind = decodeUtf8(octets, at + 1, Math.min(end, at + BEHIND_MAX));
  const domain = DOMAIN.exec(behind)?.[0].replace(NEXT_SENTENCE, "");
  if (domain === undefined || NO_DOMAIN.test(domain)) return undefined;
  const before = decodeUtf8(octets, Math.max(start, at - BEFORE_MAX), at);
  const next = behind.slice(domain.length);
  const local = octets[at - 1] === QUOTE ? quotedLocal(before) : plainLocal(before, runBefore(octets, at, start), next);
  if (local === undefined) return undefined;
  const left = before.slice(0, before.length - local.length);
  if (isOther(left, local, domain, next)) return undefined;
  if (NAMED_ID.test(left)) return "id";
  return {
    start: at - encodeUtf8(local).length,
    end: at + 1 + encodeUtf8(domain).length,
    unescaped: local.startsWith("\\") ? encodeUtf8(`${local.replace(/\\(.)/g, "$1")}@${domain}`) : undefined,
  };
}

function quotedLocal(before: string): string | undefined {
  return (ESCAPED_QUOTES.exec(before) ?? QUOTED.exec(before))?.[1];
}

/** The text before the @ that may all be in a local part; nothing where that is too much. */
function runBefore(octets: Uint8Array, at: number, start: number): string {
  let from = at;
  while (from > start && at - from < BEFORE_MAX && IN_LOCAL[octets[from - 1] as number] === 1) from -= 1;
  return at - from >= BEFORE_MAX ? "" : decodeUtf8(octets, from, at);
}

/** The local part at the end of `run`, which is the end of `before`. */
function plainLocal(before: string, run: string, next: string): string | undefined {
  let local = run;
  const opening = before.at(-local.length - 1);
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
  private readonly hunks: Hunks | undefined;
  /** The number of the current line from 1 on, and of the last line of identifiers, which the next one may continue. */
  private line = 1;
  private idsLine = -1;
  /** The @ of the line's last identifier, from the first octet that is kept of the line on. */
  private id = -1;
  /** Facts about the current line: whether its places are passed over, and an @ behind which the next is looked for. */
  private passed: boolean | undefined;
  private looked = 0;
  /** Characters of the line before the octets that are there, and how many of these octets are counted as how many more. */
  private before = 0;
  private counted = 0;
  private characters = 0;

  constructor(private readonly layout: ScanLayout) {
    if (layout.diff) this.hunks = new Hunks();
  }

  take(octets: Uint8Array, start: number, end: number, last: boolean, taker: RowTaker): number {
    let from = start;
    while (from < end && !taker.full) {
      if (this.hunks === undefined && this.looked === 0 && this.before === 0) from = this.toNextAt(octets, from, end);
      const lf = findOctet(octets, LF, from, end);
      if (lf === end && !last && end - from <= LINE_MAX) break;
      const isWhole = lf < end || last;
      const added = this.hunks?.isAdded(octets, from, lf, this.before === 0) ?? true;
      if (added && !this.takePlaces(octets, from, isWhole ? lf : end - BEHIND_MAX, lf, taker)) break;
      from = isWhole ? this.endLine(lf, end) : this.endPiece(octets, from, end - BEHIND_MAX - BEFORE_MAX);
    }
    if (last && from === end) this.hunks?.end();
    return from;
  }

  /** Counts the lines without an @; gives the beginning of the first line that has one, or of the last line. */
  private toNextAt(octets: Uint8Array, start: number, end: number): number {
    const at = findOctet(octets, AT, start, end);
    let from = start;
    let previous = start;
    for (let lf = findOctet(octets, LF, from, at); lf < at; lf = findOctet(octets, LF, from, at)) {
      this.line += 1;
      previous = from;
      from = lf + 1;
    }
    if (from > start && isIdHeader(octets, previous, from)) this.idsLine = this.line - 1;
    return from;
  }

  /** Takes the places whose @ is before `stop`, in a line that ends at `end`, as far as it is there. False when the taker is full. */
  private takePlaces(octets: Uint8Array, start: number, stop: number, end: number, taker: RowTaker): boolean {
    let at = findOctet(octets, AT, start + this.looked, stop);
    if ((at < stop || stop < end) && this.looked === 0 && this.before === 0) {
      const continues = this.idsLine === this.line - 1 && (octets[start] === 0x20 || octets[start] === 0x09);
      if (continues || isIdHeader(octets, start, end)) this.idsLine = this.line;
    }
    // In a diff, the line begins behind the sign that it was added.
    const begin = start + (this.hunks !== undefined && this.before === 0 ? 1 : 0);
    for (; at < stop; at = findOctet(octets, AT, at + 1, stop)) {
      const found = this.idsLine === this.line ? undefined : addressAround(octets, at, begin, end);
      // One of several identifiers.
      const id = start + this.id;
      const isNear = this.id >= 0 && at - id <= BEFORE_MAX;
      const isId = found === "id" || (isNear && ID_AFTER_ID.test(decodeUtf8(octets, id + 1, at)));
      if (isId) this.id = at - start;
      if (found === undefined || found === "id" || isId) continue;
      this.passed ??= end - start <= LINE_MAX && decodeUtf8(octets, start, end).includes(ALLOW_MARK);
      if (this.passed) return true;
      if (this.isAllowed(octets, at, found)) continue;
      this.give(octets, start, end, found, taker);
      this.looked = at + 1 - start;
      if (taker.full) return false;
    }
    return true;
  }

  private isAllowed(octets: Uint8Array, at: number, { start, end, unescaped }: Found): boolean {
    const { allowed } = this.layout;
    if (allowed.size === 0) return false;
    const address = decodeUtf8(unescaped ?? octets.subarray(start, end)).toLowerCase();
    return allowed.has(address) || allowed.has(decodeUtf8(octets, at, end).toLowerCase());
  }

  private give(octets: Uint8Array, start: number, end: number, found: Found, taker: RowTaker): void {
    const { row } = this;
    this.countTo(octets, start, found.start);
    row.line = octets;
    row.lineStart = start;
    row.lineEnd = end;
    row.octets = found.unescaped ?? octets;
    row.start = found.unescaped === undefined ? found.start : 0;
    row.end = found.unescaped?.length ?? found.end;
    row.place = {
      file: this.hunks?.file,
      line: this.hunks?.line ?? this.line,
      column: 1 + this.before + this.characters - (this.hunks === undefined ? 0 : 1),
    };
    taker.row(row);
  }

  private endLine(lf: number, end: number): number {
    this.line += 1;
    this.id = -1;
    this.passed = undefined;
    this.looked = 0;
    this.before = 0;
    this.counted = 0;
    this.characters = 0;
    return Math.min(lf + 1, end);
  }

  /** A long line goes on; octets are kept in which the next address may begin. */
  private endPiece(octets: Uint8Array, start: number, next: number): number {
    this.countTo(octets, start, next);
    this.before += this.characters;
    this.counted = 0;
    this.characters = 0;
    this.looked = BEFORE_MAX;
    this.id -= next - start;
    return next;
  }

  /** Counts the characters from `start` to `end`; an octet that continues one is not counted. */
  private countTo(octets: Uint8Array, start: number, end: number): void {
    const begins = (i: number): number => (((octets[start + i] as number) & 0xc0) === 0x80 ? 0 : 1);
    while (this.counted < end - start) this.characters += begins(this.counted++);
    while (this.counted > end - start) this.characters -= begins(--this.counted);
  }
}

function isIdHeader(octets: Uint8Array, start: number, end: number): boolean {
  return ID_HEADER.test(decodeUtf8(octets, start, Math.min(end, start + 80)));
}

/** Follows a unified diff: which lines are added, and where they stand in the new file. */
class Hunks {
  /** The new file, without the letter that git puts before its path. */
  file: string | undefined = undefined;
  /** The number of the current line in it. */
  line = 0;
  private oldName = "";
  private oldLeft = 0;
  private newLeft = 0;
  private seen = false;
  private isEmpty = true;
  private added = false;

  /** Whether the line is added; with `begins` it begins at `start`. */
  isAdded(octets: Uint8Array, start: number, end: number, begins: boolean): boolean {
    if (!begins) return this.added;
    const sign = start < end ? String.fromCharCode(octets[start] as number) : " ";
    this.added = false;
    this.isEmpty &&= start === end;
    if (this.oldLeft <= 0 && this.newLeft <= 0) this.readHeader(decodeUtf8(octets, start, Math.min(end, start + 4096)));
    else if (sign !== "\\") {
      this.added = sign === "+";
      if (sign !== "+") this.oldLeft -= 1;
      if (sign === "-") return false;
      this.newLeft -= 1;
      this.line += 1;
    }
    return this.added;
  }

  /** Throws AddrsiftError INPUT for what is not a diff: a check of it would find nothing. */
  end(): void {
    if (this.seen || this.isEmpty) return;
    throw new RowsFault(
      "INPUT",
      ({ option }) => `the input is not a unified diff: give the output of git diff, or leave ${option("diff")} out`,
    );
  }

  private readHeader(line: string): void {
    if (/^(?:diff |Index: |Binary files )/.test(line)) this.seen = true;
    const [, old, name] = /^(?:--- (.*)|\+\+\+ (.*))$/s.exec(line.trimEnd()) ?? [];
    if (old !== undefined) this.oldName = pathOf(old);
    if (name !== undefined) {
      const path = pathOf(name);
      const isPrefixed = /^[abciow]\//.test(path) && /^(?:[abciow]\/|\/dev\/null$)/.test(this.oldName);
      this.file = isPrefixed ? path.slice(2) : path;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk === null) return;
    this.seen = true;
    this.oldLeft = Number(hunk[1] ?? 1);
    this.newLeft = Number(hunk[3] ?? 1);
    this.line = Number(hunk[2]) - 1;
  }
}

/** A path as a diff writes it: before a tab with the time, or in quotes, with octal escapes. */
function pathOf(text: string): string {
  if (!text.startsWith('"')) return (text.split("\t")[0] as string).trimEnd();
  const octets: number[] = [];
  for (const [, octal, escaped, plain] of text.replace(/^"|"$/g, "").matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) octets.push(Number.parseInt(octal, 8));
    else octets.push(...encodeUtf8({ n: "\n", t: "\t" }[escaped ?? ""] ?? escaped ?? (plain as string)));
  }
  return decodeUtf8(Uint8Array.from(octets));
}

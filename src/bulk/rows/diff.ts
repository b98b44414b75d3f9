// Reads a unified diff line by line, also a combined diff of a merge. Determines which lines are added, and where they
// are in the new file. In a git log, also reads authors, committers and messages. Warns about what it can't read.

import { BACKSLASH, CR, HYPHEN, PLUS, SPACE } from "../../base/bytes/ascii.ts";
import { decodeUtf8, encodeUtf8 } from "../../base/bytes/bytes.ts";
import { quote } from "../../base/format-text.ts";
import { InputError, type Message } from "../messages.ts";
import type { AllowList } from "./allow-list.ts";
import type { SkippedItem } from "./row-warnings.ts";

const ESC = 0x1b;
// Maximum bytes to read of a line outside of hunks.
const MAX_HEADER_BYTES = 8192;
/** Indentation of a commit message in git log. */
const MESSAGE_INDENT = "    ";
/** Prefixes of file names. The two sides of a diff have different ones. */
const PREFIX = /^[abciow12]\//;
// git log may print a sign before the hash. A patch in mail format begins with a constant date.
const COMMIT =
  /^(?:commit (?:[<>^=+-] ?)?(?=[\da-f]{4})|From (?=[\da-f]{40,64} Mon Sep 17 00:00:00 2001\r?$))([\da-f]+)(?=\s|$)/;
/** Reports whether a line is the first of a git log. */
export const isGitLog = (line: string): boolean => COMMIT.test(line);
const FILE_HEADER = /^diff --(?:git|cc|combined) /;
/** In a mailbox, a message may contain a similar line, so both names are required. */
const MAIL_FILE_HEADER = /^diff --git (?:"?[abciow12]\/.+ "?[abciow12]\/|(.+) \1$)/;
/** Lines before the hunks that contain only file names and modes. */
const FILE_METADATA =
  /^(?:(?:rename|copy) (?:from|to) |old mode |new mode |new file mode |similarity |dissimilarity |={3,}$)/;
/** Matches the name of the new file in a line about a file without a diff. */
const NAME_IN_LINE =
  / and ("?[bciw2]\/.+) differ$|^Submodule (.+?) [\da-f]{4,}\.|^(?:Only in .+?:|\* Unmerged path) (.+)/;
/** Matches the name of the new file, with git's prefix, at the end of a FILE_HEADER. */
const NAME_IN_HEADER = / ("[bciw2]\/.+"|[bciw2]\/[^"]+)$/;
const NOT_DIFFED = /^(?:\* Unmerged path |Only in .+: |File .+ while file .+ is a |Files .+ differ$)/;

export class DiffReader {
  /** In a git log, hash of the current commit. */
  commit: string | undefined = undefined;
  /** Name of the new file, without git's prefix. In a commit before its diff, such as `(author)`. */
  file: string | undefined = undefined;
  /** Number of the current line in the new file. */
  line = 0;
  /** Number of characters before the line's text: in a hunk, a sign per old file; in a message, the indentation. */
  prefixLength = 1;
  /** Part of the commit that the current line is in; `none` in a diff. */
  commitPart: "none" | "header" | "message" = "none";
  // Where the current line is.
  isOutsideHunks = false;
  isInNewFile = false;
  isAdded = false;
  private oldFiles = 1;
  /** True in a hunk of a combined diff. Git may count its lines wrong, so it ends at a line without signs. */
  private isCombined = false;
  private oldLinesLeft = 0;
  private newLinesLeft = 0;
  private hunkHasChanges = false;
  private oldName = "";
  private firstName = "";
  private isDeleted = false;
  private isSkipped = false;
  /** True in a binary patch, whose text may contain an @. */
  private isBinaryPatch = false;
  /** True in a mailbox of patches: messages are not indented, and only a line "From HASH" begins a commit. */
  private isMail = false;
  private hasDiffLines = false;
  private isEmpty = true;

  constructor(
    private readonly warn: (item: SkippedItem, file?: string) => void,
    private readonly allowList: AllowList,
  ) {}

  /** Reads the next line, or the beginning of a long one. Throws AddrsiftError INPUT if it is not a plain diff. */
  read(bytes: Uint8Array, start: number, end: number): void {
    this.isAdded = false;
    this.isEmpty &&= start === end;
    this.isInNewFile = false;
    this.isOutsideHunks = !this.isCombined && this.oldLinesLeft <= 0 && this.newLinesLeft <= 0;
    if (this.isOutsideHunks) {
      const line = decodeUtf8(bytes, start, Math.min(end, start + MAX_HEADER_BYTES)).replace(/\r$/, "");
      if (line.startsWith("\x1b[")) throw new InputError("INPUT", COLORED);
      if (line.includes("\0")) throw new InputError("INPUT", NUL_SEPARATED);
      if (!this.readCommit(line)) this.readHeader(line);
    } else if (!this.readPrefix(bytes, start, end)) {
      // In a mailbox, the text of a message may look like a diff.
      if (!this.isMail && !this.isCombined) throw this.notUnifiedError();
      if (!this.isCombined) this.warn("cut_off");
      this.isCombined = false;
      this.oldLinesLeft = 0;
      this.newLinesLeft = 0;
      this.read(bytes, start, end);
    }
  }

  /** Skips the rest of the current file because it is binary. */
  skipFile(): void {
    this.isAdded = false;
    this.isSkipped = true;
    this.warn("binary", this.file);
  }

  /** Ends the input. Throws AddrsiftError INPUT if it was not a diff, because a scan then found nothing. */
  end(): void {
    if (this.oldLinesLeft > 0 || this.newLinesLeft > 0) this.warn("cut_off");
    if (!this.hasDiffLines && !this.isEmpty) throw this.notUnifiedError();
  }

  private notUnifiedError(): InputError {
    const { commit, file } = this;
    const commitPrefix = commit === undefined ? "" : `${commit.slice(0, 12)}:`;
    const location = file === undefined ? "" : ` near line ${Math.max(this.line, 1)} of ${quote(commitPrefix + file)}`;
    const message: Message = ({ option }) =>
      `the input is not a unified diff${location}: give the output of git diff without --word-diff, --graph or ` +
      `--line-prefix, or leave ${option("diff")} out`;
    return new InputError("INPUT", message);
  }

  /** Reads the signs of a hunk's line, one per old file. Returns false if one is missing. */
  private readPrefix(bytes: Uint8Array, start: number, end: number): boolean {
    this.prefixLength = this.oldFiles;
    let plus = 0;
    let minus = 0;
    for (let i = start; i < start + this.prefixLength; i += 1) {
      // An empty line may have lost its leading spaces.
      const sign = i < end && !(bytes[i] === CR && i + 1 === end) ? (bytes[i] as number) : SPACE;
      if (sign === BACKSLASH) return true;
      if (sign === ESC) throw new InputError("INPUT", COLORED);
      if (sign === PLUS) plus += 1;
      else if (sign === HYPHEN) minus += 1;
      else if (sign !== SPACE) return false;
    }
    this.oldLinesLeft -= minus > 0 ? minus : this.prefixLength - plus;
    if (minus === 0) {
      this.newLinesLeft -= 1;
      this.line += 1;
      this.isInNewFile = true;
      this.isAdded = plus > 0 && !this.isSkipped;
    }
    this.hunkHasChanges ||= plus + minus > 0;
    // A hunk without changes comes from a word diff.
    if (this.oldLinesLeft <= 0 && this.newLinesLeft <= 0 && !this.hunkHasChanges) throw this.notUnifiedError();
    return true;
  }

  /** Reads a line of a commit before its diff. Returns false for any other line. */
  private readCommit(line: string): boolean {
    const commit = COMMIT.exec(line)?.[1];
    if (commit !== undefined && (!this.isMail || line.startsWith("From "))) {
      this.isMail = line.startsWith("From ");
      // A hook has no hash yet, so it writes zeros.
      this.commit = /^0+$/.test(commit) ? undefined : commit;
      this.isBinaryPatch = false;
      this.hasDiffLines = true;
      this.commitPart = "header";
      return true;
    }
    const beginsFile = (this.isMail ? MAIL_FILE_HEADER : FILE_HEADER).test(line);
    // Messages are indented, except in a mailbox.
    if (beginsFile || (!this.isMail && line.startsWith("Submodule "))) this.commitPart = "none";
    if (this.commitPart === "none") return false;
    if (line === "" && this.commitPart === "header") {
      this.commitPart = "message";
      // In a mail, the subject is line 1, and line 2 is empty.
      this.line = this.isMail ? 2 : 0;
      return true;
    }
    const isMessage = this.commitPart === "message";
    if (isMessage) this.file = "(message)";
    else if (!/^\s/.test(line)) this.file = this.commitPartOf(line);
    this.line = isMessage ? this.line + 1 : 1;
    this.prefixLength = isMessage && line.startsWith(MESSAGE_INDENT) ? MESSAGE_INDENT.length : 0;
    this.isOutsideHunks = false;
    this.isInNewFile = true;
    this.isAdded = true;
    return true;
  }

  /** Returns the part of a commit that a line before its message belongs to. */
  private commitPartOf(line: string): string {
    if (/^commit/i.test(line)) return "(committer)";
    return this.isMail && !line.startsWith("From:") ? "(message)" : "(author)";
  }

  private readHeader(line: string): void {
    if (/^(?:diff |Index: )/.test(line)) this.beginFile(line);
    else if (/^(?:--- |\+\+\+ )/.test(line)) this.readName(line);
    else if (line.startsWith("@@")) this.readHunk(line);
    else if (line.startsWith("deleted file mode ")) this.isDeleted = true;
    else if (/^(?:Binary files .*differ|GIT binary patch)$/s.test(line)) this.warnAboutFile("undiffed_binary", line);
    else if (/^(?:Submodule |new file mode 160000$|index [\da-f.,]+ 160000$)/.test(line))
      this.warnAboutFile("submodule", line);
    else if (NOT_DIFFED.test(line)) this.warnAboutFile("not_diffed", line);
    else if (/^[\da-f]{4,64}(?:\s|$)/.test(line)) this.warn("no_author");
    else if (
      (this.hasDiffLines && line.startsWith("+")) ||
      (line.includes("@") && !this.isBinaryPatch && !FILE_METADATA.test(line))
    )
      this.warn("outside");
  }

  private beginFile(line: string): void {
    this.hasDiffLines = true;
    this.isDeleted = false;
    this.isSkipped = false;
    this.isBinaryPatch = false;
    this.oldName = "";
    this.firstName = line.replace(/^diff --git "?/, "");
  }

  private warnAboutFile(item: SkippedItem, line: string): void {
    this.hasDiffLines = true;
    this.isBinaryPatch = line.startsWith("GIT ");
    if (this.isDeleted || line.endsWith(" and /dev/null differ")) return;
    const [, ...names] = NAME_IN_LINE.exec(line) ?? NAME_IN_HEADER.exec(this.firstName) ?? [];
    const name = names.find((text) => text !== undefined);
    this.warn(item, name && parsePath(name).replace(PREFIX, ""));
  }

  private readName(line: string): void {
    const path = parsePath(line.slice(4));
    if (line.startsWith("-")) {
      this.oldName = path;
      this.isSkipped = false;
      return;
    }
    const isNew = this.oldName === "/dev/null";
    const other = isNew ? this.firstName : this.oldName;
    const isPrefixed = PREFIX.test(path) && (PREFIX.test(other) ? other[0] !== path[0] : isNew);
    const file = isPrefixed ? path.slice(2) : path;
    this.file = file;
    if (file !== this.allowList.ownPath && !this.allowList.hasPath(file)) return;
    this.isSkipped = true;
    this.warn("allowed_path", file);
  }

  private readHunk(line: string): void {
    const signs = /^@+/.exec(line)?.[0].length as number;
    const ranges = /^@+ ((?:-\d+(?:,\d+)? )+)\+(\d+)(?:,(\d+))? @+/.exec(line);
    const oldRanges = ranges?.[1]?.trim().split(" ") ?? [];
    if (oldRanges.length !== signs - 1) return;
    this.hasDiffLines = true;
    this.hunkHasChanges = false;
    this.oldFiles = oldRanges.length;
    this.isCombined = this.oldFiles > 1;
    this.oldLinesLeft = oldRanges.reduce((sum, range) => sum + Number(range.split(",")[1] ?? 1), 0);
    this.newLinesLeft = Number(ranges?.[3] ?? 1);
    this.line = Number(ranges?.[2]) - 1;
  }
}

const NUL_SEPARATED: Message = () => "the diff has a NUL outside of its hunks: make it without git's option -z";
const COLORED: Message = () => "the diff is colored: make it with git diff --no-color";

const ESCAPES: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** Parses a path: up to a tab before the time, or in quotes with octal escapes. */
function parsePath(text: string): string {
  const path = text.split("\t")[0] as string;
  if (!path.startsWith('"')) return path;
  const bytes: number[] = [];
  for (const [, octal, escaped, unescaped] of path.replace(/^"|"$/g, "").matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...encodeUtf8(escaped === undefined ? (unescaped as string) : (ESCAPES[escaped] ?? escaped)));
  }
  return decodeUtf8(Uint8Array.from(bytes));
}

// The formats `lint` and `github`: one line with the location of each finding, for editors and CI.

import { LF } from "../../../base/bytes/ascii.ts";
import type { ByteWriter } from "../../../base/bytes/byte-writer.ts";
import { countByte, decodeUtf8 } from "../../../base/bytes/bytes.ts";
import { escapeInvisible } from "../../../base/format-text.ts";
import type { Renderer } from "../../../bulk/render/render.ts";
import type { Row, SourceLocation } from "../../../bulk/rows/row.ts";
import type { RowSettings } from "../../../bulk/run/options.ts";
import { classNames, ROW_CLASS, type RowClass } from "../../../detection/classes.ts";
import type { Classifier } from "../../../detection/classifier.ts";
import type { Explanation } from "../../../detection/evidence.ts";
import { classesOf } from "../../../detection/field-reader.ts";
import { formatEmail } from "../../../detection/format.ts";

/** `row` is the number of a row whose line is unknown. */
type FileLocation = SourceLocation & { readonly file: string; readonly row?: number };

export interface Finding {
  readonly location: FileLocation;
  readonly message: string;
  /** The classes of --fail-on that the row is in, else those of --select. */
  readonly classes: readonly RowClass[];
  /** Whether the row is in a --fail-on class. */
  readonly fails: boolean;
}

/** Matches the local part of an address in a path. Not the text before a version or a pixel density: `icon@2x.png`. */
const LOCAL_PART = /(?<![^\s/\\(])[^\s/\\(]+(?=(?:@|%40)(?!v?\d+\.\d|\dx\.)[^\s/@.]+\.)/gi;

/** Replaces the local parts of addresses in paths by `*`, as in a pattern that matches the path. */
export function redactPaths(text: string): string {
  return text.replace(LOCAL_PART, "*");
}

export type FormatFinding = (finding: Finding) => string;

/** Formats FILE:LINE:COL: MESSAGE, or FILE: row N: MESSAGE. Escapes GitHub's `::` at the start and `##[` anywhere. */
export const formatLint: FormatFinding = (finding) => {
  const text = prefixLocation(finding);
  return `${/^\s*::/.test(text) ? "./" : ""}${text}\n`.replaceAll("##[", "#\\#[");
};

function prefixLocation({ location: { commit, file, line, column, row }, message }: Finding): string {
  const position = row === undefined ? `${line}:${column}` : ` row ${row}`;
  return `${escapeInvisible(fileInCommit(commit, file))}:${position}: ${message}`;
}

/**
 * Formats a workflow command of GitHub, with its escapes for percent signs, line ends, and `:` and `,` in properties.
 * The message has the location too, because GitHub's log shows only the message.
 */
export const formatGithub: FormatFinding = (finding) => {
  const { file, line, column } = finding.location;
  const escapeProperty = (text: string): string =>
    escapeInvisible(escapeCommand(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const properties = `file=${escapeProperty(file)},line=${line},col=${column}`;
  const level = finding.fails ? "error" : "warning";
  return `::${level} ${properties},title=addrsift::${escapeCommand(prefixLocation(finding))}\n`;
};

/** Returns the path of a file in a commit, as git writes it. */
export function fileInCommit(commit: string | undefined, file: string): string {
  return commit === undefined ? file : `${commit.slice(0, 12)}:${file}`;
}

function escapeCommand(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Writes findings: rows of the selected or failing classes. Counts the lines of all rows. */
export class LintRenderer implements Renderer {
  private file = "-";
  private line = 1;
  /** Reports whether rows are lines of the file. */
  private hasLines = (): boolean => true;
  /** Findings of the current row. */
  private readonly findings: Finding[] = [];

  /** With `isRedacted`, messages and paths contain no addresses. */
  constructor(
    protected readonly rows: Pick<RowSettings, "select" | "failOn">,
    private readonly isRedacted = false,
    private readonly format: FormatFinding = formatLint,
    private readonly pathOf: (name: string) => string = (name) => name,
  ) {}

  beginInput(name: string, headerLines: number, hasLines: () => boolean): void {
    this.file = this.pathOf(name);
    this.hasLines = hasLines;
    this.line = 1 + headerLines;
  }

  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    this.address(out, row, classifier, explanation);
    this.closeRow(out, row);
  }

  /** Collects the finding. Not every address of a row with several is one. */
  address(_: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    const classes = classesOf(classifier, explanation === undefined, row.location?.isHidden);
    if ((classes & (this.rows.select | this.rows.failOn)) !== 0)
      this.findings.push(this.findingOf(row, classes, explanation));
  }

  closeRow(out: ByteWriter, row: Row): void {
    for (const finding of this.findings) this.write(out, finding);
    this.skipRow(row);
  }

  skipRow({ line, lineStart, lineEnd }: Row): void {
    this.findings.length = 0;
    this.line += 1 + countByte(line, LF, lineStart, lineEnd);
  }

  protected write(out: ByteWriter, finding: Finding): void {
    out.text(this.format(finding));
  }

  private findingOf(row: Row, classes: number, explanation: Explanation | undefined): Finding {
    const failing = classes & this.rows.failOn;
    const classBits = failing === 0 ? classes & this.rows.select : failing;
    const hint = row.location !== undefined && (failing & ROW_CLASS.unreserved) !== 0 ? describeFix(row.location) : "";
    const namedClasses = classNames(classBits);
    return {
      location: this.locate(row, explanation?.syntax_error?.offset ?? 0),
      message: findingMessage(row, namedClasses, explanation, this.isRedacted) + hint,
      classes: namedClasses,
      fails: failing !== 0,
    };
  }

  /** Returns the location of the address. A field that was unquoted into a copy has no column. */
  private locate(row: Row, offset: number): FileLocation {
    const name = row.location?.file ?? this.file;
    const file = this.isRedacted ? redactPaths(name) : name;
    if (row.location !== undefined) return { ...row.location, file };
    if (!this.hasLines()) return { commit: undefined, file, line: 1, column: 1, row: row.number };
    if (row.bytes !== row.line) return { commit: undefined, file, line: this.line, column: 1 };
    const line = this.line + countByte(row.line, LF, row.lineStart, row.start);
    const lineStart = row.lineStart + row.line.subarray(row.lineStart, row.start).lastIndexOf(LF) + 1;
    const columnOf = (end: number): number => 1 + Array.from(decodeUtf8(row.line, lineStart, end)).length;
    const [column, endColumn] = [columnOf(row.start) + offset, columnOf(row.end)];
    return { commit: undefined, file, line, column, ...(endColumn > column && { endColumn }) };
  }
}

function describeFix({ commit, file = "" }: SourceLocation): string {
  const rewrite = commit === undefined ? "" : " and amend or rebase the commit";
  return /^\((?:author|committer)\)$/.test(file)
    ? `: use the address with which your forge hides you (git config user.email)${rewrite}`
    : `: use a domain such as example.com${rewrite}, or allow it`;
}

function findingMessage(
  row: Row,
  classes: readonly RowClass[],
  explanation: Explanation | undefined,
  isRedacted: boolean,
): string {
  if (explanation === undefined) return "the row is blank";
  const subject = isRedacted ? "the address" : escapeInvisible(formatEmail(row.bytes, row.start, row.end));
  const { syntax_error: fault, suggestion, matches = [] } = explanation;
  let shownSuggestion = suggestion;
  if (isRedacted) {
    // A provider says nothing about the person, but the corrected domain of a malformed address may be the person's own.
    const isProvider = fault === undefined && (row.classes & ROW_CLASS.mistyped) !== 0;
    shownSuggestion = isProvider ? suggestion?.slice(suggestion.lastIndexOf("@") + 1) : undefined;
  }
  const question = shownSuggestion === undefined ? "" : ` (did you mean ${escapeInvisible(shownSuggestion)}?)`;
  if (fault !== undefined) return `${subject} is invalid: ${fault.message}${question}`;
  const entries = matches.filter(
    ({ flag }) =>
      (flag === "disposable" && classes.includes(flag)) || (flag === "relay_domain" && classes.includes("relay")),
  );
  const because =
    entries.length === 0 || isRedacted ? "" : ` (${entries.map(({ entry }) => escapeInvisible(entry)).join(", ")})`;
  const others = classes.filter((name) => name !== "unreserved");
  const phrases = others.length === 0 ? [] : [`is ${others.join(", ")}${because}`];
  const isSharedInbox = (row.classes & ROW_CLASS.role) !== 0;
  if (others.length < classes.length)
    phrases.push(isSharedInbox ? "may receive mail" : `may be a real person's${isRedacted ? "" : " address"}`);
  return `${subject} ${phrases.join(" and ")}${question}`;
}

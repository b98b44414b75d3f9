// Reads a home's overrides, a text file that people also edit and keep in git. The rows stay text, indexed by entry.

import { lstatSync, readFileSync, statSync } from "node:fs";
import { findDomain, toAsciiDomain } from "../address/domain/domain.ts";
import { DOMAIN_MAX } from "../address/scan.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { AddrsiftError } from "../base/errors.ts";
import { quote } from "../base/format-text.ts";
import { isCalendarDay, TIME_PATTERN } from "../base/user-input.ts";
import { assertNotSpecial, danglingLinkError, fileError, isAbsenceCode } from "../durable/folder.ts";
import type { Override, OverrideIndex } from "../lists/overrides.ts";
import type { CompiledLists } from "../lists/table.ts";
import { overrideEntryFault } from "./override-entry.ts";

export const OVERRIDES_FILE = "overrides.tsv";
export type Action = "allow" | "deny";

/** A stored override. Times are ISO 8601 in UTC. */
export interface OverrideRecord {
  readonly entry: string;
  readonly action: Action;
  readonly reason?: string;
  readonly by?: string;
  readonly created_at?: string;
  readonly expires_at?: string;
}

// No control characters and line separators, so that every line is one row and is safe to print.
const TEXT_PATTERN = String.raw`[^\0-\x1f\x7f-\x9f\u2028\u2029]*`;
const TIME_DESCRIPTION = "a time such as 2030-01-31 or 2030-01-31T12:00:00Z";

// Every other domain would never match. A top-level domain is never all digits.
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const DOMAIN = String.raw`(?:${LABEL}\.)*(?!\d+(?:\t|$))${LABEL}`;

/** Each column's pattern, and its description for messages. Missing cells at a row's end are empty. */
const COLUMNS = {
  entry: [
    String.raw`(?:${DOMAIN}|(?!\*?@)${TEXT_PATTERN}@(?:${DOMAIN}|\[[0-9A-Za-z.:]+\]))`,
    "a domain in lower-case A-labels, or an address with such a domain",
  ],
  action: ["(?:allow|deny)", "allow or deny"],
  expires: [`(?:${TIME_PATTERN})?`, TIME_DESCRIPTION],
  by: [TEXT_PATTERN, "text without control characters"],
  created: [`(?:${TIME_PATTERN})?`, TIME_DESCRIPTION],
  reason: [TEXT_PATTERN, "text without control characters"],
} as const;
/** Limits the work for many duplicates: locating the other line of each takes time linear in the file's size. */
const MAX_LINE_FAULTS = 20;
const COLUMN_NAMES: readonly string[] = Object.keys(COLUMNS);
export const HEADER: string = COLUMN_NAMES.join("\t");

export interface OverridesText {
  readonly path: string;
  /** A line feed, then the file's lines with a line feed after each. */
  readonly text: string;
  readonly nowMs: number;
}

/** A home's overrides at `nowMs`. */
export class HomeOverrides implements OverrideIndex {
  /** Start of each entry's row in the text. */
  private readonly rows: Map<string, number> = new Map();
  private readonly mailDomains: Set<string> = new Set();
  private located = { start: 0, number: 0 };
  private suffixCheck: { readonly lists: CompiledLists; readonly warn: (message: string) => void } | undefined;

  /** Rejects lines that are not a row, a comment or blank, or that repeat an entry. */
  constructor(
    readonly source: OverridesText,
    rejectLines = throwFirst,
  ) {
    const { text } = source;
    const [entry, action, ...optionalCellPatterns] = Object.values(COLUMNS).map(([pattern]) => pattern);
    const optionalCells = optionalCellPatterns.reduceRight((rest, cell) => `(?:\t${cell}${rest})?`, "");
    const pattern = new RegExp(`(?:#[^\\n]*|${HEADER}|(${entry})\t${action}${optionalCells})?\\n`, "y");
    if (text.includes("\ufffd"))
      throwFirst([`${this.locateLine(text.indexOf("\ufffd"))}: is not UTF-8: save the file as UTF-8`]);
    const faults: string[] = [];
    for (let lineStart = 1; lineStart < text.length; lineStart = text.indexOf("\n", lineStart) + 1) {
      const fault = this.indexLine(pattern, lineStart);
      if (fault !== undefined) faults.push(`${this.locateLine(lineStart)}: ${fault}`);
      if (faults.length === MAX_LINE_FAULTS) break;
    }
    if (faults.length > 0) rejectLines(faults);
  }

  /** Number of overrides, expired ones included. */
  get size(): number {
    return this.rows.size;
  }

  get(name: string): Override | undefined {
    const record = this.record(name);
    return record === undefined || !this.isActive(record)
      ? undefined
      : { disposable: record.action === "deny", detail: describeOverride(record) };
  }

  record(entry: string): OverrideRecord | undefined {
    const rowStart = this.rows.get(entry);
    return rowStart === undefined ? undefined : this.readRowAt(rowStart);
  }

  /** Returns the override of an entry if it has expired. */
  expired(entry: string): OverrideRecord | undefined {
    const record = this.record(entry);
    return record !== undefined && hasExpired(record, this.source.nowMs) ? record : undefined;
  }

  mayHaveMailboxOverrides(domain: string): boolean {
    return this.mailDomains.has(domain);
  }

  *records(): Generator<OverrideRecord> {
    for (const rowStart of this.rows.values()) yield this.readRowAt(rowStart);
  }

  *activeRecords(): Generator<OverrideRecord> {
    for (const record of this.records()) if (this.isActive(record)) yield record;
  }

  /**
   * Ignores entries that `lists deny` would not store, with a warning of each. Public suffixes such as `com` would cover
   * strangers' domains; they are found at their first use: to check every domain would slow down each start. Addresses
   * that are not in canonical form match nothing.
   */
  ignoreInvalidEntries(lists: CompiledLists, warn: (message: string) => void): void {
    this.suffixCheck = { lists, warn };
    if (this.mailDomains.size === 0) return;
    for (const entry of this.rows.keys()) {
      const fault = entry.includes("@") ? overrideEntryFault(entry, lists) : undefined;
      if (fault === undefined) continue;
      warn(`${this.locate(entry)}: ${quote(entry)} ${fault}`);
      this.rows.delete(entry);
    }
  }

  /** Reports whether a record counts. Removes a public suffix, with a warning. */
  private isActive(record: OverrideRecord): boolean {
    const { entry } = record;
    if (hasExpired(record, this.source.nowMs)) return false;
    if (this.suffixCheck === undefined || entry.includes("@")) return true;
    const { lists, warn } = this.suffixCheck;
    const bytes = encodeUtf8(entry);
    const { length } = bytes;
    const isSuffix = entry.includes(".")
      ? lists.isSuffix(bytes, 0, length) && !lists.receivesMail(bytes, 0, length)
      : lists.topLevel(bytes, 0, length) !== "special-use";
    if (!isSuffix) return true;
    warn(`${this.locate(entry)}: "${entry}" is a public suffix, so the line is ignored: give a domain below it`);
    this.rows.delete(entry);
    return false;
  }

  /** Returns the file and line of an entry. */
  locate(entry: string): string {
    return this.locateLine(this.rows.get(entry) as number);
  }

  private locateLine(lineStart: number): string {
    const { path, text } = this.source;
    // Counts on from the last call, so that reporting all lines in order takes linear time.
    if (lineStart < this.located.start) this.located = { start: 0, number: 0 };
    const lineCount = text.slice(this.located.start, lineStart).split("\n").length - 1;
    this.located = { start: lineStart, number: this.located.number + lineCount };
    return `${path}:${this.located.number}`;
  }

  /** Indexes a line that has an entry. Returns the fault of an invalid line. */
  private indexLine(pattern: RegExp, lineStart: number): string | undefined {
    pattern.lastIndex = lineStart;
    const match = pattern.exec(this.source.text);
    if (match === null) return explainInvalidLine(lineAt(this.source.text, lineStart));
    if (match[1] === undefined) return undefined;
    const [, , expires = "", , created = ""] = match[0].trimEnd().split("\t");
    const badTime = [expires, created].find((time) => time !== "" && !isCalendarDay(time));
    if (badTime !== undefined) return `${badTime.slice(0, 10)} is not a day of the calendar: correct the line`;
    const entry = unescapeEntry(match[1]);
    if (this.rows.has(entry)) return `duplicate entry ${quote(entry)}: remove it here or in ${this.locate(entry)}`;
    const atSign = entry.lastIndexOf("@");
    const domain = entry.slice(atSign + 1);
    if ((entry.length > DOMAIN_MAX || entry.includes("xn--")) && toAsciiDomain(domain) !== domain)
      return explainInvalidEntry(entry);
    this.rows.set(entry, lineStart);
    if (atSign >= 0) this.mailDomains.add(domain);
    return undefined;
  }

  private readRowAt(rowStart: number): OverrideRecord {
    return readRow(lineAt(this.source.text, rowStart));
  }
}

function throwFirst([first, ...others]: readonly string[]): never {
  const hint = others.length === 0 ? "" : "; addrsift lists overrides shows the other invalid lines";
  throw new AddrsiftError("DATA", `${first}${hint}`);
}

/**
 * Reads a home's overrides. Throws AddrsiftError DATA for invalid lines, and OPERATION for an unreadable file: without
 * them, verdicts would be wrong.
 */
export function readOverrides(folder: string, nowMs: number, rejectLines = throwFirst): HomeOverrides {
  const path = `${folder}/${OVERRIDES_FILE}`;
  return new HomeOverrides({ path, text: readLines(path), nowMs }, rejectLines);
}

/**
 * Returns a line feed and the file's lines, each ended by one. Only a file that does not exist has none: every other
 * failure, such as a dangling link or a folder without permission, throws AddrsiftError OPERATION.
 */
export function readLines(path: string): string {
  let exists = false;
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return "\n";
    exists = true;
    // Opening a FIFO would block until it has a writer.
    assertNotSpecial("read", statSync(path), path);
    const text = readFileSync(path, "utf8");
    const withoutBom = text.startsWith("\ufeff") ? text.slice(1) : text;
    const lines = withoutBom.includes("\r\n") ? withoutBom.replaceAll("\r\n", "\n") : withoutBom;
    return lines === "" || lines.endsWith("\n") ? `\n${lines}` : `\n${lines}\n`;
  } catch (error) {
    if (!isAbsenceCode((error as NodeJS.ErrnoException).code)) throw fileError("read", path, error);
    if (exists) throw danglingLinkError(path);
    return "\n";
  }
}

function lineAt(text: string, lineStart: number): string {
  return text.slice(lineStart, text.indexOf("\n", lineStart));
}

export function isRow(line: string): boolean {
  return line !== "" && !line.startsWith("#") && line !== HEADER;
}

export function entryOf(row: string): string {
  return unescapeEntry(row.slice(0, row.indexOf("\t")));
}

function unescapeEntry(cell: string): string {
  return cell.startsWith("\\#") ? cell.slice(1) : cell;
}

function readRow(line: string): OverrideRecord {
  const [, action, expires = "", by = "", created = "", reason = ""] = line.split("\t");
  return {
    entry: entryOf(line),
    action: action as Action,
    ...(reason !== "" && { reason }),
    ...(by !== "" && { by }),
    ...(created !== "" && { created_at: new Date(created).toISOString() }),
    ...(expires !== "" && { expires_at: new Date(expires).toISOString() }),
  };
}

export function writeRow(record: OverrideRecord): string {
  const { entry, action, reason = "", by = "", created_at = "", expires_at = "" } = record;
  const [created, expires] = [created_at, expires_at].map((time) => time.replace(".000Z", "Z"));
  return [entry.startsWith("#") ? `\\${entry}` : entry, action, expires, by, created, reason]
    .join("\t")
    .replace(/\t+$/, "");
}

function explainInvalidLine(line: string): string {
  const cells = line.split("\t");
  if (cells.length === 1) return `there is no tab in the line: put tabs between ${COLUMN_NAMES.join(", ")}`;
  if (cells[0] === "entry") return `the header is incomplete: write ${COLUMN_NAMES.join(", ")}, or remove it`;
  for (const [i, [name, [pattern, description]]] of Object.entries(COLUMNS).entries()) {
    const cell = cells[i] ?? "";
    if (new RegExp(`^${pattern}$`).test(cell)) continue;
    return name === "entry"
      ? explainInvalidEntry(cell)
      : `${name} must be ${description}, not "${cell}": correct the line`;
  }
  return `there are ${cells.length} columns: use ${COLUMN_NAMES.join(", ")}`;
}

function explainInvalidEntry(entry: string): string {
  const domainStart = entry.lastIndexOf("@") + 1;
  const domain = findDomain(entry.slice(domainStart));
  const localPart = entry.slice(0, domainStart).replace(/^\*?@$/, "");
  const correction = `${localPart}${domain}`;
  const fix = domain === undefined || correction === entry ? "correct the line" : `write ${correction}`;
  return `entry must be ${COLUMNS.entry[1]}, not ${quote(entry)}: ${fix}`;
}

/** Formats a record such as `denied by jane on 2026-11-22, until 2027-01-31: spam wave`. */
export function describeOverride({ action, reason, by, created_at, expires_at }: OverrideRecord): string {
  const who = by === undefined ? "" : ` by ${by}`;
  const when = created_at === undefined ? "" : ` on ${created_at.slice(0, 10)}`;
  const end = expires_at === undefined ? "" : `, until ${expires_at.slice(0, 16).replace("T", " ")} UTC`;
  const why = reason === undefined ? "" : `: ${reason}`;
  return `${action === "deny" ? "denied" : "allowed"}${who}${when}${end}${why}`;
}

export function hasExpired({ expires_at }: OverrideRecord, nowMs: number): boolean {
  return expires_at !== undefined && Date.parse(expires_at) <= nowMs;
}

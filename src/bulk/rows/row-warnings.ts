// Counts warnings about rows, and items that were skipped, and formats them.

import { escapeInvisible, pluralize } from "../../base/format-text.ts";
import { type Message, renderMessage, type Wording } from "../messages.ts";

/** Names of items that are skipped in a text, a diff or a folder, singular and plural. */
const SKIPPED_ITEMS = {
  binary: ["binary file", "binary files"],
  undiffed_binary: ["binary file (if text, use git diff --text)", "binary files (if text, use git diff --text)"],
  submodule: ["submodule", "submodules"],
  folder_link: ["link to a folder", "links to folders"],
  link: ["link", "links"],
  git_folder: ["folder of git", "folders of git"],
  special: ["device, pipe or socket", "devices, pipes or sockets"],
  unreadable: ["unreadable file or folder", "unreadable files or folders"],
  damaged: ["damaged file", "damaged files"],
  absent: ["missing file", "missing files"],
  undecodable: ["file whose name is not UTF-8", "files whose names are not UTF-8"],
  not_diffed: ["file that the diff only names", "files that the diff only names"],
  outside: ["line with @ or + outside of the hunks", "lines with @ or + outside of the hunks"],
  cut_off: ["missing end of a hunk", "missing ends of hunks"],
  no_author: ["author (add --format=fuller to git log)", "authors (add --format=fuller to git log)"],
  split: ["address split across lines", "addresses split across lines"],
  message_id: ["message identifier", "message identifiers"],
  no_reply: ["noreply address of a commit", "noreply addresses of commits"],
  allow_mark: ['line with "addrsift: allow"', 'lines with "addrsift: allow"'],
  allow_file: ["address of --allow-file", "addresses of --allow-file"],
  allowed_path: ["file of --allow-file", "files of --allow-file"],
} as const;
export type SkippedItem = keyof typeof SKIPPED_ITEMS;

/** Matches a field with a word that people or programs write if there is no address. */
export const PLACEHOLDER = /^(?:-+|#?n\/?a|[kn]\. ?[ad]\.|nan|nil|none|\(?null\)?)$/i;

/** Kind of a warning. `failing` counts the rows in the classes of --fail-on. */
export type RowWarning = keyof typeof WARNING_TEXTS | "failing" | SkippedItem;

export interface WarnedRows {
  rows: number;
  /** Numbers of the first rows. */
  readonly first: (number | string)[];
  /** Names of the first skipped files, or lines of the first rows. */
  readonly names: string[];
}

/** Rows with warnings, by kind, for the summary. */
export type IrregularRows = Readonly<Partial<Record<keyof typeof WARNING_TEXTS, CountedRows>>>;

export interface CountedRows {
  readonly rows: number;
  /** Numbers of the first rows; with several inputs, each after the name of its input and a colon. */
  readonly first: readonly (number | string)[];
  /** Lines of the first rows, such as `3-5`, if a row has several lines or its line matters. */
  readonly lines?: readonly string[];
}

const MAX_ROW_NUMBERS = 5;
const MAX_NAMES = 3;

/** Counts rows, or skipped items, by kind of warning. */
export class RowWarnings {
  readonly byKind: Map<RowWarning, WarnedRows> = new Map();

  add(kind: RowWarning, row?: number | string, count = 1, names: readonly string[] = []): void {
    const warned = this.byKind.get(kind) ?? { rows: 0, first: [], names: [] };
    if (warned.rows === 0) this.byKind.set(kind, warned);
    warned.rows += count;
    if (row !== undefined && warned.first.length < MAX_ROW_NUMBERS) warned.first.push(row);
    warned.names.push(...names.slice(0, MAX_NAMES - warned.names.length));
  }

  /** Adds the warnings of an input. If there are several inputs, `prefix` names this one before its rows and lines. */
  addInput({ byKind }: RowWarnings, prefix: string): void {
    for (const [kind, { rows, first, names }] of byKind) {
      const hasLines = kind === "failing" || kind in WARNING_TEXTS;
      this.add(kind, undefined, rows, hasLines ? names.map((line) => prefix + line) : names);
      for (const row of first) this.add(kind, prefix === "" ? row : prefix + row, 0);
    }
  }

  /** Rows with warnings, without skipped items and rows of --fail-on. */
  get irregular(): IrregularRows {
    const kinds = [...this.byKind].filter(([kind]) => kind in WARNING_TEXTS);
    return Object.fromEntries(
      kinds.map(([kind, { rows, first, names: lines }]) => [kind, { rows, first, ...(lines.length > 0 && { lines }) }]),
    );
  }
}

/** Message of each kind: singular and plural of the counted item, and its problem. */
const WARNING_TEXTS = {
  no_object: ["line", "lines", "not a JSON object, treated as invalid"],
  key_taken: [
    "object",
    "objects",
    ({ option }: Wording) =>
      "with an added key already: the added one comes last, or is renamed with " +
      `${option("prefix")} or ${option("into")}`,
  ],
  nested: [
    "row",
    "rows",
    "with an object or array in place of the address, treated as invalid: name a path into it, such as emails.0",
  ],
  several: [
    "line or cell",
    "lines or cells",
    "with several addresses, treated as invalid: addrsift-detect(1) has a command that splits them into rows",
  ],
  named: [
    "line or cell",
    "lines or cells",
    ({ option }: Wording) =>
      `with a name before the address, treated as invalid: ${option("fields", "suggestion")} has the address alone`,
  ],
  placeholder: [
    "row",
    "rows",
    "with a word for no address, such as n/a or NULL, treated as invalid: only an empty address makes a row blank",
  ],
  repeats_dropped: [
    "row",
    "rows",
    ({ option }: Wording) =>
      `dropped as duplicate of a dropped row: to keep one, use ${option("reject", "duplicate")} only in a second run`,
  ],
  ragged: [
    "record",
    "records",
    "with more or fewer fields than the header: short ones are padded, long ones stay long",
  ],
  joined_rows: ["record", "records", "that may contain later rows: a quote seems to be missing, or not doubled"],
  text_after_quote: ["record", "records", "with text after a closing quote: double the quotes inside of fields"],
  too_long: ["line or field", "lines or fields", "over 64 KiB, treated as invalid"],
  not_utf8: [
    "address",
    "addresses",
    ({ option }: Wording) =>
      `not in UTF-8, treated as invalid: try ${option("encoding", "windows-1252")}, or the encoding that the input is in`,
  ],
  key_not_utf8: [
    "row",
    "rows",
    ({ option }: Wording) =>
      `with a ${option("key")} not in UTF-8: try ${option("encoding", "windows-1252")}, or the encoding that the input is in`,
  ],
  bare_cr: [
    "row",
    "rows",
    "with CR inside, treated as invalid: if lines end in CR only, convert the input with tr '\\r' '\\n'",
  ],
} satisfies Record<string, readonly [singular: string, plural: string, problem: string | Message]>;

/** Formats one line per kind of warning. */
export function formatRowWarnings(irregular: IrregularRows, wording: Wording): string[] {
  return Object.entries(irregular).map(([kind, counted]) => {
    const [singular, plural, problem] = WARNING_TEXTS[kind as keyof typeof WARNING_TEXTS];
    const numbers = formatRowNumbers(counted);
    return `${pluralize(counted.rows, singular, plural)} ${renderMessage(wording, problem)} (${numbers})`;
  });
}

/** Formats one line about all skipped items, with the names of the first files; undefined if there are none. */
export function describeSkipped(byKind: RowWarnings["byKind"]): string | undefined {
  const parts = Object.entries(SKIPPED_ITEMS).flatMap(([kind, [singular, plural]]) => {
    const { rows: count, names } = byKind.get(kind as SkippedItem) ?? { rows: 0, names: [] };
    if (count === 0) return [];
    const list = [...names.map(escapeInvisible), ...(count > names.length ? ["…"] : [])].join(", ");
    return [pluralize(count, singular, plural) + (names.length === 0 ? "" : ` (${list})`)];
  });
  return parts.length === 0 ? undefined : `${parts.join(", ")} skipped`;
}

export function formatRowNumbers({ rows, first, lines = [] }: CountedRows, noun = "row"): string {
  const list = (items: readonly (number | string)[]): string => items.join(", ") + (rows > items.length ? ", …" : "");
  const lineNoun = lines.length > 1 || lines[0]?.includes("-") ? "lines" : "line";
  return `${noun}${rows === 1 ? "" : "s"} ${list(first)}${lines.length > 0 ? `; ${lineNoun} ${list(lines)}` : ""}`;
}

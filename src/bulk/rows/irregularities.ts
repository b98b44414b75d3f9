// Rows that were taken although something was wrong with them: how many, where the first ones are, and a line that says
// so.

import { pluralize } from "../../base/format-text.ts";
import { type Message, renderMessage, type Wording } from "../messages.ts";

/** Parts of a text, a diff or a folder that were not searched for addresses, in the singular and plural. */
const PASSED_OVER = {
  binary: ["binary file", "binary files"],
  submodule: ["submodule", "submodules"],
  folder_link: ["link to a folder", "links to folders"],
  link: ["link", "links"],
  git_folder: ["folder of git", "folders of git"],
  special: ["device, pipe or socket", "devices, pipes or sockets"],
  unreadable: ["unreadable file or folder", "unreadable files or folders"],
  absent: ["missing file", "missing files"],
  undecodable: ["file whose name is not UTF-8", "files whose names are not UTF-8"],
  not_diffed: ["file that the diff only names", "files that the diff only names"],
  outside: [
    "line outside of the hunks that has an @ or begins with +",
    "lines outside of the hunks that have an @ or begin with +",
  ],
  cut_off: ["hunk that is cut off", "hunks that are cut off"],
  no_author: ["commit without its author", "commits without their authors"],
  message_id: ["message identifier", "message identifiers"],
  no_reply: ["noreply address of a commit", "noreply addresses of commits"],
  allow_mark: ['line with "addrsift: allow"', 'lines with "addrsift: allow"'],
  allow_file: ["address of --allow-file", "addresses of --allow-file"],
} as const;
export type PassedOver = keyof typeof PASSED_OVER;

/**
 * A record of another width than the header, a line or field over 64 KiB, an address with bytes that are not UTF-8, a
 * line that seems to be several lines ending in CR only, a line that is not a JSON object, an object that has an added
 * key already, several addresses in one place; a row that --fail-on looks for; a part that was passed over.
 */
export type Irregularity =
  | "ragged"
  | "too_long"
  | "not_utf8"
  | "bare_cr"
  | "no_object"
  | "key_taken"
  | "several"
  | "failing"
  | PassedOver;

export interface IrregularRows {
  count: number;
  readonly first: number[];
}

const FIRST = 5;

/** Counts irregular rows, or parts, by kind; memory is bounded. */
export class Irregularities {
  readonly byKind: Map<Irregularity, IrregularRows> = new Map();

  add(kind: Irregularity, row?: number, count = 1): void {
    const rows = this.byKind.get(kind) ?? { count: 0, first: [] };
    if (rows.count === 0) this.byKind.set(kind, rows);
    rows.count += count;
    if (row !== undefined && rows.first.length < FIRST) rows.first.push(row);
  }
}

/** Each kind's name in the singular and plural, and what is wrong. */
const KINDS: Readonly<
  Record<Exclude<Irregularity, "failing" | PassedOver>, readonly [one: string, several: string, what: string | Message]>
> = {
  no_object: ["line", "lines", "not a JSON object, treated as invalid"],
  key_taken: [
    "object",
    "objects",
    ({ option }) =>
      "with an added key already: the added one comes last, or is renamed with " +
      `${option("prefix")} or ${option("into")}`,
  ],
  several: ["line or cell", "lines or cells", "with several addresses, treated as invalid: split them first"],
  ragged: ["record", "records", "with more or fewer fields than the header"],
  too_long: ["line or field", "lines or fields", "over 64 KiB, treated as invalid"],
  not_utf8: [
    "address",
    "addresses",
    ({ option }) =>
      `not in UTF-8, treated as invalid: add ${option("encoding", "windows-1252")}, or the encoding that the input is in`,
  ],
  bare_cr: [
    "row",
    "rows",
    "with CR inside, treated as invalid: if lines end in CR only, convert the input with tr '\\r' '\\n'",
  ],
};

/** A line for each kind of irregular row, without those that --fail-on looks for. */
export function irregularLines(byKind: ReadonlyMap<Irregularity, IrregularRows>, face: Wording): string[] {
  return [...byKind].flatMap(([kind, rows]) => {
    if (!(kind in KINDS)) return [];
    const [one, several, what] = KINDS[kind as keyof typeof KINDS];
    return [`${pluralize(rows.count, one, several)} ${renderMessage(face, what)} (${placesOf(rows)})`];
  });
}

/** A line for a person about the parts that were skipped; undefined when there are none. */
export function passedText(byKind: Irregularities["byKind"]): string | undefined {
  const parts = Object.entries(PASSED_OVER).flatMap(([kind, [one, several]]) => {
    const count = byKind.get(kind as PassedOver)?.count;
    return count === undefined ? [] : [pluralize(count, one, several)];
  });
  return parts.length === 0 ? undefined : `${parts.join(", ")} skipped`;
}

export function placesOf({ count, first }: IrregularRows): string {
  return `${count === 1 ? "row" : "rows"} ${first.join(", ")}${count > first.length ? ", …" : ""}`;
}

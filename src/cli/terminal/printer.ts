// Prints the results of a command: records as a table or JSON, and messages for people.

import { escapeInvisible } from "../../base/format-text.ts";
import { isOutputClosed } from "../../bulk/streams.ts";
import { toSafeJson } from "../../detection/format.ts";
import { warnIfMissing } from "../../home/lists.ts";
import type { GlobalOptions } from "../options/table.ts";
import type { Runtime } from "../runtime.ts";
import { warn } from "./output.ts";
import { formatRecords, loadColors, screenWidth, wrapLine } from "./text-table.ts";

export type RecordCell = string | readonly string[];

interface RecordTable<Item> {
  readonly titles: readonly string[];
  readonly row: (record: Item) => readonly RecordCell[];
  readonly emptyMessage: string;
}

export class Printer {
  /** Whether the reader of standard output is gone. */
  isClosed = false;

  constructor(
    private readonly runtime: Pick<Runtime, "env" | "stdout" | "stderr">,
    private readonly options: Pick<GlobalOptions, "no-color" | "quiet"> & { readonly json?: boolean },
  ) {}

  get quiet(): boolean {
    return this.options.quiet;
  }

  /** Writes text, or drops it if its reader is gone: that must not end a command before it has recorded its result. */
  write(text: string): void {
    try {
      this.runtime.stdout.write(text);
    } catch (error) {
      if (!isOutputClosed(error)) throw error;
      this.isClosed = true;
    }
  }

  /** Prints a value as one line of JSON, with control characters escaped. */
  json(value: unknown): void {
    this.write(`${toSafeJson(value)}\n`);
  }

  /** Prints lines, wrapped if standard output is a terminal or COLUMNS is set. */
  lines(lines: readonly string[]): void {
    this.write(lines.map((line) => `${wrapLine(line, this.width)}\n`).join(""));
  }

  /** Prints rows with titles, or nothing if there are no rows. Escapes the cells. */
  async table(titles: readonly string[], rows: readonly (readonly RecordCell[])[]): Promise<void> {
    if (rows.length === 0) return;
    const cells = rows.map((row) => row.map((cell) => [cell].flat().map(escapeInvisible)));
    const columns = titles.map((title) => ({ title }));
    const colors = await loadColors(this.runtime, !this.options["no-color"]);
    this.write(formatRecords(columns, cells, this.width, colors));
  }

  async records<Item>(records: readonly Item[], { titles, row, emptyMessage }: RecordTable<Item>): Promise<void> {
    if (this.options.json) this.json(records);
    else await this.table(titles, records.map(row));
    if (records.length === 0) this.info(emptyMessage);
  }

  /** Prints a record with --json, or else a message for people and logs. */
  result(record: object, line: string): void {
    if (this.options.json) this.json(record);
    else this.notice(line);
  }

  /** Prints a message if standard error is a terminal, unless --quiet. */
  info(line: string): void {
    if (this.runtime.stderr.isTerminal) this.notice(line);
  }

  notice(line: string): void {
    if (!this.quiet) this.warn(line);
  }

  /** Prints a message if the folder of --home does not exist, unless --quiet. */
  warnIfMissing(home: string | undefined): void {
    if (home !== undefined) warnIfMissing(home, "--home", (line) => this.notice(line));
  }

  warn(line: string): void {
    warn(this.runtime, line);
  }

  /** Infinite if standard output is not a terminal, so that scripts get each record on one line. */
  private get width(): number {
    return screenWidth(this.runtime, Number.POSITIVE_INFINITY);
  }
}

/** Formats an ISO 8601 time to the minute (`length` 16) or to the second (`length` 19). */
export function formatTime(time = "", length = 16): string {
  return time.slice(0, length).replace("T", " ");
}

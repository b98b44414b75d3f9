// A table for people, at most as wide as the terminal: cells wrap, and columns that do not fit go below their row.

import { stripVTControlCharacters } from "node:util";
import type Table from "cli-table3";
import type stringWidth from "string-width";
import type wrapAnsi from "wrap-ansi";
import type { Runtime } from "../runtime.ts";

export interface Column {
  readonly title: string;
  /** Running text: beside other columns it needs at least this width; else it goes below its row. */
  readonly least?: number;
  /** It gets at least this width when not all rows are known yet. */
  readonly usual?: number;
  /** It needs no title when it is below its row. */
  readonly untitled?: boolean;
  /** Every space counts, also at a line break. */
  readonly exact?: boolean;
}

/** A cell: paragraphs, with or without colour, without control characters. */
export type Cell = readonly string[];

export type TableScreen = Pick<Runtime, "load" | "env" | "stdout">;

export type WrapTools = ReturnType<typeof loadWrapTools>;
export type TableTools = Awaited<ReturnType<typeof loadTableTools>>;

/** Columns of the screen when standard output is not a terminal and COLUMNS is not set. */
export const DEFAULT_WIDTH = 80;
// Below this, tables would be one letter wide.
const NARROWEST = 20;
// A column is as wide as its widest word, up to this width or this share of the screen.
const WORD_WIDTH = 24;
const WORD_SHARE = 0.4;
const GAP = 2;
// Wrapped texts that are kept.
const WRAPPED_MAX = 1000;
const INDENT = "  ";
// Made when text beyond ASCII is measured: making one takes longer than the rest of a start.
let clusters: Intl.Segmenter | undefined;

export function loadWrapTools() {
  const measure = require("string-width").default as typeof stringWidth;
  return {
    /** The most columns of the screen that a text can take. */
    widthOf: (text: string) => widthAtMost(text, measure),
    wrapAnsi: require("wrap-ansi").default as typeof wrapAnsi,
  };
}

/** Terminals differ for some clusters, such as an emoji with a skin tone: newer ones count the whole, others its parts. */
function widthAtMost(text: string, measure: typeof stringWidth): number {
  const plain = stripVTControlCharacters(text);
  if (/^[ -~]*$/.test(plain)) return plain.length;
  let width = 0;
  clusters ??= new Intl.Segmenter();
  for (const { segment } of clusters.segment(plain)) {
    const parts = Array.from(segment, (part) => measure(part));
    width += Math.max(measure(segment), sum(parts));
  }
  return width;
}

/** Loads the packages that make a table. No colours when the output takes none or `colour` is false. */
export async function loadTableTools(runtime: Pick<Runtime, "env">, colour: boolean) {
  const { Chalk, supportsColor } = await import("chalk");
  const { NO_COLOR } = runtime.env;
  const level = colour && (NO_COLOR === undefined || NO_COLOR === "") && supportsColor ? supportsColor.level : 0;
  return {
    ...loadWrapTools(),
    paint: new Chalk({ level }),
    TableClass: require("cli-table3") as typeof Table,
  };
}

/** Columns of the terminal on standard output, else COLUMNS, else `otherwise`. Some terminals say that they have 0. */
export function screenWidth({ stdout, env }: Pick<Runtime, "stdout" | "env">, otherwise: number): number {
  const { COLUMNS = "" } = env;
  const told = /^[0-9]{1,4}$/.test(COLUMNS) ? Number(COLUMNS) : 0;
  return Math.max(NARROWEST, stdout.columns ?? (told || otherwise));
}

/** Any screen has room for a word of this width in its column. */
export function roomForWord(width: number): number {
  return Math.max(WORD_WIDTH, Math.floor(width * WORD_SHARE));
}

/** The table with its titles. Each line ends in a line feed and is at most `width` columns wide. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  tools: TableTools,
): string {
  return new BatchedTable(columns, width, tools).text(rows, false);
}

/** A table whose rows come in batches. The first one fixes the widths of the columns, and has the titles. */
export class BatchedTable {
  private widths: readonly number[] | undefined;
  // The same few reasons stand in most rows, and wrapping is slow.
  private readonly wrapped = new Map<string, readonly string[]>();

  constructor(
    private readonly columns: readonly Column[],
    private readonly width: number,
    private readonly tools: TableTools,
  ) {}

  /** The lines of a batch. `more` says that others may follow the first one: then columns get room for longer texts. */
  text(rows: readonly (readonly Cell[])[], more: boolean): string {
    const { columns, width, tools } = this;
    if (this.widths !== undefined) return padded(this.wrapRows(rows, this.widths), this.widths, tools);
    const titles = columns.map(({ title }) => [tools.paint.bold(title)]);
    const usual = columns.map((column) => [" ".repeat(more ? Math.min(width, column.usual ?? 0) : 0)]);
    const widths = widthsBeside(columns, [titles, usual, ...rows], width, tools);
    this.widths = widths;
    return layOut([this.besides(titles, widths), ...this.wrapRows(rows, widths)], widths, tools);
  }

  private wrapRows(rows: readonly (readonly Cell[])[], widths: readonly number[]): string[][][] {
    const { columns, width, tools } = this;
    return rows.flatMap((row) => {
      const below = columns.flatMap((column, i) => (i < widths.length ? [] : belowRow(column, row[i] ?? [], tools)));
      const lines = below.flatMap((text) => wrappedBelow(text, width, tools));
      return lines.length === 0 ? [this.besides(row, widths)] : [this.besides(row, widths), [lines]];
    });
  }

  private besides(cells: readonly Cell[], widths: readonly number[]): string[][] {
    return widths.map((room, i) => (cells[i] ?? []).flatMap((text) => this.wrap(text, room, i)));
  }

  private wrap(text: string, room: number, column: number): readonly string[] {
    const key = `${column} ${text}`;
    const known = this.wrapped.get(key);
    if (known !== undefined) return known;
    const lines = wrapped(text, room, this.columns[column]?.exact === true, this.tools);
    if (this.wrapped.size >= WRAPPED_MAX) this.wrapped.clear();
    if (lines.length > 1) this.wrapped.set(key, lines);
    return lines;
  }
}

/** The text in lines of at most `width` columns; lines after the first are indented. A few spaces at its beginning stay. */
export function wrappedText(text: string, width: number, tools: WrapTools): string {
  if (tools.widthOf(text) <= width) return text;
  const [margin = ""] = /^ {0,10}/.exec(text) ?? [];
  const room = width - margin.length - INDENT.length;
  return margin + wrapped(text.slice(margin.length), room, false, tools).join(`\n${margin}${INDENT}`);
}

/** The widths of the columns that fit side by side. The widest column shrinks first. */
function widthsBeside(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  tools: TableTools,
): number[] {
  const texts = columns.map((_, i) => rows.flatMap((row) => row[i] ?? []));
  const whole = texts.map((column) => Math.min(width, widest(column, tools)));
  const unbroken = roomForWord(width);
  const least = columns.map((column, i) => {
    const longestWord = widest(
      // An exact text is one word.
      column.exact === true ? (texts[i] as string[]) : (texts[i] as string[]).flatMap((text) => text.split(" ")),
      tools,
    );
    return Math.min(whole[i] as number, Math.max(Math.min(longestWord, unbroken), column.least ?? 0));
  });
  let count = columns.length;
  while (count > 1 && sum(least.slice(0, count)) + GAP * (count - 1) > width) count -= 1;
  const room = width - GAP * (count - 1);
  const widths = whole.slice(0, count);
  while (sum(widths) > room) {
    const able = widths.map((now, i) => (now > (least[i] as number) ? now : 0));
    const at = able.indexOf(Math.max(...able));
    widths[at] = (widths[at] as number) - 1;
  }
  // The column below its row may be as wide as the terminal.
  if (count < columns.length) widths[count - 1] = (widths[count - 1] as number) + room - sum(widths);
  return widths;
}

function widest(texts: readonly string[], { widthOf }: TableTools): number {
  return texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function belowRow({ title, untitled }: Column, cell: Cell, { paint }: TableTools): string[] {
  const texts = cell.filter((text) => text !== "");
  if (texts.length === 0 || untitled === true) return texts;
  return [`${paint.bold(title)} ${texts.join(", ")}`];
}

function wrappedBelow(text: string, width: number, tools: TableTools): string[] {
  return wrapped(text, width - INDENT.length, false, tools).map((line) => INDENT + line);
}

/**
 * Lines of at most `width` columns. A word is broken only when it is wider than a line, before its @ if possible. An exact text
 * has no words and loses no space.
 */
function wrapped(text: string, width: number, exact: boolean, { widthOf, wrapAnsi }: WrapTools): string[] {
  if (widthOf(text) <= width) return [text];
  const breakAtSign = (part: string): string =>
    widthOf(part) > width ? part.replace(/(?!^)@(?=[^@]*$)/, "\n@") : part;
  const eased = exact ? breakAtSign(text) : text.replace(/[^ ]+/g, breakAtSign);
  for (let room = width; ; room -= 1) {
    const lines = wrapAnsi(eased, room, { hard: true, wordWrap: !exact, trim: !exact }).split("\n");
    // wrap-ansi counts a cluster as a whole.
    if (room <= 2 || lines.every((line) => widthOf(line) <= width)) return lines;
  }
}

/**
 * Lays out rows of cells of lines; in a row with fewer cells than columns, the last cell spans the rest. cli-table3 measures with
 * an older Unicode than string-width, and would pad or cut wrongly. So it gets ASCII placeholders of the right width, which are
 * replaced by the lines afterwards. Each line is a row of its own, because cli-table3 is slow with cells of several lines.
 */
function layOut(rows: readonly (readonly string[][])[], widths: readonly number[], tools: TableTools): string {
  const table = new tools.TableClass({
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": GAP },
    chars: NO_BORDERS,
    colWidths: widths.map((width) => width + GAP),
  });
  const lines: string[] = [];
  const standIn = (line: string): string => {
    if (line !== "") lines.push(line);
    return line === "" ? "" : "x".repeat(Math.max(1, tools.widthOf(line)));
  };
  for (const row of rows) {
    const colSpan = widths.length - row.length + 1;
    const height = Math.max(...row.map((cell) => cell.length));
    for (let i = 0; i < height; i++) table.push(row.map((cell) => ({ content: standIn(cell[i] ?? ""), colSpan })));
  }
  let next = 0;
  const text = table.toString().replace(/ +$/gm, "");
  return `${text.replace(/x+/g, () => lines[next++] as string)}\n`;
}

/** The same lines as `layOut` makes, in a tenth of its time. */
function padded(rows: readonly (readonly string[][])[], widths: readonly number[], { widthOf }: WrapTools): string {
  let text = "";
  for (const row of rows) {
    const height = Math.max(...row.map((cell) => cell.length));
    for (let i = 0; i < height; i += 1) {
      const line = row.map((cell, at) => {
        const part = cell[i] ?? "";
        return part + " ".repeat(Math.max(0, (widths[at] as number) + GAP - widthOf(part)));
      });
      text += `${line.join("").replace(/ +$/, "")}\n`;
    }
  }
  return text;
}

const NO_BORDERS: Readonly<Record<string, string>> = Object.fromEntries(
  ["top", "bottom", "left", "right"]
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat(["mid", "mid-mid", "left-mid", "right-mid", "middle"])
    .map((name) => [name, ""]),
);

/** Prints lines, wrapped where standard output is a terminal or COLUMNS is set. */
export function printLines(runtime: Runtime, lines: readonly string[]): void {
  const width = screenWidth(runtime, Number.POSITIVE_INFINITY);
  const tools = loadWrapTools();
  runtime.stdout.write(lines.map((line) => `${wrappedText(line, width, tools)}\n`).join(""));
}

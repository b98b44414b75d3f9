// Tables for people, at most as wide as the terminal: cells wrap, and columns that do not fit go below their row.

import { stripVTControlCharacters } from "node:util";
import type CliTable from "cli-table3";
import type stringWidth from "string-width";
import type { Runtime } from "../runtime.ts";
import { wrapWords } from "./wrap-words.ts";

export interface Column {
  readonly title: string;
  /** Minimum width next to other columns; without room for it, the column goes below its row. */
  readonly minWidth?: number;
  /** Minimum width if more rows may follow, whose texts can be longer. */
  readonly preferredWidth?: number;
  /** Omit the title when the column goes below its row. */
  readonly untitled?: boolean;
  /** Break lines without removing spaces. */
  readonly preserveSpaces?: boolean;
}

/** A cell: paragraphs, perhaps colored, without other control characters. */
export type Cell = readonly string[];

export type Screen = Pick<Runtime, "env" | "stdout">;
export type Colors = Awaited<ReturnType<typeof loadColors>>;

const MIN_SCREEN_WIDTH = 20;
// A column is as wide as its widest word, up to this width or this share of the screen.
const WORD_WIDTH = 24;
const WORD_SHARE = 0.4;
const GAP = 2;
const INDENT = "  ";
// Characters that take one column in every terminal.
const SINGLE_WIDTH = /^[ -~\xa1-\xac\xae-\u02ff→…]*$/;
const COLOR_CODE = /(\x1b\[\d+m)/;
// Created for the first text beyond ASCII: creating them takes longer than the rest of a start.
let segmenter: Intl.Segmenter | undefined;
let widthOf: typeof stringWidth | undefined;

/** Returns the number of terminal columns of a text, which may be colored. */
export function displayWidth(text: string): number {
  const plain = text.includes("\x1b") ? stripVTControlCharacters(text) : text;
  return SINGLE_WIDTH.test(plain) ? plain.length : sum(splitClusters(plain).map(clusterWidth));
}

/** Some clusters, such as an emoji with a skin tone, are one character in newer terminals and several in others. */
function clusterWidth(cluster: string): number {
  widthOf ??= require("string-width").default as typeof stringWidth;
  return Math.max(widthOf(cluster), sum(Array.from(cluster, (part) => (widthOf as typeof stringWidth)(part))));
}

function splitClusters(text: string): string[] {
  if (isAscii(text)) return [...text];
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** Loads colors: those of the terminal, or none if it has none, NO_COLOR is set or `isAllowed` is false. */
export async function loadColors({ env }: Pick<Runtime, "env">, isAllowed: boolean) {
  const { Chalk, supportsColor } = await import("chalk");
  const { NO_COLOR = "" } = env;
  return new Chalk({ level: isAllowed && NO_COLOR === "" && supportsColor ? supportsColor.level : 0 });
}

/** Returns the columns of the terminal on standard output, else COLUMNS, else `fallback`. */
export function screenWidth({ stdout, env }: Screen, fallback: number): number {
  const { COLUMNS = "" } = env;
  const columns = /^[0-9]{1,4}$/.test(COLUMNS) ? Number(COLUMNS) : 0;
  return Math.max(MIN_SCREEN_WIDTH, stdout.columns ?? (columns || fallback));
}

export function maxWordWidth(screenWidth: number): number {
  return Math.max(WORD_WIDTH, Math.floor(screenWidth * WORD_SHARE));
}

/** A table whose rows come in batches. The first batch fixes the widths of the columns and gets the titles. */
export class TextTable {
  private widths: readonly number[] = [];

  constructor(
    private readonly columns: readonly Column[],
    private readonly width: number,
    private readonly colors: Colors,
  ) {}

  /** Formats a batch as lines of at most `width` columns. With `hasMore`, columns get their preferred widths. */
  format(rows: readonly (readonly Cell[])[], hasMore = false, joinCells: JoinCells = padCells): string {
    const { columns, width, colors } = this;
    const titles = columns.map(({ title }) => [colors.bold(title)]);
    const isFirst = this.widths.length === 0;
    if (isFirst) {
      const preferred = columns.map(({ preferredWidth = 0 }) => [" ".repeat(hasMore ? preferredWidth : 0)]);
      this.widths = fitWidths(columns, [titles, preferred, ...rows], width);
    }
    const all = isFirst ? [titles.slice(0, this.widths.length), ...rows] : rows;
    return joinCells(
      all.flatMap((row) => this.wrapRow(row)),
      this.widths,
    );
  }

  /** Returns the cells that fit side by side, and a row of one cell with the other columns if they have text. */
  private wrapRow(row: readonly Cell[]): string[][][] {
    const { columns, widths, width, colors } = this;
    const cells = widths.map((cellWidth, i) =>
      (row[i] ?? []).flatMap((text) => wrap(text, cellWidth, columns[i]?.preserveSpaces)),
    );
    const overflowTexts = columns.slice(widths.length).flatMap(({ title, untitled }, i) => {
      const texts = (row[widths.length + i] ?? []).filter((text) => text !== "");
      return texts.length === 0 || untitled === true ? texts : [`${colors.bold(title)} ${texts.join(", ")}`];
    });
    const lines = overflowTexts.flatMap((text) => wrap(text, width - INDENT.length)).map((line) => INDENT + line);
    return lines.length === 0 ? [cells] : [cells, [lines]];
  }
}

/** Joins rows of wrapped cells. In a row with fewer cells than columns, the last cell may be wider than its column. */
type JoinCells = (rows: readonly (readonly string[][])[], widths: readonly number[]) => string;

/** Joins cells with spaces. cli-table3 takes 20 times as long for one row, and quadratic time for many. */
const padCells: JoinCells = (rows, widths) => {
  const pad = (text: string, column: number): string =>
    text + " ".repeat(Math.max(0, (widths[column] as number) + GAP - displayWidth(text)));
  const lines = rows.flatMap((cells) =>
    Array.from({ length: Math.max(...cells.map((cell) => cell.length)) }, (_, i) =>
      cells.map((cell, column) => pad(cell[i] ?? "", column)).join(""),
    ),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
};

const BORDERLESS: CliTable.TableConstructorOptions = {
  style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": GAP },
  chars: Object.fromEntries(
    ["top", "bottom", "left", "right"]
      .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
      .concat(["mid", "mid-mid", "left-mid", "right-mid", "middle"])
      .map((name) => [name, ""]),
  ),
};

/** Joins cells by cli-table3, which would cut text that its older Unicode measures as too wide. */
const joinByCliTable: JoinCells = (rows, widths) => {
  const table = new (require("cli-table3") as typeof CliTable)({
    ...BORDERLESS,
    colWidths: widths.map((width) => width + GAP),
  });
  for (const cells of rows) {
    const colSpan = widths.length - cells.length + 1;
    table.push(cells.map((lines) => ({ content: lines.join("\n"), colSpan })));
  }
  return `${table.toString().replace(/ +$/gm, "")}\n`;
};

const MAX_CLI_TABLE_ROWS = 100;

/** Formats a table whose rows are all known. */
export function formatRecords(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  colors: Colors,
) {
  const joinCells = rows.length <= MAX_CLI_TABLE_ROWS && rows.flat(2).every(isAscii) ? joinByCliTable : padCells;
  return new TextTable(columns, width, colors).format(rows, false, joinCells);
}

/** Wraps a line; the following lines are indented. Up to 10 leading spaces are kept as a margin. */
export function wrapLine(line: string, width: number): string {
  const [margin = ""] = /^ {0,10}/.exec(line) ?? [];
  if (displayWidth(line) <= width) return line;
  return margin + wrap(line.slice(margin.length), width - margin.length - INDENT.length).join(`\n${margin}${INDENT}`);
}

/** Returns the widths of the columns that fit side by side. The widest column shrinks first. */
function fitWidths(columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): number[] {
  const texts = columns.map((_, i) => rows.flatMap((row) => row[i] ?? []));
  const naturalWidths = texts.map((column) => Math.min(width, maxWidth(column)));
  const minWidths = columns.map(({ preserveSpaces, minWidth = 0 }, i) => {
    const words = (texts[i] as string[]).flatMap((text) => (preserveSpaces ? text : text.split(" ")));
    return Math.min(naturalWidths[i] as number, Math.max(Math.min(maxWidth(words), maxWordWidth(width)), minWidth));
  });
  let count = columns.length;
  while (count > 1 && sum(minWidths.slice(0, count)) + GAP * (count - 1) > width) count -= 1;
  const availableWidth = width - GAP * (count - 1);
  const widths = naturalWidths.slice(0, count);
  while (sum(widths) > availableWidth) {
    const shrinkable = widths.map((current, i) => (current > (minWidths[i] as number) ? current : 0));
    const widest = shrinkable.indexOf(Math.max(...shrinkable));
    widths[widest] = (widths[widest] as number) - 1;
  }
  // The other columns go on lines below the row, so the last one in the row may use the rest of the width.
  if (count < columns.length) widths[count - 1] = (widths[count - 1] as number) + availableWidth - sum(widths);
  return widths;
}

function maxWidth(texts: readonly string[]): number {
  return texts.reduce((max, text) => Math.max(max, displayWidth(text)), 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Wraps at spaces. A word wider than a line breaks, before its last @ if possible. */
function wrap(text: string, width: number, preserveSpaces = false): string[] {
  if (displayWidth(text) <= width) return [text];
  const parts = preserveSpaces ? breakWord(text, width) : text.replace(/[^ ]+/g, (word) => breakWord(word, width));
  const lines = parts.split("\n").flatMap((part) => wrapWords(part, width, displayWidth));
  return continueColors(preserveSpaces ? lines : lines.map((line) => line.trim()));
}

/** Inserts line feeds, so that no part is wider than `width`. */
function breakWord(word: string, width: number): string {
  if (displayWidth(word) <= width) return word;
  const at = word.lastIndexOf("@");
  if (at > 0) return `${breakWord(word.slice(0, at), width)}\n${breakWord(word.slice(at), width)}`;
  let [broken, lineWidth] = ["", 0];
  for (const part of word
    .split(COLOR_CODE)
    .flatMap((part) => (part.startsWith("\x1b") ? [part] : splitClusters(part)))) {
    const partWidth = displayWidth(part);
    lineWidth += partWidth;
    if (lineWidth > width && broken !== "") {
      broken += "\n";
      lineWidth = partWidth;
    }
    broken += part;
  }
  return broken;
}

/** Ends the color of each line, and starts it again on the next. */
function continueColors(lines: readonly string[]): string[] {
  let color = "";
  return lines.map((line) => {
    const start = color;
    for (const [code] of line.matchAll(/\x1b\[\d+m/g)) color = /\[(?:39|22)m/.test(code) ? "" : code;
    return start + line + (color === "" ? "" : /\[[12]m/.test(color) ? "\x1b[22m" : "\x1b[39m");
  });
}

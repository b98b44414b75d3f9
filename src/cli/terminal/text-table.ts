// Columns of text for people, at most as wide as the terminal: cells wrap, and columns that do not fit go below their
// row.

import { stripVTControlCharacters } from "node:util";
import type stringWidth from "string-width";
import { memoize } from "../../base/memoize.ts";
import type { Runtime } from "../runtime.ts";

export interface Column {
  readonly title: string;
  /** Running text: beside other columns it needs at least this width; else it goes below its row. */
  readonly minWidth?: number;
  /** It gets at least this width when not all rows are known yet. */
  readonly preferredWidth?: number;
  /** It needs no title when it is below its row. */
  readonly untitled?: boolean;
  /** Every space counts, also at a line break. */
  readonly preserveSpaces?: boolean;
}

/** A cell: paragraphs, with or without colour, without control characters. */
export type Cell = readonly string[];

export type Screen = Pick<Runtime, "env" | "stdout">;
export type Colors = Awaited<ReturnType<typeof loadColors>>;

const NARROWEST = 20;
// A column is as wide as its widest word, up to this width or this share of the screen.
const WORD_WIDTH = 24;
const WORD_SHARE = 0.4;
export const GAP = 2;
const WRAPPED_MAX = 1000;
const INDENT = "  ";
// Latin letters and a few signs: each takes one column, whatever is beside it.
const ONE_COLUMN_EACH = /^[ -~\xa1-\xac\xae-\u02ff→…]*$/;
// Made when text beyond ASCII is measured: making them takes longer than the rest of a start.
let clusters: Intl.Segmenter | undefined;
let measure: typeof stringWidth | undefined;

export function displayWidth(text: string): number {
  const plain = text.includes("\x1b") ? stripVTControlCharacters(text) : text;
  if (ONE_COLUMN_EACH.test(plain)) return plain.length;
  return clustersOf(plain).reduce((width, cluster) => width + clusterWidth(cluster), 0);
}

/** For some clusters, such as an emoji with a skin tone, newer terminals count the whole, others its parts. */
function clusterWidth(cluster: string): number {
  measure ??= require("string-width").default as typeof stringWidth;
  const widthOfPart = measure;
  return Math.max(widthOfPart(cluster), sum(Array.from(cluster, (part) => widthOfPart(part))));
}

function clustersOf(text: string): string[] {
  clusters ??= new Intl.Segmenter();
  return Array.from(clusters.segment(text), ({ segment }) => segment);
}

export function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** Colours; none when the output takes none or `colour` is false. */
export async function loadColors({ env }: Pick<Runtime, "env">, colour: boolean) {
  const { Chalk, supportsColor } = await import("chalk");
  const { NO_COLOR } = env;
  const level = colour && (NO_COLOR === undefined || NO_COLOR === "") && supportsColor ? supportsColor.level : 0;
  return new Chalk({ level });
}

/** Columns of the terminal on standard output, else COLUMNS, else `otherwise`. */
export function screenWidth({ stdout, env }: Screen, otherwise: number): number {
  const { COLUMNS = "" } = env;
  const set = /^[0-9]{1,4}$/.test(COLUMNS) ? Number(COLUMNS) : 0;
  return Math.max(NARROWEST, stdout.columns ?? (set || otherwise));
}

export function maxWordWidth(width: number): number {
  return Math.max(WORD_WIDTH, Math.floor(width * WORD_SHARE));
}

/** A table whose rows come in batches. The first one fixes the widths of the columns, and has the titles. */
export class BatchedTable {
  private widths: readonly number[] | undefined;
  private wraps: readonly ((text: string) => readonly string[])[] = [];

  constructor(
    private readonly columns: readonly Column[],
    private readonly width: number,
    private readonly paint: Colors,
  ) {}

  /** The lines of a batch. `more` says that others may follow the first one: then columns get room for longer texts. */
  text(rows: readonly (readonly Cell[])[], more: boolean, layOut: TableFormatter = padded): string {
    const titles = this.widths === undefined ? this.open(rows, more) : [];
    return layOut([...titles, ...this.wrapRows(rows)], this.widths ?? []);
  }

  private open(rows: readonly (readonly Cell[])[], more: boolean): string[][][] {
    const { columns, width, paint } = this;
    const titles = columns.map(({ title }) => [paint.bold(title)]);
    const usual = columns.map((column) => [" ".repeat(more ? Math.min(width, column.preferredWidth ?? 0) : 0)]);
    const widths = widthsBeside(columns, [titles, usual, ...rows], width);
    this.widths = widths;
    this.wraps = widths.map((room, i) =>
      memoize(WRAPPED_MAX, (text) => wrapped(text, room, columns[i]?.preserveSpaces === true)),
    );
    return [this.besides(titles, widths)];
  }

  private wrapRows(rows: readonly (readonly Cell[])[]): string[][][] {
    const { columns, width, widths = [] } = this;
    return rows.flatMap((row) => {
      const below = columns.flatMap((column, i) => (i < widths.length ? [] : this.belowRow(column, row[i] ?? [])));
      const lines = below.flatMap((text) => wrapped(text, width - INDENT.length).map((line) => INDENT + line));
      return lines.length === 0 ? [this.besides(row, widths)] : [this.besides(row, widths), [lines]];
    });
  }

  private belowRow({ title, untitled }: Column, cell: Cell): string[] {
    const texts = cell.filter((text) => text !== "");
    if (texts.length === 0 || untitled === true) return texts;
    return [`${this.paint.bold(title)} ${texts.join(", ")}`];
  }

  private besides(cells: readonly Cell[], widths: readonly number[]): string[][] {
    return widths.map((room, i) => {
      const lines = (text: string): readonly string[] =>
        displayWidth(text) <= room ? [text] : (this.wraps[i]?.(text) ?? []);
      return (cells[i] ?? []).flatMap(lines);
    });
  }
}

/** Rows of cells of lines as text; in a row with fewer cells than columns, the last may be wider than its column. */
export type TableFormatter = (rows: readonly (readonly string[][])[], widths: readonly number[]) => string;

const padded: TableFormatter = (rows, widths) => {
  let text = "";
  for (const row of rows) {
    const height = Math.max(...row.map((cell) => cell.length));
    for (let i = 0; i < height; i += 1) {
      let [line, gap] = ["", 0];
      for (const [at, cell] of row.entries()) {
        const part = cell[i] ?? "";
        line += " ".repeat(gap) + part;
        gap = Math.max(0, (widths[at] as number) + GAP - displayWidth(part));
      }
      text += `${line.endsWith(" ") ? line.replace(/ +$/, "") : line}\n`;
    }
  }
  return text;
};

/** The text in lines of at most `width` columns, those after the first indented. A margin at its beginning stays. */
export function wrapLine(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const [margin = ""] = /^ {0,10}/.exec(text) ?? [];
  const room = width - margin.length - INDENT.length;
  return margin + wrapped(text.slice(margin.length), room).join(`\n${margin}${INDENT}`);
}

/** The widths of the columns that fit side by side. The widest column shrinks first. */
function widthsBeside(columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): number[] {
  const texts = columns.map((_, i) => rows.flatMap((row) => row[i] ?? []));
  const whole = texts.map((column) => Math.min(width, widest(column)));
  const least = columns.map(({ preserveSpaces: exact, minWidth: least = 0 }, i) => {
    const words = texts.at(i)?.flatMap((text) => (exact === true ? text : text.split(" "))) ?? [];
    return Math.min(whole[i] as number, Math.max(Math.min(widest(words), maxWordWidth(width)), least));
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

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** A word is broken only when it is wider than a line, before its @ if possible. An exact text loses no space. */
function wrapped(text: string, width: number, exact = false): string[] {
  if (displayWidth(text) <= width) return [text];
  const breakAtSign = (part: string): string =>
    displayWidth(part) > width ? part.replace(/(?!^)@(?=[^@]*$)/, "\n@") : part;
  const eased = exact ? breakAtSign(text) : text.replace(/[^ ]+/g, breakAtSign);
  return repainted(eased.split("\n").flatMap((part) => (exact ? pieces(part, width) : wordLines(part, width))));
}

/** A word that is wider than a line begins where it needs the fewest lines. */
function wordLines(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.trim().split(" ")) {
    const joined = line === "" ? word : `${line} ${word}`;
    const taken = displayWidth(joined);
    const length = displayWidth(word);
    const room = width - (taken - length);
    const isLong = length > width && room > 0 && Math.ceil((length - room) / width) < Math.ceil(length / width);
    if (taken > width && line !== "" && !isLong) {
      lines.push(line.trimEnd());
      line = word;
    } else line = joined;
    const [...parts] = pieces(line, width);
    line = parts.pop() ?? "";
    lines.push(...parts);
  }
  return [...lines, line.trimEnd()];
}

function pieces(text: string, width: number): string[] {
  if (displayWidth(text) <= width) return [text];
  if (isAscii(text)) return text.match(new RegExp(`.{1,${width}}`, "g")) ?? [];
  const found: string[] = [];
  let [piece, taken] = ["", 0];
  for (const part of text.split(COLOUR)) {
    for (const cluster of part.startsWith("\x1b") ? [part] : clustersOf(part)) {
      const more = displayWidth(cluster);
      if (taken + more > width && taken > 0) {
        found.push(piece);
        [piece, taken] = ["", 0];
      }
      piece += cluster;
      taken += more;
    }
  }
  return [...found, piece];
}

const COLOUR = /(\x1b\[\d+m)/;
const COLOUR_ENDS: readonly string[] = ["\x1b[39m", "\x1b[22m"];

function repainted(lines: readonly string[]): string[] {
  let open = "";
  return lines.map((line) => {
    const begun = open + line;
    for (const code of line.split(COLOUR)) if (code.startsWith("\x1b")) open = COLOUR_ENDS.includes(code) ? "" : code;
    return open === "" ? begun : begun + (/\[[12]m/.test(open) ? "\x1b[22m" : "\x1b[39m");
  });
}

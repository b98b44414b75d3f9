// Makes tables inside of packages smaller, for programs in browsers and workers (web.js: 98 instead of 135 KB packed).

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Plugin } from "esbuild";

type Row = readonly [range: number | readonly [first: number, last: number], status: number, mapping?: string];

/** Replaces the contents of files whose path matches. */
export function replacing(filter: RegExp, contents: (path: string) => string): Plugin {
  return {
    name: `replacing ${filter}`,
    setup: ({ onLoad }) => onLoad({ filter }, ({ path }) => ({ contents: contents(path) })),
  };
}

export const PACKED_TABLES: Plugin[] = [
  replacing(/\btr46.lib.mappingTable\.json$/, mappingTable),
  replacing(/\btr46.lib.regexes\.js$/, (path) => regexes(readFileSync(path, "utf8"))),
  replacing(/\btldts.dist.cjs.(?:index|src.data.trie)\.js$/, (path) => numbersOf(readFileSync(path, "utf8"))),
];

/** Numbers as steps in base 36, equal ones once with their count; or each as a character, where that is shorter. */
function packNumbers(numbers: readonly number[]): string {
  const steps = numbers.map((number, i) => (number - (numbers[i - 1] ?? 0)).toString(36));
  const text = steps.join(" ").replace(/(?<![^ ])(\S+)(?: \1)+(?![^ ])/g, (run, step: string) => {
    return `${step}*${run.split(" ").length.toString(36)}`;
  });
  const isSmall = text.length > numbers.length && numbers.every((number) => number < 64);
  const packed = isSmall ? `=${String.fromCharCode(...numbers.map((number) => number + 35))}` : text;
  if (`${unpackNumbers(packed)}` !== `${numbers}`) throw new Error("numbers can't be packed");
  return packed;
}

/** The numbers of a text; built into the code that needs them. */
function unpackNumbers(text: string): number[] {
  const numbers: number[] = [];
  if (text[0] === "=") {
    for (let i = 1; i < text.length; i += 1) numbers.push(text.charCodeAt(i) - 35);
    return numbers;
  }
  let number = 0;
  for (const part of text.split(" ")) {
    const star = part.indexOf("*");
    const step = Number.parseInt(part, 36);
    let count = star < 0 ? 1 : Number.parseInt(part.slice(star + 1), 36);
    for (; count > 0; count -= 1) {
      number += step;
      numbers.push(number);
    }
  }
  return numbers;
}

/** UTS #46: a row for each range of code points, as columns of numbers. */
function mappingTable(path: string): string {
  const table = createRequire(import.meta.url)(path) as readonly Row[];
  const lengths = table.map(([range]) => (typeof range === "number" ? 0 : range[1] - range[0]));
  const codePoints = table.map(([, , mapping = ""]) => Array.from(mapping, (char) => char.codePointAt(0) as number));
  const sizes = table.map(([, , mapping], i) => (mapping === undefined ? 0 : (codePoints[i] as number[]).length + 1));
  const columns = [lengths, table.map(([, status]) => status), sizes, codePoints.flat()] as const;
  if (JSON.stringify(unpackRows(...columns)) !== JSON.stringify(table)) throw new Error(`${path} can't be packed`);
  const packed = columns.map((column) => `unpackNumbers(${JSON.stringify(packNumbers(column))})`);
  return `${unpackNumbers}${unpackRows}module.exports = unpackRows(${packed.join()});`;
}

/** The rows of the columns; built into the code that needs them. */
function unpackRows(lengths: number[], statuses: number[], sizes: number[], codePoints: number[]): Row[] {
  let next = 0;
  let at = 0;
  return lengths.map((length, i) => {
    const first = next;
    next += length + 1;
    const range = length === 0 ? first : ([first, next - 1] as const);
    const size = (sizes[i] as number) - 1;
    if (size < 0) return [range, statuses[i] as number];
    at += size;
    return [range, statuses[i] as number, String.fromCodePoint(...codePoints.slice(at - size, at))];
  });
}

/** Characters in place of their escapes. */
function regexes(code: string): string {
  return code.replace(/\\u(?:\{([0-9A-F]+)\}|([0-9A-F]{4}))/g, (same, long?: string, short?: string) => {
    const codePoint = Number.parseInt(long ?? (short as string), 16);
    const isPlain =
      codePoint > 0xa0 &&
      !(codePoint >= 0xd800 && codePoint < 0xe000) &&
      !/\p{Z}/u.test(String.fromCodePoint(codePoint));
    return isPlain ? String.fromCodePoint(codePoint) : same;
  });
}

/** Typed arrays as packed numbers. */
function numbersOf(code: string): string {
  const packed = code.replace(/(new Uint\d+Array\()\[([\d, \n]+)\]\)/g, (_, array: string, list: string) => {
    return `${array}unpackNumbers(${JSON.stringify(packNumbers(list.split(",").map(Number)))}))`;
  });
  return `${packed}\n${unpackNumbers}`;
}

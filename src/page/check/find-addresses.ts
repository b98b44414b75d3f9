// Finds the addresses of pasted text: tables, mail headers, lists and sentences.

import { MESSAGE_ID_HEADER } from "../../bulk/rows/mail-headers.ts";
import { escapeQuotes, readTable } from "./read-table.ts";
import {
  createPlace,
  type FoundAddresses,
  findWordsWithoutAt,
  type Place,
  readUnit,
  SEPARATORS_AT_END,
} from "./read-unit.ts";

/** Matches a header line of a mail about its delivery, not about senders or recipients. */
const DELIVERY_HEADER =
  /^(?:received|(?:arc|authentication|dkim|list|received|x)-(?!\S*(?:from|to|sender|mail):)\S*):/i;

/** Matches a quoted cell of a spreadsheet, which may have several lines. */
const QUOTED_CELL = /(?<=^|[\t,;])"[^"]*"(?=[\t,;\r\n]|$)/gm;

export async function findAddresses(text: string): Promise<FoundAddresses> {
  return (await readTable(text)) ?? findInText(text);
}

/** Replaces addresses wherever they were found. All other characters stay. */
export async function replaceAddresses(text: string, replacements: ReadonlyMap<string, string>): Promise<string> {
  const { places } = await findAddresses(text);
  const replacedPlaces = places.filter(({ address }) => replacements.has(address));
  return replacedPlaces.reduceRight((rest, { start, end, address }) => {
    const replacement = replacements.get(address) as string;
    const isEscaped = end - start > address.length;
    return rest.slice(0, start) + (isEscaped ? escapeQuotes(replacement) : replacement) + rest.slice(end);
  }, text);
}

/**
 * Replaces each line of a text that is in `before` by the line of `after` at the same place. If their numbers of lines
 * differ, replaces only `before` as a whole.
 */
export function replaceLines(text: string, before: string, after: string): string {
  const [oldLines, newLines] = [before.split("\n"), after.split("\n")];
  if (oldLines.length !== newLines.length) return text === before ? after : text;
  const queues = new Map<string, string[]>(oldLines.map((line) => [line, []]));
  for (const [i, line] of oldLines.entries()) queues.get(line)?.push(newLines[i] as string);
  const replacedLines = text.split("\n").map((line) => queues.get(line)?.shift() ?? line);
  return replacedLines.join("\n");
}

/** Matches a row of a table with a name and an address, such as `jane,jane@x.com`. */
const NAME_AND_ADDRESS = /^[^\s,;@]+,[^\s,;@]+@[^\s,;@]+\s*$/;

/**
 * Finds the addresses of each line. If no line has one, words such as `jane.x.com` are checked, else all lines. In
 * several rows with a name and an address, a name is no part of its address.
 */
function findInText(text: string): FoundAddresses {
  const isList = text.trim().includes("\n");
  const headers: Place[] = [];
  let lineStart = 0;
  let isHeader = false;
  const cells = text.replace(QUOTED_CELL, (cell) => (cell.includes("\n") ? ` ${cell.slice(1, -1)} ` : cell));
  const units = cells.split("\n").map((line): FoundAddresses => {
    const offset = lineStart;
    lineStart += line.length + 1;
    const isContinuation = isHeader && /^[ \t]+\S/.test(line);
    isHeader = isContinuation || DELIVERY_HEADER.test(line) || MESSAGE_ID_HEADER.test(line);
    if (isHeader) {
      headers.push(createPlace(line, offset));
      return { places: [], skipped: [] };
    }
    const rest = isList ? line.replace(/^[\s,;]+/, "") : line;
    return readUnit(isList ? rest.replace(SEPARATORS_AT_END, "") : rest, offset + line.length - rest.length);
  });
  const isTable = cells.split("\n").filter((line) => NAME_AND_ADDRESS.test(line)).length > 1;
  const places = units
    .flatMap((unit) => unit.places)
    .map((place) => (isTable && text[place.start - 1] === "," ? { ...place, wordBefore: undefined } : place));
  const skipped = units.flatMap((unit) => unit.skipped);
  if (places.length > 0) return { places, skipped: [...skipped, ...headers] };
  const words = new Map(skipped.map((place) => [place, findWordsWithoutAt(place)]));
  const found = [...words.values()].flat();
  if (found.length === 0) return { places: skipped, skipped: headers };
  return { places: found, skipped: [...skipped.filter((place) => words.get(place)?.length === 0), ...headers] };
}

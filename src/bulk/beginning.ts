// What the first octets of an input show: a byte-order mark, another encoding, a compressed file.

import { AddrsiftError } from "../errors.ts";
import type { InputBuffer } from "./reader.ts";

const UTF_8_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

/**
 * Octets in hexadecimal (`..` is any octet except zero), and what is wrong with an input that begins with them. The first match
 * counts.
 */
const BEGINNINGS: readonly (readonly [octets: string, fault: string])[] = [
  ["fffe0000", encoded("UTF-32")],
  ["0000feff", encoded("UTF-32")],
  ["fffe", encoded("UTF-16")],
  ["feff", encoded("UTF-16")],
  // Without a mark, ASCII text in these encodings shows by its zeros; iconv would guess the byte order.
  ["..000000..000000", encoded("UTF-32LE")],
  ["000000..000000..", encoded("UTF-32BE")],
  ["..00..00", encoded("UTF-16LE")],
  ["00..00..", encoded("UTF-16BE")],
  ["1f8b", packed("gzip", "gzip -dc")],
  ["fd377a585a00", packed("xz", "xz -dc")],
  ["425a68..314159265359", packed("bzip2", "bzip2 -dc")],
  ["28b52ffd", packed("zstd", "zstd -dc")],
  [
    "504b0304",
    "the input is a zip archive or a spreadsheet: save a spreadsheet as CSV, or run unzip -p FILE | addrsift detect, with the same options except --input",
  ],
  ["efbbbf", ""],
];

/**
 * Reads the beginning; gives the byte-order mark that was there, or no octets. Throws AddrsiftError INPUT for input that is not
 * UTF-8 text.
 */
export async function takeByteOrderMark(input: InputBuffer): Promise<Uint8Array> {
  await input.fill();
  while (!input.ended && isUndecided(input)) await input.fill();
  const begun = BEGINNINGS.find(([octets]) => 2 * input.end >= octets.length && agrees(input, octets));
  if (begun === undefined) return new Uint8Array(0);
  const [, fault] = begun;
  if (fault !== "") throw new AddrsiftError("INPUT", fault);
  input.start = UTF_8_MARK.length;
  return UTF_8_MARK;
}

/** True when more octets are needed to decide. A row that has arrived does not wait for them. */
function isUndecided(input: InputBuffer): boolean {
  if (input.octets.subarray(0, input.end).includes(LF)) return false;
  return BEGINNINGS.some(([octets]) => 2 * input.end < octets.length && agrees(input, octets));
}

/** True when the octets so far agree with a beginning. */
function agrees(input: InputBuffer, beginning: string): boolean {
  const length = Math.min(input.end, beginning.length / 2);
  for (let i = 0; i < length; i += 1) {
    const wanted = beginning.slice(2 * i, 2 * i + 2);
    const octet = input.octets[i] as number;
    if (wanted === ".." ? octet === 0 : octet !== Number.parseInt(wanted, 16)) return false;
  }
  return true;
}

function encoded(encoding: string): string {
  const family = encoding.slice(0, 6);
  return `the input is ${family}: convert it first, for example with iconv -f ${encoding} -t UTF-8`;
}

function packed(program: string, command: string): string {
  return `the input is compressed with ${program}: run ${command} FILE | addrsift detect, with the same options except --input`;
}

const LF = 0x0a;

// A stream of octets to a scanner, piece by piece, in constant memory. Rows that don't end in a piece wait for the next.

import { AddrsiftError } from "../errors.ts";
import type { Pipeline } from "./pipeline.ts";
import type { ByteSource } from "./ports.ts";
import type { Scanner } from "./rows/scanner.ts";

/** Octets asked for at once. */
export const READ_OCTETS: number = 256 * 1024;

/** The input so far: octets `start` to `end` of `octets` are unread. */
export class InputBuffer {
  octets: Uint8Array = new Uint8Array(2 * READ_OCTETS);
  start = 0;
  end = 0;
  /** Octets read from the source. */
  total = 0;
  ended = false;
  private readonly source: ByteSource;

  constructor(source: ByteSource) {
    this.source = source;
  }

  /** Reads until at least `wanted` octets are unread, and once at least; `ended` says that there was nothing more. */
  async fill(wanted = 0): Promise<void> {
    this.octets.copyWithin(0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
    this.reserve(Math.max(wanted, this.end) + READ_OCTETS);
    do {
      const count = await this.source.read(this.octets, this.end);
      this.end += count;
      this.total += count;
      this.ended = count === 0;
    } while (!this.ended && this.end < wanted);
  }

  private reserve(length: number): void {
    if (length <= this.octets.length) return;
    const larger = new Uint8Array(length);
    larger.set(this.octets.subarray(0, this.end));
    this.octets = larger;
  }
}

/** Reads the beginning, and gives the byte-order mark taken from it, or nothing. Throws AddrsiftError INPUT for UTF-16, gzip and zip. */
export async function takeByteOrderMark(input: InputBuffer): Promise<Uint8Array> {
  await input.fill();
  while (!input.ended && input.end < 4 && mayBeginWithMark(input.octets, input.end)) await input.fill();
  const [a = 0, b = 0, c = 0, d = 0] = input.octets.subarray(0, input.end);
  refusePacked(a, b, c, d);
  const encoding = utf16By(a, b, c, d, input.end);
  if (encoding !== undefined) {
    throw new AddrsiftError(
      "INPUT",
      `the input is UTF-16: convert it first, for example with iconv -f ${encoding} -t UTF-8`,
    );
  }
  if (input.end < 3 || a !== 0xef || b !== 0xbb || c !== 0xbf) return new Uint8Array(0);
  input.start = 3;
  return Uint8Array.of(a, b, c);
}

/** What iconv calls the UTF-16 that the first octets show; without a mark it would guess the order of the octets. */
function utf16By(a: number, b: number, c: number, d: number, length: number): string | undefined {
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return "UTF-16";
  // Without a mark, ASCII text in UTF-16 shows by every other octet being zero.
  if (length < 4) return undefined;
  if (a !== 0 && b === 0 && c !== 0 && d === 0) return "UTF-16LE";
  return a === 0 && b !== 0 && c === 0 && d !== 0 ? "UTF-16BE" : undefined;
}

function refusePacked(a: number, b: number, c: number, d: number): void {
  const gzip = a === 0x1f && b === 0x8b;
  const zip = a === 0x50 && b === 0x4b && c === 0x03 && d === 0x04;
  if (!gzip && !zip) return;
  throw new AddrsiftError(
    "INPUT",
    gzip
      ? "the input is packed with gzip: unpack it on the way, zcat FILE | addrsift detect"
      : "the input is a zip archive or a spreadsheet: save a spreadsheet as CSV, or unpack a file on the way, zcat FILE | addrsift detect",
  );
}

/** True when more octets are needed to tell; whoever types at a pipe is not kept waiting for the first answer. */
function mayBeginWithMark(octets: Uint8Array, length: number): boolean {
  const [first, second] = octets;
  const odd = first === 0xef || first === 0xfe || first === 0xff || first === 0;
  const zip = first === 0x50 && second === 0x4b && (length < 3 || octets[2] === 0x03);
  return odd || zip || (length > 1 ? second === 0 : first !== 0x0a);
}

/** Takes the rows that are there, and writes their output. */
export async function takeRows(input: InputBuffer, scanner: Scanner, pipeline: Pipeline): Promise<void> {
  do {
    input.start = scanner.take(input.octets, input.start, input.end, input.ended, pipeline);
    if (!pipeline.full) break;
    await pipeline.flush();
  } while (input.start < input.end);
  await pipeline.settle();
}

/** Asked after each piece of the input: true ends the work. */
export type Watch = () => boolean;

/** Takes all rows of the input, until `watch` says stop, and writes their output. */
export async function readRows(input: InputBuffer, scanner: Scanner, pipeline: Pipeline, watch: Watch): Promise<void> {
  for (;;) {
    await takeRows(input, scanner, pipeline);
    if (watch() || input.ended) return;
    // A row that does not end here is scanned anew: only when there is twice as much of it, so that time stays linear.
    await input.fill(Math.min(2 * (input.end - input.start), scanner.rowMax));
    // Asked again, for a stream that was given up looks as if it had ended: and half a row is no row.
    if (watch()) return;
  }
}

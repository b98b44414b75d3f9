// UTF-8 decoding, one code point at a time, and the code points that no address may contain.

import { SPACE } from "../base/bytes/ascii.ts";
import { ASSIGNED_RUNS } from "./assigned-runs.ts";
import type { SyntaxCode } from "./faults.ts";

export const LOOKALIKE_AT_SIGNS: ReadonlySet<number> = new Set([0xff20, 0xfe6b]);
/** ZERO WIDTH NON-JOINER and JOINER: IDNA's CONTEXTJ rules (RFC 5892 A.1, A.2) decide in domains. */
export const JOINERS: ReadonlySet<number> = new Set([0x200c, 0x200d]);

/** True for invisible, private, broken and unassigned ones, but not for variation selectors 15 and 16 of emoji. */
export function isDisallowed(codePoint: number): boolean {
  if (codePoint === 0xfe0e || codePoint === 0xfe0f) return false;
  if (!isAssigned(codePoint)) return true;
  // Made here, because making it takes a millisecond that a plain ASCII address does not need.
  const char = String.fromCodePoint(codePoint);
  return /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\uFFFD]/u.test(char);
}

let runStarts: Uint32Array | undefined;

/**
 * True for a code point of Unicode 15.0, the oldest version in any Node from 20.19 on. For these, letter case and form
 * C are the same in every later version; for newer ones the result would depend on the machine.
 */
export function isAssigned(codePoint: number): boolean {
  runStarts ??= decodeRunStarts();
  // The last run that starts at or before the code point; the first run and every second one after it are assigned.
  let low = 0;
  let high = runStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((runStarts[middle] as number) <= codePoint) low = middle;
    else high = middle;
  }
  return low % 2 === 0;
}

function decodeRunStarts(): Uint32Array {
  const lengths = ASSIGNED_RUNS.trim().split(/\s/);
  const starts = new Uint32Array(lengths.length);
  for (let i = 1; i < starts.length; i += 1) {
    starts[i] = (starts[i - 1] as number) + Number.parseInt(lengths[i - 1] as string, 36);
  }
  return starts;
}

export function isCombiningMark(codePoint: number): boolean {
  return /\p{M}/u.test(String.fromCodePoint(codePoint));
}

/** Bytes of the UTF-8 sequence after a lead byte, itself included; 0 when it can't lead (RFC 3629 §4). */
function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

// The smallest code point of each sequence length; a smaller one is an overlong form.
const MIN_CODE_POINT = [0, 0, 0x80, 0x800, 0x10000];

/** The code point at `index`, or -1 where the bytes up to `end` are not UTF-8 (overlong, surrogate, cut, stray). */
export function codePointAt(bytes: Uint8Array, index: number, end: number): number {
  const lead = bytes[index] as number;
  const length = sequenceLength(lead);
  if (length === 1) return lead;
  if (length === 0 || index + length > end) return -1;
  let codePoint = lead & (0x7f >> length);
  for (let i = 1; i < length; i += 1) {
    const byte = bytes[index + i] as number;
    if ((byte & 0xc0) !== 0x80) return -1;
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  if (codePoint < (MIN_CODE_POINT[length] as number) || codePoint > 0x10ffff) return -1;
  return codePoint >= 0xd800 && codePoint <= 0xdfff ? -1 : codePoint;
}

export function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** The fault of an ASCII byte that is not allowed where it is; `other` is for one of no kind. */
export function faultOfByte(byte: number, fallback: SyntaxCode): SyntaxCode {
  if (byte === SPACE || (byte >= 0x09 && byte <= 0x0d)) return "white_space";
  if (byte < SPACE || byte === 0x7f) return "control_character";
  if (byte === 0x28 || byte === 0x29) return "comment";
  return byte === 0x3c || byte === 0x3e ? "angle_bracket" : fallback;
}

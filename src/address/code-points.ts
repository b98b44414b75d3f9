// UTF-8 decoding by code point, and the code points that are not allowed in an address.

import { SPACE } from "../base/bytes/ascii.ts";
import { ASSIGNED_RUNS } from "./assigned-runs.ts";
import type { SyntaxCode } from "./faults.ts";

export const LOOKALIKE_AT_SIGNS: ReadonlySet<number> = new Set([0xff20, 0xfe6b]);
/** ZERO WIDTH NON-JOINER and JOINER. In domains, IDNA's CONTEXTJ rules (RFC 5892 A.1, A.2) allow or reject them. */
export const JOINERS: ReadonlySet<number> = new Set([0x200c, 0x200d]);

/** Reports whether a code point is invisible, private-use, a surrogate or unassigned. Emoji variation selectors pass. */
export function isDisallowed(codePoint: number): boolean {
  if (codePoint === 0xfe0e || codePoint === 0xfe0f) return false;
  if (!isAssigned(codePoint)) return true;
  // Not a module constant: compiling the pattern takes a millisecond, and ASCII addresses don't need it.
  const char = String.fromCodePoint(codePoint);
  return /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\uFFFD]/u.test(char);
}

let runStarts: Uint32Array | undefined;

/**
 * Reports whether Unicode 15.0 assigns the code point. This is the version in Node 20.19, the oldest supported. Case
 * mapping and NFC of its code points never change; those of newer code points would depend on the Node version.
 */
export function isAssigned(codePoint: number): boolean {
  runStarts ??= decodeRunStarts();
  // Binary search for the run that contains the code point. Runs alternate, starting with an assigned one.
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

/** Returns the length in bytes of the UTF-8 sequence that `lead` starts, or 0 if it can't start one (RFC 3629 §4). */
function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

// By sequence length; a smaller code point is an overlong form.
const MIN_CODE_POINT = [0, 0, 0x80, 0x800, 0x10000];

/** Decodes the code point at `index`. Returns -1 for invalid UTF-8 (overlong, surrogate, truncated, stray byte). */
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

/** Returns the fault for an ASCII byte that is not allowed at its position; `fallback` if no specific fault applies. */
export function faultOfByte(byte: number, fallback: SyntaxCode): SyntaxCode {
  if (byte === SPACE || (byte >= 0x09 && byte <= 0x0d)) return "white_space";
  if (byte < SPACE || byte === 0x7f) return "control_character";
  if (byte === 0x28 || byte === 0x29) return "comment";
  return byte === 0x3c || byte === 0x3e ? "angle_bracket" : fallback;
}

// Role accounts (RFC 2142 and custom). At a public domain only a role's whole name counts, because people choose names
// such as info.john@gmail.com there.

import type { LocalPartContent } from "./canonical.ts";
import { TRAIT } from "./scan.ts";

/** `prefix`: the role's name may also be before a separator or digits (`support-eu`, `info2`). */
export type RoleMatch = "none" | "exact" | "prefix";

/** The table of role names; bytes may be in either letter case. */
export interface RoleTable {
  /** False when no role's name begins with the bytes from `start` on; may be wrongly true. */
  mayBeginRole(bytes: Uint8Array, start: number): boolean;
  role(bytes: Uint8Array, start: number, end: number): RoleMatch;
}

const BREAKS = TRAIT.plus | TRAIT.dot | TRAIT.hyphen | TRAIT.underscore | TRAIT.digit;

// Kinds of a byte after a prefix: the beginning of the tag, a separator, a digit.
const PLUS = 1;
const SEPARATOR = 2;
const DIGIT = 3;
const MEANING = new Uint8Array(256);
MEANING[0x2b] = PLUS;
for (const separator of ".-_") MEANING[separator.charCodeAt(0)] = SEPARATOR;
for (const digit of "0123456789") MEANING[digit.charCodeAt(0)] = DIGIT;

/**
 * The index at which the matched role name ends in `content.bytes`, or -1. `separatorAt` is where the tag begins by
 * the provider's rule, -1 without a tag; it counts at a public domain. Elsewhere everything after `+` is a tag.
 */
export function matchRole(
  content: LocalPartContent,
  table: RoleTable,
  publicDomain: boolean,
  separatorAt: number,
): number {
  if (!content.dotString) return -1;
  const { bytes, start, end, traits } = content;
  if (!table.mayBeginRole(bytes, start)) return -1;
  if (publicDomain || (traits & BREAKS) === 0) {
    if (table.role(bytes, start, end) !== "none") return end;
    return separatorAt >= 0 && table.role(bytes, start, separatorAt) !== "none" ? separatorAt : -1;
  }
  return matchPrefix(content, table);
}

/** The role name that is the whole local part before `+`, or a prefix of it before a separator or digits. */
function matchPrefix(content: LocalPartContent, table: RoleTable): number {
  const { bytes, start } = content;
  let prefixEnd = -1;
  let end = start + 1;
  for (let previous = 0; end < content.end; end += 1) {
    const meaning = MEANING[bytes[end] as number] as number;
    if (meaning === PLUS) break;
    // A prefix ends before a separator or before the first digit of several; the shortest role has two bytes.
    const ends = meaning !== 0 && meaning !== (previous === DIGIT ? DIGIT : 0) && end >= start + 2;
    if (ends && prefixEnd < 0 && table.role(bytes, start, end) === "prefix") prefixEnd = end;
    previous = meaning;
  }
  return table.role(bytes, start, end) === "none" ? prefixEnd : end;
}

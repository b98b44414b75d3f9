// Role accounts (RFC 2142 and custom). At a public domain only a role's whole name counts, because people choose names
// such as info.john@gmail.com there.

import type { UnquotedLocalPart } from "./canonical.ts";
import { CHAR_CLASS } from "./scan.ts";

/** `prefix`: the role's name may also be before a separator or digits (`support-eu`, `info2`). */
export type RoleMatch = "none" | "exact" | "prefix";

/** The table of role names; bytes may be in either letter case. */
export interface RoleTable {
  /** False when no role's name begins with the bytes from `start` on; may be wrongly true. */
  mayStartRole(bytes: Uint8Array, start: number): boolean;
  lookUpRole(bytes: Uint8Array, start: number, end: number): RoleMatch;
}

const BREAK_CLASSES = CHAR_CLASS.plus | CHAR_CLASS.dot | CHAR_CLASS.hyphen | CHAR_CLASS.underscore | CHAR_CLASS.digit;

// Kinds of a byte after a prefix: the beginning of the tag, a separator, a digit.
const TAG_START = 1;
const SEPARATOR = 2;
const DIGIT = 3;
const BREAK_KIND = new Uint8Array(256);
BREAK_KIND[0x2b] = TAG_START;
for (const separator of ".-_") BREAK_KIND[separator.charCodeAt(0)] = SEPARATOR;
for (const digit of "0123456789") BREAK_KIND[digit.charCodeAt(0)] = DIGIT;

/**
 * The index at which the matched role name ends in `content.bytes`, or -1. `separatorAt` is where the tag begins by
 * the provider's rule, -1 without a tag; it counts at a public domain. Elsewhere everything after `+` is a tag.
 */
export function matchRole(
  localPart: UnquotedLocalPart,
  table: RoleTable,
  publicDomain: boolean,
  separatorAt: number,
): number {
  if (!localPart.isDotString) return -1;
  const { bytes, start, end, charClasses } = localPart;
  if (!table.mayStartRole(bytes, start)) return -1;
  if (publicDomain || (charClasses & BREAK_CLASSES) === 0) {
    if (table.lookUpRole(bytes, start, end) !== "none") return end;
    return separatorAt >= 0 && table.lookUpRole(bytes, start, separatorAt) !== "none" ? separatorAt : -1;
  }
  return matchPrefix(localPart, table);
}

/** The role name that is the whole local part before `+`, or a prefix of it before a separator or digits. */
function matchPrefix(localPart: UnquotedLocalPart, table: RoleTable): number {
  const { bytes, start } = localPart;
  let prefixEnd = -1;
  let end = start + 1;
  for (let previous = 0; end < localPart.end; end += 1) {
    const breakKind = BREAK_KIND[bytes[end] as number] as number;
    if (breakKind === TAG_START) break;
    // A prefix ends before a separator or before the first digit of several; the shortest role has two bytes.
    const mayEndPrefix = breakKind !== 0 && breakKind !== (previous === DIGIT ? DIGIT : 0) && end >= start + 2;
    if (mayEndPrefix && prefixEnd < 0 && table.lookUpRole(bytes, start, end) === "prefix") prefixEnd = end;
    previous = breakKind;
  }
  return table.lookUpRole(bytes, start, end) === "none" ? prefixEnd : end;
}

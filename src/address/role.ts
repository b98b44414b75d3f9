// Role accounts (RFC 2142 and common usage). At a public domain only a whole role name counts, because people choose
// names such as info.john@gmail.com.

import type { UnquotedLocalPart } from "./canonical.ts";
import { CHAR_CLASS } from "./scan.ts";

/** `prefix`: the role name may be followed by a separator or digits (`support-eu`, `info2`). */
export type RoleMatch = "none" | "exact" | "prefix";

/** Role names; lookups ignore ASCII letter case. */
export interface RoleTable {
  /** Returns false if no role name can start with the bytes at `start`. True may be a false positive. */
  mayStartRole(bytes: Uint8Array, start: number): boolean;
  lookUpRole(bytes: Uint8Array, start: number, end: number): RoleMatch;
}

const BOUNDARY_CLASSES =
  CHAR_CLASS.plus | CHAR_CLASS.dot | CHAR_CLASS.hyphen | CHAR_CLASS.underscore | CHAR_CLASS.digit;

// Kinds of bytes that can follow a role name. Other bytes have kind 0.
const TAG_START = 1;
const SEPARATOR = 2;
const DIGIT = 3;
const BOUNDARY_KIND = new Uint8Array(256);
BOUNDARY_KIND[0x2b] = TAG_START;
for (const separator of ".-_") BOUNDARY_KIND[separator.charCodeAt(0)] = SEPARATOR;
for (const digit of "0123456789") BOUNDARY_KIND[digit.charCodeAt(0)] = DIGIT;

/**
 * Returns the end of the role name in `localPart.bytes`, or -1 if there is none. `separatorAt` is the index of the tag's
 * separator under the provider's rule, or -1. It is used at public domains only; elsewhere a tag starts at the first `+`.
 */
export function matchRole(
  localPart: UnquotedLocalPart,
  table: RoleTable,
  isPublicDomain: boolean,
  separatorAt: number,
): number {
  if (!localPart.isDotString) return -1;
  const { bytes, start, end, charClasses } = localPart;
  if (!table.mayStartRole(bytes, start)) return -1;
  if (isPublicDomain || (charClasses & BOUNDARY_CLASSES) === 0) {
    if (table.lookUpRole(bytes, start, end) !== "none") return end;
    return separatorAt >= 0 && table.lookUpRole(bytes, start, separatorAt) !== "none" ? separatorAt : -1;
  }
  return matchPrefix(localPart, table);
}

/** Matches the local part before `+`, else its shortest prefix before a separator or digits. */
function matchPrefix(localPart: UnquotedLocalPart, table: RoleTable): number {
  const { bytes, start } = localPart;
  let prefixEnd = -1;
  let end = start + 1;
  for (let previousKind = 0; end < localPart.end; end += 1) {
    const boundaryKind = BOUNDARY_KIND[bytes[end] as number] as number;
    if (boundaryKind === TAG_START) break;
    // A prefix ends before a separator or a run of digits. The shortest role name has two bytes.
    const mayEndPrefix =
      boundaryKind !== 0 && boundaryKind !== (previousKind === DIGIT ? DIGIT : 0) && end >= start + 2;
    if (mayEndPrefix && prefixEnd < 0 && table.lookUpRole(bytes, start, end) === "prefix") prefixEnd = end;
    previousKind = boundaryKind;
  }
  return table.lookUpRole(bytes, start, end) === "none" ? prefixEnd : end;
}

// Role accounts (RFC 2142 and custom): is the local part a shared inbox? Judged by the local part alone, whatever the domain.

import type { LocalPartContent } from "./canonical.ts";

/** How a role's name matches: the whole local part, or also what a separator or digits follow (`support-eu`, `info2`). */
export type RoleMatch = "none" | "exact" | "prefix";

/** The table of role names; octets may be in either letter case. */
export interface RoleTable {
  role(octets: Uint8Array, start: number, end: number): RoleMatch;
}

const PLUS = 0x2b;

/** The index at which the matched role name ends in `content.octets`, or -1. A tag after `+` does not count. */
export function matchRole(content: LocalPartContent, table: RoleTable): number {
  if (!content.dotString) return -1;
  const { octets, start } = content;
  let end = start + 1;
  while (end < content.end && octets[end] !== PLUS) end += 1;
  if (table.role(octets, start, end) !== "none") return end;
  // The shortest role has two letters.
  for (let i = start + 2; i < end; i += 1) {
    if (!endsPrefix(octets, i)) continue;
    if (table.role(octets, start, i) === "prefix") return i;
  }
  return -1;
}

/** True where a separator stands, or where digits begin. */
function endsPrefix(octets: Uint8Array, index: number): boolean {
  const octet = octets[index] as number;
  if (octet === 0x2e || octet === 0x2d || octet === 0x5f) return true;
  return isDigit(octet) && !isDigit(octets[index - 1] as number);
}

function isDigit(octet: number): boolean {
  return octet >= 0x30 && octet <= 0x39;
}

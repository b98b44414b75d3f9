// Address literals: RFC 5321 §4.1.3. Only IPv4 and IPv6, because IANA has registered no other tag.

/** True for the text between the brackets of a valid literal: `192.0.2.1` or `IPv6:2001:db8::1`. */
export function isAddressLiteral(text: string): boolean {
  return /^ipv6:/i.test(text) ? isIpv6(text.slice(5)) : isIpv4(text);
}

/** Four decimal numbers of at most 255; RFC 5321's Snum allows leading zeros, up to three digits. */
export function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const [head = "", tail] = halves;
  const before = countGroups(head, tail === undefined);
  const after = tail === undefined ? 0 : countGroups(tail, true);
  if (before < 0 || after < 0) return false;
  // `::` replaces at least two groups: RFC 5321 §4.1.3 IPv6-comp.
  return tail === undefined ? before === 8 : before + after <= 6;
}

/** Groups of 16 bits on one side of `::`; an IPv4 address at the very end counts as two; -1 when malformed. */
function countGroups(side: string, atEnd: boolean): number {
  if (side === "") return 0;
  const groups = side.split(":");
  const last = groups.at(-1) as string;
  const embedded = atEnd && last.includes(".");
  if (embedded && !isIpv4(last)) return -1;
  const plain = embedded ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return -1;
  return plain.length + (embedded ? 2 : 0);
}

// A quick guess for beginnings of CSV. What an address is exactly, the parser decides.

/** True for text that is probably an address: something, an `@`, and a dot inside what follows. */
export function looksLikeAddress(text: string): boolean {
  const trimmed = text.trim();
  // With the dot in the expression, many dots take quadratic time.
  return /^[^\s@"<>]+@[^\s@"<>]+$/.test(trimmed) && trimmed.slice(trimmed.indexOf("@") + 2, -1).includes(".");
}

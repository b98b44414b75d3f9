// A quick guess for beginnings of CSV. What an address is exactly, the parser decides.

/** True for text that is probably an address. */
export function looksLikeAddress(text: string): boolean {
  return /^[^\s@"<>]+@[^\s@"<>]+\.[^\s@"<>]+$/.test(text.trim());
}

// Byte classes, and conversion between bytes and text. No grammar.

const encoder = new TextEncoder();
// Made when first used: a plain ASCII address needs none.
let decoder: InstanceType<typeof TextDecoder> | undefined;

/** Lower-case of each byte: only A to Z change. */
export const LOWER: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Text to UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** UTF-8 to text; broken bytes become U+FFFD, a byte-order mark stays. */
export function decodeUtf8(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(bytes.subarray(start, end));
}

/**
 * ASCII bytes to lower-case text. Eight at a time, because a call for each byte takes twice the time, and a decoder
 * costs too much for a short name.
 */
export function asciiText(bytes: Uint8Array, start: number, end: number): string {
  const at = (i: number): number => LOWER[bytes[i] as number] as number;
  let text = "";
  let i = start;
  for (; i + 8 <= end; i += 8) {
    text += String.fromCharCode(at(i), at(i + 1), at(i + 2), at(i + 3), at(i + 4), at(i + 5), at(i + 6), at(i + 7));
  }
  for (; i < end; i += 1) text += String.fromCharCode(at(i));
  return text;
}

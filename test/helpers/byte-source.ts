// Bytes as a source that returns only so many at a time.

import type { ByteSource } from "../../src/bulk/streams.ts";

/** Returns `bytes` in pieces of at most `size`. */
export function chunkedSource(bytes: Uint8Array, size: number): ByteSource {
  let at = 0;
  return {
    read: async (target, to) => {
      const piece = bytes.subarray(at, at + Math.min(size, target.length - to));
      target.set(piece, to);
      at += piece.length;
      return piece.length;
    },
    close: () => {},
  };
}

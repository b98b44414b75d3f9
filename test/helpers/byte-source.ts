// Octets as a source that gives only so many at a time.

import type { ByteSource } from "../../src/bulk/ports.ts";

/** Gives `octets` in pieces of at most `size`. */
export function inPieces(octets: Uint8Array, size: number): ByteSource {
  let at = 0;
  return {
    read: async (target, to) => {
      const piece = octets.subarray(at, at + Math.min(size, target.length - to));
      target.set(piece, to);
      at += piece.length;
      return piece.length;
    },
    close: () => {},
  };
}

// A byte source that returns small chunks.

import type { ByteSource } from "../../src/bulk/streams.ts";

/** Returns a source whose reads return at most `size` bytes. */
export function chunkedSource(bytes: Uint8Array, size: number): ByteSource {
  let at = 0;
  return {
    read: async (target, to) => {
      const chunk = bytes.subarray(at, at + Math.min(size, target.length - to));
      target.set(chunk, to);
      at += chunk.length;
      return chunk.length;
    },
    close: () => {},
  };
}

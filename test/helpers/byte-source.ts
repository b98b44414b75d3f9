// A byte source that returns small chunks.

import type { ByteSource } from "../../src/bulk/streams.ts";

/** Returns a source whose reads return at most `size` bytes, or chunks of these sizes and then the rest. */
export function chunkedSource(bytes: Uint8Array, size: number | readonly number[]): ByteSource {
  let [at, reads] = [0, 0];
  return {
    read: async (target, to) => {
      const max = typeof size === "number" ? size : (size[reads++] ?? bytes.length);
      const chunk = bytes.subarray(at, at + Math.min(max, target.length - to));
      target.set(chunk, to);
      at += chunk.length;
      return chunk.length;
    },
    close: () => {},
  };
}

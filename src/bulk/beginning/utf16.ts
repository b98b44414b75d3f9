// UTF-16 as UTF-8, piece by piece. Half of a surrogate pair becomes U+FFFD, which no valid address has.

import { encodeUtf8 } from "../../base/bytes/octets.ts";
import type { ByteSource } from "../ports.ts";

// Octets read at once.
const PIECE_OCTETS = 64 * 1024;

/** Converts a source of UTF-16 without a byte-order mark. */
export class Utf16Source implements ByteSource {
  private readonly decoder: InstanceType<typeof TextDecoder>;
  private readonly piece: Uint8Array = new Uint8Array(PIECE_OCTETS);
  /** Converted and not given yet. */
  private rest: Uint8Array = new Uint8Array(0);
  private ended = false;

  constructor(
    private readonly source: ByteSource,
    encoding: "utf-16le" | "utf-16be",
  ) {
    this.decoder = new TextDecoder(encoding, { ignoreBOM: true });
  }

  async read(target: Uint8Array, at: number): Promise<number> {
    // Half of a character gives no text yet.
    while (this.rest.length === 0 && !this.ended) {
      const count = await this.source.read(this.piece, 0);
      this.ended = count === 0;
      this.rest = encodeUtf8(this.decoder.decode(this.piece.subarray(0, count), { stream: !this.ended }));
    }
    const count = Math.min(this.rest.length, target.length - at);
    target.set(this.rest.subarray(0, count), at);
    this.rest = this.rest.subarray(count);
    return count;
  }

  close(): void {
    this.source.close();
  }
}

// UTF-16 as UTF-8, piece by piece. Half of a surrogate pair becomes U+FFFD, which no valid address has.

import { encodeUtf8 } from "../../base/bytes/bytes.ts";
import { type ByteSource, ConvertedSource } from "../ports.ts";

// Bytes read at once.
const PIECE_BYTES = 64 * 1024;

/** Converts a source of UTF-16 without a byte-order mark. */
export class Utf16Source extends ConvertedSource {
  private readonly decoder: InstanceType<typeof TextDecoder>;
  private readonly piece: Uint8Array = new Uint8Array(PIECE_BYTES);

  constructor(source: ByteSource, encoding: "utf-16le" | "utf-16be") {
    super(source);
    this.decoder = new TextDecoder(encoding, { ignoreBOM: true });
  }

  /** Half of a character gives no text yet. */
  protected async convert(): Promise<void> {
    const count = await this.source.read(this.piece, 0);
    this.ended = count === 0;
    this.rest = encodeUtf8(this.decoder.decode(this.piece.subarray(0, count), { stream: !this.ended }));
  }
}

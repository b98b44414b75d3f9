// gzip unpacked as it is read, in constant memory. A file that is damaged or cut off is an error after the rows before that place.

import type { Gunzip } from "node:zlib";
import { AddrsiftError, isAddrsiftError } from "../../errors.ts";
import type { ByteSource } from "../ports.ts";

// Octets given to the unpacker at once.
const PIECE_OCTETS = 64 * 1024;

/** Unpacks a source of gzip, of one member or several. */
export class GunzipSource implements ByteSource {
  private readonly packed: ByteSource;
  private readonly gunzip: Gunzip;
  private readonly chunks: AsyncIterator<Uint8Array>;
  private readonly shown: string;
  private rest: Uint8Array = new Uint8Array(0);
  private begun = false;
  private closed = false;

  /** `shown` is what errors call the input. */
  constructor(packed: ByteSource, shown: string, zlib: Pick<typeof import("node:zlib"), "createGunzip">) {
    this.packed = packed;
    this.shown = shown;
    this.gunzip = zlib.createGunzip();
    this.chunks = this.gunzip[Symbol.asyncIterator]();
  }

  async read(target: Uint8Array, at: number): Promise<number> {
    if (!this.begun) void this.feed();
    this.begun = true;
    while (this.rest.length === 0) {
      const chunk = await this.nextChunk();
      if (chunk === undefined) return 0;
      this.rest = chunk;
    }
    const count = Math.min(this.rest.length, target.length - at);
    target.set(this.rest.subarray(0, count), at);
    this.rest = this.rest.subarray(count);
    return count;
  }

  close(): void {
    this.closed = true;
    this.packed.close();
    this.gunzip.destroy();
  }

  /** Gives the unpacker what there is, as fast as it takes it. */
  private async feed(): Promise<void> {
    try {
      for (;;) {
        // A piece of its own each time, because the unpacker works while the next is read.
        const piece = new Uint8Array(PIECE_OCTETS);
        const count = await this.packed.read(piece, 0);
        if (count === 0) break;
        const wantsMore = this.gunzip.write(piece.subarray(0, count));
        if (!wantsMore) await new Promise((resolve) => this.gunzip.once("drain", resolve));
      }
      this.gunzip.end();
    } catch (error) {
      this.gunzip.destroy(error as Error);
    }
  }

  private async nextChunk(): Promise<Uint8Array | undefined> {
    try {
      const { value, done } = await this.chunks.next();
      return done === true ? undefined : value;
    } catch (error) {
      if (this.closed) return undefined;
      if (isAddrsiftError(error)) throw error;
      const { code } = error as NodeJS.ErrnoException;
      const fault =
        code === "Z_BUF_ERROR" ? "is cut off before its end: get the whole file" : "is damaged: get the file again";
      throw new AddrsiftError("INPUT", `the gzip data of ${this.shown} ${fault}`, error);
    }
  }
}

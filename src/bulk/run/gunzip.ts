// gzip unpacked by Node's zlib while it is read, in constant memory: zlib gets a small piece when what came of the one
// before was taken. Of a piece with a fault, what zlib has not given by then is lost.

import { AddrsiftError } from "../../base/errors.ts";
import type { ByteSource } from "../ports.ts";

/** The part of Node's zlib that is needed. */
export type Zlib = Pick<typeof import("node:zlib"), "createGunzip">;

// Bytes given to zlib at once: few, because so many may be lost, and enough that zlib's thread is worth its cost.
const PIECE_BYTES = 4 * 1024;
// Bytes that zlib gives at once. They wait in it until they are taken.
const UNPACKED_BYTES = 64 * 1024;
const NOTHING = new Uint8Array(0);

/** Unpacks a source of gzip (RFC 1952), of one member or several. */
export class GunzipSource implements ByteSource {
  /** Bytes that were read of the source. */
  packedBytes = 0;
  private gunzip: ReturnType<Zlib["createGunzip"]>;
  /** The piece that zlib was given last, and what it had taken before. */
  private piece: Uint8Array = NOTHING;
  private takenBefore = 0;
  private wantsMore = true;
  private ended = false;
  private closed = false;
  private failure: Error | undefined;
  private wake: () => void = () => {};
  private rest: Uint8Array = NOTHING;

  /** `shown` is what errors call the input. */
  constructor(
    private readonly packed: ByteSource,
    private readonly shown: string,
    private readonly zlib: Zlib,
  ) {
    this.gunzip = this.begin();
  }

  async read(target: Uint8Array, at: number): Promise<number> {
    try {
      while (this.rest.length === 0 && !this.closed && (await this.advance()));
    } catch (error) {
      this.gunzip.destroy();
      if (!this.closed) throw error;
    }
    const count = Math.min(this.rest.length, target.length - at);
    target.set(this.rest.subarray(0, count), at);
    this.rest = this.rest.subarray(count);
    return count;
  }

  close(): void {
    this.closed = true;
    this.rest = NOTHING;
    this.packed.close();
    this.gunzip.destroy();
    this.wake();
  }

  /** One step: takes what zlib has unpacked, gives it more or waits; false at the end. */
  private async advance(): Promise<boolean> {
    const { gunzip } = this;
    const unpacked = gunzip.read() as Uint8Array | null;
    if (unpacked !== null) this.rest = unpacked;
    else if (this.failure !== undefined) throw this.fault(this.failure);
    else if (gunzip.readableEnded) return this.beginAgain();
    else {
      const changed = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      if (this.wantsMore) this.give(await this.nextPiece());
      await changed;
    }
    return true;
  }

  private begin(): ReturnType<Zlib["createGunzip"]> {
    const gunzip = this.zlib.createGunzip({ chunkSize: UNPACKED_BYTES });
    gunzip.on("readable", () => this.wake());
    gunzip.on("end", () => this.wake());
    gunzip.on("error", (error) => {
      this.failure = error;
      this.wake();
    });
    return gunzip;
  }

  /**
   * Zeros end zlib's work, because they fill up blocks on tapes and disks. Members may follow them; false when none
   * does.
   */
  private async beginAgain(): Promise<boolean> {
    let left = this.left;
    this.gunzip.destroy();
    for (;;) {
      const next = left.findIndex((byte) => byte !== 0);
      if (next >= 0) {
        this.gunzip = this.begin();
        this.give(left.subarray(next));
        return true;
      }
      if (this.ended) return false;
      left = await this.nextPiece();
    }
  }

  private give(piece: Uint8Array): void {
    const { gunzip } = this;
    this.takenBefore = gunzip.bytesWritten;
    this.piece = piece;
    this.wantsMore = false;
    if (piece.length === 0) {
      gunzip.end();
      return;
    }
    gunzip.write(piece, () => {
      // Bytes that it leaves come after its end.
      this.wantsMore = this.left.length === 0;
      this.wake();
    });
  }

  /** The rest of the piece that zlib has not taken. */
  private get left(): Uint8Array {
    return this.piece.subarray(this.gunzip.bytesWritten - this.takenBefore);
  }

  /**
   * The next packed bytes, of which there are none at the end. Each has memory of its own, because zlib works while
   * others are read.
   */
  private async nextPiece(): Promise<Uint8Array> {
    const piece = new Uint8Array(PIECE_BYTES);
    const count = await this.packed.read(piece, 0);
    this.packedBytes += count;
    this.ended = count === 0;
    return piece.subarray(0, count);
  }

  private fault(error: NodeJS.ErrnoException): AddrsiftError {
    // Only what follows a member has no gzip header: the first one was seen before.
    const what =
      error.code === "Z_BUF_ERROR"
        ? "is cut off before its end: get the whole file"
        : error.message === "incorrect header check"
          ? "is followed by other data, which is not read: get the file again"
          : "is damaged: get the file again";
    return new AddrsiftError("INPUT", `the gzip data of ${this.shown} ${what}`, error);
  }
}

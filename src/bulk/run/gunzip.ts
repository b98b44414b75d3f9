// gzip unpacked by Node's zlib while it is read, in constant memory: zlib gets a small piece when all of the one before
// was taken. What zlib has not returned of a piece with a fault is lost.

import { AddrsiftError } from "../../base/errors.ts";
import { type ByteSource, ConvertedSource } from "../ports.ts";

/** The part of Node's zlib that is needed. */
export type Zlib = Pick<typeof import("node:zlib"), "createGunzip">;

// Bytes given to zlib at once: few, because so many may be lost, and enough that zlib's thread is worth its cost.
const PIECE_BYTES = 4 * 1024;
// Bytes that zlib returns at once. They wait in it until they are taken.
const UNPACKED_BYTES = 64 * 1024;
const NOTHING = new Uint8Array(0);

/** Unpacks a source of gzip (RFC 1952), of one member or several. */
export class GunzipSource extends ConvertedSource {
  packedBytes = 0;
  private gunzip: ReturnType<Zlib["createGunzip"]>;
  /** The piece that zlib was given last, and what it had taken before. */
  private piece: Uint8Array = NOTHING;
  private takenBefore = 0;
  private wantsMore = true;
  private packedEnded = false;
  private failure: Error | undefined;
  private wake: () => void = () => {};

  /** `shown` is what errors call the input. */
  constructor(
    packed: ByteSource,
    private readonly shown: string,
    private readonly zlib: Zlib,
  ) {
    super(packed);
    this.gunzip = this.begin();
  }

  override close(): void {
    this.ended = true;
    this.rest = NOTHING;
    super.close();
    this.gunzip.destroy();
    this.wake();
  }

  protected async next(): Promise<void> {
    try {
      await this.advance();
    } catch (error) {
      this.gunzip.destroy();
      if (!this.ended) throw error;
    }
  }

  /** One step: takes what zlib has unpacked, passes it more or waits. */
  private async advance(): Promise<void> {
    const { gunzip } = this;
    const unpacked = gunzip.read() as Uint8Array | null;
    if (unpacked !== null) this.rest = unpacked;
    else if (this.failure !== undefined) throw this.fault(this.failure);
    else if (gunzip.readableEnded) await this.beginAgain();
    else {
      const changed = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      if (this.wantsMore) this.give(await this.nextPiece());
      await changed;
    }
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

  /** Zeros end zlib's work, because they fill up blocks on tapes and disks. Members may follow them. */
  private async beginAgain(): Promise<void> {
    let left = this.left;
    this.gunzip.destroy();
    while (!left.some((byte) => byte !== 0)) {
      if (this.packedEnded) {
        this.ended = true;
        return;
      }
      left = await this.nextPiece();
    }
    this.gunzip = this.begin();
    this.give(left.subarray(left.findIndex((byte) => byte !== 0)));
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
   * The next packed bytes, of which there are none at the end. Each has its own memory, because zlib works while
   * others are read.
   */
  private async nextPiece(): Promise<Uint8Array> {
    const piece = new Uint8Array(PIECE_BYTES);
    const count = await this.source.read(piece, 0);
    this.packedBytes += count;
    this.packedEnded = count === 0;
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

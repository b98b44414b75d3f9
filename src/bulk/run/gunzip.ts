// gzip unpacked by Node's zlib while it is read, in constant memory: zlib gets a small piece when all of the one before
// was taken. What zlib has not returned of a piece with a fault is lost.

import { AddrsiftError } from "../../base/errors.ts";
import { type ByteSource, ChunkSource, emptySource } from "../streams.ts";

/** The part of Node's zlib that is needed. */
export type Zlib = Pick<typeof import("node:zlib"), "createGunzip">;
type Gunzip = ReturnType<Zlib["createGunzip"]>;

// Bytes given to zlib at once: few, because so many may be lost, and enough that zlib's thread is worth its cost.
const PIECE_BYTES = 4 * 1024;
// Bytes that zlib returns at once. They wait in it until they are taken.
const UNPACKED_BYTES = 64 * 1024;

/** Unpacks gzip (RFC 1952), of one member or several; `shown` is what errors call the input. */
export function gunzipSource(packed: ByteSource, shown: string, zlib: Zlib): ByteSource {
  let gunzip: Gunzip | undefined;
  async function* members(): AsyncGenerator<Uint8Array> {
    let left = await nextPiece(packed);
    while (left.length > 0) {
      gunzip = zlib.createGunzip({ chunkSize: UNPACKED_BYTES });
      left = yield* unpack(gunzip, left, packed, shown);
      gunzip.destroy();
      if (left.length === 0) left = await nextPiece(packed);
      // Zeros end zlib's work, because they fill up blocks on tapes and disks. Members may follow them.
      while (left.length > 0 && left.every((byte) => byte === 0)) left = await nextPiece(packed);
      left = left.subarray(left.findIndex((byte) => byte !== 0));
    }
  }
  const close = (): void => {
    packed.close();
    gunzip?.destroy(new Error("closed"));
  };
  return new ChunkSource(members(), emptySource(close));
}

/** Unpacks a member that begins with `piece`; returns the bytes after its end that were read. */
async function* unpack(
  gunzip: Gunzip,
  first: Uint8Array,
  packed: ByteSource,
  shown: string,
): AsyncGenerator<Uint8Array, Uint8Array> {
  let piece = first;
  // Bytes that zlib had taken before this piece.
  let takenBefore = 0;
  let isTaken = false;
  let failure: Error | undefined;
  let wake = (): void => {};
  gunzip.on("readable", () => wake());
  gunzip.on("end", () => wake());
  gunzip.on("error", (error) => {
    failure = error;
    wake();
  });
  const left = (): Uint8Array => piece.subarray(gunzip.bytesWritten - takenBefore);
  const give = (): void => {
    takenBefore = gunzip.bytesWritten;
    isTaken = false;
    if (piece.length === 0) {
      gunzip.end();
      return;
    }
    gunzip.write(piece, () => {
      // Bytes that it leaves come after its end.
      isTaken = left().length === 0;
      wake();
    });
  };
  give();
  for (;;) {
    const unpacked = gunzip.read() as Uint8Array | null;
    if (unpacked !== null) yield unpacked;
    else if (failure !== undefined) throw fault(failure, shown);
    else if (gunzip.readableEnded) return left();
    else {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (isTaken) {
        piece = await nextPiece(packed);
        give();
      }
      await changed;
    }
  }
}

/**
 * The next packed bytes, of which there are none at the end. Each has its own memory, because zlib works while others
 * are read.
 */
async function nextPiece(packed: ByteSource): Promise<Uint8Array> {
  const piece = new Uint8Array(PIECE_BYTES);
  return piece.subarray(0, await packed.read(piece, 0));
}

function fault(error: NodeJS.ErrnoException, shown: string): AddrsiftError {
  // Only what follows a member has no gzip header: the first one was seen before.
  const what =
    error.code === "Z_BUF_ERROR"
      ? "is cut off before its end: get the whole file"
      : error.message === "incorrect header check"
        ? "is followed by other data, which is not read: get the file again"
        : "is damaged: get the file again";
  return new AddrsiftError("INPUT", `the gzip data of ${shown} ${what}`, error);
}

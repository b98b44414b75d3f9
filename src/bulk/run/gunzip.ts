// gzip unpacked by Node's zlib while it is read, in constant memory: zlib gets a small piece when all of the one before
// was taken. What zlib has not returned of a piece with a fault is lost.

import { AddrsiftError } from "../../base/errors.ts";
import { type ByteSource, ChunkSource, emptySource } from "../streams.ts";

/** The part of Node's zlib that is needed. */
export type Zlib = Pick<typeof import("node:zlib"), "createGunzip">;
type Gunzip = ReturnType<Zlib["createGunzip"]>;

// Bytes given to zlib at once: few, because so many may be lost, and enough that zlib's thread is worth its cost.
const INPUT_CHUNK_BYTES = 4 * 1024;
// Bytes that zlib returns at once. They wait in it until they are taken.
const OUTPUT_CHUNK_BYTES = 64 * 1024;

/** Unpacks gzip (RFC 1952), of one member or several; `shown` is what errors call the input. */
export function gunzipSource(compressed: ByteSource, inputName: string, zlib: Zlib): ByteSource {
  let gunzip: Gunzip | undefined;
  async function* unpackMembers(): AsyncGenerator<Uint8Array> {
    let remaining = await readChunk(compressed);
    while (remaining.length > 0) {
      gunzip = zlib.createGunzip({ chunkSize: OUTPUT_CHUNK_BYTES });
      remaining = yield* unpack(gunzip, remaining, compressed, inputName);
      gunzip.destroy();
      if (remaining.length === 0) remaining = await readChunk(compressed);
      // Zeros end zlib's work, because they fill up blocks on tapes and disks. Members may follow them.
      while (remaining.length > 0 && remaining.every((byte) => byte === 0)) remaining = await readChunk(compressed);
      remaining = remaining.subarray(remaining.findIndex((byte) => byte !== 0));
    }
  }
  const close = (): void => {
    compressed.close();
    gunzip?.destroy(new Error("closed"));
  };
  return new ChunkSource(unpackMembers(), emptySource(close));
}

/** Unpacks a member that begins with `piece`; returns the bytes after its end that were read. */
async function* unpack(
  gunzip: Gunzip,
  first: Uint8Array,
  compressed: ByteSource,
  inputName: string,
): AsyncGenerator<Uint8Array, Uint8Array> {
  let chunk = first;
  // Bytes that zlib had taken before this piece.
  let consumedBefore = 0;
  let isConsumed = false;
  let failure: Error | undefined;
  let wake = (): void => {};
  gunzip.on("readable", () => wake());
  gunzip.on("end", () => wake());
  gunzip.on("error", (error) => {
    failure = error;
    wake();
  });
  const remaining = (): Uint8Array => chunk.subarray(gunzip.bytesWritten - consumedBefore);
  const writeChunk = (): void => {
    consumedBefore = gunzip.bytesWritten;
    isConsumed = false;
    if (chunk.length === 0) {
      gunzip.end();
      return;
    }
    gunzip.write(chunk, () => {
      // Bytes that it leaves come after its end.
      isConsumed = remaining().length === 0;
      wake();
    });
  };
  writeChunk();
  for (;;) {
    const unpacked = gunzip.read() as Uint8Array | null;
    if (unpacked !== null) yield unpacked;
    else if (failure !== undefined) throw gunzipError(failure, inputName);
    else if (gunzip.readableEnded) return remaining();
    else {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (isConsumed) {
        chunk = await readChunk(compressed);
        writeChunk();
      }
      await changed;
    }
  }
}

/**
 * The next packed bytes, of which there are none at the end. Each has its own memory, because zlib works while others
 * are read.
 */
async function readChunk(compressed: ByteSource): Promise<Uint8Array> {
  const chunk = new Uint8Array(INPUT_CHUNK_BYTES);
  return chunk.subarray(0, await compressed.read(chunk, 0));
}

function gunzipError(error: NodeJS.ErrnoException, inputName: string): AddrsiftError {
  // Only what follows a member has no gzip header: the first one was seen before.
  const what =
    error.code === "Z_BUF_ERROR"
      ? "is cut off before its end: get the whole file"
      : error.message === "incorrect header check"
        ? "is followed by other data, which is not read: get the file again"
        : "is damaged: get the file again";
  return new AddrsiftError("INPUT", `the gzip data of ${inputName} ${what}`, error);
}

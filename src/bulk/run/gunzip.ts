// Decompresses gzip with Node's zlib in constant memory: zlib gets the next small chunk when it has consumed the
// previous one. If a chunk is damaged, zlib discards the output of that chunk that it has not returned yet.

import { AddrsiftError } from "../../base/errors.ts";
import { type ByteSource, ChunkSource, emptySource } from "../streams.ts";

export type Zlib = Pick<typeof import("node:zlib"), "createGunzip">;
type Gunzip = ReturnType<Zlib["createGunzip"]>;

// Bytes per write to zlib: few, because the output of a damaged chunk is lost; enough to be worth a thread switch.
const INPUT_CHUNK_BYTES = 4 * 1024;
// Maximum bytes that zlib returns per read.
const OUTPUT_CHUNK_BYTES = 64 * 1024;

/** Decompresses gzip (RFC 1952) of one or more members. `inputName` is the input's name in errors. */
export function gunzipSource(compressed: ByteSource, inputName: string, zlib: Zlib): ByteSource {
  let gunzip: Gunzip | undefined;
  async function* unpackMembers(): AsyncGenerator<Uint8Array> {
    let remaining = await readChunk(compressed);
    while (remaining.length > 0) {
      gunzip = zlib.createGunzip({ chunkSize: OUTPUT_CHUNK_BYTES });
      remaining = yield* unpack(gunzip, remaining, compressed, inputName);
      gunzip.destroy();
      if (remaining.length === 0) remaining = await readChunk(compressed);
      // zlib stops at zero bytes, which pad blocks on tapes and disks. More members may follow them.
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

/** Decompresses the member that starts with the chunk `first`. Returns the bytes that were read beyond its end. */
async function* unpack(
  gunzip: Gunzip,
  first: Uint8Array,
  compressed: ByteSource,
  inputName: string,
): AsyncGenerator<Uint8Array, Uint8Array> {
  let chunk = first;
  // Number of bytes that zlib had consumed before this chunk.
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
      // zlib leaves bytes unconsumed only after the end of the member.
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
      const stateChange = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (isConsumed) {
        chunk = await readChunk(compressed);
        writeChunk();
      }
      await stateChange;
    }
  }
}

/**
 * Reads the next compressed chunk; it is empty at the end of input. Each chunk has its own memory, because zlib still
 * works on the previous one.
 */
async function readChunk(compressed: ByteSource): Promise<Uint8Array> {
  const chunk = new Uint8Array(INPUT_CHUNK_BYTES);
  return chunk.subarray(0, await compressed.read(chunk, 0));
}

function gunzipError(error: NodeJS.ErrnoException, inputName: string): AddrsiftError {
  // `decodeInput` has checked the first header, so an incorrect header is in data after a member.
  const problem =
    error.code === "Z_BUF_ERROR"
      ? "is cut off before its end: get the whole file"
      : error.message === "incorrect header check"
        ? "is followed by other data, which is not read: get the file again"
        : "is damaged: get the file again";
  return new AddrsiftError("INPUT", `the gzip data of ${inputName} ${problem}`, error);
}

// The octets of a file as UTF-8: gzip is unpacked and UTF-16 converted, both told by the first octets.

const BEGINNING = 4;

/** Reads a file. `onRead` is told how many octets of the file itself were read. */
export async function octetsOf(file: File, onRead: (count: number) => void): Promise<ReadableStream<Uint8Array>> {
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, controller) => {
        onRead(chunk.length);
        controller.enqueue(chunk);
      },
    }),
  );
  const isGzip = startsWith(await beginning(file.stream()), [0x1f, 0x8b]);
  const unpacked = isGzip ? counted.pipeThrough(new DecompressionStream("gzip")) : counted;
  const label = utf16Label(
    isGzip
      ? await beginning(file.stream().pipeThrough(new DecompressionStream("gzip")))
      : await beginning(file.stream()),
  );
  if (label === undefined) return unpacked;
  return unpacked.pipeThrough(new TextDecoderStream(label, { ignoreBOM: true })).pipeThrough(new TextEncoderStream());
}

/** The first octets of a stream, at most `limit`. */
export async function beginning(stream: ReadableStream<Uint8Array>, limit: number = BEGINNING): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  for (let length = 0; length < limit; ) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  void reader.cancel();
  const all = new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
  return all.subarray(0, limit);
}

function utf16Label(octets: Uint8Array): string | undefined {
  if (startsWith(octets, [0xff, 0xfe])) return "utf-16le";
  return startsWith(octets, [0xfe, 0xff]) ? "utf-16be" : undefined;
}

/** Whether these octets stand at the beginning. */
export function startsWith(octets: Uint8Array, wanted: readonly number[]): boolean {
  return wanted.every((octet, i) => octets[i] === octet);
}

// gzip (RFC 1952) unpacked as it is read, in constant memory. What is wrong with a file is an error after all rows before that place, so
// its members are read here: Node's own reader drops what it has unpacked when other data follows.

import { AddrsiftError, isAddrsiftError } from "../../base/errors.ts";
import type { ByteSource } from "../ports.ts";

/** What is needed of Node's zlib. */
export type Zlib = Pick<typeof import("node:zlib"), "createInflateRaw" | "crc32">;

// Octets given to the unpacker at once, which may become a thousand times as many.
const PIECE_OCTETS = 32 * 1024;
// Octets that it gives at once.
const UNPACKED_OCTETS = 64 * 1024;
// RFC 1952 §2.3.1: what a header has besides its ten octets.
const HEADER_CRC = 2;
const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;
const RESERVED = 0xe0;
const DEFLATE = 8;
const NOTHING = new Uint8Array(0);

/** Unpacks a source of gzip, of one member or several. */
export class GunzipSource implements ByteSource {
  private readonly packed: PackedOctets;
  private readonly chunks: AsyncGenerator<Uint8Array>;
  private readonly shown: string;
  private readonly zlib: Zlib;
  private rest: Uint8Array = NOTHING;
  private closed = false;

  /** `shown` is what errors call the input. */
  constructor(packed: ByteSource, shown: string, zlib: Zlib) {
    this.packed = new PackedOctets(packed);
    this.shown = shown;
    this.zlib = zlib;
    this.chunks = this.unpacked();
  }

  async read(target: Uint8Array, at: number): Promise<number> {
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
  }

  private async nextChunk(): Promise<Uint8Array | undefined> {
    try {
      const { value, done } = await this.chunks.next();
      return done === true || this.closed ? undefined : value;
    } catch (error) {
      if (this.closed) return undefined;
      if (isAddrsiftError(error)) throw error;
      const fault = FAULTS[error instanceof GzipFault ? error.kind : "damaged"];
      throw new AddrsiftError("INPUT", `the gzip data of ${this.shown} ${fault}`, error);
    }
  }

  private async *unpacked(): AsyncGenerator<Uint8Array> {
    const { packed } = this;
    for (let isFirst = true; isFirst || (await packed.skipZeros()); isFirst = false) {
      await readHeader(packed, isFirst);
      let crc = 0;
      let length = 0;
      for await (const chunk of inflated(packed, this.zlib)) {
        crc = this.zlib.crc32(chunk, crc);
        length = (length + chunk.length) >>> 0;
        yield chunk;
      }
      const isWhole = (await packed.word()) === crc && (await packed.word()) === length;
      if (!isWhole) throw new GzipFault("damaged");
    }
  }
}

const FAULTS = {
  cut_off: "is cut off before its end: get the whole file",
  damaged: "is damaged: get the file again",
  followed: "is followed by other data: its rows are read, the rest is not; get the file again",
} as const;

class GzipFault extends Error {
  readonly kind: keyof typeof FAULTS;

  constructor(kind: keyof typeof FAULTS) {
    super(kind);
    this.kind = kind;
  }
}

/** The packed octets, taken one after another or in pieces. */
class PackedOctets {
  private readonly source: ByteSource;
  private unread: Uint8Array = NOTHING;

  constructor(source: ByteSource) {
    this.source = source;
  }

  /** Octets that were not taken yet, at least one; undefined at the end. */
  async piece(): Promise<Uint8Array | undefined> {
    if (this.unread.length === 0) {
      // A piece of its own each time, because the unpacker works while the next is read.
      const piece = new Uint8Array(PIECE_OCTETS);
      this.unread = piece.subarray(0, await this.source.read(piece, 0));
    }
    return this.unread.length === 0 ? undefined : this.unread;
  }

  /** Takes the first octets of the piece. */
  take(count: number): void {
    this.unread = this.unread.subarray(count);
  }

  async octet(): Promise<number> {
    const [octet] = (await this.piece()) ?? [];
    if (octet === undefined) throw new GzipFault("cut_off");
    this.take(1);
    return octet;
  }

  /** Four octets, the lowest first. */
  async word(): Promise<number> {
    let word = 0;
    for (let shift = 0; shift < 32; shift += 8) word |= (await this.octet()) << shift;
    return word >>> 0;
  }

  /** Passes over zeros, which fill up blocks on tapes and disks; true when something follows. */
  async skipZeros(): Promise<boolean> {
    for (let piece = await this.piece(); piece !== undefined; piece = await this.piece()) {
      const index = piece.findIndex((octet) => octet !== 0);
      this.take(index < 0 ? piece.length : index);
      if (index >= 0) return true;
    }
    return false;
  }

  close(): void {
    this.source.close();
  }
}

/** Reads a member's header (RFC 1952 §2.3). */
async function readHeader(packed: PackedOctets, isFirst: boolean): Promise<void> {
  const isMember = (await packed.octet()) === 0x1f && (await packed.octet()) === 0x8b;
  if (!isMember) throw new GzipFault(isFirst ? "damaged" : "followed");
  const method = await packed.octet();
  const flags = await packed.octet();
  if (method !== DEFLATE || (flags & RESERVED) !== 0) throw new GzipFault(isFirst ? "damaged" : "followed");
  const skip = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) await packed.octet();
  };
  // Time, kind of compression, system.
  await skip(6);
  if ((flags & EXTRA) !== 0) await skip((await packed.octet()) + 256 * (await packed.octet()));
  for (const text of [NAME, COMMENT]) {
    if ((flags & text) !== 0) while ((await packed.octet()) !== 0);
  }
  if ((flags & HEADER_CRC) !== 0) await skip(2);
}

/** What one piece gave, and what ended the member. */
interface Step {
  readonly chunks: readonly Uint8Array[];
  readonly isLast: boolean;
  readonly failure: Error | undefined;
}

/** The octets of one member; takes its packed octets and no more. A piece is unpacked while the one before it is used. */
async function* inflated(packed: PackedOctets, zlib: Zlib): AsyncGenerator<Uint8Array> {
  const member = new Member(packed, zlib);
  try {
    for (let next = member.next(); ; ) {
      const { chunks, isLast, failure } = await next;
      if (!isLast) {
        next = member.next();
        // Thrown where it is awaited.
        next.catch(() => {});
      }
      yield* chunks;
      if (failure !== undefined) throw failure;
      if (isLast) return;
    }
  } finally {
    member.close();
  }
}

/** A member that is being unpacked. */
class Member {
  private readonly packed: PackedOctets;
  private readonly inflate: ReturnType<Zlib["createInflateRaw"]>;
  private chunks: Uint8Array[] = [];
  private taken = 0;
  private isLast = false;
  private failure: Error | undefined;
  private wake: () => void = () => {};

  constructor(packed: PackedOctets, zlib: Zlib) {
    this.packed = packed;
    this.inflate = zlib.createInflateRaw({ chunkSize: UNPACKED_OCTETS });
    this.inflate.on("data", (chunk: Uint8Array) => this.chunks.push(chunk));
    this.inflate.on("end", () => this.end(undefined));
    this.inflate.on("error", (error) => this.end(error));
  }

  async next(): Promise<Step> {
    const piece = await this.packed.piece();
    if (piece === undefined) return { chunks: [], isLast: true, failure: new GzipFault("cut_off") };
    await new Promise<void>((resolve) => {
      // At the member's end the unpacker takes no more, and does not say that the piece is written.
      this.wake = resolve;
      this.inflate.write(piece, () => resolve());
    });
    this.packed.take(this.inflate.bytesWritten - this.taken);
    this.taken = this.inflate.bytesWritten;
    const { chunks, isLast, failure } = this;
    this.chunks = [];
    return { chunks, isLast, failure };
  }

  close(): void {
    this.inflate.destroy();
  }

  private end(failure: Error | undefined): void {
    this.isLast = true;
    this.failure = failure;
    this.wake();
  }
}

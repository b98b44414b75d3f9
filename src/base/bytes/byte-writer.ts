// A growing byte buffer. Copies short ranges by 32-bit words, which is faster than a call of TypedArray.set.

import { dataViewOf, encodeUtf8, writeUtf8 } from "./bytes.ts";

// Bytes. From this length on, TypedArray.set is faster.
const MIN_SET_LENGTH = 512;
// UTF-16 units. Encoding in place reserves 3 bytes per unit, too much for a longer text.
const MAX_IN_PLACE_LENGTH = 16 * 1024;
// Lower-cases four ASCII letters; digits, hyphen and dot already have this bit.
const LOWERCASE_BITS = 0x20202020;

/** A short text as 32-bit words, the last one padded. */
export class PreparedBytes {
  readonly length: number;
  readonly words: Int32Array;

  constructor(text: string | Uint8Array) {
    const bytes = typeof text === "string" ? encodeUtf8(text) : text;
    this.length = bytes.length;
    this.words = new Int32Array(Math.ceil(bytes.length / 4));
    for (let i = 0; i < bytes.length; i += 1) {
      this.words[i >> 2] = (this.words[i >> 2] as number) | ((bytes[i] as number) << (8 * (i & 3)));
    }
  }
}

export class ByteWriter {
  buffer: Uint8Array;
  length = 0;
  private view: DataView;

  /** Grows from `capacity` bytes to `typicalCapacity`, then by doubling. */
  constructor(
    capacity: number,
    private readonly typicalCapacity: number = capacity,
  ) {
    this.buffer = new Uint8Array(capacity);
    this.view = new DataView(this.buffer.buffer);
  }

  reserve(count: number): void {
    if (this.length + count > this.buffer.length) this.grow(this.length + count);
  }

  text(text: string): void {
    if (text.length > MAX_IN_PLACE_LENGTH) {
      this.bytes(encodeUtf8(text));
      return;
    }
    this.reserve(3 * text.length);
    this.length += writeUtf8(text, this.buffer, this.length);
  }

  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  prepared({ words, length }: PreparedBytes): void {
    this.reserve(length + 4);
    const target = this.view;
    for (let i = 0; i < words.length; i += 1) target.setInt32(this.length + 4 * i, words[i] as number, true);
    this.length += length;
  }

  byte(byte: number): void {
    this.reserve(1);
    this.buffer[this.length++] = byte;
  }

  decimal(value: number): void {
    let digits = 1;
    for (let limit = 10; limit <= value; limit *= 10) digits += 1;
    this.reserve(digits);
    let remaining = value;
    for (let index = this.length + digits - 1; index >= this.length; index -= 1) {
      const tens = Math.floor(remaining / 10);
      this.buffer[index] = 0x30 + remaining - 10 * tens;
      remaining = tens;
    }
    this.length += digits;
  }

  slice(bytes: Uint8Array, start: number, end: number): void {
    if (end - start > MIN_SET_LENGTH) this.bytes(bytes.subarray(start, end));
    else this.copy(bytes, start, end, 0);
  }

  /** Copies a host name (letters, digits, hyphens, dots) in lower case. */
  hostName(bytes: Uint8Array, start: number, end: number): void {
    this.copy(bytes, start, end, LOWERCASE_BITS);
  }

  clear(): void {
    this.length = 0;
  }

  private copy(bytes: Uint8Array, start: number, end: number, orBits: number): void {
    this.reserve(end - start);
    const source = dataViewOf(bytes);
    const target = this.view;
    const shift = this.length - start;
    let i = start;
    for (; i + 4 <= end; i += 4) target.setInt32(i + shift, source.getInt32(i, true) | orBits, true);
    if (i < end && end - start >= 4) {
      // The last word overlaps the previous one, which is faster than single bytes.
      target.setInt32(end - 4 + shift, source.getInt32(end - 4, true) | orBits, true);
    } else {
      for (; i < end; i += 1) target.setUint8(i + shift, source.getUint8(i) | (orBits & 0xff));
    }
    this.length += end - start;
  }

  private grow(needed: number): void {
    const larger = new Uint8Array(
      needed <= this.typicalCapacity ? this.typicalCapacity : 2 ** Math.ceil(Math.log2(needed)),
    );
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
    this.view = new DataView(larger.buffer);
  }
}

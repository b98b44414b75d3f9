// A growing buffer of octets that renderers write into and a sink empties.

import { encodeUtf8, LOWER } from "../address/octets.ts";

/** Octets 0 to `length` of `octets` are written. */
export class ByteWriter {
  octets: Uint8Array;
  length = 0;

  constructor(capacity: number) {
    this.octets = new Uint8Array(capacity);
  }

  /** Makes room for `count` octets more. */
  reserve(count: number): void {
    if (this.length + count <= this.octets.length) return;
    const larger = new Uint8Array(2 ** Math.ceil(Math.log2(this.length + count)));
    larger.set(this.octets.subarray(0, this.length));
    this.octets = larger;
  }

  text(text: string): void {
    this.all(encodeUtf8(text));
  }

  all(octets: Uint8Array): void {
    this.reserve(octets.length);
    this.octets.set(octets, this.length);
    this.length += octets.length;
  }

  octet(octet: number): void {
    this.reserve(1);
    this.octets[this.length++] = octet;
  }

  /** Copies a short range; for long ones `all` with a subarray is faster. */
  range(octets: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    let to = this.length;
    for (let i = start; i < end; i += 1) this.octets[to++] = octets[i] as number;
    this.length = to;
  }

  /** Copies a range in ASCII lower case. */
  lowerRange(octets: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    let to = this.length;
    for (let i = start; i < end; i += 1) this.octets[to++] = LOWER[octets[i] as number] as number;
    this.length = to;
  }

  clear(): void {
    this.length = 0;
  }
}

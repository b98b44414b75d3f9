// One row on its way through: where its octets stand. Reused from row to row.

/** A row of the input. All indexes point into `octets`. */
export class Row {
  octets: Uint8Array = new Uint8Array(0);
  /** The line without its line break. */
  lineStart = 0;
  lineEnd = 0;
  /** The address, without white space around it. */
  start = 0;
  end = 0;
  /** The line is longer than what stands here; its rest follows. */
  continues = false;

  /** True for a line that holds no address at all. */
  get blank(): boolean {
    return this.start === this.end;
  }

  /** Takes the address from the line, without the ASCII white space around it. */
  trimLine(): void {
    const { octets } = this;
    let start = this.lineStart;
    let end = this.lineEnd;
    while (start < end && isWhiteSpace(octets[start] as number)) start += 1;
    while (end > start && isWhiteSpace(octets[end - 1] as number)) end -= 1;
    this.start = start;
    this.end = end;
  }
}

function isWhiteSpace(octet: number): boolean {
  return octet === 0x20 || (octet >= 0x09 && octet <= 0x0d);
}

// One row on its way through: where its octets stand. Reused from row to row.

/** A row of the input: the line or CSV record as it stands, and the address in it. */
export class Row {
  /** Holds the line; the next four indexes point into it. */
  line: Uint8Array = new Uint8Array(0);
  /** The line or record without its line break. */
  lineStart = 0;
  lineEnd = 0;
  /** CSV: where the header's width is reached and added columns stand. */
  insertAt = 0;
  /** CSV: how many fields the record lacks. */
  missing = 0;
  /** The line break is CR LF. */
  crlf = false;
  /** The line is longer than what stands here; its rest follows. */
  continues = false;
  /** Holds the address: the line's own octets, or others where a quoted field had to be unquoted. */
  octets: Uint8Array = new Uint8Array(0);
  /** The address, without white space around it. */
  start = 0;
  end = 0;

  /** True for a row that holds no address at all. */
  get blank(): boolean {
    return this.start === this.end;
  }

  /** Places the address between `start` and `end` of `octets`, without the ASCII white space around it. */
  placeAddress(octets: Uint8Array, start: number, end: number): void {
    this.octets = octets;
    let from = start;
    let to = end;
    while (from < to && isWhiteSpace(octets[from] as number)) from += 1;
    while (to > from && isWhiteSpace(octets[to - 1] as number)) to -= 1;
    this.start = from;
    this.end = to;
  }
}

function isWhiteSpace(octet: number): boolean {
  return octet === 0x20 || (octet >= 0x09 && octet <= 0x0d);
}

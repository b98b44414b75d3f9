// Bounds of what an input begins with, which is held while it decides how all rows are read. The same limits count for
// the command line and the daemon; SECURITY.md says them.

import { shownNumber } from "../../base/shown.ts";
import { type Message, RowsFault } from "../face.ts";

/** The first record of CSV or TSV, in bytes. */
export const HEADER_MAX: number = 1024 * 1024;
/** Columns of the first record. A shorter record is padded to its width. */
export const COLUMNS_MAX = 16_384;
/** Keys of an object among the first lines. */
const KEYS_MAX = 65_536;
/** Objects and arrays around one value in it. */
const LEVELS_MAX = 1024;

const TAKE_OUT: Message = () => "take it out";
const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;

/** Throws AddrsiftError INPUT for a first record of more columns than it may have. `hint` says what to do. */
export function refuseColumns(columns: number, hint: Message): void {
  if (columns <= COLUMNS_MAX) return;
  throw tooLarge(`has ${shownNumber(columns)} columns, more than ${shownNumber(COLUMNS_MAX)}`, 1, hint);
}

/** The error for a first record of more bytes than it may have. */
export function headerTooLong(hint: Message): RowsFault {
  return tooLarge("is over 1 MiB, more than the first row may have", 1, hint);
}

/**
 * Finds the end of a JSON line among the first ones, and refuses an object that is larger than one of them may be,
 * before it has arrived as a whole. It looks at no byte twice. What is well-formed, it does not know.
 */
export class FirstObject {
  private known = 0;
  private levels = 0;
  private keys = 0;
  private isObject: boolean | undefined;
  private quoted = false;
  private escaped = false;

  /**
   * The index of the line feed of the line, the row of this number, that begins at `start`; `end` when it is not there
   * yet.
   */
  find(bytes: Uint8Array, start: number, end: number, row: number): number {
    for (let i = start + this.known; i < end; i += 1) {
      const byte = bytes[i] as number;
      if (byte === LF) return i;
      if (this.isObject === undefined && byte > SPACE) this.isObject = byte === OPEN_OBJECT;
      if (this.isObject === true) this.take(byte, row);
    }
    this.known = end - start;
    return end;
  }

  private take(byte: number, row: number): void {
    if (this.quoted) {
      if (this.escaped) this.escaped = false;
      else if (byte === BACKSLASH) this.escaped = true;
      else if (byte === QUOTE) this.quoted = false;
    } else if (byte === QUOTE) this.quoted = true;
    // Brackets and braces differ in one bit.
    else if ((byte | 0x20) === OPEN_OBJECT) {
      this.levels += 1;
      if (this.levels > LEVELS_MAX) {
        throw tooLarge(`is nested deeper than ${shownNumber(LEVELS_MAX)} levels`, row, TAKE_OUT);
      }
    } else if ((byte | 0x20) === 0x7d) this.levels -= 1;
    else if (byte === COLON && this.levels === 1) {
      this.keys += 1;
      if (this.keys > KEYS_MAX) {
        throw tooLarge(`has more than ${shownNumber(KEYS_MAX)} keys`, row, TAKE_OUT);
      }
    }
  }
}

function tooLarge(what: string, row: number, hint: Message): RowsFault {
  return new RowsFault("INPUT", (face) => `row ${row} ${what}: ${hint(face)}`);
}

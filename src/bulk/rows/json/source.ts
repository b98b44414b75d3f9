// Converts JSON arrays and multi-line JSON to JSON Lines, one element or object per line, without buffering it. JSON
// Lines pass through.

import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  LF,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from "../../../base/bytes/ascii.ts";
import { ByteWriter } from "../../../base/bytes/byte-writer.ts";
import { decodeUtf8, encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { InputError, type Message } from "../../messages.ts";
import { type ByteSource, ChunkSource } from "../../streams.ts";

const CHUNK_BYTES = 64 * 1024;
const LOWER_N = 0x6e;
const KEY = encodeUtf8('{"email":');

export function truncatedJsonError(): InputError {
  return new InputError("INPUT", () => "the JSON ends in the middle: the file is cut off, get it again");
}

/** Returns a source of JSON Lines, one value per line. `onNote` receives a note about the conversion. */
export function jsonLinesSource(source: ByteSource, onNote: (note: Message) => void): ByteSource {
  return new ChunkSource(convertToLines(source, onNote), source);
}

/** Yields arrays and multi-line objects as lines. If the input is JSON Lines, yields only the first bytes. */
async function* convertToLines(source: ByteSource, onNote: (note: Message) => void): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(CHUNK_BYTES);
  let count: number;
  let end: number;
  let text: string;
  do {
    end = 0;
    do {
      count = await source.read(chunk, end);
      end += count;
      text = decodeUtf8(chunk, 0, end).trimStart();
    } while (count > 0 && text.startsWith("{") && !text.includes("\n") && end < CHUNK_BYTES);
    // Blank lines are rows, so they must not wait for the next lines.
    if (text === "") yield chunk.subarray(0, end);
  } while (text === "" && count > 0);
  const isArray = text.startsWith("[");
  if (isArray) onNote(() => "the input is a JSON array: each element is a row");
  const isPretty = /^\{(?:[^\n]*[{[,:])?[ \t\r]*\n/.test(text);
  if (isPretty) onNote(() => "the input is JSON over several lines: each object is a row");
  if (!isArray && !isPretty) {
    yield chunk.subarray(0, end);
    return;
  }
  const lines = new LineConverter();
  do {
    yield lines.convert(chunk.subarray(0, end));
    end = await source.read(chunk, 0);
  } while (end > 0);
  yield lines.end();
}

/** Writes each value as a line. A string or null becomes an object with the key `email`. */
class LineConverter {
  private readonly out = new ByteWriter(CHUNK_BYTES);
  private inArray = false;
  /** Number of open objects and arrays in the current value. */
  private levels = 0;
  private value: "none" | "nested" | "wrapped" | "other" = "none";
  private isInString = false;
  private isEscaped = false;
  private isInIndentation = false;

  /** Returns the lines of the next bytes, valid until the next call. */
  convert(bytes: Uint8Array): Uint8Array {
    this.out.clear();
    for (let i = 0; i < bytes.length; i += 1) this.convertByte(bytes[i] as number);
    return this.out.buffer.subarray(0, this.out.length);
  }

  /** Returns the end of the last line. Throws AddrsiftError INPUT if the input is truncated. */
  end(): Uint8Array {
    this.out.clear();
    if (this.value !== "none" && this.value !== "nested" && !this.isInString) this.endValue();
    else if (this.value !== "none" || this.inArray) throw truncatedJsonError();
    return this.out.buffer.subarray(0, this.out.length);
  }

  private convertByte(byte: number): void {
    const { out } = this;
    if (this.isInString) {
      // A line break in a string is invalid JSON, and would end the line.
      out.byte(byte === LF ? SPACE : byte);
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) {
        this.isInString = false;
        if (this.levels === 0) this.endValue();
      }
      return;
    }
    const isSpace = byte <= SPACE;
    if (this.value === "none") {
      if (byte === OPEN_BRACKET && !this.inArray) this.inArray = true;
      else if (byte === CLOSE_BRACKET) this.inArray = false;
      else if (!isSpace && byte !== COMMA) this.beginValue(byte);
    } else if (this.value === "nested") this.convertNested(byte, isSpace);
    else if (isSpace || byte === COMMA || byte === CLOSE_BRACKET) {
      this.endValue();
      if (byte === CLOSE_BRACKET) this.inArray = false;
    } else out.byte(byte);
  }

  private beginValue(byte: number): void {
    const isContainer = byte === OPEN_BRACE || byte === OPEN_BRACKET;
    this.value = isContainer ? "nested" : byte === QUOTE || byte === LOWER_N ? "wrapped" : "other";
    this.levels = isContainer ? 1 : 0;
    this.isInString = byte === QUOTE;
    if (this.value === "wrapped") this.out.bytes(KEY);
    this.out.byte(byte);
  }

  /** Drops line breaks and indentation. */
  private convertNested(byte: number, isSpace: boolean): void {
    if (byte === LF) this.isInIndentation = true;
    this.isInIndentation &&= isSpace;
    if (this.isInIndentation || byte === 0x0d) return;
    this.out.byte(byte);
    if (byte === QUOTE) this.isInString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.levels += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      this.levels -= 1;
      if (this.levels === 0) this.endValue();
    }
  }

  private endValue(): void {
    if (this.value === "wrapped") this.out.byte(CLOSE_BRACE);
    this.out.byte(LF);
    this.value = "none";
    this.levels = 0;
  }
}

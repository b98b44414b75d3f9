// JSON arrays and JSON over several lines as JSON Lines: each element, or each object, becomes a line. It holds no
// element. JSON Lines pass as they are.

import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  LF,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from "../../../base/bytes/ascii.ts";
import { ByteWriter } from "../../../base/bytes/byte-writer.ts";
import { decodeUtf8, encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { type Message, RowsFault } from "../../face.ts";
import { type ByteSource, ConvertedSource } from "../../ports.ts";

const PIECE_BYTES = 64 * 1024;
const LOWER_N = 0x6e;
const KEY = encodeUtf8('{"email":');

/** The error for JSON whose end is missing. */
export function jsonCutOff(): RowsFault {
  return new RowsFault("INPUT", () => "the JSON ends in the middle: the file is cut off, get it again");
}

/** The values of JSON, a line each. An element that is a text or null becomes an object with the key `email`. */
export class JsonSource extends ConvertedSource {
  private readonly piece: Uint8Array = new Uint8Array(PIECE_BYTES);
  private readonly out = new ByteWriter(PIECE_BYTES);
  private converts = false;
  /** Bytes after `rest` pass unchanged. */
  private passes = false;
  /** In the array that holds the values; objects and arrays around the current byte in a value. */
  private inArray = false;
  private levels = 0;
  private value: "none" | "nested" | "wrapped" | "other" = "none";
  private quoted = false;
  private escaped = false;
  private indents = false;

  constructor(
    source: ByteSource,
    private readonly tell: (note: Message) => void,
  ) {
    super(source);
  }

  override read(target: Uint8Array, at: number): Promise<number> {
    return this.passes && this.rest.length === 0 ? this.source.read(target, at) : super.read(target, at);
  }

  protected async next(): Promise<void> {
    if (this.converts) this.take(await this.source.read(this.piece, 0));
    else await this.look();
  }

  /** Reads until the first line shows what the input is. Blank lines are rows, which do not wait. */
  private async look(): Promise<void> {
    let end = 0;
    let text = "";
    let count: number;
    do {
      count = await this.source.read(this.piece, end);
      end += count;
      text = decodeUtf8(this.piece, 0, end).trimStart();
    } while (count > 0 && text.startsWith("{") && !text.includes("\n") && end < PIECE_BYTES);
    const isArray = text.startsWith("[");
    if (isArray) this.tell(() => "the input is a JSON array: each element is a row");
    const isPretty = /^\{(?:[^\n]*[{[,:])?[ \t\r]*\n/.test(text);
    if (isPretty) this.tell(() => "the input is JSON over several lines: each object is a row");
    this.converts = isArray || isPretty;
    this.passes = !this.converts && text !== "";
    if (this.converts) this.take(end);
    else this.rest = this.piece.slice(0, end);
    this.ended = count === 0;
  }

  /** Converts so many bytes of the piece. Throws AddrsiftError INPUT at the end of an input that is cut off. */
  private take(count: number): void {
    const { out, piece } = this;
    out.clear();
    if (count === 0) {
      this.ended = true;
      if (this.value !== "none" && this.value !== "nested" && !this.quoted) this.endValue();
      else if (this.value !== "none" || this.inArray) {
        throw jsonCutOff();
      }
    }
    for (let i = 0; i < count; i += 1) this.takeByte(piece[i] as number);
    this.rest = out.bytes.slice(0, out.length);
  }

  private takeByte(byte: number): void {
    const { out } = this;
    if (this.quoted) {
      // A line break in a text is not JSON, and would end the line.
      out.byte(byte === LF ? SPACE : byte);
      if (this.escaped) this.escaped = false;
      else if (byte === BACKSLASH) this.escaped = true;
      else if (byte === QUOTE) {
        this.quoted = false;
        if (this.levels === 0) this.endValue();
      }
      return;
    }
    const isSpace = byte <= SPACE;
    if (this.value === "none") {
      if (byte === OPEN_ARRAY && !this.inArray) this.inArray = true;
      else if (byte === CLOSE_ARRAY) this.inArray = false;
      else if (!isSpace && byte !== COMMA) this.beginValue(byte);
    } else if (this.value === "nested") this.takeNested(byte, isSpace);
    else if (isSpace || byte === COMMA || byte === CLOSE_ARRAY) {
      this.endValue();
      if (byte === CLOSE_ARRAY) this.inArray = false;
    } else out.byte(byte);
  }

  private beginValue(byte: number): void {
    const nests = byte === OPEN_OBJECT || byte === OPEN_ARRAY;
    this.value = nests ? "nested" : byte === QUOTE || byte === LOWER_N ? "wrapped" : "other";
    this.levels = nests ? 1 : 0;
    this.quoted = byte === QUOTE;
    if (this.value === "wrapped") this.out.all(KEY);
    this.out.byte(byte);
  }

  /** Line breaks and the indentation behind them go. */
  private takeNested(byte: number, isSpace: boolean): void {
    if (byte === LF) this.indents = true;
    this.indents &&= isSpace;
    if (this.indents || byte === 0x0d) return;
    this.out.byte(byte);
    if (byte === QUOTE) this.quoted = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.levels += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.levels -= 1;
      if (this.levels === 0) this.endValue();
    }
  }

  private endValue(): void {
    if (this.value === "wrapped") this.out.byte(CLOSE_OBJECT);
    this.out.byte(LF);
    this.value = "none";
    this.levels = 0;
  }
}

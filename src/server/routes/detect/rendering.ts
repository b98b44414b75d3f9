// Detections as the bytes of JSON answers: one, or a list that does not delay other requests.

import { COMMA } from "../../../base/bytes/ascii.ts";
import { ByteWriter, Constant } from "../../../base/bytes/byte-writer.ts";
import { encodeUtf8 } from "../../../base/bytes/bytes.ts";
import type { Classifier } from "../../../detection/classifier.ts";
import type { Detector, DetectRequest } from "../../../detection/detector.ts";
import type { Explanation } from "../../../detection/evidence.ts";
import { JsonRenderer, type Span } from "../../../detection/format.ts";
import { type AddressClass, classOf } from "../../counters.ts";
import { TimedTurns } from "../../http/turns.ts";
import { BATCH_DNS_LIMIT } from "./batch-queries.ts";

const MESSAGES = {
  address: ["The address was classified.", "The addresses were classified."],
  domain: ["The domain was classified.", "The domains were classified."],
} as const;
const END = new Constant("}\n");

/** Renders the results of one detector. */
export class DetectionAnswers {
  private readonly headOfOne: Constant;
  private readonly headOfMany: string;
  private readonly renderer: JsonRenderer = new JsonRenderer();
  private readonly out: ByteWriter = new ByteWriter(4096);
  // One view of the writer's bytes, kept while the writer keeps them.
  private bytes: Uint8Array = new Uint8Array(0);
  private view: Buffer = Buffer.alloc(0);

  constructor(
    readonly detector: Detector,
    private readonly note: (found: AddressClass) => void,
    subject: keyof typeof MESSAGES = "address",
  ) {
    const [one, many] = MESSAGES[subject];
    this.headOfOne = new Constant(headOf(one));
    this.headOfMany = `${headOf(many)}[`;
  }

  /** The body of the answer, one character for each byte. The address or domain is before `end`, in UTF-8. */
  one(bytes: Uint8Array, end: number, asked: DetectRequest): string | Promise<string> {
    return this.detector.detect(bytes, 0, end, asked, (classifier, explanation) => {
      const { out } = this;
      out.clear();
      out.constant(this.headOfOne);
      this.write({ bytes, start: 0, end }, classifier, explanation);
      out.constant(END);
      return this.text();
    });
  }

  async many(addresses: readonly string[], asked: DetectRequest): Promise<string> {
    const { explain = false, dns = true } = asked;
    const ask = dns ? BATCH_DNS_LIMIT.open(asked.signal) : undefined;
    const rows = await this.rows(addresses, { explain, dns, ...(ask && { whenRoom: ask }) });
    return `${this.headOfMany}${(await Promise.all(rows)).join(",")}]}\n`;
  }

  /** Rows between two that wait for DNS are one text, joined by commas. */
  private async rows(addresses: readonly string[], asked: DetectRequest): Promise<(string | Promise<string>)[]> {
    const { bytes, ends } = encodeAll(addresses);
    const { out } = this;
    const rows: (string | Promise<string>)[] = [];
    const settle = (): void => {
      if (out.length > 0) rows.push(this.text());
      out.clear();
    };
    out.clear();
    const timeSlice = new TimedTurns();
    for (const [i, end] of ends.entries()) {
      const start = (ends[i - 1] ?? -1) + 1;
      let later = false;
      const row = this.detector.detect(bytes, start, end, asked, (classifier, explanation) => {
        // Other requests wrote here meanwhile.
        if (later) out.clear();
        else if (out.length > 0) out.byte(COMMA);
        this.write({ bytes, start, end }, classifier, explanation);
        return later ? this.text() : "";
      });
      later = true;
      if (typeof row !== "string") {
        // If the caller leaves before the rows are awaited, an unhandled rejection would end the process.
        row.catch(() => {});
        settle();
        rows.push(row);
      }
      if (timeSlice.expired) {
        settle();
        await timeSlice.yieldToEventLoop();
        out.clear();
      }
    }
    settle();
    return rows;
  }

  private write(address: Span, classifier: Classifier, explanation: Explanation | undefined): void {
    this.note(classOf(classifier));
    this.renderer.write(this.out, address, classifier, explanation);
  }

  private text(): string {
    const { out } = this;
    if (out.bytes !== this.bytes) {
      this.bytes = out.bytes;
      this.view = Buffer.from(out.bytes.buffer, out.bytes.byteOffset, out.bytes.byteLength);
    }
    return this.view.toString("latin1", 0, out.length);
  }
}

function headOf(message: string): string {
  return `{"code":"SUCCESS","message":"${message}","data":`;
}

/** Texts in UTF-8 with a byte between two, and the end of each. */
function encodeAll(texts: readonly string[]): { readonly bytes: Uint8Array; readonly ends: readonly number[] } {
  // The separator keeps the halves of a surrogate pair apart.
  const all = texts.join("\n");
  const bytes = encodeUtf8(all);
  // In ASCII, characters are bytes.
  const lengthOf = bytes.length === all.length ? (text: string) => text.length : Buffer.byteLength;
  let end = -1;
  const ends = texts.map((text) => {
    end += 1 + lengthOf(text);
    return end;
  });
  return { bytes, ends };
}

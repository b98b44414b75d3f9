// Renders detections as JSON responses: a single one, or a list in time slices, so that other requests are not delayed.

import { COMMA } from "../../../base/bytes/ascii.ts";
import { ByteWriter, PreparedBytes } from "../../../base/bytes/byte-writer.ts";
import { encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { classNames } from "../../../detection/classes.ts";
import type { Classifier } from "../../../detection/classifier.ts";
import type { Detector, DetectRequest } from "../../../detection/detector.ts";
import type { Explanation } from "../../../detection/evidence.ts";
import { classesOf } from "../../../detection/field-reader.ts";
import { type ByteRange, JsonRenderer } from "../../../detection/format.ts";
import { EventLoopSlice } from "../../http/time-slice.ts";
import { DNS_LOOKUP_QUEUE } from "./dns-lookup-queue.ts";

const SUCCESS_MESSAGES = {
  address: ["The address was classified.", "The addresses were classified."],
  domain: ["The domain was classified.", "The domains were classified."],
} as const;
const RESPONSE_END = new PreparedBytes("}\n");

export interface RenderRequest extends DetectRequest {
  /** Adds the names of the classes. */
  readonly classes?: boolean;
}

/** Renders the results of one detector. */
export class DetectionRenderer {
  private readonly singlePrefix: PreparedBytes;
  private readonly listPrefix: string;
  private readonly renderer: JsonRenderer = new JsonRenderer();
  private readonly out: ByteWriter = new ByteWriter(4096);
  // A view of the writer's bytes, replaced when the writer reallocates them.
  private bytes: Uint8Array = new Uint8Array(0);
  private view: Buffer = Buffer.alloc(0);

  constructor(
    readonly detector: Detector,
    private readonly onClasses: (classes: number) => void,
    subject: keyof typeof SUCCESS_MESSAGES = "address",
  ) {
    const [detectOne, detectMany] = SUCCESS_MESSAGES[subject];
    this.singlePrefix = new PreparedBytes(responsePrefix(detectOne));
    this.listPrefix = `${responsePrefix(detectMany)}[`;
  }

  /** Classifies the UTF-8 address or domain before `end`. Returns the body, with one character for each byte. */
  detectOne(bytes: Uint8Array, end: number, request: RenderRequest): string | Promise<string> {
    return this.detector.detect(bytes, 0, end, request, (classifier, explanation) => {
      const { out } = this;
      out.clear();
      out.prepared(this.singlePrefix);
      this.write({ bytes, start: 0, end }, classifier, explanation, request);
      out.prepared(RESPONSE_END);
      return this.text();
    });
  }

  async detectMany(addresses: readonly string[], request: RenderRequest): Promise<string> {
    const { explain = false, classes = false, dns = true } = request;
    const lookup = dns ? DNS_LOOKUP_QUEUE.open(request.signal) : undefined;
    const rows = await this.render(addresses, { explain, classes, dns, ...(lookup && { scheduleLookup: lookup }) });
    return `${this.listPrefix}${(await Promise.all(rows)).join(",")}]}\n`;
  }

  /** Renders rows in order. Adjacent rows are joined into one string; a row that waits for DNS is a promise. */
  private async render(addresses: readonly string[], request: RenderRequest): Promise<(string | Promise<string>)[]> {
    const { bytes, ends } = encodeTexts(addresses);
    const { out } = this;
    const rows: (string | Promise<string>)[] = [];
    const flush = (): void => {
      if (out.length > 0) rows.push(this.text());
      out.clear();
    };
    out.clear();
    const timeSlice = new EventLoopSlice();
    for (const [i, end] of ends.entries()) {
      const start = (ends[i - 1] ?? -1) + 1;
      let isAsync = false;
      const row = this.detector.detect(bytes, start, end, request, (classifier, explanation) => {
        // Other requests may have used `out` in the meantime.
        if (isAsync) out.clear();
        else if (out.length > 0) out.byte(COMMA);
        this.write({ bytes, start, end }, classifier, explanation, request);
        return isAsync ? this.text() : "";
      });
      isAsync = true;
      if (typeof row !== "string") {
        // Without this, a client that disconnects before the rows are awaited would cause an unhandled rejection.
        row.catch(() => {});
        flush();
        rows.push(row);
      }
      if (timeSlice.expired) {
        flush();
        await timeSlice.yieldToEventLoop();
        out.clear();
      }
    }
    flush();
    return rows;
  }

  private write(
    address: ByteRange,
    classifier: Classifier,
    explanation: Explanation | undefined,
    { classes = false }: RenderRequest,
  ): void {
    const bits = classesOf(classifier, false);
    this.onClasses(bits);
    const names = classes ? classNames(bits) : undefined;
    this.renderer.write(this.out, address, classifier, explanation, names);
  }

  private text(): string {
    const { out } = this;
    if (out.buffer !== this.bytes) {
      this.bytes = out.buffer;
      this.view = Buffer.from(out.buffer.buffer, out.buffer.byteOffset, out.buffer.byteLength);
    }
    return this.view.toString("latin1", 0, out.length);
  }
}

function responsePrefix(message: string): string {
  return `{"code":"SUCCESS","message":"${message}","data":`;
}

/** Encodes texts in UTF-8, separated by one byte. Returns the bytes and the end of each text. */
function encodeTexts(texts: readonly string[]): { readonly bytes: Uint8Array; readonly ends: readonly number[] } {
  // The separator prevents a surrogate at the end of a text from pairing with one in the next.
  const all = texts.join("\n");
  const bytes = encodeUtf8(all);
  // If all text is ASCII, one character is one byte.
  const lengthOf = bytes.length === all.length ? (text: string) => text.length : Buffer.byteLength;
  let end = -1;
  const ends = texts.map((text) => {
    end += 1 + lengthOf(text);
    return end;
  });
  return { bytes, ends };
}

// Detections as the octets of JSON answers: one, at once where no DNS is asked, or a list of them without holding up everybody else.

import { encodeUtf8 } from "../address/octets.ts";
import { ByteWriter, Constant } from "../detection/byte-writer.ts";
import type { Asked, Detector } from "../detection/detector.ts";
import { JsonRenderer } from "../detection/format.ts";
import { type AddressClass, classOf } from "./counters.ts";
import { QuestionRoom } from "./question-room.ts";
import { Turns } from "./turns.ts";

const ONE = new Constant('{"code":"SUCCESS","message":"The address was classified.","data":');
const END = new Constant("}\n");
const MANY = '{"code":"SUCCESS","message":"The addresses were classified.","data":[';

// A list is worked on this long, then others have their turn.
const SLICE_MS = 1;
// The clock is looked at once in so many addresses.
const SLICE_ROWS = 4;

/** All lists of the process share its one event loop. */
const TURNS = new Turns();
/** And its one resolver, of which they leave a part to single questions. */
const ROOM = new QuestionRoom();

/** Takes note of what an address turned out to be. */
export type NoteClass = (found: AddressClass) => void;

/** Renders what one detector finds; for another detector there is another of these. */
export class DetectionAnswers {
  readonly detector: Detector;
  private readonly note: NoteClass;
  private readonly renderer: JsonRenderer = new JsonRenderer();
  private readonly out: ByteWriter = new ByteWriter(4096);
  // One view for as long as the writer keeps its octets.
  private octets: Uint8Array = new Uint8Array(0);
  private view: Buffer = Buffer.alloc(0);

  constructor(detector: Detector, note: NoteClass) {
    this.detector = detector;
    this.note = note;
  }

  /** The body of the answer about one address in UTF-8, one character for each octet. */
  one(address: Uint8Array, asked: Asked): string | Promise<string> {
    return this.rendered(address, asked, true);
  }

  /** The body of the answer about a list of addresses, in its order. */
  async many(addresses: readonly string[], asked: Asked): Promise<string> {
    const { explain = false, dns = true } = asked;
    const questions = dns ? ROOM.open(asked.signal) : undefined;
    try {
      const rows = await this.rows(addresses, {
        explain,
        dns,
        ...(questions && { whenRoom: (ask) => questions.ask(ask) }),
      });
      return `${MANY}${(await Promise.all(rows)).join(",")}]}\n`;
    } finally {
      questions?.close();
    }
  }

  private async rows(addresses: readonly string[], asked: Asked): Promise<(string | Promise<string>)[]> {
    const rows: (string | Promise<string>)[] = [];
    let turn = performance.now();
    for (const [i, address] of addresses.entries()) {
      const row = this.rendered(encodeUtf8(address), asked, false);
      // A caller may leave before all rows are waited for, and a rejection that nobody waits for ends the process.
      if (typeof row !== "string") row.catch(() => {});
      rows.push(row);
      if (i % SLICE_ROWS === 0 && performance.now() - turn > SLICE_MS) {
        await TURNS.next();
        turn = performance.now();
      }
    }
    return rows;
  }

  private rendered(address: Uint8Array, asked: Asked, enveloped: boolean): string | Promise<string> {
    return this.detector.detect(address, asked, (classifier, explanation) => {
      this.note(classOf(classifier));
      const { out } = this;
      out.clear();
      if (enveloped) out.constant(ONE);
      this.renderer.write(out, address, 0, address.length, classifier, explanation);
      if (enveloped) out.constant(END);
      return this.text();
    });
  }

  private text(): string {
    const { out } = this;
    if (out.octets !== this.octets) {
      this.octets = out.octets;
      this.view = Buffer.from(out.octets.buffer, out.octets.byteOffset, out.octets.byteLength);
    }
    return this.view.toString("latin1", 0, out.length);
  }
}

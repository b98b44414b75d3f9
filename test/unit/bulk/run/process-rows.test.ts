// Tests bulk runs with live DNS: one output row per input row, in order, for any chunks and any delay of a response.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../../../src/base/bytes/bytes.ts";
import { Pipeline } from "../../../../src/bulk/pipeline.ts";
import { InputBuffer, processRows } from "../../../../src/bulk/reader.ts";
import { CsvQuoting, DelimitedEncoder } from "../../../../src/bulk/render/encodings.ts";
import {
  DetectionRow,
  JsonRowsRenderer,
  PlainRenderer,
  RecordRenderer,
  type Renderer,
} from "../../../../src/bulk/render/render.ts";
import { CsvScanner } from "../../../../src/bulk/rows/csv.ts";
import { LineScanner } from "../../../../src/bulk/rows/lines.ts";
import type { Scanner } from "../../../../src/bulk/rows/row.ts";
import { DnsLookahead, PendingLookups } from "../../../../src/bulk/run/dns-lookahead.ts";
import { processRowsWithDns } from "../../../../src/bulk/run/process-rows.ts";
import { Summary } from "../../../../src/bulk/summary.ts";
import { Classifier } from "../../../../src/detection/classifier.ts";
import type { MailRouting } from "../../../../src/detection/routing.ts";
import { chunkedSource } from "../../../helpers/byte-source.ts";
import { lists } from "../../../helpers/classify.ts";
import { sampleSize } from "../../../helpers/sampling.ts";

interface Kind {
  readonly scanner: () => Scanner;
  readonly renderer: () => Renderer;
}
const NDJSON: Kind = {
  scanner: () => new LineScanner(false),
  renderer: () => new JsonRowsRenderer(new DetectionRow(), false),
};
const PLAIN: Kind = {
  scanner: () => new LineScanner(true),
  renderer: () => new PlainRenderer(),
};
const CSV: Kind = {
  scanner: () => new CsvScanner({ delimiter: 0x2c, column: 1, width: 3 }),
  renderer: () =>
    new RecordRenderer(new DelimitedEncoder(new CsvQuoting(0x2c, false), ""), new Uint8Array(0), undefined),
};

/** Answers of DNS by the name. */
function answerOf(name: string): MailRouting {
  if (name.startsWith("bad")) return { status: "ok", exchanges: [{ preference: 1, exchange: "in.mail.tm" }] };
  if (name.startsWith("relay")) return { status: "ok", exchanges: [{ preference: 1, exchange: "mx1.simplelogin.co" }] };
  return { status: name.startsWith("silent") ? "timeout" : "no_mail" };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One run; `delayMs` says how late the answer for a name is, or resolves when it comes. */
async function runLive(
  kind: Kind,
  bytes: Uint8Array,
  size: number,
  delayMs: (name: string) => number | Promise<void>,
): Promise<{ text: string; asked: string[]; most: number; error: unknown }> {
  const asked: string[] = [];
  let [open, most] = [0, 0];
  const route = async (name: string): Promise<MailRouting> => {
    asked.push(name);
    open += 1;
    most = Math.max(most, open);
    const delay = delayMs(name);
    await (typeof delay === "number" ? sleep(delay) : delay);
    open -= 1;
    return answerOf(name);
  };
  const lookups = new PendingLookups({ route, stop: () => {} });
  const setup = { lists, cacheEntries: 64 };
  const output = outputOf(kind, setup);
  const lookahead = new DnsLookahead(new Classifier(setup), lookups);
  const { pipeline } = output;
  const live = { scanner: kind.scanner(), pipeline, lookahead, lookaheadScanner: kind.scanner() };
  let error: unknown;
  try {
    await processRowsWithDns(inputOf(bytes, size), live, () => false);
  } catch (thrown) {
    error = thrown;
  }
  await output.pipeline.drain();
  return { text: output.text(), asked, most, error };
}

function outputOf(kind: Kind, setup: ConstructorParameters<typeof Classifier>[0]) {
  const pieces: Uint8Array[] = [];
  const sink = { write: async (bytes: Uint8Array) => void pieces.push(bytes.slice()) };
  const pipeline = new Pipeline({
    classifier: new Classifier(setup),
    renderer: kind.renderer(),
    summary: new Summary(true),
    sink,
    select: 0,
    reject: 0,
    explain: undefined,
  });
  return { pipeline, text: () => Buffer.concat(pieces).toString("latin1") };
}

const inputOf = (bytes: Uint8Array, size: number): InputBuffer => new InputBuffer(chunkedSource(bytes, size));

/** The same without live DNS, and what it throws. */
async function runPlain(kind: Kind, bytes: Uint8Array): Promise<{ text: string; error: unknown }> {
  const { pipeline, text } = outputOf(kind, { lists });
  let error: unknown;
  try {
    await processRows(inputOf(bytes, 1000), kind.scanner(), pipeline, () => false);
  } catch (thrown) {
    error = thrown;
  }
  await pipeline.drain();
  return { text: text(), error };
}

const ADDRESS = fc.oneof(
  fc
    .tuple(fc.constantFrom("bad", "fine", "relay", "silent", "Bad"), fc.nat(12))
    .map(([kind, n]) => `u@${kind}${n}.quiet-harbour-tools.com`),
  fc.constantFrom("a@gmail.com", "b@mailinator.com", "broken@", "", "  ", "a@b@c", "x@bücher-hafen.de"),
);

function verdictOf(address: string): unknown {
  const domain = address.split("@")[1]?.toLowerCase() ?? "";
  if (domain.startsWith("bad")) return [true, "live_dns"];
  if (domain.startsWith("relay") || domain.startsWith("fine") || domain.startsWith("b")) return [false, "live_dns"];
  return [domain === "mailinator.com", "precomputed"];
}

describe("processRowsWithDns", () => {
  it("with DNS, writes rows in input order, for any chunks and delays", async () => {
    const input = fc.tuple(fc.array(ADDRESS, { maxLength: 60 }), fc.integer({ min: 1, max: 700 }), fc.nat(3));
    await fc.assert(
      fc.asyncProperty(input, async ([addresses, size, late]) => {
        const bytes = encodeUtf8(addresses.map((address) => `${address}\n`).join(""));
        const { text } = await runLive(NDJSON, bytes, size, (name) => (name.length * late) % 7);
        const found = text
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(found).toHaveLength(addresses.length);
        for (const [i, row] of found.entries()) {
          const address = (addresses[i] as string).trim();
          expect(Buffer.from(row["email"] as string, "latin1").toString()).toBe(address);
          if (row["syntax_validation"] === true) {
            expect([row["disposable"], row["detection_source"]]).toEqual(verdictOf(address));
          }
        }
      }),
      { numRuns: sampleSize(100) },
    );
  });

  it.each([
    ["lines with very long ones", PLAIN, `a@fine1.com\n${"x".repeat(200_000)}\nb@fine2.com\n${"y".repeat(70_000)}`],
    ["lines with very long ones as data", NDJSON, `${"x".repeat(150_000)}@fine.com\nb@fine2.com\n\n\na@gmail.com`],
    ["a long line at the end", PLAIN, `a@fine1.com\n${"z".repeat(140_000)}\n`],
    ["CR LF, no last line break", NDJSON, "a@gmail.com\r\nb@mailinator.com\r\nbroken@"],
    ["nothing", NDJSON, ""],
    ["CSV with quotes and ragged records", CSV, '1,"a@gmail.com",x\n2,b@mailinator.com\n3,"c""d"@x.com,"y\nz",4\n'],
    ["CSV with a quote that never closes", CSV, '1,a@gmail.com,x\n2,b@mailinator.com,y\n3,"c@gmail.com,z\n'],
  ])("handles %s the same as without DNS", async (_, kind, text) => {
    const bytes = encodeUtf8(text);
    const expected = await runPlain(kind, bytes);
    for (const size of [100, 4096, 100_000]) {
      const { text: shown, error } = await runLive(kind, bytes, size, () => 1);
      // The verdict on an unlisted domain is another one; everything else is the same.
      const bare = (lines: string): string => lines.replaceAll("live_dns", "precomputed");
      expect(bare(shown)).toBe(bare(expected.text));
      expect(String(error)).toBe(String(expected.error));
    }
  });

  it("coalesces concurrent lookups of a domain", async () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `u${i}@fine${i % 600}.quiet-harbour-tools.com\n`).join("");
    const { text, asked, most } = await runLive(NDJSON, encodeUtf8(lines), 256 * 1024, () => 5);
    expect(text.split("\n")).toHaveLength(3001);
    expect(new Set(asked).size).toBe(600);
    // Rows with the same domain wait for the same answer. How many are sent at once is the resolver's matter.
    expect(most).toBeLessThanOrEqual(600);
    // Each piece asks again, for the resolver remembers.
    expect(asked.length).toBeLessThanOrEqual(1800);
  });

  it("starts the lookups of later rows while a row waits", async () => {
    const lines = ["silent1", ...Array.from({ length: 400 }, (_, i) => `fine${i}`)];
    const bytes = encodeUtf8(lines.map((name) => `u@${name}.quiet-harbour-tools.com\n`).join(""));
    let others = 0;
    let answerFirst = (): void => {};
    const allAsked = new Promise<void>((resolve) => (answerFirst = resolve));
    const { text } = await runLive(NDJSON, bytes, 2000, (name) => {
      if (name.startsWith("silent")) return allAsked;
      others += 1;
      if (others === 400) answerFirst();
      return 1;
    });
    expect(text.split("\n")[0]).toContain("silent1");
  });
});

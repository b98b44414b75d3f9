// Tests bulk runs with DNS: one output row per input row, in order, for any chunks and any delay of a response.

import fc from "fast-check";
import { expect, it } from "vitest";
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
const PLAIN: Kind = { scanner: () => new LineScanner(true), renderer: () => new PlainRenderer() };
const CSV: Kind = {
  scanner: () => new CsvScanner({ delimiter: 0x2c, column: 1, width: 3 }),
  renderer: () =>
    new RecordRenderer(new DelimitedEncoder(new CsvQuoting(0x2c, false), ""), new Uint8Array(0), undefined),
};

/** Returns the result of a DNS lookup, which the name determines. */
function routingOf(name: string): MailRouting {
  if (name.startsWith("bad")) return { status: "ok", exchanges: [{ preference: 1, exchange: "in.mail.tm" }] };
  if (name.startsWith("relay")) return { status: "ok", exchanges: [{ preference: 1, exchange: "mx1.simplelogin.co" }] };
  return { status: name.startsWith("silent") ? "timeout" : "no_mail" };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Processes an input with DNS. `delay` returns the milliseconds until a name's response, or a promise of it. */
async function runWithDns(
  kind: Kind,
  bytes: Uint8Array,
  size: number,
  delay: (name: string) => number | Promise<void>,
): Promise<{ text: string; queries: string[]; maxPending: number; error: unknown }> {
  const queries: string[] = [];
  let [pending, maxPending] = [0, 0];
  const route = async (name: string): Promise<MailRouting> => {
    queries.push(name);
    pending += 1;
    maxPending = Math.max(maxPending, pending);
    const wait = delay(name);
    await (typeof wait === "number" ? sleep(wait) : wait);
    pending -= 1;
    return routingOf(name);
  };
  const lookups = new PendingLookups({ route, stop: () => {} });
  const setup = { lists, cacheEntries: 64 };
  const output = outputOf(kind, setup);
  const lookahead = new DnsLookahead(new Classifier(setup), lookups);
  const { pipeline } = output;
  const run = { scanner: kind.scanner(), pipeline, lookahead, lookaheadScanner: kind.scanner() };
  let error: unknown;
  try {
    await processRowsWithDns(inputOf(bytes, size), run, () => false);
  } catch (thrown) {
    error = thrown;
  }
  await output.pipeline.drain();
  return { text: output.text(), queries, maxPending, error };
}

function outputOf(kind: Kind, setup: ConstructorParameters<typeof Classifier>[0]) {
  const chunks: Uint8Array[] = [];
  const sink = { write: async (bytes: Uint8Array) => void chunks.push(bytes.slice()) };
  const pipeline = new Pipeline({
    classifier: new Classifier(setup),
    renderer: kind.renderer(),
    summary: new Summary(true),
    sink,
    select: 0,
    reject: 0,
    explain: undefined,
  });
  return { pipeline, text: () => Buffer.concat(chunks).toString("latin1") };
}

const inputOf = (bytes: Uint8Array, size: number): InputBuffer => new InputBuffer(chunkedSource(bytes, size));

/** Processes an input without DNS. Returns the output and the error. */
async function runWithoutDns(kind: Kind, bytes: Uint8Array): Promise<{ text: string; error: unknown }> {
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

it("--dns on writes rows in input order, whatever the chunk size and the DNS delays", async () => {
  const input = fc.tuple(fc.array(ADDRESS, { maxLength: 60 }), fc.integer({ min: 1, max: 700 }), fc.nat(3));
  await fc.assert(
    fc.asyncProperty(input, async ([addresses, size, late]) => {
      const bytes = encodeUtf8(addresses.map((address) => `${address}\n`).join(""));
      const { text } = await runWithDns(NDJSON, bytes, size, (name) => (name.length * late) % 7);
      const rows = text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(rows).toHaveLength(addresses.length);
      for (const [i, row] of rows.entries()) {
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
  ["long lines", PLAIN, `a@fine1.com\n${"x".repeat(200_000)}\nb@fine2.com\n${"y".repeat(70_000)}`],
  ["long lines to NDJSON", NDJSON, `${"x".repeat(150_000)}@fine.com\nb@fine2.com\n\n\na@gmail.com`],
  ["a long line at the end", PLAIN, `a@fine1.com\n${"z".repeat(140_000)}\n`],
  ["CR LF, no last line break", NDJSON, "a@gmail.com\r\nb@mailinator.com\r\nbroken@"],
  ["empty input", NDJSON, ""],
  ["CSV with quotes and ragged records", CSV, '1,"a@gmail.com",x\n2,b@mailinator.com\n3,"c""d"@x.com,"y\nz",4\n'],
  ["CSV with a quote that never closes", CSV, '1,a@gmail.com,x\n2,b@mailinator.com,y\n3,"c@gmail.com,z\n'],
])("--dns on writes the same rows as without DNS, except for the source of verdicts: %s", async (_, kind, text) => {
  const bytes = encodeUtf8(text);
  const expected = await runWithoutDns(kind, bytes);
  for (const size of [100, 4096, 100_000]) {
    const { text: output, error } = await runWithDns(kind, bytes, size, () => 1);
    // Only the source of the verdicts on unlisted domains differs.
    const normalize = (lines: string): string => lines.replaceAll("live_dns", "precomputed");
    expect(normalize(output)).toBe(normalize(expected.text));
    expect(String(error)).toBe(String(expected.error));
  }
});

it("--dns on coalesces concurrent lookups of a domain", async () => {
  const lines = Array.from({ length: 3000 }, (_, i) => `u${i}@fine${i % 600}.quiet-harbour-tools.com\n`).join("");
  const { text, queries, maxPending } = await runWithDns(NDJSON, encodeUtf8(lines), 256 * 1024, () => 5);
  expect(text.split("\n")).toHaveLength(3001);
  expect(new Set(queries).size).toBe(600);
  // Rows with the same domain wait for the same lookup. The resolver limits concurrent lookups.
  expect(maxPending).toBeLessThanOrEqual(600);
  // Each chunk looks up the domains again, because caching is up to the resolver.
  expect(queries.length).toBeLessThanOrEqual(1800);
});

it("--dns on starts the lookups of later rows while a row waits", async () => {
  const lines = ["silent1", ...Array.from({ length: 400 }, (_, i) => `fine${i}`)];
  const bytes = encodeUtf8(lines.map((name) => `u@${name}.quiet-harbour-tools.com\n`).join(""));
  let startedLookups = 0;
  let resolveFirst = (): void => {};
  const allStarted = new Promise<void>((resolve) => (resolveFirst = resolve));
  const { text } = await runWithDns(NDJSON, bytes, 2000, (name) => {
    if (name.startsWith("silent")) return allStarted;
    startedLookups += 1;
    if (startedLookups === 400) resolveFirst();
    return 1;
  });
  expect(text.split("\n")[0]).toContain("silent1");
});

// Tests that concurrent lists of addresses have the results of single detections, in order, with and without DNS.

import fc from "fast-check";
import { it } from "vitest";
import { encodeUtf8 } from "../../../../../src/base/bytes/bytes.ts";
import { Detector, type DetectRequest } from "../../../../../src/detection/detector.ts";
import type { MailResolver } from "../../../../../src/detection/routing.ts";
import { DetectionRenderer } from "../../../../../src/server/routes/detect/rendering.ts";
import { anyText } from "../../../../helpers/any-text.ts";
import { lists } from "../../../../helpers/classify.ts";
import { sampleSize } from "../../../../helpers/sampling.ts";

/** Responds after the number of milliseconds in the name, or at once. */
const slowResolver: MailResolver = {
  route: async (name) => {
    await new Promise((resolve) => setTimeout(resolve, Number(/\d+/.exec(name)?.[0] ?? 0)));
    return { status: "ok", exchanges: [{ preference: 1, exchange: `mx.${name}` }] };
  },
};

const renderer = new DetectionRenderer(new Detector({ lists }, slowResolver), () => {});
const detectOne = (text: string, request: DetectRequest): string | Promise<string> => {
  const bytes = encodeUtf8(text);
  return renderer.detectOne(bytes, bytes.length, request);
};
const rowsOf = (body: string): unknown =>
  (JSON.parse(Buffer.from(body, "latin1").toString()) as { data: unknown }).data;

const ADDRESSES = [
  ...["a@gmail.com", "jürgen@bücher.de", "me@duck.com", "b@mailinator.com", "", "broken@", "x\n@y", "😀@example.org"],
  ...["\ud800@gmail.com", "\udc00", "a\ud83d"],
  ...["a@wait-0-harbour.com", "b@wait-2-harbour.com", "c@wait-5-harbour.com"],
];
const address = fc.oneof({ arbitrary: fc.constantFrom(...ADDRESSES), weight: 2 }, anyText({ maxLength: 12 }));

it.each([
  ["without DNS", false],
  ["with DNS", true],
])("a batch of addresses detected %s has the same results as single requests", async (_, dns) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(address, { maxLength: 30 }), { minLength: 1, maxLength: 4 }), async (all) => {
      const request = { dns, explain: false };
      const batches = await Promise.all(all.map((list) => renderer.detectMany(list, request)));
      const singles = await Promise.all(
        all.map((list) => Promise.all(list.map(async (text) => rowsOf(await detectOne(text, request))))),
      );
      return JSON.stringify(batches.map(rowsOf)) === JSON.stringify(singles);
    }),
    { numRuns: sampleSize(dns ? 60 : 120) },
  );
});

it("concurrent batches that take several time slices don't mix their results", async () => {
  const longList = (name: string): string[] =>
    Array.from({ length: 250 }, (_, i) => `${name}${i}@host${i % 97}.${name}.com`);
  const names = ["gmail", "mailinator", "wait0harbour"];
  const bodies = await Promise.all(names.map((name) => renderer.detectMany(longList(name), { explain: true })));
  for (const [i, body] of bodies.entries()) {
    const emails = (rowsOf(body) as { email: string }[]).map(({ email }) => email);
    if (JSON.stringify(emails) !== JSON.stringify(longList(names[i] as string)))
      throw new Error(`rows of ${names[i]} are mixed`);
  }
});

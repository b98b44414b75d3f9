// Tests that results don't depend on the order of addresses, the cache of domains, or the position in a larger array.

import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import { Classifier } from "../../../src/detection/classifier.ts";
import { classify, createClassify, lists } from "../../helpers/classify.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const DOMAINS = [
  ...["gmail.com", "GMail.com", "me.com", "duck.com", "mailinator.com", "a.fastmail.fm", "bc.fastmail.fm", "co.uk"],
  // Domains whose facts differ only in the name, both mapped and not.
  ...["bücher.com", "münchen.com", "quiet-harbour-tools.com", "example.com"],
];
const LONG_DOMAIN = `${"long.".repeat(12)}example.com`;
const ADDRESS = fc
  .tuple(
    fc.constantFrom("a", "Info", "a.b+c", '"q r"', "é", "", "bad..dot"),
    fc.constantFrom(...DOMAINS, LONG_DOMAIN, "é_.com", "_x.com", "xy_.com"),
  )
  .map(([localPart, domain]) => `${localPart}@${domain}`);

it("results of a reused classifier are independent of previous addresses and of its cache", () => {
  fc.assert(
    fc.property(fc.array(ADDRESS, { minLength: 2, maxLength: 30 }), (addresses) => {
      const cached = createClassify({ cacheEntries: 4 });
      const uncached = createClassify();
      for (const address of addresses) {
        const fresh = classify(address);
        expect(cached(address)).toEqual(fresh);
        expect(uncached(address)).toEqual(fresh);
      }
    }),
    { numRuns: sampleSize(60) },
  );
});

it("isNormalized() accepts only the canonical form", () => {
  const ascii = ["anna@example.com", "anna@EXAMPLE.com", "ann@example.com", "annb@example.com", "anna@example.org"];
  ascii.push("anna@example.co", "Anna@example.com", "a.nna@gmail.com", "anna@GMAIL.com", "anna+b@gmail.com");
  const texts = [
    ...ascii,
    ...["é@example.com", "anna@bücher.com", "éxample.com", "example.com", "EXAMPLE.com", "éa@a.com"],
  ];
  for (const subject of ["address", "domain"] as const) {
    const classifier = new Classifier({ lists, subject });
    for (const text of texts) {
      const bytes = encodeUtf8(`xx${text}yy`);
      classifier.classify(bytes, 2, bytes.length - 2);
      if (classifier.fault !== undefined) continue;
      const { normalized } = classifier;
      for (const other of [...texts, normalized, `${normalized}a`, normalized.slice(1), normalized.toUpperCase()]) {
        // It may return false for the canonical form too, if it can't compare quickly.
        if (other !== normalized) expect([other, classifier.isNormalized(other)]).toEqual([other, false]);
      }
      if (ascii.includes(normalized) && text === normalized)
        expect(classifier.isNormalized(text)).toBe(subject === "address");
    }
  }
});

it("a classifier ignores skipped mail routing, and the routing of a malformed address", () => {
  const classifier = new Classifier({ lists });
  for (const [address, routing] of [
    ["a@quiet-harbour-tools.com", { status: "skipped" }],
    ["a@@quiet-harbour-tools.com", { status: "ok", exchanges: [{ preference: 1, exchange: "mx.mailinator.com" }] }],
  ] as const) {
    const bytes = encodeUtf8(address);
    classifier.classify(bytes, 0, bytes.length, routing);
    expect(classifier.evidence).toBeUndefined();
    if (classifier.fault === undefined)
      expect(classifier.verdict).toMatchObject({ isUnanswered: false, isDecided: false });
  }
});

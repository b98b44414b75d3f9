// The classifier over many addresses: order, a cache of domains and the place in a larger array change nothing.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import { Classifier } from "../../../src/detection/classifier.ts";
import { createDetection } from "../../../src/detection/format.ts";
import { indexOverrides } from "../../../src/lists/overrides.ts";
import { classify, classifyValid, createClassify, lists } from "../../helpers/classify.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const FLAGS: readonly (readonly [address: string, flags: object])[] = [
  ["anna@example.com", { public_domain: false, relay_domain: false, disposable: false, role_address: false }],
  ["anna@yahoo.co.jp", { public_domain: true, disposable: false }],
  ["anna@GMAIL.com", { public_domain: true }],
  ["anna@mail.gmail.com", { public_domain: false, disposable: false }],
  ["anna@user.fastmail.com", { public_domain: true }],
  ["anna@icloud.com", { public_domain: true, relay_domain: false }],
  ["anna@privaterelay.appleid.com", { relay_domain: true, relay_provider: "apple_hide_my_email", disposable: false }],
  ["anna@mailinator.com", { disposable: true, public_domain: false, relay_domain: false }],
  ["anna@MAILINATOR.COM", { disposable: true }],
  ["anna@x.y.mailinator.com", { disposable: true }],
  ["anna@ｍailinator．com", { disposable: true, normalized: "anna@mailinator.com" }],
  ["anna@notmailinator.com.example.org", { disposable: false }],
  ["support@duck.com", { role_address: true, relay_domain: true }],
  ["anna@[192.0.2.1]", { normalized: "anna@[192.0.2.1]", disposable: false, detection_source: "precomputed" }],
];

const DOMAINS = [
  ...["gmail.com", "GMail.com", "me.com", "duck.com", "mailinator.com", "a.fastmail.fm", "bc.fastmail.fm", "co.uk"],
  // Equal facts but for the name, as written and mapped.
  ...["bücher.com", "münchen.com", "quiet-harbour-tools.com", "example.com"],
];
const LONG_DOMAIN = `${"long.".repeat(12)}example.com`;
const ADDRESS = fc
  .tuple(
    fc.constantFrom("a", "Info", "a.b+c", '"q r"', "é", "", "bad..dot"),
    fc.constantFrom(...DOMAINS, LONG_DOMAIN, "é_.com", "_x.com", "xy_.com"),
  )
  .map(([localPart, domain]) => `${localPart}@${domain}`);

describe("the flags", () => {
  it.each(FLAGS)("classifies %s", (address, flags) => {
    expect(classifyValid(address, { syntax: { allowDomainLiteral: true } })).toMatchObject(flags);
  });
});

describe("a classifier used again", () => {
  it("results are independent of previous addresses and of the cache", () => {
    fc.assert(
      fc.property(fc.array(ADDRESS, { minLength: 2, maxLength: 30 }), (addresses) => {
        const cached = createClassify({ cacheEntries: 4 });
        const again = createClassify();
        for (const address of addresses) {
          const alone = classify(address);
          expect(cached(address)).toEqual(alone);
          expect(again(address)).toEqual(alone);
        }
      }),
      { numRuns: sampleSize(60) },
    );
  });

  it("reserved and overridden domains don't share facts with unlisted ones", () => {
    const overrides = indexOverrides(
      new Map([
        ["denied-harbour-tools.com", true],
        ["allowed-harbour-tools.com", false],
      ]),
    );
    const classifier = new Classifier({ lists, overrides, cacheEntries: 64 });
    const told = "quiet-harbour-tools.com example.com denied-harbour-tools.com allowed-harbour-tools.com"
      .split(" ")
      .map((domain) => {
        const bytes = encodeUtf8(`a@${domain}`);
        classifier.classify(bytes, 0, bytes.length);
        const { kind, isDisposable, source } = classifier.verdict;
        return [kind, isDisposable, source];
      });
    expect(told).toEqual([
      [undefined, false, "precomputed"],
      ["reserved", false, "precomputed"],
      [undefined, true, "override"],
      [undefined, false, "override"],
    ]);
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
          // Where it can't compare quickly it says no, also to the canonical form itself.
          if (other !== normalized) expect([other, classifier.isNormalized(other)]).toEqual([other, false]);
        }
        if (ascii.includes(normalized) && text === normalized)
          expect(classifier.isNormalized(text)).toBe(subject === "address");
      }
    }
  });

  it("ignores skipped routing, and routing of a malformed address", () => {
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

  it("classifies an address inside a larger array", () => {
    const classifier = new Classifier({ lists, cacheEntries: 64 });
    fc.assert(
      fc.property(
        fc.constantFrom("", ",@x.com\n", '"', "é", "line\n".repeat(99)),
        ADDRESS,
        fc.constantFrom("", ".uk", "\n@", "é+"),
        (before, address, after) => {
          const start = encodeUtf8(before).length;
          const length = encodeUtf8(address).length;
          classifier.classify(encodeUtf8(before + address + after), start, start + length);
          expect(createDetection(address, classifier, undefined)).toEqual(classify(address).detection);
        },
      ),
      { examples: [["line\n".repeat(99), "a@me.com", ""]], numRuns: sampleSize(500) },
    );
  });
});

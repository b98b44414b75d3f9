// Counts that were made in parts and put together are the counts of the whole.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../../src/base/bytes/octets.ts";
import { classBits, classesOf, ROW_CLASS } from "../../../src/bulk/classes.ts";
import { Irregularities } from "../../../src/bulk/rows/irregularities.ts";
import { Summary } from "../../../src/bulk/summary.ts";
import { Classifier } from "../../../src/detection/classifier.ts";
import { lists, surroundings } from "../../helpers/classify.ts";

const classifier = new Classifier({ lists, surroundings });

const ADDRESSES = [
  ...["ada@example.org", "ada+x@gmail.com", "info@mailinator.com", "bob@yopmail.com", "x@guerrillamail.com"],
  ...["ada@duck.com", "ada@privaterelay.appleid.com", "", "ada@", "@example.org", "a b@example.org", "ada@example"],
  ...["root@MAILINATOR.com", "\ud83d\ude00@example.org"],
];

function add(summary: Summary, address: string): void {
  const octets = encodeUtf8(address);
  classifier.classify(octets, 0, octets.length);
  summary.add(classesOf(classifier, address === ""), classifier);
}

it("every class has a bit of its own", () => {
  expect(new Set(Object.values(ROW_CLASS)).size).toBe(Object.keys(ROW_CLASS).length);
});

describe("Summary", () => {
  it("put together from parts is the summary of all rows", () => {
    const parts = fc.array(fc.array(fc.constantFrom(...ADDRESSES), { maxLength: 20 }), { maxLength: 6 });
    fc.assert(
      fc.property(parts, fc.boolean(), (pieces, withNames) => {
        const whole = new Summary(withNames);
        const merged = new Summary(withNames);
        const worker = new Summary(withNames);
        for (const piece of pieces) {
          for (const address of piece) add(whole, address);
          for (const address of piece) add(worker, address);
          // As it comes from a thread.
          merged.merge(structuredClone(worker.take()));
        }
        expect(JSON.stringify(merged.report(7, "v"))).toBe(JSON.stringify(whole.report(7, "v")));
        expect(merged.seen).toBe(whole.seen);
        expect(worker.take()).toMatchObject({ rows: 0, byClass: [], faults: [], disposable: [], relays: [] });
      }),
    );
  });

  it("counts each row in all its classes, and a blank one only as blank", () => {
    const summary = new Summary(true);
    for (const address of ADDRESSES) add(summary, address);
    const { rows, classes, faults, top_disposable_domains, top_relays } = summary.report(0, "");
    expect(rows).toBe(ADDRESSES.length);
    expect(classes).toEqual({
      valid: 9,
      invalid: 4,
      blank: 1,
      disposable: 4,
      mistyped: 0,
      suspicious: 0,
      relay: 2,
      public: 1,
      role: 2,
      subaddressed: 1,
      reserved: 3,
      duplicate: 0,
      unreserved: 7,
      no_mail: 0,
      unknown: 0,
    });
    expect(Object.values(faults).reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(top_disposable_domains.reduce((sum, { rows: count }) => sum + count, 0)).toBe(4);
    expect(top_relays).toHaveLength(2);
  });

  it("knows a common name after tens of thousands of rare ones", () => {
    const summary = new Summary(true);
    for (let i = 0; i < 45_000; i += 1) {
      add(summary, `a@h${i}.mailinator.com`);
      if (i % 100 === 0) add(summary, "a@yopmail.com");
    }
    const { top_disposable_domains } = summary.report(0, "");
    expect(top_disposable_domains).toHaveLength(10);
    expect(top_disposable_domains[0]).toEqual({ name: "yopmail.com", rows: 450 });
  });
});

describe("Irregularities", () => {
  it("put together from parts are those of all rows", () => {
    const parts = fc.array(fc.array(fc.constantFrom("ragged", "not_utf8", undefined), { maxLength: 12 }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(parts, (pieces) => {
        const whole = new Irregularities();
        const merged = new Irregularities();
        let before = 0;
        for (const piece of pieces) {
          const own = new Irregularities();
          for (const [index, kind] of piece.entries()) {
            if (kind === undefined) continue;
            whole.add(kind, before + index + 1);
            own.add(kind, index + 1);
          }
          for (const [kind, rows] of own.byKind) merged.merge(kind, rows, before);
          before += piece.length;
        }
        expect([...merged.byKind]).toEqual([...whole.byKind]);
        for (const { count, first } of merged.byKind.values()) expect(first).toHaveLength(Math.min(5, count));
      }),
    );
  });
});

describe("classBits", () => {
  it("has a bit of its own for each class", () => {
    const names = Object.keys(ROW_CLASS) as (keyof typeof ROW_CLASS)[];
    expect(classBits(names)).toBe(2 ** names.length - 1);
    expect(classBits(["relay", "relay"])).toBe(ROW_CLASS.relay);
    expect(classBits([])).toBe(0);
  });
});

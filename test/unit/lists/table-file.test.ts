// Tests the built lists as a file: reading on demand and in memory give the same results, and damaged files are
// rejected.

import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AddrsiftError } from "../../../src/base/errors.ts";
import { readDataLines } from "../../../src/curation/read-data.ts";
import { openLists } from "../../../src/lists/table-file.ts";
import { createClassify, LISTS_PATH, lists, ROOT } from "../../helpers/classify.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const onDemandLists = openLists(LISTS_PATH, "on-demand");
const BUILT = readFileSync(LISTS_PATH);

it("lists read on demand and in memory have the same verdicts", () => {
  const classifyOnDemand = createClassify({ lists: onDemandLists });
  const classifyInMemory = createClassify();
  const listed = readDataLines(ROOT, "disposable.txt").map((line) => line.split("\t")[0] as string);
  const domain = fc.oneof(
    fc.nat(listed.length - 1).map((i) => listed[i] as string),
    fc.constantFrom(..."gmail.com duck.com x.mozmail.com gov.bm co.uk bücher.com gmial.com nope.con".split(" ")),
    fc.string({ unit: fc.constantFrom(..."abcxyz019-"), minLength: 1, maxLength: 12 }).map((name) => `${name}.com`),
  );
  const localPart = fc.constantFrom("anna", "info", "info-eu", "Anna.B+x", '"a b"', "hr", "it.girl", "josé");
  fc.assert(
    fc.property(localPart, fc.constantFrom("", "sub.", "A."), domain, (local, label, name) => {
      const address = `${local}@${label}${name}`;
      expect(classifyOnDemand(address)).toEqual(classifyInMemory(address));
    }),
    { numRuns: sampleSize(200) },
  );
});

it("lists read on demand and in memory have the same metadata", () => {
  expect(onDemandLists.meta).toEqual(lists.meta);
  expect(lists.meta.dataVersion).toMatch(/^\d{4}-\d\d-\d\d-[0-9a-f]{8}$/);
  expect(lists.meta.counts).toMatchObject({ disposable: readDataLines(ROOT, "disposable.txt").length });
});

describe("a damaged copy", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "addrsift-lists-"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const writeCopy = (bytes: Uint8Array): string => {
    const path = join(folder, "lists.bin");
    writeFileSync(path, bytes);
    return path;
  };
  const flipBit = (offset: number): Buffer => {
    const copy = Buffer.from(BUILT);
    copy[offset] = (copy[offset] as number) ^ 0x01;
    return copy;
  };

  it.each([
    ["foreign", () => Buffer.alloc(4096, "no list ")],
    ["truncated by one byte", () => BUILT.subarray(0, -1)],
    ["damaged in its header", () => flipBit(20)],
  ])("openLists rejects a file that is %s in either mode", (_, make) => {
    const path = writeCopy(make());
    for (const mode of ["on-demand", "in-memory"] as const) expect(() => openLists(path, mode)).toThrow(AddrsiftError);
    expect(() => openLists(path, "on-demand")).toThrow("install addrsift again");
  });

  it("damage of in-memory lists is detected on opening", () => {
    expect(() => openLists(writeCopy(flipBit(BUILT.length - 1)), "in-memory")).toThrow("its contents are damaged");
  });

  it("damage of on-demand lists is detected by a lookup that reads it", () => {
    // A record starts with the length of the stem, the slot of the last label (1 for ".com") and the slot of the facts.
    const recordStart = /\x0a\x01[^\0]mailinator/.exec(BUILT.toString("latin1"))?.index ?? 0;
    expect(recordStart).toBeGreaterThan(0);
    const classifyDamaged = createClassify({ lists: openLists(writeCopy(flipBit(recordStart + 3)), "on-demand") });
    expect(() => classifyDamaged("a@mailinator.com")).toThrow(AddrsiftError);
    expect(classifyDamaged("a@gmail.com").detection).toMatchObject({ public_domain: true });
  });

  it("truncation of on-demand lists after opening is detected by a lookup", () => {
    const path = writeCopy(BUILT);
    const classify = createClassify({ lists: openLists(path, "on-demand") });
    truncateSync(path, 4096);
    expect(() => classify("a@mailinator.com")).toThrow("it is cut off");
  });

  it("openLists names the path of a missing file", () => {
    const path = join(folder, "missing.bin");
    expect(() => openLists(path, "in-memory")).toThrow(`the lists in ${path} can't be used (ENOENT)`);
  });
});

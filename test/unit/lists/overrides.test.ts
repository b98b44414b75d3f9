// Tests a team's overrides of domains: they win over every list, the most specific one wins, and nothing else changes.

import { expect, it } from "vitest";
import { findMailboxOverride, findOverride, indexOverrides, mergeOverrides } from "../../../src/lists/overrides.ts";
import { classify, classifyValid, createDetect } from "../../helpers/classify.ts";

const OVERRIDES = indexOverrides(
  new Map([
    ["mailinator.com", false],
    ["bad.mailinator.com", true],
    ["gmail.com", true],
    ["duck.com", true],
    ["shop.example.com", true],
    ["xn--bcher-kva.com", true],
    ["example.org", false],
    ["jane@yopmail.com", false],
    ["annabeck@gmail.com", false],
    ["post@bad.mailinator.com", false],
    ["ada@fastmail.com", true],
    ["jos\u00e9@xn--bcher-kva.com", false],
  ]),
);

const CASES: readonly (readonly [address: string, disposable: boolean, source: string, entry: string | undefined])[] = [
  ["a@mailinator.com", false, "override", "mailinator.com"],
  ["a@MAILINATOR.com", false, "override", "mailinator.com"],
  ["a@x.mailinator.com", false, "override", "mailinator.com"],
  ["a@bad.mailinator.com", true, "override", "bad.mailinator.com"],
  ["a@x.bad.mailinator.com", true, "override", "bad.mailinator.com"],
  ["a@gmail.com", true, "override", "gmail.com"],
  ["a@googlemail.com", false, "precomputed", undefined],
  ["a@duck.com", true, "override", "duck.com"],
  ["a@shop.example.com", true, "override", "shop.example.com"],
  ["a@example.com", false, "precomputed", undefined],
  ["a@ashop.example.com", false, "precomputed", undefined],
  ["a@bücher.com", true, "override", "xn--bcher-kva.com"],
  ["a@example.org", false, "override", "example.org"],
  ["a@yopmail.com", true, "precomputed", undefined],
  ["jane@yopmail.com", false, "override", "jane@yopmail.com"],
  ["Jane+news@YOPmail.com", false, "override", "jane@yopmail.com"],
  ["jane@x.yopmail.com", true, "precomputed", undefined],
  ["anna.beck+x@googlemail.com", false, "override", "annabeck@gmail.com"],
  ["post@bad.mailinator.com", false, "override", "post@bad.mailinator.com"],
  ["post@x.bad.mailinator.com", true, "override", "bad.mailinator.com"],
  ["shop@ada.fastmail.com", true, "override", "ada@fastmail.com"],
  ["jos\u00e9@b\u00fccher.com", false, "override", "jos\u00e9@xn--bcher-kva.com"],
];

it.each(CASES)("the verdict on %s is disposable %s, with source %s", (address, disposable, source, entry) => {
  const { detection, explanation } = classify(address, { overrides: OVERRIDES });
  expect(detection).toMatchObject({ disposable, detection_source: source });
  const found = explanation.matches?.filter(({ kind }) => kind === "override").map((match) => match.entry);
  expect(found).toEqual(entry === undefined ? [] : [entry]);
  // An override changes no other field.
  expect(detection).toEqual({ ...classifyValid(address), disposable, detection_source: source });
});

it("overrides apply even if the domain cache has the domain", () => {
  const detect = createDetect({ overrides: OVERRIDES, cacheEntries: 64 });
  for (const [address, disposable, source] of [...CASES, ...CASES]) {
    expect(detect(address)).toMatchObject({ disposable, detection_source: source });
  }
});

it("the most specific override wins", () => {
  const expected = { entry: "bad.mailinator.com", override: { disposable: true } };
  expect(findOverride("x.bad.mailinator.com", OVERRIDES)).toEqual(expected);
  expect(findOverride("com", OVERRIDES)).toBeUndefined();
  expect(findOverride("mailinator.com.example", OVERRIDES)).toBeUndefined();
  expect(findMailboxOverride("john@yopmail.com", OVERRIDES)).toBeUndefined();
});

it("mergeOverrides prefers the first index if both have an entry", () => {
  const second = indexOverrides(
    new Map([
      ["a.example", false],
      ["b.example", true],
      ["joe@b.example", false],
    ]),
  );
  const merged = mergeOverrides(indexOverrides(new Map([["a.example", true]])), second);
  const found = ["a.example", "b.example", "joe@b.example", "c.example"].map((name) => merged.get(name)?.disposable);
  expect(found).toEqual([true, true, false, undefined]);
  expect(["a.example", "b.example"].map((name) => merged.mayHaveMailboxOverrides(name))).toEqual([false, true]);
  expect(merged.size).toBe(4);
});

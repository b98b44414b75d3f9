// Tests lengths at the limit and one byte over it, in bytes of UTF-8 and A-labels, before and after NFC.

import fc from "fast-check";
import { expect, it } from "vitest";
import { parseMailbox } from "../../../src/address/mailbox.ts";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import { lists, verdictOf } from "../../helpers/classify.ts";

const x = (bytes: number): string => "x".repeat(bytes);
/** Returns a domain of the given length that ends in .com. */
const domainOf = (bytes: number): string => {
  let rest = bytes - 4;
  const labels: string[] = [];
  while (rest > 0) {
    const label = rest > 63 ? Math.min(63, rest - 2) : rest;
    labels.push(x(label));
    rest -= label + 1;
  }
  return `${labels.join(".")}.com`;
};

// In NFC, U+0958 grows from three bytes to six, and U+212B shrinks from three to two.
const GROWS = "\u0958";
const SHRINKS = "\u212b";

const LIMITS: readonly (readonly [description: string, address: string, verdict: string])[] = [
  ["quoted local part of 64 with its quotes", `"${x(62)}"@example.com`, "ok"],
  ["quoted local part of 65", `"${x(63)}"@example.com`, "local_part_too_long"],
  ["label of 63", `a@${x(63)}.com`, "ok"],
  ["label of 64", `a@${x(64)}.com`, "label_too_long"],
  ["last label of 64", `a@example.${x(64)}`, "label_too_long"],
  ["A-label of 63", `a@ü${x(55)}.com`, "ok"],
  ["A-label of 64", `a@ü${x(56)}.com`, "label_too_long"],
  ["written A-label of 64", `a@xn--${x(56)}-70f.com`, "label_too_long"],
  ["domain of 252, address of 254", `a@${domainOf(252)}`, "ok"],
  ["domain of 253, address of 255", `a@${domainOf(253)}`, "address_too_long"],
  ["domain of 254", `a@${domainOf(254)}`, "domain_too_long"],
  ["address of 254", `${x(64)}@${domainOf(189)}`, "ok"],
  ["address of 255", `${x(64)}@${domainOf(190)}`, "address_too_long"],
  ["address that NFC grows to 255", `${GROWS.repeat(10)}xxxx@${domainOf(190)}`, "address_too_long"],
  ["address that NFC shrinks from 255", `${SHRINKS.repeat(21)}x@${domainOf(190)}`, "address_too_long"],
  ["address of 254 in A-labels", `a@${"üa.".repeat(24)}${x(8)}.com`, "ok"],
  ["address of 255 in A-labels", `a@${"üa.".repeat(24)}${x(9)}.com`, "address_too_long"],
  ["domain of 254 in A-labels", `a@${"üa.".repeat(24)}${x(10)}.com`, "domain_too_long"],
];

it.each(LIMITS)("length limits in bytes, %s: the result is $2", (_, address, verdict) => {
  expect(verdictOf(address)).toBe(verdict);
});

it("the offset of a length fault is the first byte over the limit", () => {
  const offsetOf = (address: string): number => {
    const parsed = parseMailbox(address, {}, lists);
    return parsed.ok ? -1 : parsed.fault.offset;
  };
  expect(offsetOf(`${x(70)}@example.com`)).toBe(64);
  expect(offsetOf(`ab@${x(70)}.com`)).toBe(3 + 63);
  expect(offsetOf(`ab@${domainOf(254)}`)).toBe(3 + 253);
  expect(offsetOf(`${x(64)}@${domainOf(200)}`)).toBe(254);
});

it("a local part must have at most 64 bytes both before and after NFC normalization", () => {
  const letter = fc.constantFrom("a", "é", "е", "用", "😀", "e\u0301", GROWS, SHRINKS);
  const bytesOf = (text: string): number =>
    Math.max(...[text, text.normalize("NFC")].map((form) => encodeUtf8(form).length));
  fc.assert(
    fc.property(
      fc.string({ unit: letter, minLength: 1, maxLength: 10 }),
      fc.integer({ min: 60, max: 68 }),
      (text, bytes) => {
        const localPart = text + x(bytes - bytesOf(text));
        expect(bytesOf(localPart)).toBe(bytes);
        expect(verdictOf(`${localPart}@example.com`)).toBe(bytes <= 64 ? "ok" : "local_part_too_long");
      },
    ),
    { numRuns: 500 },
  );
});

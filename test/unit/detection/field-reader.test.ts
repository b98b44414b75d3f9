// Single fields of the evidence: an override of the mailbox decides before the domain's entry, and that before its mail exchanger.

import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../../src/base/bytes/octets.ts";
import { Classifier, type ClassifierSetup } from "../../../src/detection/classifier.ts";
import { FieldReader } from "../../../src/detection/field-reader.ts";
import type { MailRouting } from "../../../src/detection/routing.ts";
import { indexOverrides } from "../../../src/lists/overrides.ts";
import { lists, surroundings } from "../../helpers/classify.ts";

const overrides = indexOverrides(new Map([["jane@mailinator.com", false]]));
const exchange: MailRouting = { status: "ok", exchanges: [{ preference: 10, exchange: "mail.wallywatts.com" }] };

describe("the field matched", () => {
  it.each([
    ["jane@mailinator.com", overrides, undefined, "jane@mailinator.com"],
    ["joe@mailinator.com", overrides, undefined, "mailinator.com"],
    ["joe@mailinator.com", undefined, exchange, "mailinator.com"],
    ["joe@quiet-harbour-tools.com", undefined, exchange, "wallywatts.com"],
    ["joe@quiet-harbour-tools.com", undefined, undefined, undefined],
  ] as const)("the entry that decides about %s is named", (address, decisions, routing, entry) => {
    const setup: ClassifierSetup = { lists, surroundings, ...(decisions && { overrides: decisions }) };
    const classifier = new Classifier(setup);
    const octets = encodeUtf8(address);
    classifier.classify(octets, 0, octets.length, routing);
    expect(new FieldReader(setup).value("matched", octets, 0, octets.length, classifier)).toBe(entry);
  });
});

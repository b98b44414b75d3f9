// Tests single fields of the evidence: a mailbox's override takes precedence over the domain's entry, and the domain's
// entry over the exchanger's.

import { expect, it } from "vitest";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import { ROW_CLASS } from "../../../src/detection/classes.ts";
import { Classifier, type ClassifierSetup } from "../../../src/detection/classifier.ts";
import { createExplainer } from "../../../src/detection/explain.ts";
import { classesOf, FieldReader } from "../../../src/detection/field-reader.ts";
import type { MailRouting } from "../../../src/detection/routing.ts";
import { indexOverrides } from "../../../src/lists/overrides.ts";
import { lists } from "../../helpers/classify.ts";

const overrides = indexOverrides(new Map([["jane@mailinator.com", false]]));
const exchanges = [{ preference: 10, exchange: "mail.wallywatts.com" }];
const exchange: MailRouting = { status: "ok", exchanges };
const implicit: MailRouting = { status: "implicit_mx", exchanges };

type ReadField = Parameters<FieldReader["read"]>[0];

it.each<[field: ReadField, address: string, value: unknown, routing?: MailRouting]>([
  ["exchange", "joe@quiet-harbour-tools.com", "mail.wallywatts.com", exchange],
  ["exchange", "joe@quiet-harbour-tools.com", undefined, implicit],
  ["exchange", "joe@quiet-harbour-tools.com", undefined],
  ["warnings", "joe@gmаil.com", ["mixed_script_domain", "confusable_domain"]],
  ["warnings", "joe@bücher.de", undefined],
  ["warnings", "pаypal@bücher.de", ["mixed_script_local_part"]],
  ["warnings", "pаypal@gmаil.com", ["mixed_script_local_part", "mixed_script_domain", "confusable_domain"]],
  ["warnings", "o’dowd@gmail.com", ["typographic_local_part"]],
  ["tag", "joe+list@gmail.com", "list"],
  ["tag", "list@joe.fastmail.com", "list"],
  ["tag", "joe@gmail.com", undefined],
  ["dns_status", "joe@quiet-harbour-tools.com", "ok", exchange],
  ["dns_status", "joe@quiet-harbour-tools.com", "skipped"],
  ["registrable_domain", "joe@mail.example.co.uk", "example.co.uk"],
  ["suggestion", "joe@gmial.com", "joe@gmail.com"],
  ["suggestion", "joe@gmail.com", undefined],
  ["domain", "joe@@gmail.com", undefined],
  ["fault", "joe@@gmail.com", "multiple_at"],
  ["suggestion", "joe@@gmail.com", "joe@gmail.com"],
  ["confidence", "joe@mailinator.com", "confirmed"],
  ["matched", "joe@x.mailinator.com", "mailinator.com"],
  ["matched", "jane@mailinator.com", "jane@mailinator.com"],
  ["matched", "joe@mailinator.com", "mailinator.com", exchange],
  ["matched", "joe@quiet-harbour-tools.com", "wallywatts.com", exchange],
  ["matched", "joe@quiet-harbour-tools.com", undefined],
  ["domain_kind", "joe@no-such-name-q7.us.to", "free_subdomain"],
])("FieldReader reads the field %s of %s", (name, address, value, routing) => {
  const setup: ClassifierSetup = { lists, overrides };
  const classifier = new Classifier(setup);
  const bytes = encodeUtf8(address);
  classifier.classify(bytes, 0, bytes.length, routing);
  const reader = new FieldReader(setup);
  expect(reader.read(name, bytes, 0, bytes.length, classifier)).toEqual(value);
  const suspicious = (classesOf(classifier, false) & ROW_CLASS.suspicious) !== 0;
  expect(suspicious).toBe(name === "warnings" && value !== undefined);
  const { suggestion } = createExplainer(setup)(bytes, 0, bytes.length, classifier);
  expect(reader.read("suggestion", bytes, 0, bytes.length, classifier)).toBe(suggestion);
});

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
const exchange: MailRouting = { status: "ok", exchanges: [{ preference: 10, exchange: "mail.wallywatts.com" }] };

it.each([
  ["exchange", "joe@quiet-harbour-tools.com", exchange, "mail.wallywatts.com"],
  ["exchange", "joe@quiet-harbour-tools.com", { status: "implicit_mx", exchanges: exchange.exchanges }, undefined],
  ["exchange", "joe@quiet-harbour-tools.com", undefined, undefined],
  ["warnings", "joe@gmаil.com", undefined, ["mixed_script_domain", "confusable_domain"]],
  ["warnings", "joe@bücher.de", undefined, undefined],
  ["tag", "joe+list@gmail.com", undefined, "list"],
  ["tag", "list@joe.fastmail.com", undefined, "list"],
  ["tag", "joe@gmail.com", undefined, undefined],
  ["dns_status", "joe@quiet-harbour-tools.com", exchange, "ok"],
  ["dns_status", "joe@quiet-harbour-tools.com", undefined, "skipped"],
  ["registrable_domain", "joe@mail.example.co.uk", undefined, "example.co.uk"],
  ["suggestion", "joe@gmial.com", undefined, "joe@gmail.com"],
  ["suggestion", "joe@gmail.com", undefined, undefined],
  ["domain", "joe@@gmail.com", undefined, undefined],
  ["fault", "joe@@gmail.com", undefined, "multiple_at"],
  ["suggestion", "joe@@gmail.com", undefined, "joe@gmail.com"],
  ["confidence", "joe@mailinator.com", undefined, "confirmed"],
  ["matched", "joe@x.mailinator.com", undefined, "mailinator.com"],
  ["domain_kind", "joe@no-such-name-q7.us.to", undefined, "free_subdomain"],
] as const)("FieldReader reads the field %s of %s", (name, address, routing, value) => {
  const setup: ClassifierSetup = { lists };
  const classifier = new Classifier(setup);
  const bytes = encodeUtf8(address);
  classifier.classify(bytes, 0, bytes.length, routing as MailRouting | undefined);
  expect(new FieldReader(setup).read(name, bytes, 0, bytes.length, classifier)).toEqual(value);
  const suspicious = (classesOf(classifier, false) & ROW_CLASS.suspicious) !== 0;
  expect(suspicious).toBe(name === "warnings" && value !== undefined);
});

it.each(
  `joe@gmial.com joe@gmail.com joe@@gmail.com email=joe@gmail.com joe@quiet-harbour-tools.com
    joe@mailinator.con joe@gmail.com.com joe@gmаil.com`.split(/\s+/),
)("the field suggestion of %s equals the suggestion in the evidence", (address) => {
  const classifier = new Classifier({ lists });
  const bytes = encodeUtf8(address);
  classifier.classify(bytes, 0, bytes.length);
  const { suggestion } = createExplainer({ lists })(bytes, 0, bytes.length, classifier);
  expect(new FieldReader({ lists }).read("suggestion", bytes, 0, bytes.length, classifier)).toBe(suggestion);
});

it.each([
  ["jane@mailinator.com", overrides, undefined, "jane@mailinator.com"],
  ["joe@mailinator.com", overrides, undefined, "mailinator.com"],
  ["joe@mailinator.com", undefined, exchange, "mailinator.com"],
  ["joe@quiet-harbour-tools.com", undefined, exchange, "wallywatts.com"],
  ["joe@quiet-harbour-tools.com", undefined, undefined, undefined],
] as const)("the field matched has the deciding entry of %s", (address, mailboxOverrides, routing, entry) => {
  const setup: ClassifierSetup = { lists, ...(mailboxOverrides && { overrides: mailboxOverrides }) };
  const classifier = new Classifier(setup);
  const bytes = encodeUtf8(address);
  classifier.classify(bytes, 0, bytes.length, routing);
  expect(new FieldReader(setup).read("matched", bytes, 0, bytes.length, classifier)).toBe(entry);
});

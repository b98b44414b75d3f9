// Tests warnings about valid domains.

import { expect, it } from "vitest";
import { domainWarnings } from "../../../src/address/warnings.ts";
import { classify } from "../../helpers/classify.ts";

const WARNED: readonly (readonly [domain: string, warnings: readonly string[]])[] = [
  ["pаypal.com", ["mixed_script_domain"]],
  ["gοοgle.com", ["mixed_script_domain"]],
  ["арр.com", ["confusable_domain"]],
  ["сосо.com", ["confusable_domain"]],
  ["☕.com", ["idna2008_disallowed"]],
  ["i❤.ws", ["idna2008_disallowed"]],
  ["💩.la", ["idna2008_disallowed"]],
  ["xn--ls8h.la", ["idna2008_disallowed"]],
  ["кино東.com", ["mixed_script_domain"]],
  ["gmаil.com", ["mixed_script_domain", "confusable_domain"]],
  ["gmaıl.com", ["confusable_domain"]],
  ["outlóok.com", ["confusable_domain"]],
];

const PLAIN = [
  "क्\u200dष.com",
  ...`example.com bücher.com пример.рф почта.com βόλος.com 例え.jp 東京tower.jp ｅxample.com 한국abc.com אב.com
    straße.de paral·lel.cat`.split(/\s+/),
];

it.each(WARNED)("%s is valid with the warnings %j", (domain, warnings) => {
  const { detection, explanation } = classify(`a@${domain}`);
  expect(detection.syntax_validation).toBe(true);
  expect(explanation.warnings).toEqual(warnings);
});

it.each(PLAIN)("%s has no warning", (domain) => {
  const { detection, explanation } = classify(`a@${domain}`);
  expect(detection.syntax_validation).toBe(true);
  expect(explanation).not.toHaveProperty("warnings");
});

it.each([
  ["pаypal@gmail.com", true],
  ['"pаypal x"@gmail.com', true],
  ["jane.αdam@gmail.com", true],
  ["ivan.иванов+news@gmail.com", false],
  ["田中taro@example.jp", false],
  ["김kim@example.kr", false],
  ["иван@почта.рф", false],
  ["josé.müller2@gmail.com", false],
])("%s has a local part of mixed scripts: %s", (address, isMixed) => {
  const { detection, explanation } = classify(address);
  expect(detection.syntax_validation).toBe(true);
  expect(explanation.warnings).toEqual(isMixed ? ["mixed_script_local_part"] : undefined);
});

it.each([
  ["mike.o’brien@gmail.com", ["typographic_local_part"], "mike.o'brien@gmail.com"],
  ["mike.o‘brien@gmail.com", ["typographic_local_part"], "mike.o'brien@gmail.com"],
  ["mike.o\u02bcbrien@gmail.com", ["typographic_local_part"], "mike.o'brien@gmail.com"],
  ["mike.o´brien@example.com", ["typographic_local_part"], "mike.o'brien@example.com"],
  ["mike.o’brien@gmial.com", ["typographic_local_part"], "mike.o'brien@gmail.com"],
  ["anna–beck@gmail.com", ["typographic_local_part"], "anna-beck@gmail.com"],
  ["“anna”@gmail.com", ["typographic_local_part"], "anna@gmail.com"],
  ["anna…@gmail.com", ["typographic_local_part"], undefined],
  ["’@gmail.com", ["typographic_local_part"], undefined],
  ["pаypal’s@gmail.com", ["mixed_script_local_part", "typographic_local_part"], "pаypal's@gmail.com"],
  ["mike.o'brien`@gmail.com", undefined, undefined],
])("%s has the warnings %j and the suggestion %s", (address, warnings, suggestion) => {
  const { detection, explanation } = classify(address);
  expect(detection.syntax_validation).toBe(true);
  expect(explanation.warnings).toEqual(warnings);
  expect(explanation.suggestion).toBe(suggestion);
});

it("domainWarnings checks scripts per label and returns each warning once", () => {
  expect(domainWarnings("пример.東京.com", () => false)).toEqual([]);
  expect(domainWarnings("☕.☕.com", () => false)).toEqual(["idna2008_disallowed"]);
});

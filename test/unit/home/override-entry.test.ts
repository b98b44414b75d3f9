// Tests the parts of an override that a person types.

import { expect, it } from "vitest";
import { parseOverrideEntry, reasonFault } from "../../../src/home/override-entry.ts";
import { lists } from "../../helpers/classify.ts";

it.each([
  ["accepts 500 characters", "\u{1f514}".repeat(500), undefined],
  ["rejects 501 characters", "x".repeat(501), "is blank or too long: give 1 to 500 characters"],
  ["rejects a space", " ", "is blank or too long: give 1 to 500 characters"],
  ["rejects a line break", "a\nb", "has control characters or line breaks: remove them"],
])("reasonFault %s as a reason", (_, reason, fault) => expect(reasonFault(reason)).toBe(fault));

it.each([
  ["example.org", "example.org"],
  ["EXAMPLE.org", "example.org"],
  ["@example.org", "example.org"],
  ["example.org.", "example.org"],
  ["https://example.org.:443/", "example.org"],
  ["mailto:Jane@example.org", "jane@example.org"],
  ["jane@example.org.", "jane@example.org"],
  ["b\u00fccher.de", "xn--bcher-kva.de"],
  ["shop.github.io", "shop.github.io"],
  ["github.io", "github.io"],
  ["https://jane@Example.org:8443/a@b.com", "example.org"],
  ["mail.corp.internal", "mail.corp.internal"],
  ["printer.nosuchtld", "printer.nosuchtld"],
  ["Jane.Doe+news@googlemail.com", "janedoe@gmail.com"],
  ["Jane+x@yopmail.com", "jane@yopmail.com"],
  ["jane@[192.0.2.1]", "jane@[192.0.2.1]"],
])("parseOverrideEntry normalizes %s to %s", (text, entry) => {
  expect(parseOverrideEntry(text, lists)).toEqual({ ok: true, value: entry });
});

it.each([
  ["co.uk", /^is not a mail domain, because the domain is itself a public suffix: /],
  ["com", /^is not a mail domain, because the domain has no dot: /],
  ["", /^is not a mail domain, /],
  ["[192.0.2.1]", /^is not a mail domain, because address literals are not allowed by default: /],
  ["*.example.org", /^needs no asterisk, because a domain includes those below it: give example\.org$/],
  [".example.org", /^needs no dot before it, because a domain includes those below it: give example\.org$/],
  ["example.org..", /^is not a mail domain, because a dot begins or ends the domain, /],
  ["two words.org", /^is not a mail domain, .*: give words\.org, without "two"$/],
  ["a b@foo.com", /^is not an address, .*: give b@foo\.com, without "a"$/],
  ["a $$@foo.com", /: give \$\$@foo\.com, without "a"$/],
  ["7,jane@foo.com,active", /: give jane@foo\.com, without "7 active"$/],
  ['"example.org"', /: give example\.org$/],
  ["0.0.0.0 example.org", /: give example\.org, without "0\.0\.0\.0"$/],
  ["||example.org^", /: give example\.org$/],
  ["Jane <jane@example.org>", /: give jane@example\.org, without "Jane"$/],
  ["example.org, example.com", /: give a domain such as /],
  ["jane@@example.org", /^is not an address, because there is more than one @: /],
  ["jane@", /^is not an address, /],
])("parseOverrideEntry rejects %j", (text, message) => {
  expect(parseOverrideEntry(text, lists)).toEqual({ ok: false, fault: expect.stringMatching(message) });
});

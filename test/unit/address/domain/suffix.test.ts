// Tests the suffix check: root zone, special-use names, public suffixes, and suffixes that receive mail.

import { expect, it } from "vitest";
import { encodeUtf8 } from "../../../../src/base/bytes/bytes.ts";
import { listSuffixes } from "../../../../src/curation/names.ts";
import { lists, verdictOf } from "../../../helpers/classify.ts";

const VERDICTS: readonly (readonly [why: string, domain: string, verdict: string])[] = [
  ["a generic top-level domain", "example.com", "ok"],
  ["a new generic top-level domain", "example.photography", "ok"],
  ["a country's top-level domain", "example.nl", "ok"],
  ["a country's top-level domain in A-labels", "example.xn--p1ai", "ok"],
  ["a country's top-level domain in its own script", "пример.рф", "ok"],
  ["a top-level domain in capitals", "EXAMPLE.COM", "ok"],
  ["not in the root zone", "example.corp", "unknown_tld"],
  ["not in the root zone, in its own script", "example.例例例", "unknown_tld"],
  ["only digits", "example.000", "unknown_tld"],
  ["an IPv4 address that ends in 0", "10.0.0.0", "ip_address"],
  ["an IPv4 address that ends in 9", "192.168.1.9", "ip_address"],
  ["a bare top-level domain", "museum", "dotless"],
  ["a bare label", "intranet", "dotless"],
  ["test", "example.test", "special_use_tld"],
  ["invalid", "example.invalid", "special_use_tld"],
  ["example", "mail.example", "special_use_tld"],
  ["localhost", "localhost", "special_use_tld"],
  ["a subdomain of localhost", "mail.localhost", "special_use_tld"],
  ["local", "printer.local", "special_use_tld"],
  ["onion, though the Public Suffix List has it", "service.onion", "special_use_tld"],
  ["internal", "host.internal", "special_use_tld"],
  ["alt", "name.alt", "special_use_tld"],
  ["arpa, though the root zone has it", "in-addr.arpa", "special_use_tld"],
  ["ARPA", "in-addr.ARPA", "special_use_tld"],
  ["example.org", "example.org", "ok"],
  ["test as a second label", "test.com", "ok"],
  ["a suffix of two labels", "co.uk", "public_suffix"],
  ["a suffix in capitals", "Co.UK", "public_suffix"],
  ["a subdomain of a suffix", "example.co.uk", "ok"],
  ["a suffix of three labels", "city.kyoto.jp", "ok"],
  ["a wildcard", "foo.ck", "public_suffix"],
  ["a subdomain of a wildcard", "mail.foo.ck", "ok"],
  ["an exception to a wildcard", "www.ck", "ok"],
  ["a subdomain of an exception", "mail.www.ck", "ok"],
  ["a wildcard of three labels", "foo.kawasaki.jp", "public_suffix"],
  ["an exception of three labels", "city.kawasaki.jp", "ok"],
  ["a suffix in its own script", "公司.cn", "public_suffix"],
  ["a suffix in A-labels", "xn--55qx5d.cn", "public_suffix"],
  ["a private suffix", "uk.com", "ok"],
  ["a private suffix of a registry", "eu.org", "ok"],
  ["a government's private suffix", "gov.scot", "ok"],
  ["a hosting provider's private suffix", "github.io", "ok"],
  ["a suffix that receives mail, in capitals", "Parliament.NZ", "ok"],
];

it.each(VERDICTS)("the suffix check of $1 returns $2 (%s)", (_, domain, verdict) => {
  expect(verdictOf(`a@${domain}`)).toBe(verdict);
});

it.each([
  ["letters and digits", "example.a1", "ok"],
  ["a digit first", "example.1a", "ok"],
  ["a digit between hyphenated letters", "example.1-a", "ok"],
  ["a digit at either end", "example.1a1", "ok"],
  ["only digits", "example.11", "unknown_tld"],
  ["one digit", "example.1", "unknown_tld"],
  ["a bare label of digits and letters", "1a", "dotless"],
])("with allowUnknownTld, the suffix check of $1 returns $2 (%s)", (_, domain, verdict) => {
  expect(verdictOf(`a@${domain}`, { allowUnknownTld: true })).toBe(verdict);
  expect(verdictOf(`a@${domain}`)).toBe(verdict === "ok" ? "unknown_tld" : verdict);
});

it("the suffix check accepts a public suffix only if it is known to receive mail", () => {
  const verdicts = listSuffixes("registry").map((suffix) => [suffix, verdictOf(`a@${suffix}`)] as const);
  const wrong = verdicts.filter(([suffix, verdict]) => {
    const bytes = encodeUtf8(suffix);
    const receivesMail = lists.receivesMail(bytes, 0, bytes.length);
    return verdict === "ok" ? !receivesMail : receivesMail;
  });
  expect(wrong).toEqual([]);
  const counts = new Map<string, number>();
  for (const [, verdict] of verdicts) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  expect([...counts.keys()].sort()).toEqual(["dotless", "ok", "public_suffix", "special_use_tld"]);
  expect(counts.get("public_suffix")).toBeGreaterThan(5000);
});

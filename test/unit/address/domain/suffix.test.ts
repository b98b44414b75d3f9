// The suffix rule: root zone, special-use names, public suffixes with wildcards and exceptions, and suffixes that receive mail.

import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../../../src/base/bytes/bytes.ts";
import { suffixesOf } from "../../../../src/curation/names.ts";
import { lists, verdictOf } from "../../../helpers/classify.ts";

const VERDICTS: readonly (readonly [why: string, domain: string, verdict: string])[] = [
  ["a generic top-level domain", "example.com", "ok"],
  ["a new one", "example.photography", "ok"],
  ["a country's", "example.nl", "ok"],
  ["a country's in A-labels", "example.xn--p1ai", "ok"],
  ["a country's in its own script", "пример.рф", "ok"],
  ["in capitals", "EXAMPLE.COM", "ok"],
  ["not in the root zone", "example.corp", "unknown_tld"],
  ["not in the root zone, in its own script", "example.例例例", "unknown_tld"],
  ["digits alone", "example.000", "unknown_tld"],
  ["an IPv4 address that ends in 0", "10.0.0.0", "ip_address"],
  ["an IPv4 address that ends in 9", "192.168.1.9", "ip_address"],
  ["a bare top-level domain", "museum", "dotless"],
  ["a bare label", "intranet", "dotless"],
  ["test", "example.test", "special_use_tld"],
  ["invalid", "example.invalid", "special_use_tld"],
  ["example", "mail.example", "special_use_tld"],
  ["localhost", "localhost", "special_use_tld"],
  ["below localhost", "mail.localhost", "special_use_tld"],
  ["local", "printer.local", "special_use_tld"],
  ["onion, though the Public Suffix List has it", "service.onion", "special_use_tld"],
  ["internal", "host.internal", "special_use_tld"],
  ["alt", "name.alt", "special_use_tld"],
  ["arpa, though the root zone has it", "in-addr.arpa", "special_use_tld"],
  ["ARPA", "in-addr.ARPA", "special_use_tld"],
  ["example.com itself", "example.com", "ok"],
  ["example.net", "example.net", "ok"],
  ["example.org", "example.org", "ok"],
  ["test as a second label", "test.com", "ok"],
  ["a suffix of two labels", "co.uk", "public_suffix"],
  ["in capitals", "Co.UK", "public_suffix"],
  ["a name below it", "example.co.uk", "ok"],
  ["a suffix of three labels", "city.kyoto.jp", "ok"],
  ["a wildcard", "foo.ck", "public_suffix"],
  ["a name below a wildcard", "mail.foo.ck", "ok"],
  ["the exception of a wildcard", "www.ck", "ok"],
  ["below the exception", "mail.www.ck", "ok"],
  ["another wildcard", "foo.kawasaki.jp", "public_suffix"],
  ["its exception", "city.kawasaki.jp", "ok"],
  ["a suffix in its own script", "公司.cn", "public_suffix"],
  ["the same in A-labels", "xn--55qx5d.cn", "public_suffix"],
  ["a private suffix", "uk.com", "ok"],
  ["a private suffix of a registry", "eu.org", "ok"],
  ["a government's private suffix", "gov.scot", "ok"],
  ["a hoster's private suffix", "github.io", "ok"],
  ["a suffix that receives mail, gov.bm", "gov.bm", "ok"],
  ["a suffix that receives mail, gov.ms", "gov.ms", "ok"],
  ["a suffix that receives mail, parliament.nz", "parliament.nz", "ok"],
  ["in capitals", "Parliament.NZ", "ok"],
  ["a suffix like them without such evidence", "gov.ck", "public_suffix"],
];

describe("the suffix rule", () => {
  it.each(VERDICTS)("the suffix rule %s: %s", (_, domain, verdict) => {
    expect(verdictOf(`a@${domain}`)).toBe(verdict);
  });

  it.each([
    ["letters and digits", "example.a1", "ok"],
    ["a digit first", "example.1a", "ok"],
    ["a digit between hyphenated letters", "example.1-a", "ok"],
    ["a digit at either end", "example.1a1", "ok"],
    ["digits alone", "example.11", "unknown_tld"],
    ["one digit", "example.1", "unknown_tld"],
    ["a bare label of digits and letters", "1a", "dotless"],
  ])("the suffix rule that lets unknown top-level domains in takes all but mere digits: %s", (_, domain, verdict) => {
    expect(verdictOf(`a@${domain}`, { allowUnknownTld: true })).toBe(verdict);
    expect(verdictOf(`a@${domain}`)).toBe(verdict === "ok" ? "unknown_tld" : verdict);
  });

  it("refuses every suffix of the list, but for those that receive mail", () => {
    const verdicts = suffixesOf("registry").map((suffix) => [suffix, verdictOf(`a@${suffix}`)] as const);
    const odd = verdicts.filter(([suffix, verdict]) => {
      const bytes = encodeUtf8(suffix);
      const mail = lists.receivesMail(bytes, 0, bytes.length);
      return verdict === "ok" ? !mail : mail;
    });
    expect(odd).toEqual([]);
    const counts = new Map<string, number>();
    for (const [, verdict] of verdicts) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual(["dotless", "ok", "public_suffix", "special_use_tld"]);
    expect(counts.get("public_suffix")).toBeGreaterThan(5000);
  });
});

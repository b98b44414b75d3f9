// Tests the parts of valid addresses, and each option of the syntax policy, off and on.

import { expect, it } from "vitest";
import { type Mailbox, parseMailbox } from "../../../src/address/mailbox.ts";
import type { SyntaxOptions } from "../../../src/address/options.ts";
import { classify, lists, verdictOf } from "../../helpers/classify.ts";

function mailboxOf(address: string): Mailbox {
  const parsed = parseMailbox(address, {}, lists);
  if (!parsed.ok) throw new Error(`${address}: ${parsed.fault.code} at ${parsed.fault.offset}`);
  return parsed.value;
}

const GOOD: readonly (readonly [address: string, localPart: string, ascii: string, unicode?: string])[] = [
  ["anna@example.com", "anna", "example.com"],
  ["Anna.Beck@Example.COM", "Anna.Beck", "example.com"],
  ["a@b.co", "a", "b.co"],
  ["!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~", "example.com"],
  ["1@2.com", "1", "2.com"],
  ["-@example.com", "-", "example.com"],
  ["a@mail.department.example.org", "a", "mail.department.example.org"],
  // RFC 5891 §4.2.3.1 forbids `--` at the third character of U-labels, but ASCII domains with it exist and receive mail.
  ["a@ab--cd.com", "a", "ab--cd.com"],
  ["me@yy--0.com", "me", "yy--0.com"],
  ["a@1-2-3.net", "a", "1-2-3.net"],
  ["a@123.com", "a", "123.com"],
  ["anna+tag+tag@example.com", "anna+tag+tag", "example.com"],
  ['"anna beck"@example.com', '"anna beck"', "example.com"],
  ['"a@b"@example.com', '"a@b"', "example.com"],
  ['" "@example.com', '" "', "example.com"],
  ['"a..b"@example.com', '"a..b"', "example.com"],
  ['"\\"\\\\"@example.com', '"\\"\\\\"', "example.com"],
  ['"<(,;:)>"@example.com', '"<(,;:)>"', "example.com"],
  ['"\\a"@example.com', '"\\a"', "example.com"],
  ["a@xn--bcher-kva.com", "a", "xn--bcher-kva.com", "bücher.com"],
  ["a@bücher.com", "a", "xn--bcher-kva.com", "bücher.com"],
];

const INTERNATIONAL: readonly (readonly [address: string, localPart: string])[] = [
  ["josé@example.com", "josé"],
  ["jose\u0301@example.com", "josé"],
  ["用户@example.com", "用户"],
  ["пётр.иванов@example.com", "пётр.иванов"],
  ["अनिल@example.com", "अनिल"],
  ["😀@example.com", "😀"],
  ['"用 户"@example.com', '"用 户"'],
  ["ﬁ@example.com", "ﬁ"],
  ["\u212bngstro\u0308m@example.com", "Ångström"],
  ["x\u0301@example.com", "x\u0301"],
];

const SWITCHES: readonly (readonly [option: keyof SyntaxOptions, address: string, off: string, on: string])[] = [
  ["noQuotedLocal", '"a b"@example.com', "ok", "quoted_disallowed"],
  ["noQuotedLocal", '"anna"@example.com', "ok", "quoted_disallowed"],
  ["noQuotedLocal", "anna@example.com", "ok", "ok"],
  ["asciiOnly", "josé@example.com", "ok", "non_ascii"],
  ["asciiOnly", '"é"@example.com', "ok", "non_ascii"],
  ["asciiOnly", "a@bücher.com", "ok", "non_ascii"],
  ["asciiOnly", "a@ｅxample.com", "ok", "non_ascii"],
  ["asciiOnly", "a@example。com", "ok", "non_ascii"],
  ["asciiOnly", "a@xn--bcher-kva.com", "ok", "ok"],
  ["allowDomainLiteral", "a@[192.0.2.1]", "domain_literal", "ok"],
  ["allowDomainLiteral", "a@[IPv6:2001:db8::1]", "domain_literal", "ok"],
  ["allowDomainLiteral", "a@192.0.2.1", "ip_address", "ip_address"],
  ["allowUnknownTld", "a@example.notatld", "unknown_tld", "ok"],
  ["allowUnknownTld", "a@example.xn--8h0a", "unknown_tld", "ok"],
  ["allowUnknownTld", "a@mailhost", "dotless", "dotless"],
  ["allowUnknownTld", "a@192.0.2.1", "ip_address", "ip_address"],
  ["allowUnknownTld", "a@example.123", "unknown_tld", "unknown_tld"],
  ["allowUnknownTld", "a@example.test", "special_use_tld", "special_use_tld"],
  ["allowReserved", "a@example.test", "special_use_tld", "ok"],
  ["allowReserved", "a@localhost", "special_use_tld", "ok"],
  ["allowReserved", "a@service.onion", "special_use_tld", "ok"],
  ["allowReserved", "a@example.notatld", "unknown_tld", "unknown_tld"],
  ["allowReserved", "a@co.uk", "public_suffix", "public_suffix"],
];

it.each(GOOD.map(([address, ...parts]) => [address, parts] as const))(
  "parseMailbox parses %s into local part and domain",
  (address, parts) => {
    const [localPart, ascii, unicode = ascii] = parts;
    expect(mailboxOf(address)).toEqual({ localPart, domain: { ascii, unicode }, smtputf8: false });
  },
);

it.each(INTERNATIONAL)("%s needs SMTPUTF8, and its local part is parsed to NFC", (address, localPart) => {
  const domain = { ascii: "example.com", unicode: "example.com" };
  expect(mailboxOf(address)).toEqual({ localPart, domain, smtputf8: true });
});

it("parseMailbox parses text and bytes to the same mailbox", () => {
  const address = "josé@bücher.com";
  expect(parseMailbox(new TextEncoder().encode(address), {}, lists)).toEqual(parseMailbox(address, {}, lists));
});

it("parseMailbox keeps compatibility characters in the local part", () => {
  expect(mailboxOf("ｉｎｆｏ@example.com").localPart).toBe("ｉｎｆｏ");
});

it.each(SWITCHES)("without and with the option $0, the result for $1 is $2 and $3", (option, address, off, on) => {
  expect(verdictOf(address)).toBe(off);
  expect(verdictOf(address, { [option]: false })).toBe(off);
  expect(verdictOf(address, { [option]: true })).toBe(on);
  expect(classify(address).detection.syntax_validation).toBe(off === "ok");
  expect(classify(address, { syntax: { [option]: true } }).detection.syntax_validation).toBe(on === "ok");
});

it("allowDomainLiteral and noQuotedLocal apply together to one address", () => {
  expect(verdictOf('"é"@[192.0.2.1]', { allowDomainLiteral: true, noQuotedLocal: true })).toBe("quoted_disallowed");
});

// Tests malformed addresses, each with its fault and offset.

import { expect, it } from "vitest";
import { SYNTAX_FAULTS, type SyntaxCode } from "../../../src/address/faults.ts";
import { parseMailbox } from "../../../src/address/mailbox.ts";
import type { SyntaxOptions } from "../../../src/address/options.ts";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import { Classifier } from "../../../src/detection/classifier.ts";
import { classify, lists } from "../../helpers/classify.ts";

type Row = readonly [code: SyntaxCode, offset: number, address: string | Uint8Array, options?: SyntaxOptions];

/** Faults of rows; the parser of addresses never returns them. */
const ROW_FAULTS: readonly SyntaxCode[] = ["line_too_long", "not_an_object"];

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"));
const long = (bytes: number): string => "x".repeat(bytes);

const STRUCTURE: readonly Row[] = [
  ["empty", 0, ""],
  ["missing_at", 4, "anna"],
  ["missing_at", 11, "example.com"],
  ["missing_at", 6, '"anna"'],
  ["missing_at", 9, "anna beck"],
  ["quoted_address", 0, '"anna@example.com"'],
  ["lookalike_at", 4, "anna＠example.com"],
  ["lookalike_at", 4, "anna﹫example.com"],
  ["lookalike_at", 0, "＠example.com"],
  ["multiple_at", 6, "anna@b@example.com"],
  ["multiple_at", 5, "anna@@example.com"],
  ["multiple_at", 8, "anna@exa＠mple.com"],
  ["several_addresses", 16, "anna@example.com; bob@example.org"],
  ["several_addresses", 16, "anna@example.com,bob@example.org"],
  ["several_addresses", 16, "anna@example.com bob@example.org"],
  ["several_addresses", 16, "anna@example.com / bob@example.org"],
  ["several_addresses", 16, "anna@example.com, Bob <bob@example.org>"],
  ["several_addresses", 29, "Mary Smith <mary@example.com>, Doe, John <jdoe@example.org>"],
  ["several_addresses", 18, "<anna@example.com>; <bob@example.org>"],
  ["several_addresses", 30, '"Doe, Anna" <anna@example.com>, bob@example.org'],
  ["several_addresses", 31, "Doe, Bücher <anna@example.com>, bob@example.org"],
  ["several_addresses", 15, "anna@bücher.de or bob@example.org"],
  ["domain_character", 16, "anna@example.com;"],
  ["white_space", 16, "anna@example.com <anna@example.com>"],
  ["invalid_utf8", 1, bytes("a\xff@example.com")],
  ["invalid_utf8", 0, bytes("\xc0\xafa@example.com")],
  ["invalid_utf8", 1, bytes("a\xed\xa0\x80@example.com")],
  ["invalid_utf8", 1, bytes("a\xf4\x90\x80\x80@example.com")],
  ["invalid_utf8", 7, bytes("a@examp\xe2\x82.com")],
  ["invalid_utf8", 2, bytes("a@\x80.com")],
  ["address_too_long", 254, `a@${long(60)}.${long(60)}.${long(60)}.${long(60)}.${long(5)}.com`],
];

const CHARACTERS: readonly Row[] = [
  ["white_space", 4, "anna beck@example.com"],
  ["white_space", 0, " anna@example.com"],
  ["white_space", 16, "anna@example.com "],
  ["white_space", 16, "anna@example.com\n"],
  ["white_space", 4, "anna\t@example.com"],
  ["white_space", 4, "anna\r\n @example.com"],
  ["white_space", 5, "anna@ example.com"],
  ["white_space", 4, "Anna <anna@example.com>"],
  ["control_character", 4, "anna\0@example.com"],
  ["control_character", 1, "a\u007f@example.com"],
  ["control_character", 5, "anna@\u0001example.com"],
  ["control_character", 16, "anna@example.com\0"],
  ["control_character", 2, '"a\u0001"@example.com'],
  ["control_character", 3, '"a\\\u0007"@example.com'],
  ["control_character", 2, '"a\u007f"@example.com'],
  ["control_character", 2, '"a\r\n b"@example.com'],
  ["comment", 4, "anna(home)@example.com"],
  ["comment", 0, "(home)anna@example.com"],
  ["comment", 5, "anna@(home)example.com"],
  ["comment", 16, "anna@example.com(home)"],
  ["angle_bracket", 0, "<anna@example.com>"],
  ["angle_bracket", 16, "anna@example.com>"],
  ["angle_bracket", 0, "<@relay.example.org:anna@example.com>"],
  ["unicode_disallowed", 1, "a\u200bb@example.com"],
  ["unicode_disallowed", 2, "é\u2066b@example.com"],
  ["unicode_disallowed", 4, "a@ex\u00adample.com"],
  ["unicode_leading_mark", 0, "\u0301a@example.com"],
  ["unicode_leading_mark", 1, '"\u0301a"@example.com'],
  ["unicode_normalization", 0, "a\u037eb@example.com"],
  ["non_ascii", 0, "é@example.com", { asciiOnly: true }],
  ["non_ascii", 3, "a@bücher.com", { asciiOnly: true }],
];

const LOCAL_PART: readonly Row[] = [
  ["local_part_empty", 0, "@example.com"],
  ["local_part_too_long", 64, `${long(65)}@example.com`],
  ["local_part_too_long", 0, `${"\u0958".repeat(11)}@example.com`],
  ["local_part_too_long", 64, `"${long(63)}"@example.com`],
  ["local_part_dot", 0, ".anna@example.com"],
  ["local_part_dot", 4, "anna.@example.com"],
  ["local_part_dot", 5, "anna..beck@example.com"],
  ["local_part_dot", 0, ".@example.com"],
  ["local_part_character", 4, "anna\\ beck@example.com"],
  ["local_part_character", 4, "anna,beck@example.com"],
  ["local_part_character", 1, "a:b@example.com"],
  ["local_part_character", 1, "a;b@example.com"],
  ["local_part_character", 0, "[a]@example.com"],
  ["quoted_empty", 0, '""@example.com'],
  ["quoted_unterminated", 0, '"anna@example.com'],
  ["quoted_unterminated", 0, '"anna\\"@example.com'],
  ["quoted_unterminated", 0, '"anna@example.com\\'],
  ["quoted_character", 3, '"a\\é"@example.com'],
  ["quoted_misplaced", 3, '"a".b@example.com'],
  ["quoted_misplaced", 3, '"a" @example.com'],
  ["quoted_misplaced", 2, 'a."b"@example.com'],
  ["quoted_misplaced", 1, 'a"b"@example.com'],
  ["quoted_disallowed", 0, '"a b"@example.com', { noQuotedLocal: true }],
];

const DOMAIN: readonly Row[] = [
  ["domain_empty", 5, "anna@"],
  ["domain_too_long", 255, `a@${`${long(50)}.`.repeat(5)}com`],
  ["domain_too_long", 2, `a@${"üa.".repeat(24)}${long(10)}.com`],
  ["domain_dot", 5, "anna@.example.com"],
  ["domain_dot", 16, "anna@example.com."],
  ["domain_dot", 13, "anna@example..com"],
  ["domain_dot", 5, "anna@."],
  ["domain_character", 8, "anna@exa%6dple.com"],
  ["domain_character", 16, "anna@example.com/x"],
  ["domain_character", 16, "anna@example.com:25"],
  ["domain_character", 5, "anna@#1234"],
  ["domain_underscore", 8, "anna@exa_mple.com"],
  ["domain_underscore", 5, "anna@_dmarc.example.com"],
  ["label_too_long", 65, `a@${long(64)}.com`],
  ["label_hyphen", 5, "anna@-example.com"],
  ["label_hyphen", 12, "anna@example-.com"],
  ["label_hyphen", 13, "anna@example.-com"],
  ["idna_invalid", 5, "anna@a\u200db.com"],
  ["idna_invalid", 5, "anna@\u0301b.com"],
  ["a_label_invalid", 5, "anna@xn--.com"],
  ["a_label_invalid", 5, "anna@xn--example-.com"],
  ["domain_literal", 5, "anna@[192.0.2.1]"],
  ["domain_literal_invalid", 5, "anna@[192.0.2.256]", { allowDomainLiteral: true }],
  ["ip_address", 5, "anna@192.0.2.1"],
  ["dotless", 5, "anna@com"],
  ["dotless", 5, "anna@mailhost"],
  ["unknown_tld", 13, "anna@example.notatld"],
  ["unknown_tld", 13, "anna@example.123"],
  ["unknown_tld", 13, "anna@bücher.notatld"],
  ["unknown_tld", 18, "anna@mail.example.例例例"],
  ["dotless", 5, "anna@例例例"],
  ["special_use_tld", 13, "anna@example.test"],
  ["special_use_tld", 13, "anna@bücher.test"],
  ["special_use_tld", 5, "anna@localhost"],
  ["public_suffix", 5, "anna@co.uk"],
];

const ROWS = [...STRUCTURE, ...CHARACTERS, ...LOCAL_PART, ...DOMAIN];

function formatTitle(address: string | Uint8Array): string {
  return JSON.stringify(typeof address === "string" ? address : Buffer.from(address).toString("latin1")).slice(0, 60);
}

it.each(ROWS.map((row) => [row[0], row[1], formatTitle(row[2]), row] as const))(
  "the parser reports %s at byte %i of %s",
  (code, offset, _, row) => {
    const [, , address, options] = row;
    const bytes = typeof address === "string" ? encodeUtf8(address) : address;
    const fault = { code, offset, ...SYNTAX_FAULTS[code] };
    expect(parseMailbox(bytes, options ?? {}, lists)).toEqual({ ok: false, fault });
    const { detection, explanation } = classify(address, options === undefined ? undefined : { syntax: options });
    expect(detection.syntax_validation).toBe(false);
    expect(explanation.syntax_error?.code).toBe(code);
  },
);

it("the test cases cover every syntax fault of an address", () => {
  const codes = Object.keys(SYNTAX_FAULTS).filter((code) => !ROW_FAULTS.includes(code as SyntaxCode));
  expect([...new Set(ROWS.map(([code]) => code))].sort()).toEqual(codes.sort());
});

it.each(ROW_FAULTS)("a classifier reports %s for a row that could not be read", (code) => {
  const classifier = new Classifier({ lists });
  classifier.rejectUnread(code, 0);
  expect(classifier.fault).toBe(code);
});

it.each([
  ["in the domain as written, also if IDNA maps it", "a@\u00fc.zzzz", 4],
  ["never inside a surrogate pair", `a${"\u{1f600}".repeat(20)}@b.com`, 31],
  ["within the truncated text of a long address", "a".repeat(2000), 1025],
])("a fault's offset in the evidence is %s", (_, address, offset) => {
  expect(classify(address).explanation.syntax_error?.offset).toBe(offset);
});

it("fault offsets are in UTF-16 units for a string, as in the evidence, and in bytes for bytes", () => {
  const address = "é😀 x@example.com";
  const fault = { code: "white_space", offset: 3, ...SYNTAX_FAULTS.white_space };
  expect(parseMailbox(address, {}, lists)).toEqual({ ok: false, fault });
  expect(classify(address).explanation.syntax_error).toEqual(fault);
  expect(parseMailbox(encodeUtf8(address), {}, lists)).toEqual({ ok: false, fault: { ...fault, offset: 6 } });
});

it.each(Object.entries(SYNTAX_FAULTS))(
  "the syntax fault %s has a one-line message and a reference",
  (_, { message, reference }) => {
    expect(message).toMatch(/^[^\n]{10,100}$/);
    expect(reference).toMatch(/RFC \d{4}|option [a-z]|Public Suffix List|UTS #46/);
  },
);

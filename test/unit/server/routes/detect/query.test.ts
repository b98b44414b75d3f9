// Tests the query of a detection: percent-decoding, and every error.

import fc from "fast-check";
import { expect, it } from "vitest";
import { DetectQuery, MAX_SUBJECT_BYTES } from "../../../../../src/server/routes/detect/query.ts";

function parse(query: string): { fault?: string; email?: string; explain?: boolean; classes?: boolean; dns?: boolean } {
  const reader = new DetectQuery();
  const fault = reader.read(query);
  if (fault !== undefined) return { fault };
  return {
    email: Buffer.from(reader.bytes.subarray(0, reader.end)).toString("utf8"),
    explain: reader.explain,
    classes: reader.classes,
    dns: reader.dns,
  };
}

it.each([
  ["email=jane@example.org", { email: "jane@example.org", explain: false, dns: true }],
  ["email=a+b@x.com", { email: "a+b@x.com" }],
  ["email=a%2Bb@x.com", { email: "a+b@x.com" }],
  ["email=a%2bb%40x.com", { email: "a+b@x.com" }],
  ["email=a%26b@x.com", { email: "a&b@x.com" }],
  ["email=a=b@x.com", { email: "a=b@x.com" }],
  ["email=a?b@x.com", { email: "a?b@x.com" }],
  ["email=%20jane@x.com%20", { email: " jane@x.com " }],
  ["email=j%C3%BCrgen@x.de", { email: "jürgen@x.de" }],
  ["email=a@x.com&explain=true", { explain: true }],
  ["explain=false&email=a@x.com", { explain: false }],
  ["email=a@x.com&classes=true", { classes: true, explain: false }],
  ["email=a@x.com&dns=off", { dns: false, classes: false }],
  ["email=a@x.com&dns=on", { dns: true }],
  ["&&email=a@x.com&", { email: "a@x.com" }],
] as const)("DetectQuery parses the query %s", (query, expected) => {
  expect(parse(query)).toMatchObject(expected);
});

it.each([
  ["", "email is missing"],
  ["explain=true", "email is missing"],
  ["email", "email is empty"],
  ["email=", "email is empty"],
  ["email=&explain=true", "email is empty"],
  ["email=a@x.com&email=a@x.com", "email is repeated"],
  ["email=%", "% without two hexadecimal digits"],
  ["email=a%2", "% without two hexadecimal digits"],
  ["email=a%2&dns=off", "% without two hexadecimal digits"],
  ["email=a%zz@x.com", "% without two hexadecimal digits"],
  ["email=a@x.com&explain=1", "explain must be true or false"],
  ["email=a@x.com&classes=True", "classes must be true or false, in lower case: write classes=true"],
  ["email=a@x.com&explain", "explain must be true or false"],
  ["email=a@x.com&explain=true&explain=true", "explain is repeated"],
  ["email=a@x.com&dns=no", "dns must be on or off"],
  ["email=a@x.com&dns=off&dns=off", "dns is repeated"],
  // Otherwise, an address with an unencoded & would be truncated silently.
  [
    "email=a&b@x.com",
    'unknown query parameter "b@x.com": use email, explain, classes or dns; write & in an address as %26',
  ],
  ["Email=a@x.com", 'unknown query parameter "Email": did you mean email?'],
  [`${"e".repeat(16_000)}=1`, `unknown query parameter "${"e".repeat(40)}": use email, explain, classes or dns`],
])("DetectQuery rejects the query $0: $1", (query, fault) => {
  expect(parse(query).fault).toContain(fault);
});

it("DetectQuery reads a domain from the path, and its options from the query", () => {
  const reader = new DetectQuery();
  expect(reader.read("explain=true&classes=true&dns=off", "b%C3%BCcher.de")).toBeUndefined();
  expect(Buffer.from(reader.bytes.subarray(0, reader.end)).toString("utf8")).toBe("bücher.de");
  expect(reader).toMatchObject({ explain: true, classes: true, dns: false });
  expect(reader.read("email=a@x.com", "a.com")).toBe('unknown query parameter "email": use explain, classes or dns');
  expect(reader.read("email=a@x.com")).toBeUndefined();
  expect(reader).toMatchObject({ explain: false, classes: false, dns: true });
});

it("an address in a query may have 4 KiB after decoding", () => {
  expect(parse(`email=${"a".repeat(MAX_SUBJECT_BYTES)}`).email).toHaveLength(MAX_SUBJECT_BYTES);
  expect(parse(`email=${"%61".repeat(MAX_SUBJECT_BYTES)}`).email).toHaveLength(MAX_SUBJECT_BYTES);
  expect(parse(`email=${"a".repeat(MAX_SUBJECT_BYTES + 1)}`).fault).toContain("exceeds 4 KiB");
  expect(parse(`email=${"%61".repeat(MAX_SUBJECT_BYTES)}b`).fault).toContain("exceeds 4 KiB");
});

it("a query may percent-encode any character", () => {
  const address = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(address, fc.boolean(), (email, explain) => {
      const encoded = encodeURIComponent(email);
      expect(parse(`email=${encoded}&explain=${explain}`)).toMatchObject({ email, explain });
      expect(parse(`explain=${explain}&email=${encoded.replaceAll("%2B", "+").replaceAll("%40", "@")}`).email).toBe(
        email,
      );
    }),
  );
});

it("DetectQuery returns either an address or a fault for any query", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (query) => {
      const { fault, email } = parse(query);
      expect((fault === undefined) !== (email === undefined)).toBe(true);
      if (fault !== undefined) expect(fault).toMatch(/: /);
    }),
  );
});

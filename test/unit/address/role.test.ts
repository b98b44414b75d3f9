// Tests role accounts, and local parts that only resemble one.

import fc from "fast-check";
import { expect, it } from "vitest";
import { maintainedLists } from "../../helpers/build-inputs.ts";
import { classify, classifyValid } from "../../helpers/classify.ts";

const roleOf = (localPart: string, domain = "example.com"): boolean =>
  classifyValid(`${localPart}@${domain}`).role_address;

const ROLES = `info INFO Info support-eu info.de sales_uk sales2 sales9 info2024 billing-eu-2 noreply no-reply
    no-reply-2 postmaster abuse hostmaster webmaster security info+newsletter support-eu+ticket42 hr it mail
    hr+jobs "info" "in\\fo" kontakt contact contact-us`.split(/\s+/);

const NOT_ROLES = [
  '"info desk"',
  '"info-desk 2"',
  ...`anna mail.smith it.girl hr.meyer hrabal infojunkie infographic supporter salesman billings john.info
    anna-support x.sales my_info 2info _info +info anna+info ｉnfo ìnfo i mail2 it-girl contact.lebotlan
    contact-lebotlan`.split(/\s+/),
];

it.each(ROLES)("%s is a role account", (localPart) => {
  expect(roleOf(localPart)).toBe(true);
});

it.each(NOT_ROLES)("%s is not a role account", (localPart) => {
  expect(roleOf(localPart)).toBe(false);
});

it.each(["gmail.com", "yahoo.com", "gmx.de", "anna.fastmail.com", "mailinator.com", "bücher.com"])(
  "at %s, only a local part that is a role name is a role account",
  (domain) => {
    expect(roleOf("support", domain)).toBe(true);
    expect(roleOf("No-Reply", domain)).toBe(true);
    expect(roleOf('"support"', domain)).toBe(true);
    expect(roleOf("anna", domain)).toBe(false);
  },
);

it.each(["info.john", "info-john", "info_john", "info2024", "support-eu", "sales2+x", "billing-eu-2"])(
  "%s is a role account except at a public domain",
  (localPart) => {
    for (const domain of ["gmail.com", "outlook.com", "mail2anna.com", "gmx.de", "anna.fastmail.com"]) {
      expect(roleOf(localPart, domain)).toBe(false);
    }
    for (const domain of ["example.com", "mailinator.com", "duck.com", "mail.gmail.com"]) {
      expect(roleOf(localPart, domain)).toBe(true);
    }
  },
);

it.each([
  ["info+shop@gmail.com", true],
  ["info-shop@yahoo.com", true],
  ["info-shop@gmail.com", false],
  ["info+shop@yahoo.com", false],
  ["info+shop@gmx.de", false],
  ["info+shop@example.com", true],
])("a role account is recognized after its tag is removed: role_address of %s is %s", (address, expected) => {
  expect(classifyValid(address).role_address).toBe(expected);
});

it.each([
  ["Info@example.com", "info"],
  ["support-eu@example.com", "support"],
  ["no-reply-2@example.com", "no-reply"],
  ["hr+x@example.com", "hr"],
  ["Info@gmail.com", "info"],
  ["info-shop@yahoo.com", "info"],
])("the evidence of %s has the matched role name %s", (address, entry) => {
  const match = classify(address).explanation.matches?.find(({ flag }) => flag === "role_address");
  expect(match).toMatchObject({ entry, kind: "role" });
  expect(match?.sources).toHaveLength(1);
});

const rows = [...maintainedLists().roles.values()];

it("every role name is recognized in lower case, in upper case and with a tag", () => {
  // Upper case maps a Turkish dotless i to another letter.
  const plain = rows.filter(([name = ""]) => !/ı/.test(name));
  const missed = plain.filter(([name = ""]) => ![name, name.toUpperCase(), `${name}+x`].every((form) => roleOf(form)));
  expect(missed).toEqual([]);
});

it("a role name of type prefix matches if a separator or digits follow it, but not if a letter does", () => {
  const prefixes = rows.filter(([, match]) => match === "prefix").map(([name = ""]) => name);
  const exact = new Set(rows.map(([name]) => name));
  const suffix = fc.constantFrom(".x", "-x", "_x", "1", "42", "-", "_");
  fc.assert(
    fc.property(fc.constantFrom(...prefixes), suffix, (name, rest) => {
      expect(roleOf(name + rest)).toBe(true);
      if (!exact.has(`${name}q`)) expect(roleOf(`${name}q`)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

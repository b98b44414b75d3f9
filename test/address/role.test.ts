// Role accounts: which local parts are shared inboxes, and which only look like it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readHandKept } from "../../src/curation/read-data.ts";
import { classify, classifyValid, ROOT } from "../helpers/classify.ts";

const roleOf = (localPart: string, domain = "example.com"): boolean =>
  classifyValid(`${localPart}@${domain}`).role_address;

const ROLES = [
  "info",
  "INFO",
  "Info",
  "support-eu",
  "info.de",
  "sales_uk",
  "sales2",
  "info2024",
  "billing-eu-2",
  "noreply",
  "no-reply",
  "no-reply-2",
  "postmaster",
  "abuse",
  "hostmaster",
  "webmaster",
  "security",
  "info+newsletter",
  "support-eu+ticket42",
  "hr",
  "it",
  "mail",
  "hr+jobs",
  '"info"',
  '"in\\fo"',
  "kontakt",
];

const NO_ROLES = [
  "anna",
  "mail.smith",
  "it.girl",
  "hr.meyer",
  "hrabal",
  "infojunkie",
  "infographic",
  "supporter",
  "salesman",
  "billings",
  "john.info",
  "anna-support",
  "x.sales",
  "my_info",
  "2info",
  "_info",
  "+info",
  "anna+info",
  '"info desk"',
  "ｉnfo",
  "ìnfo",
  "i",
  "mail2",
  "it-girl",
];

describe("a role account", () => {
  it.each(ROLES)("is %s", (localPart) => {
    expect(roleOf(localPart)).toBe(true);
  });

  it.each(NO_ROLES)("is not %s", (localPart) => {
    expect(roleOf(localPart)).toBe(false);
  });

  it.each(["gmail.com", "yahoo.com", "gmx.de", "anna.fastmail.com", "mailinator.com", "bücher.com"])(
    "is one at %s as well: the domain doesn't matter",
    (domain) => {
      expect(roleOf("support", domain)).toBe(true);
      expect(roleOf("anna", domain)).toBe(false);
    },
  );

  it.each([
    ["Info@example.com", "info"],
    ["support-eu@example.com", "support"],
    ["no-reply-2@example.com", "no-reply"],
    ["hr+x@example.com", "hr"],
  ])("%s is explained by %s", (address, entry) => {
    const match = classify(address).explanation.matches?.find(({ flag }) => flag === "role_address");
    expect(match).toMatchObject({ entry, kind: "role" });
    expect(match?.sources).toHaveLength(1);
  });
});

describe("the table of roles", () => {
  const rows = [...readHandKept(ROOT).roles.values()];

  it("is matched row by row, in either letter case, with and without a tag", () => {
    // Letters that fold to others (Turkish dotless i, final sigma) make other names.
    const plain = rows.filter(([name = ""]) => !/ı/.test(name));
    const missed = plain.filter(
      ([name = ""]) => ![name, name.toUpperCase(), `${name}+x`].every((form) => roleOf(form)),
    );
    expect(missed).toEqual([]);
  });

  it("lets its prefixes go on after a separator or digits, and not after a letter", () => {
    const prefixes = rows.filter(([, match]) => match === "prefix").map(([name = ""]) => name);
    const exact = new Set(rows.map(([name]) => name));
    const behind = fc.constantFrom(".x", "-x", "_x", "1", "42", "-", "_");
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), behind, (name, rest) => {
        expect(roleOf(name + rest)).toBe(true);
        if (!exact.has(`${name}q`)) expect(roleOf(`${name}q`)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

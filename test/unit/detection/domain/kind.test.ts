// Tests the kind of a domain: which list or namespace decides it, and which domains have none.

import { expect, it } from "vitest";
import type { DomainKind } from "../../../../src/lists/attributes.ts";
import { type ClassifierOptions, classify } from "../../../helpers/classify.ts";

const kindOf = (domain: string, options?: ClassifierOptions): DomainKind | undefined =>
  classify(`anna@${domain}`, options).explanation.domain_kind;

const BY_LIST: readonly (readonly [domain: string, kind: DomainKind])[] = [
  ["stanford.edu", "academic"],
  ["cs.stanford.edu", "academic"],
  ["uni-heidelberg.de", "academic"],
  ["gov.scot", "government"],
  ["oath.com", "company"],
  ["etisalat.ae", "isp"],
  ["amazonses.com", "mail-infrastructure"],
  ["eu-west-1.amazonses.com", "mail-infrastructure"],
  ["bild.de", "media"],
  ["noreply.codeberg.org", "hidden"],
];

const BY_NAMESPACE: readonly (readonly [domain: string, kind: DomainKind])[] = [
  ["no-such-college-q7.edu", "academic"],
  ["no-such-college-q7.ac.uk", "academic"],
  ["council-q7.gov.uk", "government"],
  ["a.b.council-q7.gov.uk", "government"],
  ["office-q7.sp.gov.br", "government"],
  ["gov.bm", "government"],
  ["unit-q7.mil", "government"],
  ["trust-q7.nhs.uk", "health"],
  ["example.com", "reserved"],
  ["mail.example.net", "reserved"],
  ["EXAMPLE.ORG", "reserved"],
  ["no-such-name-q7.us.to", "free_subdomain"],
  ["a.no-such-name-q7.ddns.net", "free_subdomain"],
  ["jetable.fr.nf", "free_subdomain"],
  ["no-such-name-q7.github.io", "free_subdomain"],
  ["users.noreply.github.com", "hidden"],
  ["Users.NoReply.gitlab.no-such-name-q7.com", "hidden"],
];

const UNKNOWN = [
  ["a public domain", "gmail.com"],
  ["a host below a public domain", "mail.gmail.com"],
  ["a provider's user subdomain", "anna.fastmail.com"],
  ["a relay", "duck.com"],
  ["a disposable domain", "mailinator.com"],
  ["a domain that a list removed", "24hourfitness.com"],
  ["a host of free subdomains", "us.to"],
  ["a host of free subdomains in the Public Suffix List", "ddns.net"],
  ["a domain in no list", "no-such-name-q7.com"],
  ["a name below a suffix whose subdomains are sold", "no-such-name-q7.uk.com"],
  ["a name that consists of the hidden-address prefix of a code forge", "noreply.no-such-name-q7.com"],
  ["a name that only resembles a namespace", "example.com.no-such-name-q7.com"],
  ["a name that ends like a namespace, without a dot before it", "myexample.com"],
] as const;

it.each([...BY_LIST, ...BY_NAMESPACE])("the domain kind of %s is %s", (domain, kind) => {
  expect(kindOf(domain)).toBe(kind);
});

it.each(["anna.test", "printer.local", "q7.onion", "host.example"])(
  'the special-use domain %s has the domain kind "reserved"',
  (domain) => {
    expect(kindOf(domain, { syntax: { allowReserved: true } })).toBe("reserved");
  },
);

it.each(UNKNOWN)("the evidence has no domain kind for %s", (_, domain) => {
  expect(classify(`anna@${domain}`).explanation).not.toHaveProperty("domain_kind");
});

it("an address literal has no domain kind", () => {
  expect(kindOf("[192.0.2.1]", { syntax: { allowDomainLiteral: true } })).toBeUndefined();
});

it("the evidence of a free subdomain has its host and the number of listed names below the host", () => {
  const { free_host: freeHost } = classify("anna@a.no-such-name-q7.de5.net").explanation;
  expect(freeHost).toEqual({ host: "de5.net", listed: expect.any(Number) });
  expect(freeHost?.listed).toBeGreaterThan(30);
  expect(classify("anna@no-such-name-q7.github.io").explanation.free_host?.listed).toBe(0);
  expect(classify("anna@no-such-name-q7.com").explanation).not.toHaveProperty("free_host");
});

it("the domain kind of example.com sets no flag and adds no match", () => {
  expect(classify("anna@example.com").detection).toMatchObject({ syntax_validation: true, public_domain: false });
  expect(classify("anna@example.com").explanation.matches).toEqual([]);
});

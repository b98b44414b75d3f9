// Tests the facts of domains: domains with equal facts share an object, and domains with different facts never do.

import { expect, it } from "vitest";
import type { SyntaxOptions } from "../../../../src/address/options.ts";
import { decodeUtf8, encodeUtf8 } from "../../../../src/base/bytes/bytes.ts";
import type { DomainFacts } from "../../../../src/detection/domain/facts.ts";
import { DomainReader } from "../../../../src/detection/domain/reader.ts";
import { indexOverrides } from "../../../../src/lists/overrides.ts";
import { lists } from "../../../helpers/classify.ts";

interface ReaderOptions {
  readonly syntax?: SyntaxOptions;
  readonly overrides?: Readonly<Record<string, boolean>>;
}

/** Returns a function that reads one domain after another, each after `a@`, with the same reader. */
function createReader({ syntax = {}, overrides = {} }: ReaderOptions = {}): (domain: string) => DomainFacts {
  const index = indexOverrides(new Map(Object.entries(overrides)));
  const reader = new DomainReader({ lists, syntax, overrides: index });
  return (domain) => {
    const bytes = encodeUtf8(`a@${domain}`);
    return reader.read(bytes, 2, bytes.length);
  };
}

/** Domains of which no two have equal facts. */
const KINDS: readonly (readonly [description: string, domain: string])[] = [
  ["on no list", "no-such-company-q7.com"],
  ["public", "outlook.com"],
  ["with a provider's rule", "gmail.com"],
  ["a user's subdomain", "jane.fastmail.com"],
  ["a provider of user subdomains", "fastmail.com"],
  ["a relay", "duck.com"],
  ["another relay", "privaterelay.appleid.com"],
  ["disposable", "mailinator.com"],
  ["protected", "stanford.edu"],
  ["reserved for documentation", "example.com"],
  ["denied by an override", "denied-q7.com"],
  ["allowed by an override", "allowed-q7.com"],
  ["with an override of a mailbox", "mailbox-q7.com"],
  ["malformed", "a..b"],
  ["malformed at another offset", "ab..c"],
  ["with another fault", "-a.com"],
];
const OVERRIDES = { "denied-q7.com": true, "allowed-q7.com": false, "jane@mailbox-q7.com": true };

it("reading a domain again returns the same facts object", () => {
  const read = createReader({ overrides: OVERRIDES });
  const first = KINDS.map(([, domain]) => read(domain));
  for (const [i, [description, domain]] of KINDS.entries()) {
    expect(first[i]?.isShared, description).toBe(true);
    expect(read(domain), description).toBe(first[i]);
  }
});

it("different kinds of domains have different facts objects", () => {
  const read = createReader({ overrides: OVERRIDES });
  expect(new Set(KINDS.map(([, domain]) => read(domain))).size).toBe(KINDS.length);
});

it("domains with equal facts share one facts object", () => {
  const read = createReader();
  expect(read("another-company-q7.co.uk")).toBe(read("no-such-company-q7.com"));
  expect(read("yopmail.com").verdict).toBe(read("mailinator.com").verdict);
  expect(read("x..yyy")).toBe(read("a..b"));
});

it("a domain that IDNA maps gets a new facts object on each read", () => {
  const read = createReader();
  const facts = read("bücher.de");
  expect(facts).toMatchObject({ fault: undefined, isShared: false });
  expect(decodeUtf8(facts.mappedDomain as Uint8Array)).toBe("xn--bcher-kva.de");
  expect(read("bücher.de")).not.toBe(facts);
  expect(read("no-such-company-q7.com").verdict).toBe(facts.verdict);
});

it("a malformed domain's facts have only a fault", () => {
  const facts = createReader({ overrides: { "a..b": true, "x@a..b": true } })("a..b");
  expect(facts).toMatchObject({
    faultOffset: 2,
    isUserSubdomain: false,
    mayHaveMailboxOverrides: false,
    mappedDomain: undefined,
  });
  expect(facts.verdict).toMatchObject({ isDisposable: false, isDecided: false, kind: undefined, isPublic: false });
});

it("the facts of a malformed domain are shared only if the offset of its fault is at most 255", () => {
  const read = createReader();
  for (const [offset, isShared] of [
    [0, true],
    [254, true],
    [255, true],
    [256, false],
  ] as const) {
    const domain = `${"a".repeat(offset)} b`;
    const facts = read(domain);
    expect([facts.faultOffset, facts.isShared]).toEqual([offset, isShared]);
    expect(read(domain) === facts).toBe(isShared);
  }
});

it("an address literal does not reuse the previous domain's match", () => {
  const read = createReader({ syntax: { allowDomainLiteral: true } });
  const before = read("mailinator.com");
  const facts = read("[192.0.2.1]");
  expect([before.verdict.isDisposable, facts.verdict.isDisposable, facts.verdict.isDecided]).toEqual([
    true,
    false,
    false,
  ]);
  expect(decodeUtf8(facts.mappedDomain as Uint8Array)).toBe("[192.0.2.1]");
});

const overrides = { "jane@gmail.com": true, "john@fastmail.com": false, "mailinator.com": false };
const read = createReader({ overrides });

it.each([
  ["gmail.com", true],
  ["googlemail.com", true],
  ["fastmail.com", true],
  ["john.fastmail.com", true],
  ["outlook.com", false],
  ["mailinator.com", false],
  ["sub.gmail.com", false],
])("mailboxes at %s may have their own overrides: %s", (domain, expected) => {
  expect(read(domain).mayHaveMailboxOverrides).toBe(expected);
});

// Tests lookups of a host and its ancestors: the most specific entry decides, entries below the minimum confidence are
// ignored, and some kinds match only the host itself.

import { expect, it } from "vitest";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import type { TableInput } from "../../../src/curation/compile.ts";
import {
  CONFIDENCES,
  type Confidence,
  confidenceRank,
  entryFlags,
  formatDay,
  packEntry,
  SOURCE_BIT,
  sourceLettersOf,
} from "../../../src/lists/confidence.ts";
import { findExchange, findExchangeAddress } from "../../../src/lists/exchanges.ts";
import { KIND } from "../../../src/lists/format.ts";
import { ListMatch } from "../../../src/lists/table.ts";
import { entryOf } from "../../helpers/entries.ts";
import { compileSmallTable, rows, smallLists } from "../../helpers/small-table.ts";

const INPUT: Partial<TableInput> = {
  disposable: new Map([
    ["burn.example", entryOf("D")],
    ["deep.safe.example", entryOf("F")],
    ["legacy.example", entryOf("t")],
    ["single.legacy.example", entryOf("E")],
    ["pair.example", entryOf("TE")],
    ["own.example", entryOf("H")],
    ["x.relay.example", entryOf("D")],
    ["doubtful.fastmail.example", entryOf("t")],
  ]),
  relays: rows(
    ["relay.example", "relay_one", "subdomains", "s"],
    ["exact.example", "relay_two", "exact", "s"],
    ["relay.burn.example", "relay_two", "exact", "s"],
  ),
  public: rows(["mail.example", "operator", "zz", "s"], ["fastmail.example", "fastmail", "zz", "s"]),
  protected: rows(["safe.example", "company", "r"], ["good.burn.example", "bank", "r"]),
  providers: rows(["fastmail", "fastmail", "s"], ["operator", "gmail", "s"]),
  roles: rows(["info", "prefix", "s"], ["it", "exact", "s"]),
  rootZone: ["com", "arpa", "jp"],
  registrySuffixes: ["co.jp", "any.kobe.jp"],
  suffixExceptions: ["city.kobe.jp"],
  specialUse: rows(["arpa", "RFC 3172"], ["docs.example", "RFC 6761"], ["test", "RFC 6761"]),
  restrictedSuffixes: rows(["ac.jp", "academic", "r"]),
  formerProviders: rows(["once-mail.example", "H"]),
  mailSuffixes: rows(["gov.example", "e"]),
  typos: rows(["mial.example", "mail.example", "r"]),
  typoTlds: rows(["con", "com", "r"]),
  exchanges: rows(
    ["mx.burner.example", "exact", "disposable", "burner", "s"],
    ["burner.example", "suffix", "shared", "hosting", "s"],
    ["forwarder.example", "suffix", "relay", "forward_one", "s"],
    ["203.0.113.7", "address", "disposable", "burner", "s"],
  ),
};

const LISTS = smallLists(INPUT);

const bytes = (text: string): [Uint8Array, number, number] => [encodeUtf8(text), 0, encodeUtf8(text).length];

function lookUp(domain: string, minimum: Confidence = "legacy"): ListMatch & { entry: string } {
  const match = new ListMatch();
  LISTS.match(...bytes(domain), CONFIDENCES.indexOf(minimum), match);
  return Object.assign(match, { entry: match.decidingKind === "none" ? "" : domain.slice(match.entryStart) });
}

const LOOKUPS: readonly (readonly [domain: string, decidingKind: string, entry: string])[] = [
  ["burn.example", "disposable", "burn.example"],
  ["BURN.Example", "disposable", "BURN.Example"],
  ["a.b.c.burn.example", "disposable", "burn.example"],
  ["notburn.example", "none", ""],
  ["burn.example.com", "none", ""],
  ["example", "none", ""],
  ["good.burn.example", "protected", "good.burn.example"],
  ["x.good.burn.example", "protected", "good.burn.example"],
  ["relay.burn.example", "relay", "relay.burn.example"],
  ["deep.safe.example", "disposable", "deep.safe.example"],
  ["other.safe.example", "protected", "safe.example"],
  ["relay.example", "relay", "relay.example"],
  ["user.relay.example", "relay", "relay.example"],
  ["x.relay.example", "disposable", "x.relay.example"],
  ["exact.example", "relay", "exact.example"],
  ["user.exact.example", "protected", "exact.example"],
  ["mail.example", "public", "mail.example"],
  ["user.mail.example", "protected", "mail.example"],
  ["user.fastmail.example", "public", "fastmail.example"],
  ["a.user.fastmail.example", "protected", "fastmail.example"],
  ["gov.example", "none", ""],
  ["x.single.legacy.example", "disposable", "single.legacy.example"],
];

it.each(LOOKUPS)("the deciding entry of %s is of kind %s: %s", (domain, decidingKind, entry) => {
  expect(lookUp(domain)).toMatchObject({ decidingKind, entry });
});

it("the provider and the user subdomain of a host come from its own entry or that of its direct parent", () => {
  expect(lookUp("mail.example")).toMatchObject({ provider: 1, isUserSubdomain: false, isHostListed: true });
  expect(lookUp("user.mail.example")).toMatchObject({ provider: 0, isUserSubdomain: false, isHostListed: false });
  expect(lookUp("user.fastmail.example")).toMatchObject({ provider: 5, isUserSubdomain: true, isHostListed: false });
  const listed = { provider: 0, isUserSubdomain: false, isHostListed: true };
  expect(lookUp("doubtful.fastmail.example")).toMatchObject({ ...listed, decidingKind: "disposable" });
  expect(lookUp("doubtful.fastmail.example", "confirmed")).toMatchObject({ ...listed, decidingKind: "protected" });
  expect(lookUp("a.user.fastmail.example")).toMatchObject({ provider: 0, isUserSubdomain: false });
});

it("a lookup resets a reused match", () => {
  const match = new ListMatch();
  for (const domain of ["user.fastmail.example", "relay.example", "burn.example", "unknown.com"]) {
    LISTS.match(...bytes(domain), 0, match);
  }
  expect(match).toEqual(new ListMatch());
});

it.each([
  ["legacy.example", "legacy", "disposable"],
  ["legacy.example", "single", "none"],
  ["single.legacy.example", "single", "disposable"],
  ["single.legacy.example", "corroborated", "none"],
  ["pair.example", "corroborated", "disposable"],
  ["pair.example", "confirmed", "none"],
  ["own.example", "confirmed", "disposable"],
  ["burn.example", "confirmed", "disposable"],
] as const)("the deciding entry of %s at minimum confidence %s is of kind %s", (domain, minimum, decidingKind) => {
  expect(lookUp(domain, minimum).decidingKind).toBe(decidingKind);
});

it.each([
  ["t", "legacy"],
  ["te", "legacy"],
  ["c", "legacy"],
  ["T", "single"],
  ["E", "single"],
  ["C", "single"],
  ["tE", "single"],
  ["TE", "corroborated"],
  ["Ce", "single"],
  ["CTE", "corroborated"],
  ["D", "confirmed"],
  ["F", "confirmed"],
  ["H", "confirmed"],
  ["Dt", "confirmed"],
  ["Fte", "confirmed"],
])("an entry with the sources %s has the confidence %s", (letters, confidence) => {
  const entry = entryOf(letters);
  expect(CONFIDENCES[confidenceRank(entryFlags(entry))]).toBe(confidence);
  expect(sourceLettersOf(entryFlags(entry)).join("")).toBe(letters.toUpperCase());
});

it.each([
  [entryOf("Ct", "2026-05-11"), "CT", "2026-05-11", undefined],
  [entryOf("D"), "D", undefined, undefined],
  [packEntry(SOURCE_BIT.C, 1, "2026-05-11", "2026-08-22"), "C", "2026-05-11", "2026-08-22"],
  [packEntry(SOURCE_BIT.C, 1, undefined, "2026-08-21"), "C", undefined, "2026-08-21"],
])("a table stores an entry (%i) with its sources %s, first day %s and last day %s", (entry, letters, first, last) => {
  const match = new ListMatch();
  smallLists({ disposable: new Map([["new.example", entry]]) }).match(...bytes("x.new.example"), 0, match);
  const days = [match.since, match.lastSeen].map(formatDay);
  expect([sourceLettersOf(match.entryFlags).join(""), ...days]).toEqual([letters, first, last]);
});

it("a table looks up roles, top-level labels, mail-receiving suffixes and misspellings", () => {
  expect([
    LISTS.lookUpRole(...bytes("INFO")),
    LISTS.lookUpRole(...bytes("it")),
    LISTS.lookUpRole(...bytes("inf")),
  ]).toEqual(["prefix", "exact", "none"]);
  expect(["com", "JP", "ARPA", "test", "corp", "docs.example"].map((label) => LISTS.topLevel(...bytes(label)))).toEqual(
    ["root-zone", "root-zone", "special-use", "special-use", "unknown", "unknown"],
  );
  const names = ["co.jp", "CO.JP", "a.co.jp", "b.kobe.jp", "a.b.kobe.jp", "city.kobe.jp", "kobe.jp"];
  expect(names.filter((name) => LISTS.isSuffix(...bytes(name)))).toEqual(["co.jp", "CO.JP", "b.kobe.jp"]);
  expect([LISTS.receivesMail(...bytes("gov.example")), LISTS.receivesMail(...bytes("burn.example"))]).toEqual([
    true,
    false,
  ]);
  expect(LISTS.findCorrection("typo", encodeUtf8("mial.example"))).toBe("mail.example");
  expect(LISTS.findCorrection("typoTld", encodeUtf8("con"))).toBe("com");
  expect(LISTS.findCorrection("typo", encodeUtf8("con"))).toBeUndefined();
});

it.each([
  ["ac.jp", "academic"],
  ["docs.example", "reserved"],
  ["test", "reserved"],
  ["arpa", "reserved"],
  ["jp", undefined],
])("the namespace %s has the kind %s", (name, kind) => {
  const found = LISTS.attributesOf(KIND.namespace, encodeUtf8(name), 0, name.length);
  expect(found && new TextDecoder().decode(found)).toBe(kind);
});

it.each(["burn.example", "legacy.example"])("the compiler rejects contradictory lists: %s", (domain) => {
  for (const change of [
    { protected: rows([domain, "company", "r"]) },
    { public: rows([domain, "o", "zz", "s"]), providers: rows() },
    { relays: rows([domain, "p", "exact", "s"]) },
  ]) {
    expect(() => compileSmallTable({ ...INPUT, ...change })).toThrow(`${domain} is disposable and protected at once`);
  }
});

it("the compiler rejects a provider whose rule does not exist", () => {
  expect(() => compileSmallTable({ ...INPUT, providers: rows(["operator", "nobody", "s"]) })).toThrow(
    "data/providers.tsv names the rule nobody, which does not exist",
  );
});

it("the compiler rejects a provider without a public domain", () => {
  expect(() => compileSmallTable({ ...INPUT, providers: rows(["stranger", "gmail", "s"]) })).toThrow(
    "data/providers.tsv names stranger, which has no domain in data/public.tsv",
  );
});

it("the metadata counts entries by class", () => {
  expect(LISTS.meta.counts).toEqual({ disposable: 8, relay: 3, public: 2, protected: 2, role: 2, tld: 2, exchange: 4 });
});

const SHARED = { entry: "burner.example", class: "shared", provider: "hosting" };
const RELAY = { entry: "forwarder.example", class: "relay", provider: "forward_one" };
const EXCHANGES: readonly (readonly [host: string, found: object | undefined])[] = [
  ["mx.burner.example", { entry: "mx.burner.example", class: "disposable", provider: "burner" }],
  ["a.mx.burner.example", SHARED],
  ["burner.example", SHARED],
  ["mx1.forwarder.example", RELAY],
  ["a.b.c.forwarder.example", RELAY],
  ["notforwarder.example", undefined],
  ["203.0.113.7", undefined],
  ["", undefined],
  ["x".repeat(300), undefined],
];

it.each(EXCHANGES)("findExchange returns $1 for $0", (host, found) => {
  expect(findExchange(host, LISTS)).toEqual(found);
});

it("findExchangeAddress returns the entry of a listed address, and nothing for a host name", () => {
  expect(findExchangeAddress("203.0.113.7", LISTS)).toEqual({
    entry: "203.0.113.7",
    class: "disposable",
    provider: "burner",
  });
  expect(findExchangeAddress("203.0.113.8", LISTS)).toBeUndefined();
  expect(findExchangeAddress("mx.burner.example", LISTS)).toBeUndefined();
});
